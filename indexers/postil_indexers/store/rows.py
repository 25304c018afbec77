"""Rows of the content tables as values."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from postil_indexers.store.database import Database
from postil_indexers.store.packing import unpack_text
from postil_indexers.types import Chunk, Kind, Span


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk as it is searched and shown."""

    id: int
    document_id: int
    path: str
    kind: Kind
    language: str
    title: str
    span: Span
    name: str
    symbol: str
    names: tuple[str, ...]
    context: str
    packed: bytes  # the text; most rows that a search looks at are never shown

    @property
    def text(self) -> str:
        return unpack_text(self.packed)

    def as_chunk(self) -> Chunk:
        """Without its place in the text: all that terms and vectors are made from."""
        return Chunk(0, len(self.text), self.span, self.kind, self.name, self.symbol, self.names, self.context)


class ChunkPlace(NamedTuple):
    """What ranking must know of a chunk: its row without the text."""

    id: int
    document_id: int
    path: str
    kind: Kind
    name: str
    names: tuple[str, ...]


_KINDS = {kind.value: kind for kind in Kind}  # a third of the time of Kind(value)

_COLUMNS = (
    "c.id, c.document_id, d.path, c.kind, d.language, d.title, c.start_line, c.end_line, "
    "c.name, c.symbol, c.names, c.context, c.text"
)


def chunks_of(connection: Database, document_id: int) -> list[ChunkRow]:
    """The chunks of a document, in its order."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM chunks AS c JOIN documents AS d ON d.id = c.document_id "
        "WHERE c.document_id=? ORDER BY c.id",
        (document_id,),
    )
    return [_chunk_row(row) for row in rows]


def chunks_by_id(connection: Database, ids: Iterable[int]) -> dict[int, ChunkRow]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM json_each(?) AS wanted JOIN chunks AS c ON c.id = wanted.value "
        "JOIN documents AS d ON d.id = c.document_id",
        (json.dumps(list(ids)),),
    )
    return {row[0]: _chunk_row(row) for row in rows}


def places_by_id(connection: Database, ids: Iterable[int]) -> list[ChunkPlace]:
    rows = connection.execute(
        "SELECT c.id, c.document_id, d.path, c.kind, c.name, c.names FROM json_each(?) AS wanted "
        "JOIN chunks AS c ON c.id = wanted.value JOIN documents AS d ON d.id = c.document_id",
        (json.dumps(list(ids)),),
    )
    return [
        ChunkPlace(chunk_id, document_id, os.fsdecode(path), _KINDS[kind], name, tuple(names.split()))
        for chunk_id, document_id, path, kind, name, names in rows
    ]


def _chunk_row(row: tuple[Any, ...]) -> ChunkRow:
    return ChunkRow(
        id=row[0],
        document_id=row[1],
        path=os.fsdecode(row[2]),
        kind=Kind(row[3]),
        language=row[4],
        title=row[5],
        span=Span(row[6], row[7]),
        name=row[8],
        symbol=row[9],
        names=tuple(row[10].split()),
        context=row[11],
        packed=row[12],
    )
