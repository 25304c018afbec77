"""Markdown notes: front matter, headings, links, tags and chunks. CommonMark and GFM, with Obsidian's links and MDX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from postil_indexers.chunking.blocks import scan_blocks
from postil_indexers.chunking.found import Blocks
from postil_indexers.chunking.frontmatter import read_front_matter
from postil_indexers.chunking.notes import (
    blank,
    file_stem,
    sections_from,
    shortened,
    split_lines,
    timestamp_id,
    title_from_path,
    title_heading,
)
from postil_indexers.chunking.prose import MAX_WHOLE_WEIGHT, cut_lines, weight
from postil_indexers.chunking.references import collect_inline
from postil_indexers.chunking.sections import Lines, chunk_sections
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Chunk, Document, Heading, Kind, Parsed

_MARKUP = re.compile(r"[*_`\[<{\\]")
_LINKED = re.compile(r"!?\[([^\[\]]*+)\](?:\([^()]*+\)|\[[^\[\]]*+\])")
_WIKI_LINKED = re.compile(r"!?\[\[(?:[^\[\]|]*+\|)?([^\[\]|]*+)\]\]")
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*+\}\s*$")
_TAGS = re.compile(r"</?[A-Za-z!][^<>]*+>")
_EMPHASIS = re.compile(r"\\([!-/:-@\[-`{-~])|\*+|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|~~")
_MAX_RAW_HEADING = 2000  # characters looked at; far more than are kept


def parse_markdown(document: Document) -> Parsed:
    """Everything a Markdown note says of itself; never raises, whatever the text is."""
    text = document.text
    lines = split_lines(text)
    starts = LineIndex(text).starts
    matter = read_front_matter(lines)
    blocks = scan_blocks(lines, matter.end_line, mdx=document.path.lower().endswith(".mdx"))
    headings = tuple(Heading(shortened(plain_heading(raw.text)), raw.level, raw.line) for raw in blocks.headings)
    opens = bool(headings) and blank(blocks.kinds, matter.end_line, headings[0].line)
    top = title_heading(headings, opens)
    title = shortened(matter.title) or (top.text if top else "") or title_from_path(document.path)
    found = collect_inline(text, starts, zip(blocks.first_lines, blocks.end_lines, strict=True))
    chunks: list[Chunk] = []
    if text and not text.isspace():
        kinds = Lines(text, starts, blocks.kinds, blocks.ranks)
        chunks = _chunks(kinds, matter.end_line, headings, blocks, top, title)
    return Parsed(
        title=title,
        chunks=tuple(chunks),
        headings=headings,
        links=tuple(found.links),
        tags=(*matter.tags, *found.tags),
        aliases=matter.aliases,
        block_ids=tuple(found.block_ids),
        note_id=matter.note_id or timestamp_id(file_stem(document.path)),
        warnings=matter.warnings,
    )


def plain_heading(text: str) -> str:
    """A heading as it is shown: without emphasis, code marks, HTML, `{#id}`, and with the text of its links."""
    text = " ".join(text[:_MAX_RAW_HEADING].split())
    if not _MARKUP.search(text):
        return text
    text = _ATTRIBUTES.sub("", text)
    text = _WIKI_LINKED.sub(r"\1", text)
    text = _LINKED.sub(r"\1", _LINKED.sub(r"\1", text))  # twice: an image may stand in a link
    return _EMPHASIS.sub(r"\1", _TAGS.sub("", text)).strip()  # what was escaped stays


def _chunks(
    lines: Lines, front: int, headings: Sequence[Heading], blocks: Blocks, top: Heading | None, title: str
) -> list[Chunk]:
    """Chunks that tile the text: the front matter's own first (its end: line `front`), then the sections'."""
    rest = lines.offset(front)
    blank_rest = not lines.text[rest:].strip()
    matter = _front_matter_chunks(lines, len(lines.text) if blank_rest else rest) if front else []
    if blank_rest:
        return matter
    sections = sections_from(headings, [(raw.line, raw.end_line) for raw in blocks.headings], front, lines.kinds, top)
    return matter + chunk_sections(lines, sections, title)


def _front_matter_chunks(lines: Lines, end: int) -> list[Chunk]:
    bounds = [0, end]
    if weight(lines.text, 0, end) > MAX_WHOLE_WEIGHT:
        bounds = cut_lines(lines.text, bounds)
    return [
        Chunk(start, stop, lines.span(start, stop), Kind.NOTE, symbol="front_matter")
        for start, stop in pairwise(bounds)
    ]
