"""Reading what notes and code are called, and who says so: titles, headings, block ids, tags, definitions, links."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import NamedTuple

from postil_indexers.store.database import Database
from postil_indexers.types import BlockId, Heading, Link


class NamedDocument(NamedTuple):
    id: int
    path: str
    kind: str
    title: str


class NamedPlace(NamedTuple):
    """A definition, heading, tag or alias of a document."""

    document_id: int
    name: str  # a definition's is qualified
    kind: str  # of a definition; "" otherwise
    line: int


class WrittenLink(NamedTuple):
    """How a link to a file is written."""

    path: str  # of the note that it stands in
    target: str
    style: str
    means: str  # path of the file


class NameReader:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    def versions(self) -> dict[int, bytes]:
        """Every document with the hash of its bytes."""
        return dict(self._connection.execute("SELECT id, content_hash FROM documents").fetchall())

    def documents(self, documents: Iterable[int]) -> list[NamedDocument]:
        rows = self._connection.execute(
            "SELECT d.id, d.path, d.kind, d.title FROM json_each(?) AS wanted "
            "JOIN documents AS d ON d.id = wanted.value",
            (json.dumps(list(documents)),),
        )
        return [NamedDocument(row[0], os.fsdecode(row[1]), row[2], row[3]) for row in rows]

    def aliases(self, documents: Iterable[int]) -> list[NamedPlace]:
        rows = self._connection.execute(
            "SELECT a.document_id, a.name, '', 0 FROM json_each(?) AS wanted "
            "JOIN aliases AS a ON a.document_id = wanted.value",
            (json.dumps(list(documents)),),
        )
        return [NamedPlace(*row) for row in rows]

    def definitions(self, documents: Iterable[int]) -> list[NamedPlace]:
        rows = self._connection.execute(
            "SELECT f.document_id, f.qualified_name, f.kind, f.line FROM json_each(?) AS wanted "
            "JOIN definitions AS f ON f.document_id = wanted.value",
            (json.dumps(list(documents)),),
        )
        return [NamedPlace(*row) for row in rows]

    def headings(self, documents: Iterable[int]) -> list[NamedPlace]:
        rows = self._connection.execute(
            "SELECT h.document_id, h.text, '', h.line FROM json_each(?) AS wanted "
            "JOIN headings AS h ON h.document_id = wanted.value",
            (json.dumps(list(documents)),),
        )
        return [NamedPlace(*row) for row in rows]

    def outline(self, document_id: int) -> tuple[list[Heading], list[BlockId]]:
        """The headings and block ids of one document, in its order."""
        headings = self._connection.execute(
            "SELECT text, level, line FROM headings WHERE document_id=? ORDER BY line", (document_id,)
        )
        blocks = self._connection.execute(
            "SELECT name, line FROM block_ids WHERE document_id=? ORDER BY line", (document_id,)
        )
        return [Heading(*row) for row in headings], [BlockId(*row) for row in blocks]

    def tags(self) -> dict[str, int]:
        """Every tag as it is written, with how many documents carry it."""
        each = "SELECT DISTINCT name, document_id FROM tags"  # sorted already, where count(DISTINCT) sorts anew
        rows = self._connection.execute(f"SELECT name, count(*) FROM ({each}) GROUP BY name")
        return dict(rows.fetchall())

    def first_uses(self) -> list[tuple[str, str, int]]:
        """(tag, path, line) of one use of each tag, the first in its document."""
        rows = self._connection.execute(
            "SELECT t.name, d.path, min(t.line) FROM (SELECT name, min(document_id) AS first FROM tags GROUP BY name) "
            "AS f JOIN tags AS t ON t.name = f.name AND t.document_id = f.first JOIN documents AS d ON d.id = f.first "
            "GROUP BY t.name"
        )
        return [(name, os.fsdecode(path), line) for name, path, line in rows]

    def tagged(self, names: Iterable[str]) -> list[str]:
        """The paths of the documents that carry one of these tags."""
        rows = self._connection.execute(
            "SELECT DISTINCT d.path FROM json_each(?) AS wanted JOIN tags AS t ON t.name = wanted.value "
            "JOIN documents AS d ON d.id = t.document_id ORDER BY d.path",
            (json.dumps(list(names)),),
        )
        return [os.fsdecode(path) for (path,) in rows]

    def linking(self, documents: Iterable[int]) -> list[str]:
        """The paths of the documents with a link to one of these, themselves too."""
        rows = self._connection.execute(
            "SELECT DISTINCT d.path FROM json_each(?) AS wanted JOIN links AS l ON l.target_id = wanted.value "
            "JOIN documents AS d ON d.id = l.document_id ORDER BY d.path",
            (json.dumps(list(documents)),),
        )
        return [os.fsdecode(path) for (path,) in rows]

    def distinct_links(self) -> list[tuple[str, Link, str | None]]:
        """(path of the note, link, path of the file it means) for each way of writing a link in each note."""
        rows = self._connection.execute(
            "SELECT DISTINCT d.path, l.target, l.text, l.style, t.path FROM links AS l "
            "JOIN documents AS d ON d.id = l.document_id LEFT JOIN documents AS t ON t.id = l.target_id "
            "WHERE l.target <> '' AND l.how <> 'external'"
        )
        return [
            (os.fsdecode(path), Link(target, "", text, style, 0, 0, 0), os.fsdecode(means) if means else None)
            for path, target, text, style, means in rows
        ]

    def written_links(self, most: int) -> list[WrittenLink]:
        """So many of the links to files, with what they mean."""
        rows = self._connection.execute(
            "SELECT d.path, l.target, l.style, t.path FROM links AS l JOIN documents AS t ON t.id = l.target_id "
            "JOIN documents AS d ON d.id = l.document_id WHERE l.target <> '' LIMIT ?",
            (most,),
        )
        return [WrittenLink(os.fsdecode(row[0]), row[1], row[2], os.fsdecode(row[3])) for row in rows]

    def left_out_names(self) -> list[str]:
        """The paths of the files that were seen and not indexed: pictures, for most."""
        rows = self._connection.execute("SELECT path FROM ledger WHERE state <> 'indexed' AND NOT is_directory")
        return [os.fsdecode(path) for (path,) in rows]
