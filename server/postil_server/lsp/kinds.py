"""What an open document is: a note, or code of which language."""

from __future__ import annotations

import os
import posixpath

from postil_indexers.languages import language_of
from postil_server.lsp.documents import Buffer

_OUR_NAMES = {"plaintext": "text", "shellscript": "bash", "sh": "bash", "restructuredtext": "rst", "cs": "csharp"}
_PROSE_EXTENSIONS = ("", ".txt", ".text")  # as the index takes them; other text is more often data


def language_in(buffer: Buffer, path: str) -> str:
    """By the name of the file; of a document without one as the editor calls it."""
    if buffer.path is None:
        return _OUR_NAMES.get(buffer.language_id, buffer.language_id)
    return language_of(path, buffer.text[:200].split("\n", 1)[0])


def is_note(path: str, language: str) -> bool:
    extension = posixpath.splitext(os.path.basename(path))[1].lower()
    return language in ("markdown", "rst") or (language == "text" and extension in _PROSE_EXTENSIONS)
