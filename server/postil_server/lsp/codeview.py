"""What stands on one line of a source file as it is being written."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from postil_indexers.chunking.code import syntaxes_of
from postil_indexers.chunking.definitions import Symbols, find_symbols
from postil_indexers.chunking.syntax import Syntax
from postil_indexers.types import Document
from postil_server.lsp.noteview import parsed

_KEPT = 4  # trees; one of 10,000 lines takes some 20 MB, and hovers come in runs on the same document


def symbols_on(text: str, path: str, language: str, line: int) -> Symbols:
    """What is defined and used on a 0-based line; it may hold more than that line's."""
    syntaxes = _syntaxes(text, path, language)
    if syntaxes:
        return find_symbols(*syntaxes, line=line)
    said = parsed(text, path, language)
    return Symbols(said.definitions, said.references, ())


@functools.lru_cache(_KEPT)
def _syntaxes(text: str, path: str, language: str) -> Sequence[Syntax]:
    return () if language == "notebook" else syntaxes_of(Document(path, text, language))
