"""Writing documents: their chunks, full text, and what each says of itself."""

from __future__ import annotations

import os
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from postil_indexers.chunking.repeated import line_fingerprints
from postil_indexers.prepare import Prepared, PreparedChunk, Terms, prepare_chunk
from postil_indexers.seen import FileEntry
from postil_indexers.store.database import Database, storable
from postil_indexers.store.places import DIRECTLY_IN, directly_in
from postil_indexers.store.rows import ChunkRow, chunks_of
from postil_indexers.store.terms import DOCUMENTS, TERM_COLUMNS, TermCounts
from postil_indexers.types import Kind, Link

# A line in five notes may be chance in a small folder (a heading such as "Notes"); a template reaches two in a hundred.
_REPEATED_NOTES = 5
_REPEATED_SHARE = 0.02
_KNOWN = "path, id, size, mtime_ns, ctime_ns, inode, device, content_hash, read_at_ns"
_CLOCK_GRAIN_NS = 20_000_000  # kernels stamp files by their timer tick, at most 10 ms; twice that is safe


@dataclass(frozen=True, slots=True)
class Known:
    """What the index knows of a file, to tell whether it has changed."""

    id: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int  # not compared: a drive may get another number when it is mounted again
    content_hash: bytes
    read_at_ns: int

    def unchanged(self, entry: FileEntry) -> bool:
        """Whether the file is surely the one that was read: a write within the clock's grain of it can't be told."""
        same = (self.size, self.mtime_ns, self.ctime_ns, self.inode) == (
            entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode,
        )  # fmt: skip
        return same and entry.mtime_ns < self.read_at_ns - _CLOCK_GRAIN_NS


@dataclass(frozen=True, slots=True)
class LinkableFile:
    """A file that links can mean; code has no title or aliases to be meant by."""

    id: int
    path: str
    title: str
    note_id: str
    aliases: tuple[str, ...]


class StoredLink(NamedTuple):
    document_id: int
    ordinal: int
    path: str  # of the note it is in
    link: Link
    means: tuple[int | None, str, bool]  # target document, how, ambiguous


class DocumentStore:
    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self.terms = TermCounts(connection, "content_terms", *TERM_COLUMNS)

    # writing

    def write(
        self, prepared: Prepared, texts: Sequence[bytes], entry: FileEntry, path_key: str, read_at_ns: int
    ) -> list[tuple[int, PreparedChunk]]:
        """Store a document in place of what was there at its path; the new chunk ids with their chunks.

        `texts`: those of its chunks, packed.
        """
        self.remove(prepared.document.path)
        document = prepared.document
        self._connection.execute(
            "INSERT INTO documents(path, path_key, kind, language, title, note_id, encoding, encoding_guessed, size, "
            "mtime_ns, ctime_ns, inode, device, content_hash, read_at_ns) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            storable((
                os.fsencode(document.path), path_key, prepared.kind.value, document.language,
                prepared.parsed.title, prepared.parsed.note_id, document.encoding, document.encoding_guessed,
                entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.device,
                prepared.content_hash, read_at_ns,
            )),
        )  # fmt: skip
        document_id = self._connection.last_insert_rowid()
        written = self._write_chunks(document_id, prepared.chunks, texts)
        self._write_parsed(document_id, prepared)
        self._count_lines(prepared.line_fingerprints, +1)
        return written

    def _write_chunks(
        self, document_id: int, chunks: Sequence[PreparedChunk], texts: Sequence[bytes]
    ) -> list[tuple[int, PreparedChunk]]:
        (last,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM chunks").fetchone() or (0,)
        written = list(enumerate(chunks, last + 1))
        self._connection.executemany(
            "INSERT INTO chunks(id, document_id, start_line, end_line, kind, name, symbol, names, context, text, hash) "
            "VALUES(?,?,?,?,?,?,?,?,?,?,?)",
            (
                storable((
                    chunk_id, document_id, c.chunk.span.start_line, c.chunk.span.end_line, c.chunk.kind.value,
                    c.chunk.name, c.chunk.symbol, " ".join(c.chunk.names), c.chunk.context, text, c.hash,
                ))
                for (chunk_id, c), text in zip(written, texts, strict=True)
            ),
        )  # fmt: skip
        self._write_terms((chunk_id, chunk.terms) for chunk_id, chunk in written)
        return written

    def _write_terms(self, rows: Iterable[tuple[int, Terms]]) -> None:
        rows = list(rows)
        self._write_full_text(rows)
        together: set[str] = set()
        for _, terms in rows:
            distinct = terms.distinct()
            self.terms.add(distinct)
            together |= distinct
        self.terms.add(together, DOCUMENTS)

    def _write_full_text(self, rows: Iterable[tuple[int, Terms]]) -> None:
        self._connection.executemany(
            "INSERT INTO content_fts(rowid, body, name, path, faint) VALUES(?,?,?,?,?)",
            ((chunk_id, terms.body, terms.name, terms.path, terms.faint) for chunk_id, terms in rows),
        )

    def _write_parsed(self, document_id: int, prepared: Prepared) -> None:
        parsed = prepared.parsed

        def run(statement: str, rows: Iterable[Sequence[Any]]) -> None:
            self._connection.executemany(statement, map(storable, rows))

        run(
            "INSERT INTO definitions VALUES(?,?,?,?,?,?,?,?)",
            (
                (document_id, n, d.name, d.qualified_name, d.kind, d.span.start_line, d.span.end_line, d.line)
                for n, d in enumerate(parsed.definitions)
            ),
        )
        if prepared.name_uses:
            run("INSERT INTO name_uses VALUES(?,?)", [(document_id, prepared.name_uses)])
        run(
            "INSERT OR IGNORE INTO headings VALUES(?,?,?,?)",
            ((document_id, h.line, h.level, h.text) for h in parsed.headings),
        )
        run(
            "INSERT INTO links(document_id, ordinal, target, anchor, text, style, start, end, line) "
            "VALUES(?,?,?,?,?,?,?,?,?)",
            (
                (document_id, n, link.target, link.anchor, link.text, link.style, link.start, link.end, link.line)
                for n, link in enumerate(parsed.links)
            ),
        )
        run("INSERT OR IGNORE INTO tags VALUES(?,?,?)", ((tag.name, document_id, tag.line) for tag in parsed.tags))
        run("INSERT OR IGNORE INTO aliases VALUES(?,?)", ((document_id, alias) for alias in parsed.aliases))
        run("INSERT OR IGNORE INTO block_ids VALUES(?,?,?)", ((document_id, b.name, b.line) for b in parsed.block_ids))

    def rewrite_terms(self, row: ChunkRow, repeated: Collection[int]) -> tuple[PreparedChunk, bytes]:
        """Redo the terms and the embedded text of a chunk after the set of repeated lines changed; also the hash of the
        embedded text that it had."""
        prepared = prepare_chunk(row.as_chunk(), row.text, row.path, repeated)
        (before,) = self._connection.execute("SELECT hash FROM chunks WHERE id=?", (row.id,)).fetchone() or (b"",)
        # whatever column a line's terms go to, the set is that of the whole text: its counts stay
        self._connection.execute("DELETE FROM content_fts WHERE rowid=?", (row.id,))
        self._connection.execute("UPDATE chunks SET hash=? WHERE id=?", (prepared.hash, row.id))
        self._write_full_text([(row.id, prepared.terms)])
        return prepared, before

    def remove(self, path: str) -> dict[int, bytes]:
        """Take a document and all that hangs on it out; the ids of its chunks with the hashes of their texts."""
        found = self._connection.execute("SELECT id FROM documents WHERE path=?", (os.fsencode(path),)).fetchone()
        if found is None:
            return {}
        document_id = found[0]
        rows = chunks_of(self._connection, document_id)
        hashes = dict(
            self._connection.execute("SELECT id, hash FROM chunks WHERE document_id=?", (document_id,)).fetchall()
        )
        self._remove_terms(rows)
        if rows and rows[0].kind is Kind.NOTE:
            self._count_lines(set(line_fingerprints("".join(row.text for row in rows))), -1)
        for table in ("chunks", "definitions", "name_uses", "headings", "links", "tags", "aliases", "block_ids"):
            self._connection.execute(f"DELETE FROM {table} WHERE document_id=?", (document_id,))
        self._connection.execute("UPDATE links SET target_id=NULL, how='' WHERE target_id=?", (document_id,))
        self._connection.execute("DELETE FROM documents WHERE id=?", (document_id,))
        return hashes

    def _remove_terms(self, rows: Iterable[ChunkRow]) -> None:
        together: set[str] = set()
        for row in rows:
            # whatever column a line's terms went to, the set is that of the whole text
            distinct = prepare_chunk(row.as_chunk(), row.text, row.path, ()).terms.distinct()
            self.terms.remove(distinct)
            together |= distinct
            self._connection.execute("DELETE FROM content_fts WHERE rowid=?", (row.id,))
        self.terms.remove(together, DOCUMENTS)

    # reading

    def known(self) -> dict[str, Known]:
        """Every document by its path."""
        rows = self._connection.execute(f"SELECT {_KNOWN} FROM documents")
        return {os.fsdecode(row[0]): Known(*row[1:]) for row in rows}

    def known_in(self, folder: str) -> dict[str, Known]:
        """Those that lie directly in a folder; "" is the root."""
        rows = self._connection.execute(f"SELECT {_KNOWN} FROM documents WHERE {DIRECTLY_IN}", directly_in(folder))
        return {os.fsdecode(row[0]): Known(*row[1:]) for row in rows}

    def count(self) -> tuple[int, int]:
        """(documents, chunks)"""
        (documents,) = self._connection.execute("SELECT count(*) FROM documents").fetchone() or (0,)
        (chunks,) = self._connection.execute("SELECT count(*) FROM chunks").fetchone() or (0,)
        return documents, chunks

    def languages(self) -> dict[str, int]:
        """How many documents there are of each language, the most first."""
        rows = self._connection.execute("SELECT language, count(*) FROM documents GROUP BY language ORDER BY 2 DESC, 1")
        return dict(rows.fetchall())

    def touch(self, entry: FileEntry, read_at_ns: int) -> None:
        """The file's bytes are unchanged though its times are not."""
        self._connection.execute(
            "UPDATE documents SET size=?, mtime_ns=?, ctime_ns=?, inode=?, device=?, read_at_ns=? WHERE path=?",
            (
                entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.device, read_at_ns,
                os.fsencode(entry.path),
            ),
        )  # fmt: skip

    # links

    def link_targets(self) -> list[LinkableFile]:
        """Every file that a link can mean."""
        aliases: dict[int, list[str]] = {}
        for document_id, name in self._connection.execute("SELECT document_id, name FROM aliases"):
            aliases.setdefault(document_id, []).append(name)
        rows = self._connection.execute("SELECT id, path, kind, title, note_id FROM documents ORDER BY path")
        return [
            LinkableFile(i, os.fsdecode(path), title if kind == "note" else "", note_id, tuple(aliases.get(i, ())))
            for i, path, kind, title, note_id in rows
        ]

    def links(self) -> list[StoredLink]:
        """Every link of every note, with what it was last found to mean."""
        rows = self._connection.execute(
            "SELECT l.document_id, l.ordinal, d.path, l.target, l.anchor, l.text, l.style, l.start, l.end, l.line, "
            "l.target_id, l.how, l.ambiguous FROM links AS l JOIN documents AS d ON d.id = l.document_id"
        )
        return [
            StoredLink(row[0], row[1], os.fsdecode(row[2]), Link(*row[3:10]), (row[10], row[11], bool(row[12])))
            for row in rows
        ]

    def set_targets(self, changes: Iterable[tuple[int | None, str, bool, int, int]]) -> None:
        """(target document, how it was found, whether others fit too, document, ordinal)"""
        self._connection.executemany(
            "UPDATE links SET target_id=?, how=?, ambiguous=? WHERE document_id=? AND ordinal=?", changes
        )

    # lines that many notes repeat

    def _count_lines(self, fingerprints: Collection[int], change: int) -> None:
        self._connection.executemany(
            "INSERT INTO note_lines VALUES(?,?) ON CONFLICT(fingerprint) DO UPDATE SET notes = notes + excluded.notes",
            ((fingerprint, change) for fingerprint in fingerprints),
        )
        if change < 0:
            gone = ((fingerprint,) for fingerprint in fingerprints)
            self._connection.executemany("DELETE FROM note_lines WHERE fingerprint=? AND notes <= 0", gone)

    def repeated_lines(self) -> set[int]:
        """Fingerprints of the lines that so many notes share that they say nothing of any one of them."""
        row = self._connection.execute("SELECT count(*) FROM documents WHERE kind=?", (Kind.NOTE.value,)).fetchone()
        notes = row[0] if row else 0
        least = max(_REPEATED_NOTES, round(_REPEATED_SHARE * notes))
        return {f for (f,) in self._connection.execute("SELECT fingerprint FROM note_lines WHERE notes >= ?", (least,))}

    def applied_lines(self) -> set[int]:
        """The set that the stored terms were made with."""
        row = self._connection.execute("SELECT value FROM meta WHERE key='repeated_lines'").fetchone()
        return set(array("q", row[0])) if row else set()

    def apply_lines(self, repeated: set[int]) -> tuple[list[tuple[int, PreparedChunk]], set[bytes]]:
        """Redo the notes' chunks that hold a line which has come to be repeated, or no longer is; also the hashes of
        the embedded texts that these had."""
        changed = repeated ^ self.applied_lines()
        redone: list[tuple[int, PreparedChunk]] = []
        gone: set[bytes] = set()
        if not changed:
            return redone, gone
        for (document_id,) in self._connection.execute(
            "SELECT id FROM documents WHERE kind=?", (Kind.NOTE.value,)
        ).fetchall():
            for row in chunks_of(self._connection, document_id):
                if not changed.isdisjoint(line_fingerprints(row.text)):
                    prepared, before = self.rewrite_terms(row, repeated)
                    redone.append((row.id, prepared))
                    gone.add(before)
        self._connection.execute(
            "INSERT OR REPLACE INTO meta VALUES('repeated_lines', ?)", (array("q", sorted(repeated)).tobytes(),)
        )
        return redone, gone
