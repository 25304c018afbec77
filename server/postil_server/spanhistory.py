"""The commits that changed some lines, followed back through the hunks that the index keeps."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from postil_indexers.store.commit_graph import NONE, CommitGraph, Sources
from postil_indexers.store.file_changes import Changed, Merged
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.types import Hunk, Shift, Span
from postil_server.types import FoundCommit


def last_changes(index: Index, path: str, span: Span, limit: int) -> list[CommitRow]:
    """The last commits that changed lines of `span`, the newest first. The lines are of the file as committed last."""
    ids = [commit_id for (commit_id, _), _ in zip(span_changes(index, path, span), range(limit), strict=False)]
    rows = index.history.rows(ids)
    return [rows[i] for i in ids]


def line_history(index: Index, path: str, span: Span) -> Iterator[FoundCommit]:
    """As `last_changes`, as they are found, each with what it changed of the file."""
    for number, (commit_id, name) in enumerate(span_changes(index, path, span), 1):
        row = index.history.rows([commit_id])[commit_id]
        files = tuple(change for change in index.history.files(commit_id) if change.path == name)
        yield FoundCommit(
            row.sha, row.committed_at, row.author_name, row.subject, 1.0 / number, files, row.kind, row.release
        )


def span_changes(index: Index, path: str, span: Span) -> Iterator[tuple[int, str]]:
    """(id, what the file was called after it) of every commit that changed lines of `span`, children before parents.

    Lines are followed along each line of development by itself, through renames, and through merges by what these say
    of both sides. As for `git log -L`, a merge changed lines that neither side has as it has them.
    """
    graph = index.history.graph()
    walk = _Walk(index, graph)
    walk.follow(0 if graph.ids else NONE, path, span)
    while walk.places:
        place = heapq.heappop(walk.places)
        commit_id, told = graph.ids[place], False
        for name, lines in walk.waiting.pop(place):
            told_name = walk.step(place, commit_id, name, lines)
            if told_name is not None and not told:
                told = True
                yield commit_id, told_name


_FILES = 64  # whose sources are kept with the graph: the functions of one file are asked about one after the other


@dataclass(frozen=True, slots=True)
class _File:
    """What the index knows of a file under one name."""

    changed: Mapping[int, Changed]  # by commit
    merged: Mapping[int, Merged]
    sources: Sources


class _Walk:
    """Where lines are looked for next: by place in the graph, the file's name and the lines there."""

    def __init__(self, index: Index, graph: CommitGraph) -> None:
        self._index = index
        self._graph = graph
        self._files: dict[str, _File] = graph.reckoned
        self.places: list[int] = []
        self.waiting: dict[int, set[tuple[str, Span]]] = {}

    def follow(self, place: int, name: str, lines: Span, blob: bytes = b"") -> None:
        """Go on from a commit to the one that gave it the file, whose content is `blob`."""
        file = self._file(name)
        sources = file.sources.at(place) if place != NONE else ()
        if not sources:
            return
        source = sources[0]
        if len(sources) > 1:
            same = [one for one in sources if blob and self._content(file, one) == blob]
            source = same[0] if same else max(sources, key=lambda one: len(self._past(file, one)))
        if source not in self.waiting:
            self.waiting[source] = set()
            heapq.heappush(self.places, source)
        self.waiting[source].add((name, lines))

    def step(self, place: int, commit_id: int, name: str, lines: Span) -> str | None:
        """Go from a commit to its parents; the file's name where it changed the lines."""
        file, parents = self._file(name), self._graph.parents(place)
        change = file.changed.get(commit_id)
        if change is not None:
            hunks = self._index.file_changes.hunks(change.file_id)
            before = span_before(lines, hunks)
            if before is not None and change.status != "A":
                for parent in parents[:1]:
                    self.follow(parent, change.old_path, before, change.old_blob)
            return name if before is None or touches(lines, hunks) else None
        merged = file.merged[commit_id]
        sides = list(zip(parents, merged.shifts, merged.old_blobs, strict=False))
        same = next((side for side in sides if not touches(lines, side[1])), None)
        for parent, shifts, blob in [same] if same else sides:
            before = span_before(lines, shifts)
            if before is not None:
                self.follow(parent, name, before, blob)
        return None if same else name

    def _past(self, file: _File, place: int) -> set[int]:
        """All that made a file what it is at a place: of two contents of which one went on, the one with more in it."""
        known, waiting = {place}, [place]
        while waiting:
            for parent in self._graph.parents(waiting.pop()):
                new = set(file.sources.at(parent)) - known
                known |= new
                waiting += new
        return known

    def _content(self, file: _File, place: int) -> bytes:
        commit_id = self._graph.ids[place]
        change = file.changed.get(commit_id)
        return change.new_blob if change is not None else file.merged[commit_id].new_blob

    def _file(self, name: str) -> _File:
        known = self._files.get(name)
        if known is None:
            if len(self._files) >= _FILES:
                self._files.clear()
            rows, places = self._index.file_changes, self._graph.places
            changed, merged = rows.of(name), rows.merged(name)
            changing = {places[i] for i in (*changed, *merged)}
            known = self._files[name] = _File(changed, merged, self._graph.sources(changing))
        return known


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
