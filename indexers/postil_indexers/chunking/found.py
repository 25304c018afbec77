"""What a look at the blocks of a Markdown text finds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RawHeading:
    line: int  # the first line, for setext headings of several
    level: int
    text: str  # with its inline markup
    end_line: int  # half-open: after the underline, where it has one


@dataclass(slots=True)
class Blocks:
    """What each line is (`kinds`), how good a cut before it is (`ranks`), and where inline markup can be."""

    kinds: bytearray
    ranks: bytearray
    headings: list[RawHeading] = field(default_factory=list)
    first_lines: list[int] = field(default_factory=list)  # of the runs of lines that hold inline markup
    end_lines: list[int] = field(default_factory=list)  # half-open

    def add_run(self, line: int) -> None:
        self.first_lines.append(line)
        self.end_lines.append(line + 1)
