"""What notes of all formats have in common: their lines, their title, and sections from headings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from postil_indexers.chunking.linekinds import BLANK
from postil_indexers.chunking.sections import Section
from postil_indexers.types import Heading

NOTE_EXTENSIONS = (".md", ".markdown", ".mdx", ".txt", ".rst")  # in the order in which a link without one tries them

_MAX_HEADING = 200  # longer ones are paragraphs in disguise, and every chunk below would carry them
_LINE_END = re.compile(r"\r\n|\r|\n")
_TIMESTAMP = re.compile(r"(\d{14}|\d{12})(?!\d)[ _.-]*")


def split_lines(text: str) -> list[str]:
    """Lines without their ends, as many as `LineIndex` has starts."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def shortened(text: str) -> str:
    return text if len(text) <= _MAX_HEADING else text[: _MAX_HEADING - 1].rstrip() + "…"


def file_stem(path: str) -> str:
    """The file name without the extension of a note."""
    name = posixpath.basename(path)
    stem, extension = posixpath.splitext(name)
    return stem if extension.lower() in NOTE_EXTENSIONS else name


def timestamp_id(name: str) -> str:
    """The Zettel id that a file name starts with: a time stamp of 12 or 14 digits; "" for none."""
    found = _TIMESTAMP.match(name)
    return found[1] if found else ""


def title_from_path(path: str) -> str:
    """The file name without extension, and without a time stamp in front where words follow it."""
    stem = file_stem(path)
    found = _TIMESTAMP.match(stem)
    return shortened(stem[found.end() :] if found and found.end() < len(stem) else stem)


def title_heading(headings: Sequence[Heading], opens: bool) -> Heading | None:
    """The heading that is the note's title: the only one of level 1, or the first of several if it opens the note."""
    tops = [heading for heading in headings if heading.level == 1]
    if len(tops) == 1 or (tops and opens and headings[0] is tops[0]):
        return tops[0]
    return None


def blank(kinds: bytearray, first: int, end: int) -> bool:
    return kinds.count(BLANK, first, end) == max(end - first, 0)


def sections_from(
    headings: Sequence[Heading], bounds: Sequence[tuple[int, int]], first: int, kinds: bytearray, title: Heading | None
) -> list[Section]:
    """Sections from line `first` on; `bounds` are each heading's first line, labels included, and the line after it.

    The title is left out of all paths. Blank lines before the first heading belong to its section.
    """
    sections: list[Section] = []
    above: list[Heading] = []
    if not headings or not blank(kinds, first, bounds[0][0]):
        sections.append(Section(first))
    for number, heading in enumerate(headings):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        below = bounds[number + 1][0] if number + 1 < len(headings) else len(kinds)
        sections.append(
            Section(
                line=bounds[number][0] if sections else first,
                path=tuple(one.text for one in above if one is not title and one.text),
                heading=heading.text,
                bare=blank(kinds, bounds[number][1], below),
            )
        )
    return sections
