"""Reading content: full text, chunks, definitions, links, in the tables' own terms; ranking is elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from postil_indexers.store.database import Database, state_of
from postil_indexers.store.expression import FAR, Reach, all_of, ranked_by
from postil_indexers.store.packing import unpack_text
from postil_indexers.store.rows import ChunkPlace, ChunkRow, chunks_by_id, chunks_of, places_by_id
from postil_indexers.store.terms import DOCUMENTS, TERM_COLUMNS, TermCounts
from postil_indexers.types import Kind, Span

# BM25 weights of body, name, path, faint. A name or a path is short and chosen with care; a repeated line says little.
_WEIGHTS = (1.0, 2.0, 3.0, 0.2)


@dataclass(frozen=True, slots=True)
class TextMatch:
    rowid: int
    bm25: float  # higher is better


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    name: str
    qualified_name: str
    kind: str
    span: Span
    line: int
    path: str
    document_id: int


@dataclass(frozen=True, slots=True)
class DocumentRow:
    id: int
    path: str
    kind: Kind
    language: str
    title: str
    size: int
    mtime_ns: int


class ContentReader:
    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._terms = TermCounts(connection, "content_terms", *TERM_COLUMNS)
        self._counted: tuple[object, dict[Kind, int], int] = (None, {}, 0)  # state, chunks by kind, documents then

    def counts(self) -> dict[Kind, int]:
        """Chunks by kind; counted again only after a commit, of this connection or another."""
        return dict(self._count()[1])

    def document_count(self) -> int:
        """Counted again only after a commit as well."""
        return self._count()[2]

    def _count(self) -> tuple[object, dict[Kind, int], int]:
        state = state_of(self._connection)
        if state != self._counted[0]:
            rows = self._connection.execute("SELECT kind, count(*) FROM chunks GROUP BY kind")
            kinds = {Kind(kind): count for kind, count in rows}
            (documents,) = self._connection.execute("SELECT count(*) FROM documents").fetchone() or (0,)
            self._counted = (state, kinds, documents)
        return self._counted

    def frequency(self, terms: Collection[str]) -> dict[str, int]:
        """How many chunks hold each term."""
        return self._terms.frequency(terms)

    def document_frequency(self, terms: Collection[str]) -> dict[str, int]:
        """How many documents hold each term."""
        return self._terms.frequency(terms, DOCUMENTS)

    def match(self, terms: Sequence[str], kind: Kind | None, limit: int, reach: Reach = FAR) -> list[TextMatch]:
        """Chunks that hold any of the terms that are rare enough, by BM25 over all terms, best first."""
        expression, scale = ranked_by(terms, self.frequency(terms), reach)
        if not expression:
            return []
        join = "JOIN chunks AS c ON c.id = content_fts.rowid AND c.kind=?" if kind else ""
        best = (
            f"SELECT content_fts.rowid AS id, -bm25(content_fts, {', '.join(map(str, _WEIGHTS))}) AS score "
            f"FROM content_fts {join} WHERE content_fts MATCH ? ORDER BY score DESC, content_fts.rowid LIMIT ?"
        )
        # equal scores by path: by id, what was edited last would come last
        rows = self._connection.execute(
            f"SELECT best.id, best.score FROM ({best}) AS best JOIN chunks AS c ON c.id = best.id "
            "JOIN documents AS d ON d.id = c.document_id ORDER BY best.score DESC, d.path, c.id",
            (*([kind.value] if kind else []), expression, limit),
        )
        return [TextMatch(rowid, scale * bm25) for rowid, bm25 in rows]

    def paths_holding(self, terms: Sequence[str], kind: Kind, limit: int) -> list[str]:
        """Documents with a passage of a kind that holds all of the terms, by path; of very many the first."""
        if not terms:
            return []
        rows = self._connection.execute(
            "SELECT DISTINCT d.path FROM content_fts JOIN chunks AS c ON c.id = content_fts.rowid AND c.kind=? "
            "JOIN documents AS d ON d.id = c.document_id WHERE content_fts MATCH ? ORDER BY d.path LIMIT ?",
            (kind.value, all_of(terms), limit),
        )
        return [os.fsdecode(path) for (path,) in rows]

    def sample_texts(self, kind: Kind, size: int) -> list[str]:
        """Texts of chunks of a kind, by hash: chance, and yet the same for the same workspace."""
        rows = self._connection.execute(
            "SELECT text FROM chunks WHERE kind=? ORDER BY hash LIMIT ?", (kind.value, size)
        )
        return [unpack_text(row[0]) for row in rows]

    def chunks(self, ids: Iterable[int]) -> dict[int, ChunkRow]:
        return chunks_by_id(self._connection, ids)

    def places(self, ids: Iterable[int]) -> list[ChunkPlace]:
        return places_by_id(self._connection, ids)

    def chunks_of(self, document_id: int) -> list[ChunkRow]:
        return chunks_of(self._connection, document_id)

    def document_text(self, document_id: int, title: str, most: int) -> str:
        """The title and the first `most` characters of a document, without its front matter."""
        rows = self._connection.execute(
            "SELECT text FROM chunks WHERE document_id=? AND symbol <> 'front_matter' ORDER BY id", (document_id,)
        )
        parts = [title]
        for (packed,) in rows:
            text = unpack_text(packed)
            parts.append(text[:most])
            most -= len(text)
            if most <= 0:
                break
        return "\n".join(parts)

    def document(self, path: str) -> DocumentRow | None:
        row = self._connection.execute(
            "SELECT id, path, kind, language, title, size, mtime_ns FROM documents WHERE path=?", (os.fsencode(path),)
        ).fetchone()
        return _document_row(row) if row else None

    def documents(self, ids: Iterable[int] | None = None) -> dict[int, DocumentRow]:
        """Documents by id; all of them for None."""
        columns = "d.id, d.path, d.kind, d.language, d.title, d.size, d.mtime_ns"
        if ids is None:
            rows = self._connection.execute(f"SELECT {columns} FROM documents AS d")
        else:
            rows = self._connection.execute(
                f"SELECT {columns} FROM json_each(?) AS wanted JOIN documents AS d ON d.id = wanted.value",
                (json.dumps(list(ids)),),
            )
        return {row[0]: _document_row(row) for row in rows}

    def definitions(self, names: Iterable[str]) -> list[DefinitionRow]:
        """Definitions with one of these names, in any case."""
        rows = self._connection.execute(
            "SELECT f.name, f.qualified_name, f.kind, f.start_line, f.end_line, f.line, d.path, d.id "
            "FROM json_each(?) AS wanted JOIN definitions AS f ON f.name = wanted.value COLLATE NOCASE "
            "JOIN documents AS d ON d.id = f.document_id ORDER BY d.path, f.line",
            (json.dumps(list(names)),),
        )
        return [
            DefinitionRow(name, qualified, kind, Span(start, end), line, os.fsdecode(path), document_id)
            for name, qualified, kind, start, end, line, path, document_id in rows
        ]

    def definitions_in(self, document_id: int) -> list[DefinitionRow]:
        """Those of one document, in its order."""
        rows = self._connection.execute(
            "SELECT f.name, f.qualified_name, f.kind, f.start_line, f.end_line, f.line, d.path "
            "FROM definitions AS f JOIN documents AS d ON d.id = f.document_id WHERE d.id = ? ORDER BY f.line",
            (document_id,),
        )
        return [
            DefinitionRow(name, qualified, kind, Span(start, end), line, os.fsdecode(path), document_id)
            for name, qualified, kind, start, end, line, path in rows
        ]

    def chunk_at(self, document_id: int, line: int) -> ChunkRow | None:
        """The last chunk that holds a 0-based line."""
        found = [row for row in self.chunks_of(document_id) if row.span.start_line <= line < row.span.end_line]
        return found[-1] if found else None

    def chunks_over(self, document_id: int, span: Span) -> list[int]:
        """The ids of the chunks that share a line with `span`."""
        rows = self._connection.execute(
            "SELECT id FROM chunks WHERE document_id=? AND start_line < ? AND end_line > ? ORDER BY id",
            (document_id, span.end_line, span.start_line),
        )
        return [row[0] for row in rows]

    def linked(self, document_id: int) -> dict[int, str]:
        """Documents joined to this one by a link: id -> "out", "in" or "both"."""
        out = {
            r[0]
            for r in self._connection.execute(
                "SELECT target_id FROM links WHERE document_id=? AND target_id IS NOT NULL", (document_id,)
            )
        }
        back = {
            r[0] for r in self._connection.execute("SELECT document_id FROM links WHERE target_id=?", (document_id,))
        }
        return {
            other: "both" if other in out and other in back else "out" if other in out else "in"
            for other in (out | back) - {document_id}
        }

    def link_target(self, document_id: int, target: str) -> str | None:
        """The path that links of a document written with this target resolve to."""
        row = self._connection.execute(
            "SELECT d.path FROM links AS l JOIN documents AS d ON d.id = l.target_id "
            "WHERE l.document_id=? AND l.target=?",
            (document_id, target),
        ).fetchone()
        return os.fsdecode(row[0]) if row else None

    def backlinks(self, document_id: int) -> int:
        """How many other documents link to this one."""
        (count,) = self._connection.execute(
            "SELECT count(DISTINCT document_id) FROM links WHERE target_id=?1 AND document_id <> ?1", (document_id,)
        ).fetchone() or (0,)
        return int(count)

    def tags_of(self, document_ids: Iterable[int]) -> dict[int, set[str]]:
        rows = self._connection.execute(
            "SELECT t.document_id, t.name FROM json_each(?) AS wanted JOIN tags AS t ON t.document_id = wanted.value",
            (json.dumps(list(document_ids)),),
        )
        tags: dict[int, set[str]] = {}
        for document_id, name in rows:
            tags.setdefault(document_id, set()).add(name)
        return tags

    def tag_frequency(self, names: Iterable[str]) -> dict[str, int]:
        """How many documents carry each tag."""
        rows = self._connection.execute(
            "SELECT name, count(DISTINCT document_id) FROM tags "
            "WHERE name IN (SELECT value FROM json_each(?)) GROUP BY name",
            (json.dumps(list(names)),),
        )
        return dict(rows.fetchall())


def _document_row(row: tuple[int, bytes, str, str, str, int, int]) -> DocumentRow:
    return DocumentRow(row[0], os.fsdecode(row[1]), Kind(row[2]), *row[3:])
