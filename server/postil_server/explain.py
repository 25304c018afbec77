"""A commit, or the lines of a file, explained: why it was made, what came of it later, and what changes with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from postil_indexers.messages import issues, trailers
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.types import Span
from postil_server.cochange import ChangedTogether, SymbolTogether, changed_together, symbols_changed_together
from postil_server.elsewhere import also_elsewhere
from postil_server.history.joins import NotePlace, notes_about, notes_naming
from postil_server.types import FoundCommit

_NOTES, _LATER, _TOGETHER = 5, 8, 5
_ABOUT = 2  # notes that name what a commit changed: they are rarely about the change
_SWEEP_FILES = 10  # a commit of more is not about what notes say of one of them
_BODY_CHARS = 4_000
_FILES = 3  # of a commit, whose companions are told
_RELATIONS = {"reverts": "takes it back", "picks": "picks it", "mends": "mends it"}
_SYMBOLS = 40  # that a commit brought, the most frequent first, and that notes may name
_NAME = re.compile(r"[^\W\d]\w+")
_GITLAB = "gitlab"  # its issues lie below `/-/`


@dataclass(frozen=True, slots=True)
class LaterCommit:
    sha: str
    subject: str
    committed_at: int
    relation: str  # in words: "takes it back", "mends it", "names #42 as well"


@dataclass(frozen=True, slots=True)
class Explanation:
    body: str  # of the message
    trailers: tuple[tuple[str, str], ...]
    issues: tuple[tuple[str, str], ...]  # (number, address; "" where the remote tells none)
    notes: tuple[NotePlace, ...]  # that name it or one of its issues, then what it changed
    later: tuple[LaterCommit, ...]  # what came of it, the oldest first
    together: tuple[ChangedTogether, ...]  # files that usually change with its own, and that it left alone


def explain(index: Index, sha: str) -> Explanation | None:
    """None for a commit that is not in the index. Reads within the snapshot of the caller."""
    ids = index.history.by_sha(sha)
    if not ids:
        return None
    row = index.history.rows(ids[:1])[ids[0]]
    numbers = issues(f"{row.subject}\n{row.body}")
    page = index.get("web_address") or ""
    return Explanation(
        body=row.body[:_BODY_CHARS],
        trailers=tuple(trailers(row.body)),
        issues=tuple((number, issue_address(page, number)) for number in numbers),
        notes=tuple(_notes(index, row, numbers)),
        later=tuple(_later(index, row, numbers)),
        together=tuple(_left_alone(index, row)),
    )


def changed_beside(index: Index, root: str, path: str, span: Span) -> list[SymbolTogether]:
    """What usually changes with some lines of a file, as committed last."""
    return symbols_changed_together(index, root, path, span, _TOGETHER)


def last_blamed(index: Index, found: Sequence[FoundCommit]) -> str:
    """Of the commits of some lines, the newest first, the id of the first that blame does not pass over."""
    ignored = {row.sha for row in index.history.rows(index.surroundings.ignored()).values()}
    return next((commit.sha for commit in found if commit.sha not in ignored), "")


def _notes(index: Index, row: CommitRow, numbers: Sequence[str]) -> list[NotePlace]:
    """Those that name the commit say why; those that name what it changed say what that is for."""
    named = notes_naming(index, row.sha, numbers, _NOTES)
    commit = index.history.commit(row.sha) if row.file_count <= _SWEEP_FILES else None
    if commit is None:
        return named
    files = commit.files[:_FILES]
    paths = [change.path for change in files]
    symbols = {name for change in files for hunk in change.hunks for name in _NAME.findall(hunk.symbol)}
    symbols |= {definition.name for definition in index.content.definitions(commit.added_names[:_SYMBOLS])}
    known = {*paths, *(note.path for note in named)}
    about = [note for note in notes_about(index, paths, sorted(symbols), _NOTES) if note.path not in known]
    return [*named, *about[:_ABOUT]][:_NOTES]


def issue_address(page: str, number: str) -> str:
    """Of an issue or a pull request: on the hosts that number them together, one address leads to either."""
    if not page or not number.isdigit():
        return ""
    return f"{page}/-/issues/{number}" if _GITLAB in page.split("/")[2] else f"{page}/issues/{number}"


def _later(index: Index, row: CommitRow, numbers: Sequence[str]) -> list[LaterCommit]:
    said = [(i, _RELATIONS[kind]) for _, kind, i in index.surroundings.mentioning([row.sha], tuple(_RELATIONS))]
    same_issue = index.surroundings.mentioning(numbers, ("issue",))
    said += [(i, f"names {_shown(number)} as well") for number, _, i in same_issue]
    relations = dict(reversed(said))  # of several the first
    rows = index.history.rows(i for i in relations if i != row.id)
    after = sorted(
        (other for other in rows.values() if other.committed_at >= row.committed_at),
        key=lambda other: (other.committed_at, other.sha),
    )
    return [
        LaterCommit(o.sha, o.subject, o.committed_at, relations[o.id] + also_elsewhere(o.branch))
        for o in after[:_LATER]
    ]


def _shown(number: str) -> str:
    return f"#{number}" if number.isdigit() else number


def _left_alone(index: Index, row: CommitRow) -> list[ChangedTogether]:
    files = [change.path for change in index.history.files(row.id)]
    best: dict[str, ChangedTogether] = {}
    for path in files[:_FILES]:
        for item in changed_together(index, path, _TOGETHER):
            if item.path not in files and (item.path not in best or best[item.path].share < item.share):
                best[item.path] = item
    return sorted(best.values(), key=lambda item: (-item.share, item.path))[:_TOGETHER]
