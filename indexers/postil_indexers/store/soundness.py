"""Whether rows are as they were written: SQLite looks at pages, and noise inside a row is no fault of a page."""

from __future__ import annotations

import hashlib
import itertools
import zlib
from collections import deque
from collections.abc import Container, Iterator

import apsw
import numpy as np

from postil_indexers.embedding.base import coarse_bits
from postil_indexers.name_uses import unpack_references
from postil_indexers.prepare import embedded_text, text_hash
from postil_indexers.store.database import Database
from postil_indexers.store.packing import unpack_text
from postil_indexers.store.schema import vector_table
from postil_indexers.store.seal import FullText
from postil_indexers.types import Chunk, Kind, Span

_LAST = 0x7F  # the last byte of a number has no high bit
_COMPARED = 20_000  # vectors at a time
_FULLTEXT = {"content_fts": ("chunks", 4), "history_fts": ("commits", 6)}  # the rows that each is of, and its columns
_NOWHERE = Span(0, 0)  # where a passage stands is no part of its hash
_ROWS = (  # tables of their own rows, which none of the looks below reads
    "SELECT name FROM pragma_table_list WHERE schema='main' AND type='table' "
    "AND name NOT IN ('chunks', 'embeddings', 'name_uses') AND name NOT LIKE '%vector_chunks%' ORDER BY name"
)


def fulltext(connection: Database) -> FullText:
    """What tells a change of the full-text tables: noise within a list of places is noticed by nobody else.

    A second or so for a gigabyte of them. Raises apsw.Error.
    """
    return FullText(
        _digest(connection, "{0}_data", "block") + _digest(connection, "{0}_docsize", "sz"),
        _digest(connection, "{0}_data", "block", "WHERE id IN (1, 10)"),  # averages and lists of segments
    )


def _digest(connection: Database, rows: str, column: str, which: str = "") -> str:
    digest = hashlib.blake2b(digest_size=16)
    for table in _FULLTEXT:
        for number, block in connection.execute(
            f"SELECT id, CAST(coalesce({column}, '') AS BLOB) FROM {rows.format(table)} {which} ORDER BY id"
        ):
            digest.update(b"%d %d " % (number, len(block)))
            digest.update(block)
    return digest.hexdigest()


def unreadable(connection: Database, repeated: Container[int]) -> list[str]:
    """The tables with a row that can't be read or isn't what was written, each with the reason.

    `repeated`: the lines that the stored hashes of notes were made with. Raises apsw.CorruptError for a bad page.
    """
    found = []
    for (table,) in connection.execute(_ROWS).fetchall():
        try:
            deque(connection.execute(f"SELECT * FROM {table}"), 0)
        except UnicodeDecodeError as error:
            found.append(f"{table}: {error}")
    for model_id, dimensions in connection.execute("SELECT id, dimensions FROM models").fetchall():
        for kind in (Kind.CODE, Kind.COMMIT):
            table = vector_table(model_id, kind)
            try:
                wrong = _misplaced(connection, model_id, dimensions, kind)
                found += [f"{table}: {wrong} rows are not those of their vectors"] * bool(wrong)
            except (apsw.SQLError, ValueError) as error:  # the first as all of sqlite-vec's are
                found.append(f"{table}: {error}")
    try:
        deque((unpack_references(uses) for (uses,) in connection.execute("SELECT uses FROM name_uses")), 0)
    except (zlib.error, ValueError) as error:  # ValueError: not UTF-8, not JSON
        found.append(f"name_uses: {error}")
    for table, (source, columns) in _FULLTEXT.items():
        wrong = _unmeasured(connection, table, source, columns)
        found += [f"{table}: the lengths of {wrong} rows can't be read"] * bool(wrong)
    try:
        wrong = sum(not same for same in _same_texts(connection, repeated))
        found += [f"chunks: {wrong} texts are not what was written"] * bool(wrong)
    except (zlib.error, ValueError) as error:
        found.append(f"chunks: {error}")
    return found


def _unmeasured(connection: Database, table: str, source: str, columns: int) -> int:
    """How many rows have no lengths in a full-text table, which BM25 divides by: of each column, 7 bits a byte."""
    rows = connection.execute(
        f"SELECT CAST(d.sz AS BLOB) FROM {source} AS t LEFT JOIN {table}_docsize AS d ON d.id = t.id"
    )
    return sum(not sizes or sizes[-1] > _LAST or sum(byte <= _LAST for byte in sizes) != columns for (sizes,) in rows)


def _misplaced(connection: Database, model_id: int, dimensions: int, kind: Kind) -> int:
    """How many rows of a vec0 table have other bits than the cached vector of their text: noise in either shows.

    Raises ValueError for a vector of another width.
    """
    placed = dict(connection.execute(f"SELECT rowid, coarse FROM {vector_table(model_id, kind)}"))
    rows = connection.execute(
        f"SELECT t.id, e.vector FROM {'commits' if kind is Kind.COMMIT else 'chunks'} AS t "
        "JOIN embeddings AS e ON e.model_id=? AND e.hash = t.hash WHERE e.vector IS NOT NULL",
        (model_id,),
    )
    wrong = 0
    known = (row for row in rows if row[0] in placed)
    while batch := list(itertools.islice(known, _COMPARED)):
        vectors = np.frombuffer(b"".join(vector for _, vector in batch), np.int8).reshape(len(batch), dimensions)
        wrong += sum(placed[i] != bits.tobytes() for (i, _), bits in zip(batch, coarse_bits(vectors), strict=True))
    return wrong


def _same_texts(connection: Database, repeated: Container[int]) -> Iterator[bool]:
    """Of each passage whether its text still has the hash that it was stored with."""
    rows = connection.execute("SELECT kind, name, symbol, names, context, text, hash FROM chunks")
    for kind, name, symbol, names, context, packed, digest in rows:
        text = unpack_text(packed)
        chunk = Chunk(0, len(text), _NOWHERE, Kind(kind), name, symbol, tuple(names.split()), context)
        yield text_hash(embedded_text(chunk, text, repeated)) == digest
