"""What there is to open from a document: related notes, the places that link to it, the last commits of its lines."""

from __future__ import annotations

import os
from dataclasses import dataclass

from postil_indexers.types import Span
from postil_server.days import day
from postil_server.history.joins import NotePlace, notes_about
from postil_server.lsp.desk import Desk
from postil_server.lsp.documents import Buffer
from postil_server.lsp.hover_note import related_items, title_of
from postil_server.lsp.kinds import is_note, language_in
from postil_server.lsp.meanings import links_to
from postil_server.lsp.noteview import note_view
from postil_server.lsp.referring import notes_linking
from postil_server.lsp.uris import uri_of
from postil_server.lsp.virtual_uris import commit_uri
from postil_server.lsp.where import Where
from postil_server.related import Passage, passage_at
from postil_server.related import related as related_to
from postil_server.spanhistory import last_changes
from postil_server.types import Related

_MOST = 20


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    uri: str
    line: int = 0
    reason: str = ""  # why it is offered, of what is related


@dataclass(frozen=True, slots=True)
class Asked:
    at: Where
    lines: Span | None  # that are selected; None for the whole document
    buffers: dict[tuple[str, str], Buffer]


def related(desk: Desk, asked: Asked) -> list[Choice]:
    """For the paragraph where the selection starts what its hover shows; else for the whole note."""
    at, opened = asked.at, desk.indexed(list(asked.at.roots))
    path = at.place[1] if at.place else at.buffer.path or ""
    language = language_in(at.buffer, path)
    if asked.lines is not None and is_note(path, language):
        view = note_view(at.buffer.text, path, language)
        return [_choice(item) for item in related_items(opened, view, asked.lines.start_line, at.place)]
    found: list[Related] = []
    for each in opened:
        own = at.place[1] if at.place and at.place[0] == each.root else None
        passage = (passage_at(each.index, own, None) if own else None) or Passage(at.buffer.text, own)
        found += related_to(each.index, each.root, passage, each.embedders(local=True), each.vectors, _MOST)
    if len(opened) > 1:
        found.sort(key=lambda item: -item.confidence)
    return [_choice(item) for item in found[:_MOST]]


def _choice(item: Related) -> Choice:
    uri = commit_uri(item.root, item.sha) if item.sha else uri_of(os.path.join(item.root, item.path))
    return Choice(title_of(item), uri, item.span.start_line, item.reason)


def backlinks(desk: Desk, asked: Asked) -> list[Choice]:
    """The links to a file; of one that is no note, then the notes that write its path or its name without one."""
    if asked.at.place is None:
        return []
    root, path = asked.at.place
    opened = desk.at(root)
    found = []
    for note, site in links_to(opened, path, notes_linking(opened, path, asked.buffers)):
        if note.path != path:
            line = note.sites.line_of(site.link.start)
            found.append(Choice(f"{note.path}: {note.sites.lines[line].strip()[:80]}", note.uri, line))
    if is_note(path, language_in(asked.at.buffer, path)):
        return found[:_MOST]
    linked = {choice.uri for choice in found}
    named = [_named(root, note) for note in notes_about(opened.index, [path], [], _MOST)]
    return [*found, *(choice for choice in named if choice.uri not in linked)][:_MOST]


def _named(root: str, note: NotePlace) -> Choice:
    return Choice(f"{note.path}: {note.snippet[:80]}", uri_of(os.path.join(root, note.path)), note.line)


def history(desk: Desk, asked: Asked) -> list[Choice]:
    """The last commits that changed the selected lines, or the file."""
    if asked.at.place is None:
        return []
    root, path = asked.at.place
    index = desk.at(root).index
    if asked.lines is not None:
        rows = last_changes(index, root, path, asked.lines, _MOST)
    else:
        commits = index.history.touching(path) | index.file_changes.before_renames(path)
        every = index.history.rows(commits).values()
        rows = sorted(every, key=lambda row: (-row.committed_at, row.sha))[:_MOST]
    return [
        Choice(f"{day(row.committed_at)} {row.subject} ({row.author_name})", commit_uri(root, row.sha)) for row in rows
    ]
