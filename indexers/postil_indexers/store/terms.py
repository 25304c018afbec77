"""How many chunks and documents, or commits, hold each term: its weight, without a look into the full-text index."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from postil_indexers.store.database import Database

TERM_COLUMNS = ("chunks", "documents")  # of content_terms
DOCUMENTS = TERM_COLUMNS.index("documents")


class TermCounts:
    """Counts kept beside a full-text table; changes gather in memory until `flush`, inside the same transaction."""

    def __init__(self, connection: Database, table: str, *columns: str) -> None:
        """`columns`: what is counted. A term whose first count falls to 0 is dropped."""
        self._connection = connection
        self._table = table
        self._columns = columns
        self._changes: list[Counter[str]] = [Counter() for _ in columns]

    def add(self, terms: Iterable[str], column: int = 0) -> None:
        self._changes[column].update(terms)

    def remove(self, terms: Iterable[str], column: int = 0) -> None:
        self._changes[column].subtract(terms)

    def flush(self) -> None:
        changed = self._changed()
        added = ", ".join(f"{column} = {column} + excluded.{column}" for column in self._columns)
        self._connection.executemany(
            f"INSERT INTO {self._table} VALUES({','.join('?' * (1 + len(self._columns)))}) "
            f"ON CONFLICT(term) DO UPDATE SET {added}",
            changed,
        )
        gone = [(term,) for term, change, *_ in changed if change < 0]
        self._connection.executemany(f"DELETE FROM {self._table} WHERE term=? AND {self._columns[0]} <= 0", gone)
        self.discard()

    def _changed(self) -> list[tuple[Any, ...]]:
        """(term, what each count changes by), in the order of the table: neighbours on one page."""
        terms = sorted(set().union(*self._changes))
        rows = zip(terms, *(map(counts.__getitem__, terms) for counts in self._changes), strict=True)
        return [row for row in rows if any(row[1:])]

    def discard(self) -> None:
        """Forget what was not flushed: its transaction was rolled back."""
        for counts in self._changes:
            counts.clear()

    def frequency(self, terms: Collection[str], column: int = 0) -> dict[str, int]:
        """How many rows hold each term; 0 for unknown ones."""
        rows = self._connection.execute(
            f"SELECT term, {self._columns[column]} FROM {self._table} WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(list(terms)),),
        )
        return {**dict.fromkeys(terms, 0), **dict(rows.fetchall())}


def inverse_frequency(rows: int, holding: int) -> float:
    """BM25's IDF of a term that `holding` of `rows` hold, never negative (Robertson and Zaragoza, with Lucene's +1)."""
    return math.log(1.0 + (rows - holding + 0.5) / (holding + 0.5)) if rows else 0.0
