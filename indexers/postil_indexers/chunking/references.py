"""Links, tags and block ids of a whole note, from the runs of lines that hold inline markup."""

from __future__ import annotations

from bisect import bisect_right
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
    runs: list[tuple[int, str, int]] = []  # offset, text, where its definitions end
    for first, end in lines:
        start = starts[first]
        run = text[start : starts[end] if end < len(starts) else len(text)]
        position = inline.take_definitions(run, labels) if "]:" in run else 0
        runs.append((start, run, position))
    scanner = inline.InlineScanner(labels)
    for start, run, position in runs:
        scanner.scan(run, position)
        for raw in scanner.links:
            found.links.append(link_of(raw, start, bisect_right(starts, start + raw.start) - 1))
        found.tags.extend(Tag(name, bisect_right(starts, start + at) - 1) for name, at in scanner.tags)
        found.block_ids.extend(
            BlockId(name, bisect_right(starts, start + at) - 1) for name, at in inline.block_ids(run)
        )
    return found


def link_of(raw: inline.RawLink, start: int, line: int) -> Link:
    """A link of the text that was scanned from offset `start` of the note on."""
    parts = inline.wiki_parts if raw.style in ("wiki", "embed") else inline.destination_parts
    target, anchor = parts(raw.destination)
    return Link(target, anchor, raw.text, raw.style, start + raw.start, start + raw.end, line)
