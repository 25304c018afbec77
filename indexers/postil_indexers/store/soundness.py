"""Whether what is stored can be read: SQLite's check sees the pages, and noise inside a row is no fault of a page."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from postil_indexers.name_uses import unpack_references
from postil_indexers.store.database import Database
from postil_indexers.store.packing import unpack_text

_READ = ("meta", "documents", "definitions", "headings", "links", "tags", "aliases", "models", "commits", "hunks")
_PACKED = {"chunks": ("text", unpack_text), "name_uses": ("uses", unpack_references)}


def unreadable(connection: Database) -> list[str]:
    """The tables with a row that can't be read, each with the reason. Raises apsw.CorruptError for a bad page."""
    return [*_undecodable(connection, (*_READ, *_PACKED)), *_damaged_packets(connection)]


def _undecodable(connection: Database, tables: Iterable[str]) -> Iterator[str]:
    for table in tables:
        try:
            deque(connection.execute(f"SELECT * FROM {table}"), 0)
        except UnicodeDecodeError as error:
            yield f"{table}: {error}"


def _damaged_packets(connection: Database) -> Iterator[str]:
    for table, (column, unpack) in _PACKED.items():
        rows: Iterable[Any] = connection.execute(f"SELECT {column} FROM {table}")
        try:
            deque((unpack(packed) for (packed,) in rows), 0)
        except (zlib.error, ValueError) as error:  # ValueError: not UTF-8, not JSON
            yield f"{table}: {error}"
