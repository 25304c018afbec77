"""The changed lines of a commit as an answer shows them: what they are of, where they were, and where they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postil_indexers.store.content import DefinitionRow
from postil_indexers.store.index import Index
from postil_indexers.types import FileChange, Hunk, Span
from postil_server.linesnow import Left, LineTracer
from postil_server.types import FoundCommit

HUNKS = 50  # of a commit in an answer; its files are all named
_FUNCTIONS = frozenset({"function", "method", "test", "macro"})
_FILES = 4  # of a commit whose lines are followed, those first that hold words of the question: each costs some ms


@dataclass(frozen=True, slots=True)
class LinesNow:
    path: str
    span: Span  # from the first that is left to the last
    whole: bool  # all of them are left, and nothing came in between


@dataclass(frozen=True, slots=True)
class LinesThen:
    """Lines as a commit left them; of what it only took out, as they were before it."""

    sha: str
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class TracedHunk:
    change: FileChange
    hunk: Hunk
    symbol: str  # qualified name of the definition, where that is sure; else git's function context, a hint
    was: LinesThen
    now: LinesNow | None = None  # None: none of the lines is left
    followed: bool = False  # otherwise `now` is not known


def traced_hunks(index: Index, tracer: LineTracer, found: FoundCommit) -> list[TracedHunk]:
    """The first hunks of a commit, in its order. Reads within the caller's snapshot, as the tracer does."""
    ids = index.history.by_sha(found.sha)
    before = _parent(index, ids)
    traced: list[TracedHunk] = []
    for number, change in enumerate(found.files):
        hunks = change.hunks[: HUNKS - len(traced)]
        plain = [TracedHunk(change, hunk, hunk.symbol, _was(found.sha, before, change, hunk)) for hunk in hunks]
        if hunks and number < _FILES:
            traced += _followed(index, tracer, found, plain)
        else:
            traced += plain
    return traced


def _followed(index: Index, tracer: LineTracer, found: FoundCommit, hunks: Sequence[TracedHunk]) -> list[TracedHunk]:
    """The hunks of one file with where their lines are now, and what they are of."""
    change = hunks[0].change
    left = tracer.left(change.path, change.new_blob)
    if left is None and found.branch:
        return list(hunks)  # what only another branch had was never here to be gone
    if left is None:
        return [replace(each, followed=True) for each in hunks]
    if not left.is_known:
        return list(hunks)
    # with a whole file came all that is in it
    names = _names(index, left) if change.status != "A" else _Names((), left)
    followed = []
    spans = [Span(each.hunk.new_start, each.hunk.new_start + each.hunk.new_lines) for each in hunks]
    for each, span, pieces in zip(hunks, spans, left.of(spans), strict=True):
        now = _now(left.path, span, pieces)
        symbol = names.around(now.span) if now is not None else ""
        followed.append(replace(each, symbol=symbol or each.symbol, now=now, followed=True))
    return followed


def _now(path: str, span: Span, pieces: Sequence[Span]) -> LinesNow | None:
    if not pieces:
        return None
    now = Span(pieces[0].start_line, pieces[-1].end_line)
    whole = len(pieces) == 1 and now.end_line - now.start_line == span.end_line - span.start_line
    return LinesNow(path, now, whole)


def _parent(index: Index, ids: Sequence[int]) -> str:
    """The first parent of a commit, as far as the index has it."""
    parents = index.history.rows(ids[:1])[ids[0]].parents if ids else ()
    return parents[0] if parents and index.history.by_sha(parents[0]) else ""


def _was(sha: str, parent: str, change: FileChange, hunk: Hunk) -> LinesThen:
    if hunk.new_lines or not parent:
        return LinesThen(sha, change.path, Span(hunk.new_start, hunk.new_start + hunk.new_lines))
    return LinesThen(parent, change.old_path, Span(hunk.old_start, hunk.old_start + hunk.old_lines))


@dataclass(frozen=True, slots=True)
class _Names:
    """The definitions of a file as it is now, and what it had at a commit."""

    definitions: Sequence[DefinitionRow]
    left: Left

    def around(self, span: Span) -> str:
        """The function that some lines are of; else the first that begins in them, else what they are inside of.

        "" where its name was not there at the commit.
        """
        holding = [d for d in self.definitions if _holds(d.span, span)]
        around = min(holding, key=lambda d: (d.span.end_line - d.span.start_line, -d.line), default=None)
        if around is None or around.kind not in _FUNCTIONS:
            inside = (d for d in self.definitions if span.start_line <= d.line < span.end_line)
            around = next(inside, around)
        return around.qualified_name if around is not None and self.left.had(around.line) else ""


def _names(index: Index, left: Left) -> _Names:
    """No definitions where the file was edited since it was committed: they may stand elsewhere by now."""
    document = index.content.document(left.path) if left.on_disk else None
    return _Names(index.content.definitions_in(document.id) if document is not None else (), left)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start_line <= inner.start_line and inner.end_line <= outer.end_line
