"""What a new index takes over from an older or a damaged one of the same folder: vectors that took long to make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from postil_indexers.store.schema import create_vector_tables

_BATCH = 2_000


def inherit_vectors(connection: apsw.Connection, path: Path) -> int:
    """Copy the vectors of prose out of the latest other index beside `path` into its empty tables; how many.

    What can't be read of a damaged file is left: nothing depends on it.
    """
    for former in _others(path):
        try:
            source = apsw.Connection(str(former), flags=apsw.SQLITE_OPEN_READONLY)
            source.pragma("query_only", True)
            copied = _copy(source, connection)
        except apsw.Error:
            continue
        if copied:
            return copied
    return 0


def _others(path: Path) -> list[Path]:
    """The newest first."""
    found = [file for file in path.parent.glob("index-*") if file.suffix in (".db", ".damaged") and file != path]
    return sorted(found, key=lambda file: -file.stat().st_mtime)


def _copy(source: apsw.Connection, target: apsw.Connection) -> int:
    copied = 0
    models = source.execute("SELECT id, fingerprint, role, dimensions, spec FROM models WHERE role='prose' AND serving")
    for former_id, fingerprint, role, dimensions, spec in models.fetchall():
        with target:
            target.execute(
                "INSERT INTO models(fingerprint, role, dimensions, serving, spec) VALUES(?,?,?,1,?)",
                (fingerprint, role, dimensions, spec),
            )
            model_id = target.last_insert_rowid()
            create_vector_tables(target, model_id)
        for batch in _batches(source, int(str(former_id))):
            with target:
                target.executemany(
                    "INSERT OR IGNORE INTO embeddings VALUES(?,?,?)",
                    (
                        (model_id, digest, vector)
                        for digest, vector in batch
                        if vector is None or len(vector) == dimensions
                    ),
                )
            copied += len(batch)
    return copied


def _batches(source: apsw.Connection, model_id: int) -> Iterator[list[tuple[bytes, bytes | None]]]:
    """Up to where the file can be read."""
    rows = source.execute("SELECT hash, vector FROM embeddings WHERE model_id=?", (model_id,))
    while True:
        batch: list[tuple[bytes, bytes | None]] = []
        try:
            for row in rows:
                batch.append(row)
                if len(batch) == _BATCH:
                    break
        except apsw.Error:
            if batch:
                yield batch
            return
        if not batch:
            return
        yield batch
