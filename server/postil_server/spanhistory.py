"""The commits that changed some lines, followed back through the hunks that the index keeps."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice

from postil_indexers.store.commit_graph import NONE, CommitGraph
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.types import Hunk, Shift, Span
from postil_server.filepast import Parent, file_past, newest_source, parents_of, source_at
from postil_server.types import FoundCommit


def last_changes(index: Index, root: str, path: str, span: Span, limit: int) -> list[CommitRow]:
    """The last commits that changed lines of `span`, the newest first, without those that blame is to pass over.

    The lines are of the file as committed last.
    """
    ignored = index.surroundings.ignored()
    changes = (commit_id for commit_id, _ in span_changes(index, root, path, span) if commit_id not in ignored)
    ids = list(islice(changes, limit))
    rows = index.history.rows(ids)
    return [rows[i] for i in ids]


def line_history(index: Index, root: str, path: str, span: Span) -> Iterator[FoundCommit]:
    """As `last_changes`, as they are found, each with what it changed of the file."""
    for number, (commit_id, name) in enumerate(span_changes(index, root, path, span), 1):
        row = index.history.rows([commit_id])[commit_id]
        files = tuple(change for change in index.history.files(commit_id) if change.path == name)
        yield FoundCommit(
            sha=row.sha,
            committed_at=row.committed_at,
            author=row.author_name,
            subject=row.subject,
            score=1.0 / number,
            files=files,
            kind=row.kind,
            release=row.release,
            text_missing=row.text_missing,
        )


def span_changes(index: Index, root: str, path: str, span: Span) -> Iterator[tuple[int, str]]:
    """(id, what the file was called after it) of every commit that changed lines of `span`, children before parents.

    Lines are followed along each line of development by itself, through renames, and through merges by what these say
    of both sides. As for `git log -L`, a merge changed lines that neither side has as it has them.
    """
    graph = index.history.graph()
    walk = _Walk(index, graph)
    walk.go_to(newest_source(file_past(index, graph, path), graph, root, path), path, span)
    while walk.places:
        place = heapq.heappop(walk.places)
        commit_id, told = graph.ids[place], False
        for name, lines in walk.waiting.pop(place):
            told_name = walk.step(place, commit_id, name, lines)
            if told_name is not None and not told:
                told = True
                yield commit_id, told_name


class _Walk:
    """Where lines are looked for next: by place in the graph, the file's name and the lines there."""

    def __init__(self, index: Index, graph: CommitGraph) -> None:
        self._index = index
        self._graph = graph
        self.places: list[int] = []
        self.waiting: dict[int, set[tuple[str, Span]]] = {}

    def go_to(self, place: int, name: str, lines: Span) -> None:
        """`place`: of a commit that changed the file; NONE ends the way."""
        if place == NONE:
            return
        if place not in self.waiting:
            self.waiting[place] = set()
            heapq.heappush(self.places, place)
        self.waiting[place].add((name, lines))

    def step(self, place: int, commit_id: int, name: str, lines: Span) -> str | None:
        """Go from a commit to its parents; the file's name where it changed the lines."""
        past = file_past(self._index, self._graph, name)
        sides = list(parents_of(past, self._graph, place, name))
        change = past.changed.get(commit_id)
        if change is not None:
            hunks = past.hunks[change.file_id]
            self._go_on(sides, lines)
            return name if span_before(lines, hunks) is None or touches(lines, hunks) else None
        same = next((side for side in sides if not touches(lines, side.hunks)), None)
        self._go_on([same] if same else sides, lines)
        return None if same else name

    def _go_on(self, sides: Sequence[Parent], lines: Span) -> None:
        """To the commits that gave the parents the file."""
        for side in sides:
            before = span_before(lines, side.hunks)
            if before is not None:
                past = file_past(self._index, self._graph, side.name)
                self.go_to(source_at(past, self._graph, side.place, side.blob), side.name, before)


def touches(span: Span, hunks: Sequence[Hunk | Shift]) -> bool:
    """Whether a commit changed lines of `span`, or took lines out between two of them."""
    return any(
        (h.new_start < span.end_line and h.new_start + h.new_lines > span.start_line)
        if h.new_lines
        else span.start_line < h.new_start < span.end_line
        for h in hunks
    )


def span_before(span: Span, hunks: Sequence[Hunk | Shift]) -> Span | None:
    """Where the lines of `span` were before a commit; None where it brought them all. Hunks are in the file's order."""
    start, end = _before(span.start_line, hunks, first=True), _before(span.end_line - 1, hunks, first=False) + 1
    return Span(start, end) if start < end else None


def _before(line: int, hunks: Sequence[Hunk | Shift], *, first: bool) -> int:
    """The old number of a line; of a new line that of the next old one (`first`) or the one before."""
    shift = 0
    for hunk in hunks:
        if hunk.new_lines == 0 and hunk.new_start <= line and hunk.old_lines:
            shift += hunk.old_lines
        elif hunk.new_lines and line >= hunk.new_start + hunk.new_lines:
            shift += hunk.old_lines - hunk.new_lines
        elif hunk.new_lines and line >= hunk.new_start:
            return hunk.old_start if first else hunk.old_start + hunk.old_lines - 1
    return line + shift
