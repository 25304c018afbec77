"""What is related to the paragraph that is being written: notes, code and commits."""

from __future__ import annotations

import os

from postil_server.beside import MOST, beside, files_changed_with
from postil_server.lsp.desk import Opened
from postil_server.lsp.linking import linked_paths
from postil_server.lsp.noteview import NoteView
from postil_server.lsp.shown import Line, Shown
from postil_server.lsp.virtual_uris import commit_uri
from postil_server.related import Passage
from postil_server.roots import merged
from postil_server.types import Related

_KEPT = 200  # paragraphs of a state of the index; an editor asks for the same one again and again


def hover_note(opened: list[Opened], view: NoteView, line: int, place: tuple[str, str] | None) -> Shown | None:
    """At most five, none below the floors, none that the note links to as it stands in the editor."""
    found = related_items(opened, view, line, place)
    if not found:
        return None
    return Shown("Related", tuple(_line(item) for item in found))


def related_items(opened: list[Opened], view: NoteView, line: int, place: tuple[str, str] | None) -> list[Related]:
    text = view.paragraph(line)
    found: list[Related] = []
    for each in opened:
        own = place[1] if place and place[0] == each.root else None
        told = [item for item in _beside(each, text, own) if item.sha or _is_there(item)]
        if told:
            linked = linked_paths(each, own, view.links) if place is None or own is not None else set()
            found += [item for item in told if item.path not in linked and item.path != own]
    return merged(found, [each.root for each in opened], MOST)


def _beside(opened: Opened, text: str, own: str | None) -> list[Related]:
    """Kept while the index is what it was, and the models that were at hand."""
    known, embedders = opened.kept(_answers), opened.at_hand()
    key = (text, own, frozenset(embedders))
    if key not in known:
        if len(known) >= _KEPT:
            known.clear()
        together = opened.kept(_changes)
        if own not in together:
            together[own] = files_changed_with(opened.index, own)
        passage = Passage(text, own)
        known[key] = beside(opened.index, opened.root, passage, embedders, opened.vectors, together[own])
    opened.open_soon()
    return known[key]


def _answers(opened: Opened) -> dict[tuple[str, str | None, frozenset[str]], list[Related]]:
    return {}


def _changes(opened: Opened) -> dict[str | None, frozenset[str]]:
    return {}


def _is_there(item: Related) -> bool:
    return os.path.lexists(os.path.join(item.root, item.path))


def title_of(item: Related) -> str:
    """Title and heading path; of code its file and qualified name, of a commit its subject and the start of its id."""
    if item.sha:
        return f"{item.title} · {item.sha[:8]}"
    heading = [part for part in item.heading.split(" > ") if part]
    return " › ".join([item.title, *heading] if heading[:1] != [item.title] else heading)


def _line(item: Related) -> Line:
    title = title_of(item)
    if item.sha:
        return Line(link=title, uri=commit_uri(item.root, item.sha), reason=item.reason, item=True, below=item.snippet)
    path = os.path.join(item.root, item.path)
    return Line(link=title, path=path, line=item.span.start_line, reason=item.reason, item=True, below=item.snippet)
