"""A note as it is being written: where its prose, its fences and its links are."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from postil_indexers.chunking.blocks import scan_blocks
from postil_indexers.chunking.frontmatter import read_front_matter
from postil_indexers.chunking.linekinds import CODE
from postil_indexers.chunking.notes import split_lines
from postil_indexers.chunking.parse import parse
from postil_indexers.chunking.references import collect_inline
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Document, Link, Parsed
from postil_server.lsp.paragraphs import bounds

_KEPT = 8  # documents; hovers come in runs on the same one


@dataclass(frozen=True, slots=True)
class NoteView:
    text: str
    lines: tuple[str, ...]  # without their ends
    starts: tuple[int, ...]  # offsets of the lines
    prose: frozenset[int]  # lines that are neither blank, nor in a fence, nor front matter
    links: tuple[Link, ...]

    def paragraph(self, line: int) -> str:
        """The lines of prose around a line."""
        start, end = bounds([text if n in self.prose else "" for n, text in enumerate(self.lines)], line)
        return "\n".join(self.lines[start:end])

    def link_at(self, line: int, column: int) -> Link | None:
        if line >= len(self.starts):
            return None
        offset = self.starts[line] + column
        return next((link for link in self.links if link.start <= offset < link.end), None)

    def columns(self, link: Link, line: int) -> tuple[int, int]:
        """The part of a link that stands on a line."""
        start = self.starts[line]
        return max(link.start - start, 0), min(link.end - start, len(self.lines[line]))


@functools.lru_cache(_KEPT)
def note_view(text: str, path: str, language: str) -> NoteView:
    lines, starts = split_lines(text), LineIndex(text).starts
    if language != "markdown":
        prose = frozenset(number for number, line in enumerate(lines) if line.strip())
        return NoteView(text, tuple(lines), tuple(starts), prose, parsed(text, path, language).links)
    front = read_front_matter(lines).end_line
    blocks = scan_blocks(lines, front, mdx=path.lower().endswith(".mdx"))
    prose = frozenset(
        number for number in range(front, len(lines)) if lines[number].strip() and blocks.kinds[number] != CODE
    )
    links = collect_inline(text, starts, zip(blocks.first_lines, blocks.end_lines, strict=True)).links
    return NoteView(text, tuple(lines), tuple(starts), prose, tuple(links))


@functools.lru_cache(_KEPT)
def parsed(text: str, path: str, language: str) -> Parsed:
    """All that a document says of itself."""
    return parse(Document(path, text, language))[1]
