"""Vectors: the cache by content hash and model, and the vec0 table of what is current.

A query scans vec0's coarse bits (96 bytes a chunk) by Hamming distance, or a copy of them in memory, and rescores
the nearest with the exact int8 vectors of the cache. On 64,000 chunks that takes 5 ms, or 1, where vec0's own int8
scan takes 33, each vector is stored once, and the true ten nearest are found in 0.98 of the cases.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil_indexers.embedding.base import Embedder, Vectors, coarse_bits, unit
from postil_indexers.store.coarse import Copies, stamp
from postil_indexers.store.database import Database
from postil_indexers.store.schema import create_vector_tables, vector_table
from postil_indexers.types import Kind

_COARSE = 64  # candidates by coarse bits; 100 hold 0.988 of the true ten instead of 0.983, and take half as long again

_PLACED = 20_000  # rows at a time, which bounds the memory of their coarse bits

_copies = Copies()  # a cache, shared by the threads of a process


@dataclass(frozen=True, slots=True)
class Model:
    """One embedding model of this index."""

    id: int
    fingerprint: str
    role: str  # "static" or "prose"
    dimensions: int
    serving: bool
    spec: str  # how to load it again


@dataclass(frozen=True, slots=True)
class Neighbour:
    rowid: int  # of a chunk, or a commit
    cosine: float


class VectorStore:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    # models

    def models(self) -> list[Model]:
        rows = self._connection.execute(
            "SELECT id, fingerprint, role, dimensions, serving, spec FROM models ORDER BY id"
        )
        return [Model(i, name, role, width, bool(serving), spec) for i, name, role, width, serving, spec in rows]

    def serving(self, role: str) -> Model | None:
        """The model whose vectors answer for `role` now."""
        return next((model for model in self.models() if model.role == role and model.serving), None)

    def register(self, embedder: Embedder, role: str, spec: str) -> Model:
        """The row of a model; it starts to serve at once where none serves that role yet."""
        known = next((m for m in self.models() if m.fingerprint == embedder.fingerprint and m.role == role), None)
        if known is not None:
            return known
        self._connection.execute(
            "INSERT INTO models(fingerprint, role, dimensions, serving, spec) VALUES(?,?,?,?,?)",
            (embedder.fingerprint, role, embedder.dimensions, self.serving(role) is None, spec),
        )
        model_id = self._connection.last_insert_rowid()
        create_vector_tables(self._connection, model_id)
        return next(model for model in self.models() if model.id == model_id)

    def serve(self, model: Model) -> None:
        """Let `model` answer for its role, now that its vectors are complete, and drop those of the former one."""
        for other in self.models():
            if other.role == model.role and other.id != model.id:
                for table in (vector_table(other.id, kind) for kind in (Kind.CODE, Kind.COMMIT)):
                    self._connection.execute(f"DROP TABLE IF EXISTS {table}")
                    self._connection.execute("DELETE FROM vector_stamps WHERE name=?", (table,))
                self._connection.execute("DELETE FROM embeddings WHERE model_id=?", (other.id,))
                self._connection.execute("DELETE FROM meta WHERE key LIKE ?", (f"%:{other.id}",))
                self._connection.execute("DELETE FROM models WHERE id=?", (other.id,))
        self._connection.execute("UPDATE models SET serving=1 WHERE id=?", (model.id,))

    # writing

    def cached(self, model: Model, hashes: Sequence[bytes]) -> dict[bytes, bytes | None]:
        """The int8 vectors at hand; None for a text that the model does not know."""
        return dict(
            self._connection.executemany(
                "SELECT hash, vector FROM embeddings WHERE model_id=? AND hash=?", ((model.id, h) for h in hashes)
            )
        )

    def remember(self, model: Model, hashes: Sequence[bytes], vectors: NDArray[np.int8]) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO embeddings VALUES(?,?,?)",
            ((model.id, digest, vector.tobytes()) for digest, vector in zip(hashes, vectors, strict=True)),
        )

    def remember_unknown(self, model: Model, hashes: Iterable[bytes]) -> None:
        """Note that the model does not know these texts' characters, so that they are not tried again."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO embeddings VALUES(?,?,NULL)", ((model.id, digest) for digest in hashes)
        )

    def place(self, model: Model, rows: Iterable[tuple[int, Kind, bytes]]) -> None:
        """Make rows current: (chunk or commit id, kind, int8 vector)."""
        rows = list(rows)
        if not rows:
            return
        stored = np.frombuffer(b"".join(vector for *_, vector in rows), np.int8).reshape(len(rows), model.dimensions)
        bits = coarse_bits(stored)
        by_table: dict[str, list[tuple[int, str, bytes]]] = {}
        for (rowid, kind, _), row in zip(rows, bits, strict=True):
            by_table.setdefault(vector_table(model.id, kind), []).append((rowid, kind.value, row.tobytes()))
        for table, values in by_table.items():
            self._connection.executemany(f"INSERT INTO {table}(rowid, kind, coarse) VALUES(?,?,vec_bit(?))", values)
            stamp(self._connection, table)

    def place_all(self, model: Model, kind: Kind) -> None:
        """Make every passage of a kind current that has a cached vector, into tables that hold none of them yet."""
        table, only = _owner(kind)
        rows = self._connection.execute(
            f"SELECT t.id, e.vector FROM {table} AS t JOIN embeddings AS e ON e.model_id=? AND e.hash = t.hash "
            f"WHERE e.vector IS NOT NULL {only} ORDER BY t.id",
            (model.id,),
        ).fetchall()
        for start in range(0, len(rows), _PLACED):
            self.place(model, ((rowid, kind, vector) for rowid, vector in rows[start : start + _PLACED]))

    def displace(self, rowids: Iterable[int], kind: Kind) -> None:
        """Take chunks, or commits, out of what is current, for every model; the cache keeps their vectors."""
        rowids = list(rowids)
        if not rowids:
            return
        for model in self.models():
            table = vector_table(model.id, kind)
            self._connection.executemany(f"DELETE FROM {table} WHERE rowid=?", ((rowid,) for rowid in rowids))
            stamp(self._connection, table)

    def pending(self, model: Model, kinds: Collection[Kind]) -> list[tuple[bytes, Kind, int]]:
        """Texts that `model` has not tried yet: (hash, kind, one chunk or commit that has it), each hash once."""
        found: dict[bytes, tuple[bytes, Kind, int]] = {}
        for kind in kinds:
            table, only = _owner(kind)
            rows = self._connection.execute(
                f"SELECT t.hash, min(t.id) FROM {table} AS t LEFT JOIN embeddings AS e "
                f"ON e.model_id=? AND e.hash = t.hash WHERE e.hash IS NULL {only} GROUP BY t.hash ORDER BY min(t.id)",
                (model.id,),
            )
            for digest, rowid in rows:
                found.setdefault(digest, (digest, kind, rowid))
        return list(found.values())

    def owners(self, digest: bytes, kinds: Collection[Kind]) -> list[tuple[int, Kind]]:
        """The chunks and commits of these kinds that have a text."""
        found: list[tuple[int, Kind]] = []
        for kind in kinds:
            table, only = _owner(kind)
            # named: without statistics SQLite may go through all of a kind
            rows = self._connection.execute(
                f"SELECT t.id FROM {table} AS t INDEXED BY {table}_by_hash WHERE t.hash=? {only}", (digest,)
            )
            found += [(rowid, kind) for (rowid,) in rows]
        return found

    def share(self, model: Model, kind: Kind) -> float:
        """The share of passages of a kind that have a vector of `model`; 1 where there are none."""
        table, only = _owner(kind)
        row = self._connection.execute(
            f"SELECT count(*), sum(e.vector IS NOT NULL) FROM {table} AS t LEFT JOIN embeddings AS e "
            f"ON e.model_id=? AND e.hash = t.hash WHERE 1 {only}",
            (model.id,),
        ).fetchone()
        return float(row[1] or 0) / row[0] if row and row[0] else 1.0

    def known_share(self, model: Model) -> float:
        """The share (0-1) of the notes' passages that the model knows, as it was after the last run."""
        row = self._connection.execute("SELECT value FROM meta WHERE key=?", (f"known_share:{model.id}",)).fetchone()
        return float(row[0]) if row else 0.0

    def sample(self, model: Model, size: int) -> Vectors:
        """Unit vectors of `size` passages, taken by hash: chance, and yet the same for the same workspace."""
        rows = self._connection.execute(
            "SELECT vector FROM embeddings AS e WHERE model_id=? AND vector IS NOT NULL "
            "AND (EXISTS (SELECT 1 FROM chunks WHERE hash = e.hash)) ORDER BY hash LIMIT ?",
            (model.id, size),
        ).fetchall()
        return _unpack([row[0] for row in rows], model.dimensions)

    # reading

    def nearest(self, model: Model, query: Vectors, kind: Kind | None, limit: int) -> list[Neighbour]:
        """The `limit` rows nearest to a unit vector float32[dimensions], best first; None: of code and notes alike."""
        bits = coarse_bits(query[None, :])[0]
        rowids = self._candidates(vector_table(model.id, kind or Kind.CODE), bits, kind, max(_COARSE, limit))
        ids, vectors = self.exact(model, rowids, kind or Kind.CODE)
        cosines = vectors @ query
        order = np.argsort(-cosines, kind="stable")[:limit]
        return [Neighbour(ids[i], float(cosines[i])) for i in order]

    def _candidates(self, table: str, bits: NDArray[np.uint8], kind: Kind | None, limit: int) -> list[int]:
        """The rows whose coarse bits are nearest."""
        copy = _copies.of(self._connection, table)
        if copy is not None:
            return copy.nearest(bits, kind.value if kind else None, limit)
        only, values = ("AND kind=?", (kind.value,)) if kind else ("", ())
        coarse = self._connection.execute(
            f"SELECT rowid FROM {table} WHERE coarse MATCH vec_bit(?) AND k=? {only}", (bits.tobytes(), limit, *values)
        )
        return [row[0] for row in coarse]

    def having(self, model: Model, rowids: Sequence[int], kind: Kind) -> set[int]:
        """Those of `rowids` that have a vector of a model."""
        table, _ = _owner(kind)
        rows = self._connection.execute(
            f"SELECT t.id FROM json_each(?) AS wanted JOIN {table} AS t ON t.id = wanted.value "
            "JOIN embeddings AS e ON e.model_id=? AND e.hash = t.hash WHERE e.vector IS NOT NULL",
            (json.dumps(list(rowids)), model.id),
        )
        return {row[0] for row in rows}

    def exact(self, model: Model, rowids: Sequence[int], kind: Kind) -> tuple[list[int], Vectors]:
        """The unit vectors float32[n, dimensions] of those of `rowids` that have one, by path or by age.

        Ids would be an order as well, but one of when a file was last indexed: equal texts would change places.
        """
        table, _ = _owner(kind)
        join, order = "JOIN documents AS d ON d.id = t.document_id", "d.path, t.id"
        if kind is Kind.COMMIT:
            join, order = "", "t.committed_at DESC, t.sha"
        rows = self._connection.execute(
            f"SELECT t.id, e.vector FROM json_each(?) AS wanted JOIN {table} AS t ON t.id = wanted.value {join} "
            f"JOIN embeddings AS e ON e.model_id=? AND e.hash = t.hash WHERE e.vector IS NOT NULL ORDER BY {order}",
            (json.dumps(list(rowids)), model.id),
        ).fetchall()
        return [row[0] for row in rows], _unpack([row[1] for row in rows], model.dimensions)


def _owner(kind: Kind) -> tuple[str, str]:
    """The table whose rows have vectors of this kind, and the condition that picks them (alias t)."""
    return ("commits", "") if kind is Kind.COMMIT else ("chunks", f"AND t.kind='{kind.value}'")


def _unpack(vectors: Sequence[bytes], dimensions: int) -> Vectors:
    """float32[n, dimensions], unit length, from int8 rows."""
    stored = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), dimensions)
    return unit(stored.astype(np.float32))
