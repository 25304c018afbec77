"""Whether what the index says of a file still holds, asked when an answer is given; and what the file says instead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from postil_indexers.files import FileText, read_text
from postil_indexers.secrets import mask
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_indexers.types import Chunk, Document, Span


class Freshness:
    """Looks each document up once. Costs one stat a file."""

    def __init__(self, index: Index, root: str) -> None:
        self._index = index
        self._root = root
        self._seen: dict[int, bool | None] = {}

    def of(self, document_id: int, path: str) -> bool | None:
        """False: unchanged. True: changed since it was indexed. None: deleted."""
        if document_id not in self._seen:
            self._seen[document_id] = self._look(document_id, path)
        return self._seen[document_id]

    def _look(self, document_id: int, path: str) -> bool | None:
        try:
            found = os.lstat(os.path.join(self._root, path))
        except OSError:
            return None
        known = self._index.content.documents([document_id]).get(document_id)
        return known is None or (known.size, known.mtime_ns) != (found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Live:
    """A passage as it reads now. `stale`: it could not be found again, and is what it was."""

    span: Span
    text: str
    stale: bool = False


class LiveText:
    """What files say now: as an editor has them, else as they lie on disk; always masked.

    `buffers`: path -> the text that stands in an editor, saved or not.
    """

    def __init__(self, index: Index, root: str, buffers: Mapping[str, str] | None = None) -> None:
        self._index = index
        self._root = root
        self._buffers = buffers or {}
        self._fresh = Freshness(index, root)
        self._raw: dict[str, str | None] = {}
        self._masked: dict[str, str] = {}

    def changed(self, document_id: int, path: str) -> str | None:
        """The text of a file that an editor holds or that changed, masked; None where the index has it as it is.

        "" for one that was deleted or can't be read any more.
        """
        raw = self._newer(document_id, path)
        if raw is None:
            return None
        if path not in self._masked:
            self._masked[path] = mask(raw).text
        return self._masked[path]

    def passage(self, row: ChunkRow) -> Live | None:
        """A passage where it stands now, or what stands in its place; None where its file is gone."""
        raw = self._newer(row.document_id, row.path)
        if raw is None:
            return Live(row.span, row.text)
        if not raw:
            return None
        span = placed(raw, row.text, row.span)
        if span is not None:
            return Live(span, row.text)
        return self._in_its_place(row) or Live(row.span, row.text, stale=True)

    def _newer(self, document_id: int, path: str) -> str | None:
        """What the index does not have of a file; not masked yet."""
        if path in self._buffers:
            return self._buffers[path]
        if path not in self._raw:
            fresh = self._fresh.of(document_id, path)
            read = read_text(self._root, path) if fresh else None
            self._raw[path] = None if fresh is False else read.text if isinstance(read, FileText) else ""
        return self._raw[path]

    def _in_its_place(self, row: ChunkRow) -> Live | None:
        """The passage of the same name in the text that there is now."""
        text = self.changed(row.document_id, row.path)
        if not text or row.language == "notebook":
            return None
        chunks = _parsed(Document(row.path, text, row.language))
        same = [chunk for chunk in chunks if (chunk.name, chunk.symbol) == (row.name, row.symbol)]
        found = min(same, key=lambda chunk: abs(chunk.span.start_line - row.span.start_line), default=None)
        return Live(found.span, text[found.start : found.end]) if found is not None else None


def placed(text: str, passage: str, span: Span) -> Span | None:
    """Where a passage that stood at `span`, or its beginning, stands in a text now; None where it doesn't."""
    kept = passage.strip("\r\n")
    at = _nearest(text, kept, span.start_line)
    if at is None:
        return None
    before = len(passage) - len(passage.lstrip("\r\n"))
    start = _line_of(text, at) - _line_of(passage, before)
    return Span(start, start + span.end_line - span.start_line)


def _parsed(document: Document) -> tuple[Chunk, ...]:
    from postil_indexers.chunking.parse import parse  # grammars, which most answers do without

    return parse(document)[1].chunks


def _nearest(text: str, wanted: str, line: int) -> int | None:
    """Where `wanted` stands in a text, next to a line if more than once; None where it doesn't."""
    at, places = text.find(wanted) if wanted else -1, []
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1)
    return min(places, key=lambda place: abs(_line_of(text, place) - line), default=None)


def _line_of(text: str, offset: int) -> int:
    """The 0-based line of an offset; lines end at LF, CRLF and CR."""
    before = text[:offset]
    return before.count("\n") + before.count("\r") - before.count("\r\n")
