"""Which of some commits belong behind others: reverts behind what they undo, merges behind what they brought in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index

_STEPS = 40  # first parents that are walked from what a merge brought in; a longer branch is about many things


def kinship(
    index: Index, order: Sequence[int], rows: Mapping[int, CommitRow], copies: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Commit id -> the id of that one of `order` that it belongs behind. `copies`: what each of these stands for."""
    by_sha = {rows[each].sha: i for i in order for each in (i, *copies.get(i, ()))}
    place = {i: n for n, i in enumerate(order)}
    found: dict[int, int] = {}
    said = index.surroundings.mentions_of([i for i in order if rows[i].kind == "revert"])
    for i, mentions in said.items():
        for kind, value in mentions:
            target = next((by_sha[sha] for sha in by_sha if sha.startswith(value)), None) if kind == "reverts" else None
            if target is not None:
                found[i] = target
    for i in order:
        if rows[i].is_merge and len(rows[i].parents) > 1:
            part = _first_part(index, rows[i], by_sha)
            if part is not None and place[i] < place[part]:  # a merge says nothing new: it is not brought forward
                found[i] = part
    return found


def _first_part(index: Index, merge: CommitRow, by_sha: Mapping[str, int]) -> int | None:
    """The commit that a merge brought in and that is among `by_sha`, the newest of them."""
    sha = merge.parents[1]
    for _ in range(_STEPS):
        if sha in by_sha:
            return by_sha[sha]
        ids = index.history.by_sha(sha)
        if not ids:
            return None
        row = index.history.rows(ids[:1])[ids[0]]
        if not row.parents or row.is_merge:
            return None  # the branch began, or took in the main line
        sha = row.parents[0]
    return None
