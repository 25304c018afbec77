"""What a hover shows at a place of a document. Runs in the thread of hovers; waits for no model, lock or endpoint."""

from __future__ import annotations

from postil_indexers.chunking.notes import split_lines
from postil_server.lsp.desk import Desk
from postil_server.lsp.hover_code import hover_code
from postil_server.lsp.hover_commit import hover_commit
from postil_server.lsp.hover_file import hover_file
from postil_server.lsp.hover_link import hover_link
from postil_server.lsp.hover_note import hover_note
from postil_server.lsp.kinds import is_note, language_in
from postil_server.lsp.noteview import note_view
from postil_server.lsp.shown import Shown
from postil_server.lsp.where import Where


def prepare() -> None:
    """Load what the first hover would wait for."""
    note_view("# A note\n", "a.md", "markdown")


def hover_at(desk: Desk, at: Where, line: int, column: int) -> Shown | None:
    """At a 0-based line and a column in code points; None: nothing to say. Raises NotIndexedError."""
    path = at.place[1] if at.place else at.buffer.path or ""
    language = language_in(at.buffer, path)
    if not is_note(path, language):
        opened = desk.indexed(list(at.roots))
        if not opened[0].app.settings.hover.code or at.place is None:
            return None
        named = hover_commit(opened, split_lines(at.buffer.text)[line], column)
        return named or hover_code(opened, at.buffer, line, column, path, language)
    view = note_view(at.buffer.text, path, language)
    if line not in view.prose:
        return None
    opened = desk.indexed(list(at.roots))
    switches = opened[0].app.settings.hover
    link = view.link_at(line, column)
    if link is not None:
        return hover_link(opened, view, link, line, at.place) if switches.links else None
    if not switches.notes:
        return None
    text = split_lines(at.buffer.text)[line]
    named = hover_commit(opened, text, column) or hover_file(opened, text, column)
    return named or hover_note(opened, view, line, at.place)
