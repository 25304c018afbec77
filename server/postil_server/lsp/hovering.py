"""What a hover shows at a place of a document. Runs in the thread of hovers; waits for no model, lock or endpoint."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass

from postil_indexers.languages import language_of
from postil_server.lsp.desk import Desk
from postil_server.lsp.documents import Buffer
from postil_server.lsp.hover_code import hover_code
from postil_server.lsp.hover_link import hover_link
from postil_server.lsp.hover_note import hover_note
from postil_server.lsp.noteview import note_view
from postil_server.lsp.shown import Shown

_OUR_NAMES = {"plaintext": "text", "shellscript": "bash", "sh": "bash", "restructuredtext": "rst", "cs": "csharp"}
_PROSE_EXTENSIONS = ("", ".txt", ".text")  # as the index takes them; other text is more often data


@dataclass(frozen=True, slots=True)
class Hovered:
    buffer: Buffer
    line: int  # 0-based
    column: int  # code points
    place: tuple[str, str] | None  # (root, path in it); None outside of all open folders
    roots: tuple[str, ...]  # of the open folders


def prepare() -> None:
    """Load what the first hover would wait for."""
    note_view("# A note\n", "a.md", "markdown")


def hover_at(desk: Desk, at: Hovered) -> Shown | None:
    """None: nothing to say. Raises NotIndexedError where no folder has an index."""
    path = at.place[1] if at.place else at.buffer.path or ""
    language = _language(at.buffer, path)
    if not _is_note(path, language):
        opened = desk.indexed(_ordered(at))
        if not opened[0].app.settings.hover.code or at.place is None:
            return None
        return hover_code(opened, at.buffer, at.line, at.column, path, language)
    view = note_view(at.buffer.text, path, language)
    if at.line not in view.prose:
        return None
    opened = desk.indexed(_ordered(at))
    switches = opened[0].app.settings.hover
    link = view.link_at(at.line, at.column)
    if link is not None:
        return hover_link(opened, view, link, at.line, at.place) if switches.links else None
    return hover_note(opened, view, at.line, at.place) if switches.notes else None


def _ordered(at: Hovered) -> list[str]:
    """The document's own folder first."""
    own = [at.place[0]] if at.place else []
    return list(dict.fromkeys((*own, *at.roots)))


def _language(buffer: Buffer, path: str) -> str:
    """By the name of the file; of a document without one as the editor calls it."""
    if buffer.path is None:
        return _OUR_NAMES.get(buffer.language_id, buffer.language_id)
    return language_of(path, buffer.text[:200].split("\n", 1)[0])


def _is_note(path: str, language: str) -> bool:
    extension = posixpath.splitext(os.path.basename(path))[1].lower()
    return language in ("markdown", "rst") or (language == "text" and extension in _PROSE_EXTENSIONS)
