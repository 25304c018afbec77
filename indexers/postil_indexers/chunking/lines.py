"""Splitting by lines: for text without a grammar, for what a grammar can't split, and inside too long lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Chunk, Kind, Span

# Weight that a chunk aims at. A public benchmark of code search (semble's) does best near 750 characters: about one
# function, and little enough for a mean of word vectors to stay about one thing.
TARGET = 750
CAP = 1500  # twice the target: small siblings may overfill a chunk, but nothing beyond
TINY = 120  # a lone signature or import says nothing by itself: it may join a neighbour that is full already
CRUMB = 40  # a closing brace or a last return joins whatever the size
_INDENT_SHARE = 4  # blanks count a quarter: indentation carries little, and still a chunk of it alone must end
# Where a long line may be cut, best first; a cut elsewhere would break a word.
_CUTS = (re.compile(r"[;{}\s。！？]"), re.compile(r"[,.)\]>，、]"), re.compile(r"\W"))
_CUT_WINDOW = 300  # characters before the limit that are searched for a place to cut


class Lines:
    """A text as lines with the weight of each: about its characters without indentation and line end."""

    __slots__ = ("_sums", "count", "index", "lines", "long", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.index = LineIndex(text)
        plain = text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = plain.split("\n")
        if not self.lines[-1]:
            self.lines.pop()  # what follows the last line end is no line of its own here
        self.count = len(self.lines)
        self.long = max(map(len, self.lines), default=0) > CAP
        weights = [max(len(line.strip()) + 1, len(line) // _INDENT_SHARE) for line in self.lines]
        self._sums = list(accumulate(weights, initial=0))

    def weight(self, start: int, end: int) -> int:
        return self._sums[end] - self._sums[start]

    def blank(self, line: int) -> bool:
        return not self.lines[line] or self.lines[line].isspace()

    def last_within(self, start: int, weight: int) -> int:
        """The furthest end at which the lines from `start` weigh at most `weight`."""
        return bisect_right(self._sums, self._sums[start] + weight) - 1

    def offset(self, line: int) -> int:
        """Where `line` starts in code points; the end of the text for the line after the last."""
        return self.index.starts[line] if line < self.count else len(self.text)


def split_range(lines: Lines, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Line ranges of about the target size, cut where a blank line or a shallow one begins a new passage."""
    while lines.weight(start, end) > TARGET:
        furthest = min(max(lines.last_within(start, TARGET), start + 1), end - 1)
        if furthest <= start:
            break
        cut = _best_cut(lines, start, furthest)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _best_cut(lines: Lines, start: int, furthest: int) -> int:
    """The line in the last half before `furthest` that most looks like the beginning of a passage."""
    best, best_score = furthest, -1.0
    for line in range(furthest, start, -1):
        if lines.weight(start, line) < TARGET // 2:
            break
        text = lines.lines[line] if line < lines.count else ""
        if not text.strip():
            continue
        indent = len(text) - len(text.lstrip())
        score = 1.0 / (1 + indent) + (1.0 if lines.blank(line - 1) else 0.0)
        if score > best_score:
            best, best_score = line, score
    return best


def split_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Offset ranges that tile one long line, each at most CAP code points, cut after punctuation or between words."""
    while end - start > CAP:
        limit = start + CAP
        cut = limit
        for pattern in _CUTS:
            found = [match.end() for match in pattern.finditer(text, limit - _CUT_WINDOW, limit)]
            if found:
                cut = found[-1]
                break
        yield start, cut
        start = cut
    yield start, end


def offset_ranges(lines: Lines, start: int, end: int) -> Iterator[tuple[int, int, Span]]:
    """(start, end, lines) in code points of a line range; one that holds too long a line gives several."""
    first, last = lines.offset(start), lines.offset(end)
    if not lines.long or last - first <= CAP:
        yield first, last, Span(start, end)
        return
    pending = start
    for line in range(start, end):
        if len(lines.lines[line]) <= CAP:
            continue
        if pending < line:
            yield lines.offset(pending), lines.offset(line), Span(pending, line)
        for piece in split_line(lines.text, lines.offset(line), lines.offset(line + 1)):
            yield *piece, Span(line, line + 1)
        pending = line + 1
    if pending < end:
        yield lines.offset(pending), last, Span(pending, end)


def parse_lines(text: str, kind: Kind, *, name: str = "", symbol: str = "", context: str = "") -> tuple[Chunk, ...]:
    """Chunks of about the target size that tile `text`; none where it is blank. Never raises."""
    if not text or text.isspace():
        return ()
    lines = Lines(text)
    return tuple(
        Chunk(start, end, span, kind, name=name, symbol=symbol, context=context)
        for first, last in split_range(lines, 0, lines.count)
        for start, end, span in offset_ranges(lines, first, last)
    )
