"""Lines of development: which commits follow which, and for one file, which of them gave a commit its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from postil_indexers.store.database import Database

NONE = -1  # also an index: of the last item
_MERGE, _CHANGING = 1, 2
_SOURCES = 6  # kept where several contents may have gone on; the oldest are mostly the others' past


@dataclass(frozen=True, slots=True)
class CommitGraph:
    """Every commit that HEAD reaches by its place: children before parents.

    Built once for each state of an index, 3 us a commit.
    """

    ids: list[int]  # place -> commit id
    places: Mapping[int, int]
    first: list[int]  # place of the first parent, NONE for a root
    others: Mapping[int, tuple[int, ...]]  # places of a merge's further parents
    # What readers reckoned of files: true for as long as the graph is, and gone with it
    reckoned: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def parents(self, place: int) -> tuple[int, ...]:
        """In git's order; a parent that is not stored is left out."""
        first = self.first[place]
        return (() if first == NONE else (first,)) + self.others.get(place, ())

    def led_to(self, place: int) -> set[int]:
        """Ids of all commits before the one at a place."""
        reached = bytearray(len(self.ids))
        reached[place] = 1
        for at in range(place, len(self.ids)):
            if reached[at]:
                for parent in self.parents(at):
                    reached[parent] = 1
        return {self.ids[at] for at in range(place + 1, len(self.ids)) if reached[at]}

    def sources(self, changing: Iterable[int]) -> Sources:
        """Which commit, itself or before it, gave a file its content at each place.

        `changing`: the places of those that changed the file, or that merged it from both sides. Any other commit has
        the file as one of its parents has it.
        """
        count = len(self.ids)
        found = [NONE] * (count + 1)  # the last one is what a root has before it
        several = _Several()
        marks = bytearray(count)  # nearly all are none of these, and take a tenth of a microsecond each
        for place in self.others:
            marks[place] = _MERGE
        for place in changing:
            marks[place] = _CHANGING
        for place, parent, mark in zip(range(count - 1, -1, -1), reversed(self.first), reversed(marks), strict=True):
            if not mark:
                found[place] = found[parent]
            elif mark == _CHANGING:
                found[place] = place
            else:
                source = found[parent]
                for other in self.others[place]:
                    given = found[other]
                    if given not in (NONE, source):
                        source = given if source == NONE else several.joined(source, given)
                found[place] = source
        return Sources(found, several.sets)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where two lines of development with contents of their own met in a merge, either may have gone on."""

    _found: list[int]
    _several: list[tuple[int, ...]]

    def at(self, place: int) -> tuple[int, ...]:
        """Places, the newest first; one nearly always, none where the file came later."""
        source = self._found[place]
        if source >= 0:
            return (source,)
        return () if source == NONE else self._several[NONE - 1 - source]


class _Several:
    """Sets of sources as numbers below NONE, which count into `sets`; the same ones meet again and again."""

    def __init__(self) -> None:
        self.sets: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._joined: dict[tuple[int, int], int] = {}

    def joined(self, one: int, other: int) -> int:
        known = self._joined.get((one, other))
        if known is None:
            sides = [(each,) if each >= 0 else self.sets[NONE - 1 - each] for each in (one, other)]
            both = tuple(sorted({*sides[0], *sides[1]})[:_SOURCES])
            known = self._joined[one, other] = self._number(both)
        return known

    def _number(self, sources: tuple[int, ...]) -> int:
        if len(sources) == 1:
            return sources[0]
        if sources not in self._numbers:
            self.sets.append(sources)
            self._numbers[sources] = NONE - len(self.sets)
        return self._numbers[sources]


def load_graph(connection: Database) -> CommitGraph:
    """Where a parent is not stored (of a folder in a larger repository only some commits are), the next older commit
    stands for it."""
    rows = connection.execute(
        "SELECT id, sha, parents FROM commits WHERE branch = '' ORDER BY committed_at DESC, sha"
    ).fetchall()
    number = {sha: n for n, (_, sha, _) in enumerate(rows)}
    parents = [_parents(n, sha, packed, number, len(rows)) for n, (_, sha, packed) in enumerate(rows)]
    order = _children_first(parents)
    place = [0] * len(order)
    for at, n in enumerate(order):
        place[n] = at
    ids = [rows[n][0] for n in order]
    return CommitGraph(
        ids,
        {commit_id: at for at, commit_id in enumerate(ids)},
        [place[parents[n][0]] if parents[n] else NONE for n in order],
        {place[n]: tuple(place[p] for p in parents[n][1:]) for n in order if len(parents[n]) > 1},
    )


def _parents(n: int, sha: bytes, packed: bytes, number: Mapping[bytes, int], count: int) -> list[int]:
    if not packed:
        return []
    width = len(sha)
    if len(packed) == width and packed in number:  # nearly always
        return [number[packed]]
    found = [number[p] for at in range(0, len(packed), width) if (p := packed[at : at + width]) in number]
    return found or ([n + 1] if n + 1 < count else [])


def _children_first(parents: list[list[int]]) -> list[int]:
    """An order in which no commit comes before its children; otherwise by date, which is how they are numbered."""
    waiting = [0] * len(parents)  # children that have not come yet
    for each in parents:
        for parent in each:
            waiting[parent] += 1
    order: list[int] = []
    ready = [n for n in range(len(parents) - 1, -1, -1) if not waiting[n]]  # the newest last
    while ready:
        n = ready.pop()
        order.append(n)
        for parent in reversed(parents[n]):
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)
    return order
