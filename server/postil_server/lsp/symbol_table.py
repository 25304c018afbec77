"""What an index has names for: definitions, titles, headings, tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from postil_indexers.store.index import Index


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    kind: str  # of a definition; "title", "heading" or "tag"
    path: str
    line: int
    document_id: int


def symbols_of(index: Index, ids: list[int]) -> Iterator[Symbol]:
    documents = {row.id: row for row in index.names.documents(ids)}
    titles = {row.id: 0 for row in documents.values() if row.kind == "note"}  # the lines where they stand
    for place in index.names.headings(ids):
        row = documents[place.document_id]
        if place.name == row.title:
            titles[row.id] = titles[row.id] or place.line
        elif place.name:
            yield Symbol(place.name, "heading", row.path, place.line, row.id)
    for document_id, line in titles.items():
        row = documents[document_id]
        yield Symbol(row.title, "title", row.path, line, row.id)
    for place in index.names.definitions(ids):
        yield Symbol(place.name, place.kind, documents[place.document_id].path, place.line, place.document_id)


def tag_symbols(index: Index) -> list[Symbol]:
    return [Symbol(f"#{name}", "tag", path, line, 0) for name, path, line in index.names.first_uses()]
