"""Related notes for the paragraph that is being written."""

from __future__ import annotations

import os

from postil_server.lsp.desk import Opened
from postil_server.lsp.linking import linked_paths
from postil_server.lsp.noteview import NoteView
from postil_server.lsp.shown import Line, Shown
from postil_server.related import Passage, related
from postil_server.types import Related

_MOST = 5


def hover_note(opened: list[Opened], view: NoteView, line: int, place: tuple[str, str] | None) -> Shown | None:
    """At most five notes, none below the floor, none that the note links to as it stands in the editor."""
    text = view.paragraph(line)
    found: list[Related] = []
    for each in opened:
        own = place[1] if place and place[0] == each.root else None
        passage = Passage(text, own)
        notes = related(each.index, each.root, passage, each.embedders(local=True), each.vectors, _MOST, hover=True)
        if not notes:
            continue
        linked = linked_paths(each, own, view.links) if place is None or own is not None else set()
        found += [item for item in notes if item.path not in linked and item.path != own]
    if len(opened) > 1:
        found.sort(key=lambda item: -item.confidence)
    if not found:
        return None
    return Shown("Related notes", tuple(_line(item) for item in found[:_MOST]))


def _line(item: Related) -> Line:
    heading = [part for part in item.heading.split(" > ") if part]
    title = " › ".join([item.title, *heading] if heading[:1] != [item.title] else heading)
    path = os.path.join(item.root, item.path)
    return Line(
        link=title, path=path, line=item.span.start_line, after=f" ({item.reason})", item=True, below=item.snippet
    )
