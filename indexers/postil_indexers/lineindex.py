"""Where lines start. They end at LF, CRLF and CR only: editors show form feeds and U+2028 inside a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

_LINE_END = re.compile(r"\r\n?|\n")


class LineIndex:
    """Offsets of code points to lines and back. The text after the last line end is a line too, even if it is empty."""

    __slots__ = ("starts",)

    def __init__(self, text: str) -> None:
        if "\r" in text:
            self.starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        else:
            self.starts = list(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))

    def line_of(self, offset: int) -> int:
        """The line that holds `offset`; an offset past the end belongs to the last line."""
        return bisect_right(self.starts, offset) - 1

    def offset_of(self, line: int) -> int:
        """Where `line` starts. Raises IndexError for a line that isn't there."""
        return self.starts[line]
