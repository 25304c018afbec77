"""Lines of a git output stream, addressed by count: skipping a thousand lines of a diff costs one index."""

from __future__ import annotations

import re
from typing import IO

import numpy as np

_BLOCK_BYTES = 1 << 20
_LONGEST_LINE_BYTES = 1 << 22  # the middle of a longer line is dropped: a line of a gigabyte must not fill the memory
_NEWLINE = 10


class LineCursor:
    """A place in a stream of lines. `block` holds whole lines; `ends` says where each of them ends."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._block = b""
        self._start = 0  # of the next line in the block
        self._ends: list[int] = []  # offset of the newline of each line in the block
        self._index = 0  # of the next line in `_ends`
        self.cut_off = False  # the stream ended in the middle of a line

    def peek(self) -> bytes | None:
        """The next line without its newline, or None at the end of the stream."""
        if self._index >= len(self._ends) and not self._fill():
            return None
        return self._block[self._start : self._ends[self._index]]

    def advance(self) -> None:
        """Go past the line that was peeked at."""
        self._start = self._ends[self._index] + 1
        self._index += 1

    def match(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Go past the next line where `pattern`, which is of a line with its newline, matches it."""
        if self._index >= len(self._ends) and not self._fill():
            return None
        match = pattern.match(self._block, self._start)
        if match is not None:
            self.advance()
        return match

    def run(self, pattern: re.Pattern[bytes]) -> bytes:
        """Go past the next lines, as far as `pattern`, which is of whole lines, matches them in the block at hand.

        Empty where it does not match the next line. What follows may belong to the same run.
        """
        if self._index >= len(self._ends) and not self._fill():
            return b""
        match = pattern.match(self._block, self._start)
        if match is None:
            return b""
        piece = match[0]
        self._index += piece.count(b"\n")
        self._start += len(piece)
        return piece

    def take(self, count: int, budget: int) -> tuple[bytes, bool, bool]:
        """Go past `count` lines: (their first bytes within `budget`, whether bytes were left out, whether all came)."""
        last = self._index + count
        if count and last <= len(self._ends):  # nearly always
            start = self._start
            self._index, self._start = last, self._ends[last - 1] + 1
            if budget <= 0:
                return b"", True, True
            piece = self._block[start : min(self._start, start + budget)]
            return piece, len(piece) < self._start - start, True
        return self._take_over_blocks(count, budget)

    def _take_over_blocks(self, count: int, budget: int) -> tuple[bytes, bool, bool]:
        kept: list[bytes] = []
        left_out = False
        while count > 0:
            if self._index >= len(self._ends) and not self._fill():
                return b"".join(kept), left_out, False
            last = min(self._index + count, len(self._ends))
            stop = self._ends[last - 1] + 1
            piece = self._block[self._start : min(stop, self._start + budget)]
            left_out = left_out or len(piece) < stop - self._start
            budget -= len(piece)
            kept.append(piece)
            count -= last - self._index
            self._start, self._index = stop, last
        return b"".join(kept), left_out, True

    def until(self, mark: bytes) -> bytes | None:
        """Go past `mark`, which ends with a newline: the bytes before it, or None where it never comes."""
        searched = self._start
        while (at := self._block.find(mark, searched)) < 0:
            searched = max(0, len(self._block) - self._start - len(mark))
            if not self._fill(more=True):
                return None
        passage = self._block[self._start : at]
        self._index += self._block.count(b"\n", self._start, at + len(mark))
        self._start = at + len(mark)
        return passage

    def _fill(self, more: bool = False) -> bool:
        """Read a block behind what is left of this one; False at the end. `more`: what is left has whole lines."""
        data = self._block[self._start :]
        had = len(data)
        while chunk := self._stream.read(_BLOCK_BYTES):
            data += chunk
            if more or b"\n" in chunk:
                break
            data = data[:_LONGEST_LINE_BYTES]
        if not chunk and data and not data.endswith(b"\n"):
            self.cut_off = True
            data += b"\n"
        self._block, self._start, self._index = data, 0, 0
        self._ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _NEWLINE).tolist()
        return len(data) > had
