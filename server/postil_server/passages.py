"""The passage that something is sought for: a whole note, a paragraph of one, or any text."""

from __future__ import annotations

from dataclasses import dataclass

from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_server.termvectors import file_stem


@dataclass(frozen=True, slots=True)
class Passage:
    """What related notes are sought for."""

    text: str
    path: str | None = None  # the note it is from, left out of the answer
    chunk_ids: tuple[int, ...] = ()  # its chunks in the index, whose vectors are at hand


def passage_at(index: Index, path: str, line: int | None) -> Passage | None:
    """The whole document at `path`, or its passage at a 0-based line; None where it is not indexed."""
    document = index.content.document(path)
    if document is None:
        return None
    if line is None:
        rows = index.content.chunks_of(document.id)
        text = "\n".join([document.title, file_stem(path), *(row.text for row in rows if row.symbol != "front_matter")])
        return Passage(text, path, tuple(row.id for row in rows))
    row = index.content.chunk_at(document.id, line)
    if row is None or row.symbol == "front_matter":
        return Passage("", path)
    return Passage(_paragraph(row, line), path)


def _paragraph(row: ChunkRow, line: int) -> str:
    """The block of non-blank lines around a line of a chunk."""
    lines = row.text.split("\n")
    at = min(max(line - row.span.start_line, 0), len(lines) - 1)
    if not lines[at].strip():
        return ""
    start, end = at, at + 1
    while start > 0 and lines[start - 1].strip():
        start -= 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return "\n".join(lines[start:end])
