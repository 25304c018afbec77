"""A syntax tree to line ranges of about the target size: small siblings merged, large nodes split at their children.

Boundaries are lines. A node that starts on the line where its neighbour ends belongs to the neighbour's range, so the
signature of a function goes with the first statements of its body, and its closing brace with the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from postil_indexers.chunking.lines import CAP, CRUMB, TARGET, TINY, Lines, split_range

# What stands in front of the thing that it is about.
_LEADING_WORDS = """
    comment line_comment block_comment doc_comment documentation_comment multiline_comment haddock decorator attribute
    attribute_item annotation attribute_list pragma signature type_annotation
"""
_LEADING = frozenset(_LEADING_WORDS.split())

Range = tuple[int, int]


@dataclass(slots=True)
class _Segment:
    """Sibling nodes that share lines."""

    start: int
    end: int
    node: Node  # the largest of them: where to split further


@dataclass(slots=True)
class _Level:
    """One large node while its children are gone through."""

    segments: Iterator[_Segment]
    ranges: list[Range] = field(default_factory=list)  # finished
    pending: Range | None = None  # small siblings, still growing


def tile(lines: Lines, root: Node) -> list[Range]:
    """Line ranges that tile all lines of the text. Iterative: nesting may be deeper than Python's stack."""
    if lines.weight(0, lines.count) <= TARGET:
        return [(0, lines.count)]
    levels = [_Level(iter(_segments(root, 0, lines.count)))]
    while True:
        level = levels[-1]
        segment = next(level.segments, None)
        if segment is None:
            ranges = _finish(lines, level)
            levels.pop()
            if not levels:
                return ranges
            _append_split(lines, levels[-1], ranges)
        elif lines.weight(segment.start, segment.end) <= TARGET:
            _append_small(lines, level, (segment.start, segment.end))
        else:
            inner = _split_further(segment)
            if inner:
                levels.append(_Level(iter(inner)))
            else:
                _append_split(lines, level, list(split_range(lines, segment.start, segment.end)))


def _split_further(segment: _Segment) -> list[_Segment]:
    """The segments inside, from the first node on the way down that has more than one; none where lines must do."""
    node = segment.node
    while node.child_count:
        segments = _segments(node, segment.start, segment.end)
        if len(segments) > 1:
            return segments
        if segments[0].node == node:
            break
        node = segments[0].node
    return []


def _segments(node: Node, start: int, end: int) -> list[_Segment]:
    """The children of `node` as line ranges that tile [start, end)."""
    segments: list[_Segment] = []
    current: _Segment | None = None
    last, leading, size = start, False, 0  # end of the last child, whether it waits for the next one, largest child
    for child in node.children:
        first = child.start_point[0]
        after, column = child.end_point
        if column or after == first:
            after += 1
        if after <= start or first >= end:
            continue
        bytes_ = child.end_byte - child.start_byte
        if current is None or (first >= last and not (leading and first == last)):
            current = _Segment(start if current is None else first, end, child)
            if segments:
                segments[-1].end = first
            segments.append(current)
            size = bytes_
        elif bytes_ > size or leading:
            current.node, size = child, bytes_
        leading = child.is_named and child.type in _LEADING and (first >= last or leading)
        last = max(last, min(after, end))
    return segments or [_Segment(start, end, node)]


def _append_small(lines: Lines, level: _Level, small: Range) -> None:
    if level.pending is not None:
        if lines.weight(level.pending[0], small[1]) <= TARGET:
            level.pending = (level.pending[0], small[1])
            return
        level.ranges.append(level.pending)
    level.pending = small


def _append_split(lines: Lines, level: _Level, ranges: list[Range]) -> None:
    """Add the parts of one large child. A tiny sibling before it joins its first part."""
    if level.pending is not None:
        if _may_join(lines, level.pending, ranges[0]):
            ranges[0] = (level.pending[0], ranges[0][1])
        else:
            level.ranges.append(level.pending)
        level.pending = None
    level.ranges += ranges


def _finish(lines: Lines, level: _Level) -> list[Range]:
    """The ranges of a finished node. A tiny rest (a closing brace, a last line) joins the part before it."""
    if level.pending is not None:
        rest, ranges = level.pending, level.ranges
        if ranges and (lines.weight(*rest) < CRUMB and lines.weight(ranges[-1][0], rest[1]) <= CAP):
            ranges[-1] = (ranges[-1][0], rest[1])
        else:
            ranges.append(rest)
        level.pending = None
    return level.ranges


def _may_join(lines: Lines, before: Range, after: Range) -> bool:
    """Whether a sibling and the first part of the next one are one chunk: one of them is too small to stand alone."""
    smaller = min(lines.weight(*before), lines.weight(*after))
    room = CAP if smaller < CRUMB else TARGET + TINY if smaller < TINY else 0
    return lines.weight(before[0], after[1]) <= room
