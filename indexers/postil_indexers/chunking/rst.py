"""reStructuredText notes: headings by their adornments, links and chunks. Rules: docutils' specification of sections.

A heading is a line at the left margin over a run of one punctuation mark, or between two equal runs; levels follow the
order in which the styles appear. Directives and literal blocks are indented, and stay whole with the line above them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from postil_indexers.chunking.inline import destination_parts
from postil_indexers.chunking.linekinds import BLANK, BLOCK, CODE, HEADING, INNER, ITEM, NEVER, SECTION, TABLE
from postil_indexers.chunking.notes import (
    file_stem,
    sections_from,
    shortened,
    split_lines,
    timestamp_id,
    title_from_path,
    title_heading,
)
from postil_indexers.chunking.sections import Lines, chunk_sections
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Document, Heading, Link, Parsed

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*+\s*$")
_SURE_LENGTH = 4  # docutils takes a run this long as an adornment even under a longer title
_MARKED = re.compile(r"(?:\.\.|__|[-+*•])(?:\s|$)")  # explicit markup and bullets are no titles
_CODE = re.compile(
    r"\.\. (?:code|code-block|sourcecode|math|parsed-literal|raw|productionlist|graphviz|doctest|testcode)::"
)
_ITEM = re.compile(r"(?:[-+*•]|\(?(?:\d{1,9}|#|[A-Za-z])[.)])\s")
_TABLE = re.compile(r"[+|]|=+ +=[= ]*$")
_ROLE = re.compile(r":(?:doc|download):`(?:([^`<>]{0,500}+)<([^`<>]{1,500}+)>|([^`<>]{1,500}+))`")
_EMBEDDED = re.compile(r"(?<![:\w`])`([^`<>]{0,500}+)<([^`<>]{1,500}+)>`_")
_FILE = re.compile(r"\.\. (?:\|[^|\n]{1,200}\| )?(image|figure|include|literalinclude)::[ \t]++(\S++)")
_URL = re.compile(r"(?<![<\w])https?://[^\s<>`\"]++")


def parse_rst(document: Document) -> Parsed:
    """Title, headings, links and chunks of a reStructuredText note; never raises, whatever the text is."""
    text = document.text
    lines = split_lines(text)
    kinds, ranks = _line_kinds(lines)
    found = _headings(lines, kinds, ranks)
    headings = tuple(heading for heading, _ in found)
    opens = bool(headings) and _opens(lines, headings[0].line)
    top = title_heading(headings, opens)
    title = top.text if top else title_from_path(document.path)
    marked = Lines(text, LineIndex(text).starts, kinds, ranks)
    chunks = []
    if text and not text.isspace():
        bounds = [(_with_labels(lines, heading.line, opens and heading is top), end) for heading, end in found]
        sections = sections_from(headings, bounds, 0, kinds, top)
        chunks = chunk_sections(marked, sections, title)
    return Parsed(
        title=title,
        chunks=tuple(chunks),
        headings=headings,
        links=tuple(sorted(_links(marked), key=lambda link: link.start)),
        note_id=timestamp_id(file_stem(document.path)),
    )


def _line_kinds(lines: list[str]) -> tuple[bytearray, bytearray]:
    """`linekinds` of each line, headings not yet known."""
    kinds, ranks = bytearray(len(lines)), bytearray(len(lines))
    after_blank = True
    literal_above = -1  # indent of the line that announced literal text; -1 for none
    in_literal = False
    for number, line in enumerate(lines):
        if not line or line.isspace():
            kinds[number] = BLANK
            after_blank = True
            continue
        indent = len(line) - len(line.lstrip())
        if indent > literal_above >= 0:
            kinds[number] = CODE
            ranks[number] = NEVER if in_literal else INNER
            in_literal = True
        else:
            rest = line.strip()
            item = _ITEM.match(rest) is not None
            if indent == 0:
                ranks[number] = BLOCK if after_blank else ITEM if item else NEVER
            elif after_blank or item:
                ranks[number] = INNER
            if _TABLE.match(rest):
                kinds[number] = TABLE
                ranks[number] = max(ranks[number], INNER)
            announces = _CODE.match(rest) or (rest.endswith("::") and not rest.startswith(".."))
            literal_above = indent if announces else -1
            in_literal = False
        after_blank = False
    return kinds, ranks


def _headings(lines: list[str], kinds: bytearray, ranks: bytearray) -> list[tuple[Heading, int]]:
    """Each heading with the line after it; marks their lines in `kinds` and `ranks`."""
    styles: list[tuple[str, bool]] = []  # (mark, with an overline) in order of appearance: their place is the level
    found: list[tuple[Heading, int]] = []
    number = done = 0  # `done`: end of the last heading
    while number < len(lines):
        place = _heading_at(lines, number, done) if kinds[number] != CODE else None
        if place is None:
            number += 1
            continue
        first, title, end = place
        style = (lines[number][0], first == number)
        if style not in styles:
            styles.append(style)
        level = min(styles.index(style) + 1, 6)
        found.append((Heading(shortened(lines[title].strip()), level, first), end))
        kinds[first:end] = bytes([HEADING]) * (end - first)
        ranks[first:end] = bytes([SECTION, *[NEVER] * (end - first - 1)])
        if end < len(lines) and kinds[end] != BLANK:
            ranks[end] = BLOCK
        number = done = end
    return found


def _heading_at(lines: list[str], number: int, done: int) -> tuple[int, int, int] | None:
    """(first line, title line, line after) of the heading whose first adornment is line `number`."""
    if not _ADORNMENT.match(lines[number]):
        return None
    run = lines[number].rstrip()
    title = number + 1
    if number + 2 < len(lines) and lines[number + 2].rstrip() == run and _is_title(lines[title], run, overlined=True):
        return number, title, number + 3
    title = number - 1
    above_is_blank = title == done or (title > done and not lines[title - 1].strip())
    if title >= done and above_is_blank and _is_title(lines[title], run, overlined=False):
        return title, title, number + 1
    return None


def _is_title(line: str, run: str, *, overlined: bool) -> bool:
    text = line.strip()
    if not text or _ADORNMENT.match(text) or (not overlined and (line[0].isspace() or _MARKED.match(line))):
        return False
    return len(run) >= _SURE_LENGTH or len(run) >= sum(
        2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _with_labels(lines: list[str], line: int, to_start: bool) -> int:
    """Where the section of the heading at `line` starts: at the labels above it; the title's, at the very start."""
    if to_start:
        return 0
    first = line
    while line > 0 and (lines[line - 1].startswith(".. _") or not lines[line - 1].strip()):
        line -= 1
        if lines[line].strip():
            first = line
    return first


def _opens(lines: list[str], end: int) -> bool:
    """Whether nothing but labels, comments and directives stands before line `end`."""
    return all(line[:1] in ("", " ", "\t") or line.startswith("..") for line in lines[:end])


def _links(marked: Lines) -> Iterator[Link]:
    """Links to files and addresses; none in literal text."""
    for pattern, style in ((_ROLE, "reference"), (_EMBEDDED, "inline"), (_FILE, "embed"), (_URL, "autolink")):
        for found in pattern.finditer(marked.text):
            line = marked.line_of(found.start())
            if marked.kinds[line] == CODE:
                continue
            if pattern is _URL:
                text = destination = found[0].rstrip(".,:;!?'*)")
            elif pattern is _FILE:
                text, destination = "", found[2]
                style = "image" if found[1] in ("image", "figure") else "embed"
            else:
                text, destination = (found[1] or "").strip(), found[2] or found[pattern.groups]
            if destination and not (pattern is _EMBEDDED and destination.endswith("_")):
                target, anchor = destination_parts(destination)
                yield Link(target, anchor, text, style, found.start(), found.end(), line)
