"""Which lenses a document has, from its text; and what each says, from the index. Runs in a reading thread."""

from __future__ import annotations

from dataclasses import dataclass

from postil_server.days import day
from postil_server.lsp.definition_rows import definition_here
from postil_server.lsp.desk import Desk, Opened
from postil_server.lsp.kinds import is_note, language_in
from postil_server.lsp.noteview import parsed
from postil_server.lsp.where import Where
from postil_server.related import Passage, passage_at, related
from postil_server.settings import LensSettings
from postil_server.spanhistory import last_changes

_LIKELY = 0.5  # confidence: more likely related than not
_COUNTED = 20  # related notes; "20+" is as good as any number
_MOST = 200  # definitions of a file
_SUBJECT_CHARS = 60


@dataclass(frozen=True, slots=True)
class Lens:
    line: int  # 0-based
    what: str
    name: str = ""  # of a definition, qualified


def lenses(at: Where, switches: LensSettings) -> list[Lens]:
    """Those of the whole document stand on its first line."""
    path = at.place[1] if at.place else at.buffer.path or ""
    language = language_in(at.buffer, path)
    if not at.buffer.text.strip():
        return []
    if is_note(path, language):
        of_note = ("related", "backlinks", "summarise") if at.place else ("related", "summarise")
        return [Lens(0, what) for what in of_note] if switches.notes else []
    if at.place is None:
        return []
    found = [Lens(0, "change"), Lens(0, "history")] if switches.code else []
    if switches.definitions:
        said = parsed(at.buffer.text, path, language)
        found += [Lens(each.line, "definition", each.qualified_name) for each in said.definitions[:_MOST]]
    return found


def title(desk: Desk, at: Where, what: str, line: int, name: str) -> str:
    """Raises NotIndexedError."""
    opened = desk.indexed(list(at.roots))
    if what == "related":
        return _related(opened, at)
    if at.place is None or opened[0].root != at.place[0]:
        return ""
    own, path = opened[0], at.place[1]
    if what == "backlinks":
        document = own.index.content.document(path)
        return f"Backlinks {own.index.content.backlinks(document.id) if document else 0}"
    if what == "definition":
        return _definition(own, at, line, name)
    commits = own.index.history.touching(path) | own.index.file_changes.before_renames(path)
    rows = own.index.history.rows(commits).values()
    newest = max(rows, key=lambda row: (row.committed_at, row.sha), default=None)
    if what == "history":
        return f"History {len(rows)}"
    return f"Last change {day(newest.committed_at)}, {newest.author_name}" if newest else "Not committed"


def _related(opened: list[Opened], at: Where) -> str:
    """How many notes are more likely related than not, in all folders."""
    found = 0
    for each in opened:
        own = at.place[1] if at.place and at.place[0] == each.root else None
        known = each.kept(_counts)
        key = own or at.buffer.text
        if key not in known:
            passage = (passage_at(each.index, own, None) if own else None) or Passage(at.buffer.text, own)
            notes = related(each.index, each.root, passage, each.embedders(local=True), each.vectors, _COUNTED)
            known[key] = sum(note.confidence >= _LIKELY for note in notes)
        found += known[key]
    return f"Related {found if found < _COUNTED else f'{_COUNTED}+'}"


def _counts(opened: Opened) -> dict[str, int]:
    return {}


def _definition(own: Opened, at: Where, line: int, name: str) -> str:
    path = at.place[1] if at.place else ""
    language = language_in(at.buffer, path)
    here = next((d for d in parsed(at.buffer.text, path, language).definitions if d.qualified_name == name), None)
    row = definition_here(own, path, name, here.name, line) if here else None
    changes = last_changes(own.index, own.root, path, row.span, 1) if row else []
    if not changes:
        return "Not committed"
    newest = changes[0]
    subject = newest.subject if len(newest.subject) <= _SUBJECT_CHARS else newest.subject[: _SUBJECT_CHARS - 1] + "…"
    return f"{day(newest.committed_at)} {subject} ({newest.author_name})"
