"""Sections to chunks: tiny neighbours merged, long ones cut at the best places near the target size.

The chunks tile the text. A cut falls before a block, else before a list item, else before a table row or a nested item,
else inside a paragraph; inside a fence or a table row only where it is larger than four chunks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from postil_indexers.chunking import prose
from postil_indexers.chunking.linekinds import BLANK, BLOCK, CODE, HEADING, HTML, INNER, TABLE
from postil_indexers.types import Chunk, Kind, Span


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it up to the next heading, or the text before the first one."""

    line: int
    path: tuple[str, ...] = ()  # headings above it and its own, without the note's title
    heading: str = ""  # its own; the title too
    bare: bool = False  # nothing but its heading


@dataclass(frozen=True, slots=True)
class Lines:
    """A text with what its lines are; see `linekinds`."""

    text: str
    starts: list[int]
    kinds: bytearray
    ranks: bytearray

    def offset(self, line: int) -> int:
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def line_of(self, offset: int) -> int:
        return bisect_left(self.starts, offset + 1) - 1

    def weight(self, first: int, end: int) -> int:
        return prose.weight(self.text, self.offset(first), self.offset(end))

    def span(self, start: int, end: int) -> Span:
        return Span(self.line_of(start), self.line_of(end - 1) + 1)


def chunk_sections(lines: Lines, sections: list[Section], title: str) -> list[Chunk]:
    """Chunks of the lines from the first section's to the end of the text."""
    chunks: list[Chunk] = []
    for group, end_line in _groups(lines, sections):
        path = _common_path(group)
        headings = tuple(section.heading for section in group if section.heading)
        context = " > ".join((title, *path))
        # what the text of the first chunk says itself needs no saying again
        opening_context = " > ".join(part for part in (title, *path) if part not in headings)
        bounds = _cut(lines, group[0].line, end_line)
        for start, end in pairwise(bounds):
            opening = start == bounds[0]
            chunks.append(
                Chunk(
                    start=start,
                    end=end,
                    span=lines.span(start, end),
                    kind=Kind.NOTE,
                    name=" > ".join(path) or title,
                    symbol="section" if path else "lead",
                    names=headings if opening else (),
                    context=opening_context if opening else context,
                )
            )
    return chunks


def _groups(lines: Lines, sections: list[Section]) -> Iterator[tuple[list[Section], int]]:
    """Sections that share a chunk or a run of chunks, each group with the line after it."""
    ends = [section.line for section in sections[1:]] + [len(lines.starts)]
    group: list[Section] = []
    total = 0
    for section, end in zip(sections, ends, strict=True):
        size = lines.weight(section.line, end)
        if group and not _joins(group, total, section, size):
            yield group, section.line
            group, total = [], 0
        group.append(section)
        total += size
    if group:
        yield group, len(lines.starts)


def _joins(group: list[Section], total: int, section: Section, size: int) -> bool:
    """Whether `section` goes on in the chunk of `group`: under a heading without text, or tiny among tiny ones."""
    last, first = group[-1], group[0]
    below = len(section.path) > len(last.path) and section.path[: len(last.path)] == last.path
    if below and last.bare and last.heading:
        return True
    if below and last.path and total < prose.TINY_WEIGHT:  # a line or two that lead over to what follows
        return total + size <= prose.TARGET_WEIGHT
    parent = first.path[:-1] if len(group) > 1 or len(section.path) <= len(first.path) else first.path
    related = section.path[: len(parent)] == parent and (len(section.path) > len(parent) or not parent)
    average = total / len(group)
    return related and average < prose.TINY_WEIGHT and size < prose.TINY_WEIGHT and total + size <= prose.TARGET_WEIGHT


def _common_path(group: list[Section]) -> tuple[str, ...]:
    """What a group is about: its one section with text, the deepest where each is below the last, or what all share."""
    told = [section.path for section in group if not section.bare] or [group[0].path]
    if all(below[: len(above)] == above for above, below in pairwise(told)):
        return told[-1]
    common = told[0]
    for path in told[1:]:
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(common, path, strict=False))
        common = common[: len(list(shared))]
    return common or (told[0] if len(told) > 1 else common)


def _cut(lines: Lines, first: int, end: int) -> list[int]:
    """Offsets of the chunk borders of these lines, outer ones included."""
    start, stop = lines.offset(first), lines.offset(end)
    if prose.weight(lines.text, start, stop) <= prose.MAX_WEIGHT:
        return [start, stop]
    return _pack(lines, _pieces(lines, first, end, BLOCK))


def _pieces(lines: Lines, first: int, end: int, rank: int) -> list[int]:
    """Borders of pieces that are whole where they can be: cut at lines of `rank`, those too heavy at lower ranks."""
    firsts = [first, *(line for line in range(first + 1, end) if lines.ranks[line] >= rank)]
    bounds = [lines.offset(first)]
    for top, below in pairwise((*firsts, end)):
        if lines.weight(top, below) > prose.MAX_WEIGHT:
            bounds.extend((_pieces(lines, top, below, rank - 1) if rank > INNER else _split(lines, top, below))[1:])
        else:
            bounds.append(lines.offset(below))
    return bounds


def _split(lines: Lines, first: int, end: int) -> list[int]:
    """Borders inside one paragraph, or inside a fence or a row that is far too large."""
    start, stop = lines.offset(first), lines.offset(end)
    kind = next((kind for kind in lines.kinds[first:end] if kind != BLANK), BLANK)
    if kind == HTML:
        return prose.cut_lines(lines.text, [start, stop])
    if kind not in (CODE, TABLE):
        return prose.cut_prose(lines.text, start, stop)
    if lines.weight(first, end) <= prose.MAX_WHOLE_WEIGHT:
        return [start, stop]
    return prose.cut_lines(lines.text, [start, stop])


def _pack(lines: Lines, bounds: list[int]) -> list[int]:
    """Of all borders those that make chunks near the target, none over the maximum that has a border inside."""
    text = lines.text
    kept = [bounds[0]]
    current = 0
    told = False  # the open chunk has more than white space
    for start, end in pairwise(bounds):
        size = prose.weight(text, start, end)
        if text[start:end].isspace():  # stays with what stands before it
            current += size
            continue
        full = current + size > prose.MAX_WEIGHT
        enough = current + size > prose.TARGET_WEIGHT and current >= prose.TARGET_WEIGHT // 2
        if told and (full or enough) and not _belongs(lines, kept[-1], start, current + size):
            kept.append(start)
            current = 0
        current += size
        told = True
    if len(kept) > 1 and current < prose.TINY_WEIGHT and prose.weight(text, kept[-2], bounds[-1]) <= prose.MAX_WEIGHT:
        kept.pop()
    kept.append(bounds[-1])
    return kept


def _belongs(lines: Lines, chunk: int, start: int, size: int) -> bool:
    """Whether the piece from `start` can't be parted from what stands before it in its chunk."""
    text = lines.text
    line = lines.line_of(start)
    before = next((n for n in range(line - 1, -1, -1) if lines.kinds[n] != BLANK), 0)
    if lines.kinds[before] == HEADING and lines.starts[line] == start:
        return True
    introduced = text[max(chunk, start - 8) : start].rstrip().endswith((":", "："))
    return introduced and size <= prose.MAX_WEIGHT
