"""Columns of a line in the encoding that was agreed on, and back. Lines come without their end."""

from __future__ import annotations

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"
ENCODINGS = (UTF16, UTF8, UTF32)  # UTF-16 wherever it is offered: every client has it, and has it tested


def column_of(line: str, character: int, encoding: str) -> int:
    """The code point that a position means: past the end the end, inside a character its start."""
    if encoding == UTF32 or line.isascii():
        return min(max(character, 0), len(line))
    units = 0
    for column, char in enumerate(line):
        units += _units(char, encoding)
        if units > character:
            return column
    return len(line)


def character_of(line: str, column: int, encoding: str) -> int:
    """Where a code point stands, in the units of the encoding."""
    if encoding == UTF32 or line.isascii():
        return min(column, len(line))
    return sum(_units(char, encoding) for char in line[:column])


def _units(char: str, encoding: str) -> int:
    if encoding == UTF16:
        return 2 if char > "\uffff" else 1
    return 1 if char < "\x80" else 2 if char < "\u0800" else 3 if char <= "\uffff" else 4
