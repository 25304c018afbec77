"""Notes that name a commit or an issue, and commits that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from postil_indexers.chunking.notes import split_lines
from postil_indexers.messages import issues
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.types import Kind

_SHORT, _LONG = 7, 12  # digits of a commit id as people write it, beside the whole
_LOOKED_AT = 60  # passages that hold the number of an issue, which many numbers are
_SNIPPET_CHARS = 200
_SHA = re.compile(r"(?<![0-9a-zA-Z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![0-9a-zA-Z])")
_MOST = 20


@dataclass(frozen=True, slots=True)
class NotePlace:
    """A line of a note that names something."""

    path: str
    title: str
    line: int
    snippet: str


def notes_naming(index: Index, sha: str, numbers: Iterable[str], limit: int) -> list[NotePlace]:
    """Lines of notes that name a commit, by its id or the start of it, or one of some issues; one a note."""
    starts = [sha[:length] for length in range(_SHORT, _LONG + 1)]
    terms = [*starts, sha, *(part.lower() for number in numbers for part in (number, *number.split("-")))]
    matches = index.content.match(terms, Kind.NOTE, _LOOKED_AT)
    rows = index.content.chunks(match.rowid for match in matches)
    wanted = set(numbers)
    found: dict[str, NotePlace] = {}
    for match in matches:
        row = rows[match.rowid]
        for number, text in enumerate(split_lines(row.text)):
            if row.path not in found and _names(text, sha, wanted):
                line = row.span.start_line + number
                found[row.path] = NotePlace(row.path, row.title, line, text.strip()[:_SNIPPET_CHARS])
    return list(found.values())[:limit]


def _names(text: str, sha: str, numbers: set[str]) -> bool:
    return any(sha.startswith(start) for start in _SHA.findall(text)) or not numbers.isdisjoint(issues(text))


def commits_named(index: Index, text: str) -> list[CommitRow]:
    """The commits that a text names by id, then those whose messages name an issue that it names; newest first."""
    by_id = [i for start in dict.fromkeys(_SHA.findall(text)) for i in index.history.by_sha(start)]
    by_issue = {i for _, _, i in index.surroundings.mentioning(issues(text), ("issue",))}
    rows = index.history.rows([*by_id, *by_issue])
    latest: Sequence[int] = sorted(by_issue - set(by_id), key=lambda i: (-rows[i].committed_at, rows[i].sha))
    return [rows[i] for i in (*dict.fromkeys(by_id), *latest)][:_MOST]
