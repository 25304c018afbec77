"""How many chunks (or commits) hold each term: the weight of a word without a look into the full-text index."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable

from postil_indexers.store.database import Database


class TermCounts:
    """Counts kept beside a full-text table; changes gather in memory until `flush`, inside the same transaction."""

    def __init__(self, connection: Database, table: str, column: str) -> None:
        self._connection = connection
        self._table = table
        self._column = column
        self._changes: Counter[str] = Counter()

    def add(self, terms: Iterable[str]) -> None:
        self._changes.update(terms)

    def remove(self, terms: Iterable[str]) -> None:
        self._changes.subtract(terms)

    def flush(self) -> None:
        changed = [(term, change) for term, change in self._changes.items() if change]
        changed.sort()  # neighbours on one page
        self._connection.executemany(
            f"INSERT INTO {self._table} VALUES(?,?) "
            f"ON CONFLICT(term) DO UPDATE SET {self._column} = {self._column} + excluded.{self._column}",
            changed,
        )
        gone = ((term,) for term, change in changed if change < 0)
        self._connection.executemany(f"DELETE FROM {self._table} WHERE term=? AND {self._column} <= 0", gone)
        self._changes.clear()

    def discard(self) -> None:
        """Forget what was not flushed: its transaction was rolled back."""
        self._changes.clear()

    def frequency(self, terms: Collection[str]) -> dict[str, int]:
        """How many rows hold each term; 0 for unknown ones."""
        rows = self._connection.execute(
            f"SELECT term, {self._column} FROM {self._table} WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(list(terms)),),
        )
        return {**dict.fromkeys(terms, 0), **dict(rows.fetchall())}


def inverse_frequency(rows: int, holding: int) -> float:
    """BM25's IDF of a term that `holding` of `rows` hold, never negative (Robertson and Zaragoza, with Lucene's +1)."""
    return math.log(1.0 + (rows - holding + 0.5) / (holding + 0.5)) if rows else 0.0
