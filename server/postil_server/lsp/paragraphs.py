"""The paragraph around a line of a text that is being written."""

from __future__ import annotations

from postil_indexers.chunking.notes import split_lines


def paragraph_at(text: str, line: int) -> str:
    """The run of lines that are not blank around a 0-based line; "" where it is blank or not there."""
    start, end = bounds(split_lines(text), line)
    return "\n".join(split_lines(text)[start:end])


def bounds(lines: list[str], line: int) -> tuple[int, int]:
    if not 0 <= line < len(lines) or not lines[line].strip():
        return 0, 0
    start, end = line, line + 1
    while start > 0 and lines[start - 1].strip():
        start -= 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return start, end
