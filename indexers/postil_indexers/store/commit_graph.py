"""Lines of development: which commits follow which, and for one file, which of them gave a commit its content."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from postil_indexers.store.database import Database

NONE = -1
_SOURCES = 6  # kept where several contents may have gone on; the oldest are mostly the others' past


@dataclass(frozen=True, slots=True)
class CommitGraph:
    """Every commit by its place: children before parents. Built once for each state of an index, 3 us a commit."""

    ids: list[int]  # place -> commit id
    places: Mapping[int, int]
    first: list[int]  # place of the first parent, NONE for a root
    others: Mapping[int, tuple[int, ...]]  # places of a merge's further parents
    # What readers reckoned of files: true for as long as the graph is, and gone with it
    reckoned: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def parents(self, place: int) -> tuple[int, ...]:
        """In git's order; a parent that is not stored is left out."""
        first = self.first[place]
        return (() if first == NONE else (first,)) + self.others.get(place, ())

    def sources(self, changing: Container[int]) -> Sources:
        """Which commit, itself or before it, gave a file its content at each place.

        `changing`: the places of those that changed the file, or that merged it from both sides. Any other commit has
        the file as one of its parents has it.
        """
        found = [NONE] * len(self.ids)
        several: list[tuple[int, ...]] = []
        first, others = self.first, self.others
        for place in range(len(found) - 1, -1, -1):
            if place in changing:
                found[place] = place
                continue
            parent = first[place]
            source = found[parent] if parent != NONE else NONE
            if place in others:
                for other in others[place]:
                    given = found[other]
                    if given not in (NONE, source):
                        source = given if source == NONE else _joined(source, given, several)
            found[place] = source
        return Sources(found, several)


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


def _joined(one: int, other: int, several: list[tuple[int, ...]]) -> int:
    """Both sources as one number below NONE, which counts into `several`."""
    sides = [(each,) if each >= 0 else several[NONE - 1 - each] for each in (one, other)]
    both = tuple(sorted({*sides[0], *sides[1]})[:_SOURCES])
    if both in sides:
        return (one, other)[sides.index(both)]
    several.append(both)
    return NONE - len(several)


def load_graph(connection: Database) -> CommitGraph:
    """Where a parent is not stored (of a folder in a larger repository only some commits are), the next older commit
    stands for it."""
    rows = connection.execute("SELECT id, sha, parents FROM commits ORDER BY committed_at DESC, sha").fetchall()
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
