"""Keeping the file small: vectors that no text needs any more, holes in vec0, the write-ahead log, free pages."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from postil_indexers.store.connection import sqlite_errors
from postil_indexers.store.database import Database
from postil_indexers.store.schema import PLACES, create_vector_tables, vector_table
from postil_indexers.store.vectors import VectorStore
from postil_indexers.types import Kind

_FREE_SHARE = 0.02  # of all pages; fewer are soon written again
_DEAD_SHARE = 0.3  # of the places in a vec0 table, which are scanned all the same
_BATCH = 2_000  # cached vectors that one transaction drops
_LOG_BYTES = 40 << 20  # of write-ahead log, above which a checkpoint waits for readers


class Upkeep:
    """Call it between two runs, outside of transactions."""

    def __init__(self, path: Path, connection: Database, vectors: VectorStore) -> None:
        self._path = path
        self._connection = connection
        self._vectors = vectors

    def retire(self, hashes: Iterable[bytes]) -> None:
        """Note when texts went, inside the transaction that removes them: the oldest vectors are dropped first."""
        now = int(time.time())
        self._connection.executemany("INSERT OR REPLACE INTO retired VALUES(?,?)", ((digest, now) for digest in hashes))

    def bytes_used(self) -> int:
        """What the index takes on disk without its log."""
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (free,) = self._connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = self._connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * size)

    def keep_within(self, quota_bytes: int) -> bool:
        """Drop cached vectors that no text of now needs, those that went first first; whether the quota is kept now."""
        with sqlite_errors(self._path):
            while self.bytes_used() > quota_bytes:
                with self._connection:
                    oldest = self._connection.execute(
                        "SELECT hash FROM retired ORDER BY at, hash LIMIT ?", (_BATCH,)
                    ).fetchall()
                    self.drop_unused(digest for (digest,) in oldest)
                if not oldest:
                    return False
        return True

    def drop_unused(self, hashes: Iterable[bytes]) -> None:
        """Forget the vectors of texts that nothing holds any more, inside a transaction."""
        rows = [(digest,) for digest in hashes]
        self._connection.executemany(
            "DELETE FROM embeddings WHERE hash=?1 AND model_id IN (SELECT id FROM models) "
            "AND NOT EXISTS (SELECT 1 FROM chunks WHERE hash=?1) AND NOT EXISTS (SELECT 1 FROM commits WHERE hash=?1)",
            rows,
        )
        self._connection.executemany("DELETE FROM retired WHERE hash=?", rows)

    def mend_vectors(self) -> list[str]:
        """Make each vec0 table anew in which too many places are dead; the names of those."""
        mended = []
        with sqlite_errors(self._path):
            for model in self._vectors.models():
                for kinds in ((Kind.CODE, Kind.NOTE), (Kind.COMMIT,)):
                    table = vector_table(model.id, kinds[0])
                    (chunks,) = self._connection.execute(f"SELECT count(*) FROM {table}_chunks").fetchone()
                    (rows,) = self._connection.execute(f"SELECT count(*) FROM {table}_rowids").fetchone()
                    spare = len(kinds)  # the last chunk of each kind is only partly full
                    if (chunks - spare) * PLACES * (1 - _DEAD_SHARE) <= rows:
                        continue
                    with self._connection:
                        self._connection.execute(f"DROP TABLE {table}")
                        create_vector_tables(self._connection, model.id)
                        for kind in kinds:
                            self._vectors.place_all(model, kind)
                    mended.append(table)
        return mended

    def shrink(self) -> None:
        """Give back to the system the pages that nothing uses, where they are many: merging full text leaves some."""
        with sqlite_errors(self._path):
            (free,) = self._connection.execute("PRAGMA freelist_count").fetchone()
            (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
            if free > _FREE_SHARE * pages:
                self._connection.execute("PRAGMA incremental_vacuum").fetchall()

    def checkpoint(self) -> None:
        """Write a long log back into the file, waiting for readers at most as long as any statement waits."""
        log = self._path.with_name(self._path.name + "-wal")
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
