"""Where the lines that a commit left are now: its hunks' numbers, replayed forward to the newest commit.

What is followed is contents, not commits: each change of a file leads from one content to another, both named by git's
ids, so that lines of development need not be looked at and a content that came back is found at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from postil_indexers.store.index import Index
from postil_indexers.types import Hunk, Shift, Span
from postil_server.gitblobs import blobs_on_disk

Content = tuple[str, bytes]  # what a file is called, and the first bytes of git's id of what is in it
Run = tuple[int, int, int]  # lines that were left: the first, the one after the last, and which the first was then
Hunks = Sequence[Hunk | Shift]


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a file as a commit had it."""

    path: str  # as it is called now
    on_disk: bool  # the file in the tree is just what was committed last
    _since: Sequence[Hunks]  # of the changes since then, the first one first
    is_known: bool = True  # otherwise a partial clone lacks what came between

    def of(self, spans: Sequence[Span]) -> list[list[Span]]:
        """Where runs of lines are now, each in as many pieces as it was cut into; they come in the file's order."""
        runs: list[Run] = [(span.start_line, span.end_line, span.start_line) for span in spans]
        for hunks in self._since:
            if not runs:
                break
            runs = carried(runs, hunks)
        return [
            [Span(start, end) for start, end, then in runs if span.start_line <= then < span.end_line] for span in spans
        ]

    def had(self, line: int) -> bool:
        """Whether a line of now was there then."""
        for hunks in reversed(self._since):
            shift = 0
            for hunk in hunks:
                if hunk.new_start > line:
                    break
                if line < hunk.new_start + hunk.new_lines:
                    return False
                shift += hunk.old_lines - hunk.new_lines
            line += shift
        return True


class _Step(NamedTuple):
    """What a change makes of a content."""

    next: Content | None  # None for the newest
    file_id: int | None = None  # of the change whose hunks they are; None for those of a merge:
    shifts: Sequence[Shift] = ()
    changes: bool = False  # the content, and not just the name or the mode of a file


class _Way:
    """From the contents that a file had, the shortest way to the newest."""

    def __init__(self, newest: Content | None, *, on_disk: bool) -> None:
        self.steps: dict[Content, _Step] = {newest: _Step(None)} if newest is not None else {}
        self.waiting = list(self.steps)  # whose own past was not looked at
        self.on_disk = on_disk

    def from_(self, content: Content) -> Iterator[_Step]:
        while (step := self.steps[content]).next is not None:
            yield step
            content = step.next


class LineTracer:
    """For one answer, within one snapshot: commits of an answer are often of the same few files."""

    def __init__(self, index: Index, root: str) -> None:
        self._index = index
        self._root = root
        self._ways: dict[str, _Way] = {}
        self._before: dict[str, Mapping[bytes, Sequence[tuple[Content, _Step]]]] = {}
        self._hunks: dict[int, Sequence[Hunk]] = {}

    def left(self, path: str, blob: bytes) -> Left | None:
        """What is left now of `path`, as a commit left it with the content `blob`.

        None where the file is gone or another one.
        """
        content = path, blob
        for name in dict.fromkeys((self._index.cochanges.present_name(path), path)):
            # a name that was left for another is still the last one on its own line of development
            if not os.path.lexists(os.path.join(self._root, name)):
                continue
            if name not in self._ways:
                newest, on_disk = self._newest(name)
                self._ways[name] = _Way(newest, on_disk=on_disk)
            if self._reaches(self._ways[name], content):
                return self._since(name, self._ways[name], content)
        return None

    def _since(self, name: str, way: _Way, content: Content) -> Left:
        steps = list(way.from_(content))
        unread = {step.file_id for step in steps if step.file_id is not None} - self._hunks.keys()
        self._hunks |= self._index.file_changes.hunks_of(unread)
        since = [step.shifts if step.file_id is None else self._hunks[step.file_id] for step in steps]
        is_known = all(hunks or not step.changes for step, hunks in zip(steps, since, strict=True))
        return Left(name, way.on_disk, since, is_known)

    def _reaches(self, way: _Way, content: Content) -> bool:
        """Walk back from the newest, the nearest contents first, until one is found."""
        while content not in way.steps and way.waiting:
            nearest, way.waiting = way.waiting, []
            for after in nearest:
                for before, step in self._changes(after[0]).get(after[1], ()):
                    if before not in way.steps:
                        way.steps[before] = step
                        way.waiting.append(before)
        return content in way.steps

    def _newest(self, name: str) -> tuple[Content | None, bool]:
        """What the newest commit has of a file, and whether the file on disk is that."""
        here = self._changes(name).keys() & blobs_on_disk(self._root, name)
        blob = min(here) if here else self._index.file_changes.newest_blob(name)
        return ((name, blob) if blob else None), bool(here)

    def _changes(self, name: str) -> Mapping[bytes, Sequence[tuple[Content, _Step]]]:
        """New content of a file -> what it was made from, and how; nothing where it was brought whole."""
        known = self._before.get(name)
        if known is not None:
            return known
        rows = self._index.file_changes
        found: dict[bytes, list[tuple[Content, _Step]]] = {}
        for change in rows.of(name).values():
            earlier = found.setdefault(change.new_blob, [])
            if change.status != "A":
                changes = change.old_blob != change.new_blob
                step = _Step((name, change.new_blob), change.file_id, changes=changes)
                earlier.append(((change.old_path, change.old_blob), step))
        for merged in rows.merged(name).values():
            for shifts, blob in zip(merged.shifts, merged.old_blobs, strict=False):
                step = _Step((name, merged.new_blob), shifts=shifts)
                found.setdefault(merged.new_blob, []).append(((name, blob), step))
        self._before[name] = found
        return found


def carried(runs: Iterable[Run], hunks: Hunks) -> list[Run]:
    """What a commit left of some lines, under its numbers; runs and hunks in the order of the file."""
    left: list[Run] = []
    at = shift = 0
    for start, end, then in runs:
        first = start
        while at < len(hunks) and hunks[at].old_start < end:
            hunk = hunks[at]
            if hunk.old_start > first:
                left.append((first + shift, hunk.old_start + shift, then + first - start))
            first = max(first, hunk.old_start + hunk.old_lines)
            if hunk.old_start + hunk.old_lines > end:
                break  # the next lines may be changed by it as well
            shift += hunk.new_lines - hunk.old_lines
            at += 1
        if first < end:
            left.append((first + shift, end + shift, then + first - start))
    return left
