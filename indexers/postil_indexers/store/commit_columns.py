"""What every commit is, in columns of numbers: a filter that leaves half of a long history is one comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil_indexers.store.database import Database, state_of

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Columns:
    """A place is a commit, the oldest first."""

    ids: Numbers
    committed_at: Numbers  # ascending
    authored_at: Numbers
    kind: NDArray[np.str_]
    is_merge: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Released:
    """A place is a commit that some release has."""

    ids: Numbers
    release: Numbers  # id of the first one


class CommitColumns:
    """Both, read once for each state of an index, a microsecond a commit; kept, they take some 80 bytes a commit."""

    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._state: tuple[int, int] | None = None
        self._columns: Columns | None = None
        self._released: Released | None = None

    def all(self) -> Columns:
        self._drop_stale()
        if self._columns is None:
            rows = self._connection.execute(
                "SELECT id, committed_at, authored_at, kind, is_merge FROM commits INDEXED BY commits_by_time "
                "ORDER BY committed_at"
            ).fetchall()
            ids, committed, authored, kinds, merges = zip(*rows, strict=True) if rows else ((),) * 5
            self._columns = Columns(
                _numbers(ids), _numbers(committed), _numbers(authored),
                np.array(kinds, np.str_), np.array(merges, np.bool_),
            )  # fmt: skip
        return self._columns

    def released(self) -> Released:
        self._drop_stale()
        if self._released is None:
            rows = self._connection.execute("SELECT commit_id, release_id FROM commit_releases").fetchall()
            ids, releases = zip(*rows, strict=True) if rows else ((), ())
            self._released = Released(_numbers(ids), _numbers(releases))
        return self._released

    def _drop_stale(self) -> None:
        state = state_of(self._connection)
        if self._state != state:
            self._state, self._columns, self._released = state, None, None


def _numbers(values: tuple[int, ...]) -> Numbers:
    return np.array(values, np.int64)
