"""Links, tags and block ids of a whole note, from the runs of lines that hold inline markup."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from postil_indexers.chunking import inline
from postil_indexers.types import BlockId, Link, Tag


@dataclass(slots=True)
class Inline:
    links: list[Link]
    tags: list[Tag]
    block_ids: list[BlockId]


def collect_inline(text: str, starts: list[int], lines: Iterable[tuple[int, int]]) -> Inline:
    """Links, tags and block ids of all runs of lines, half-open, that hold inline markup."""
    found = Inline([], [], [])
    labels: dict[str, str] = {}
    runs: list[tuple[int, int, str, int]] = []  # first line, offset, text, where its definitions end
    for first, end in lines:
        start = starts[first]
        run = text[start : starts[end] if end < len(starts) else len(text)]
        runs.append((first, start, run, inline.take_definitions(run, labels) if "]:" in run else 0))
    scanner = inline.InlineScanner(labels)
    for first, start, run, position in runs:
        scanner.scan(run, position)
        for raw in scanner.links:
            found.links.append(_link(raw, start, first + _lines_before(run, raw.start)))
        found.tags.extend(Tag(name, first + _lines_before(run, at)) for name, at in scanner.tags)
        found.block_ids.extend(BlockId(name, first + _lines_before(run, at)) for name, at in inline.block_ids(run))
    return found


def _lines_before(text: str, offset: int) -> int:
    lines = text.count("\n", 0, offset)
    return lines + text.count("\r", 0, offset) - text.count("\r\n", 0, offset)


def _link(raw: inline.RawLink, start: int, line: int) -> Link:
    parts = inline.wiki_parts if raw.style in ("wiki", "embed") else inline.destination_parts
    target, anchor = parts(raw.destination)
    return Link(target, anchor, raw.text, raw.style, start + raw.start, start + raw.end, line)
