"""Changes to several notes as one WorkspaceEdit, each of them made on the text as it stands now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lsprotocol import types as lsp

from postil_indexers.errors import PostilError
from postil_server.lsp.live import Note


class RefusedError(PostilError):
    """What was asked for would break something; the message says what."""

    code = "refused"
    quotes = True


@dataclass(frozen=True, slots=True)
class Change:
    start: int  # code points of the note's text, half-open
    end: int
    text: str


@dataclass(slots=True)
class Plan:
    """Changes by note, and files to rename after them."""

    notes: dict[str, Note] = field(default_factory=dict)  # by URI
    changes: dict[str, list[Change]] = field(default_factory=dict)
    renames: list[tuple[str, str]] = field(default_factory=list)  # URIs

    def add(self, note: Note, changes: Iterable[Change]) -> None:
        told = [each for each in changes if note.sites.text[each.start : each.end] != each.text]
        if told:
            self.notes[note.uri] = note
            self.changes.setdefault(note.uri, []).extend(told)


def changed_text(text: str, changes: Iterable[Change]) -> str:
    for each in sorted(changes, key=lambda each: -each.start):
        text = text[: each.start] + each.text + text[each.end :]
    return text


def workspace_edit(plan: Plan, encoding: str, *, versioned: bool) -> lsp.WorkspaceEdit:
    """`versioned`: whether the client takes documentChanges, which renaming a file needs."""
    edits = {
        uri: [
            lsp.TextEdit(note.range((each.start, each.end), encoding), each.text)
            for each in sorted(plan.changes[uri], key=lambda each: each.start)
        ]
        for uri, note in sorted(plan.notes.items())
    }
    if not versioned:
        return lsp.WorkspaceEdit(changes=edits)
    texts = [
        lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, plan.notes[uri].version), told)
        for uri, told in edits.items()
    ]
    files = [lsp.RenameFile(old, new) for old, new in plan.renames]
    return lsp.WorkspaceEdit(document_changes=[*texts, *files])
