"""A passage taken apart into what can be quoted of it: sentences, list items, rows of tables, lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from postil_indexers.chunking.blocks import scan_blocks
from postil_indexers.chunking.linekinds import BLANK, CODE, HEADING, HTML, TABLE
from postil_indexers.chunking.notes import split_lines
from postil_indexers.han import UNSPACED
from postil_indexers.types import Kind

_LABEL, _LABEL_CHARS = 3, 30  # words and characters of a label, colon included
_LONGEST = 600  # characters of one unit; a longer one is data, or a paragraph without an end

# What opens something ends at the next that does, or after so many characters: a text of openers alone would be walked
# to its end from each of them, and no other thread runs meanwhile.
_EMBED = re.compile(r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^)\n]{0,500}\)")
_WIKI = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"\[([^\[\]\n]+)\](?:\((?:<[^>\n]{0,500}>|[^)\n]{0,500})\)|\[[^\[\]\n]*\])")
_LINKED = r"(?:!?\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\([^)\n]{0,500}\)|<?https?://\S+)"
_POINTER = re.compile(
    rf"(?:(?:[*_]{{0,2}}[^\W\d][\w -]{{0,30}}[*_]{{0,2}}\s?::?[*_]{{0,2}}\s*)?{_LINKED}[\s,;·|、，]*)+"
)
_TAGS = re.compile(r"\s*(?:#[^\s#\d][^\s#]*\s*)+")
_BLOCK_ID = re.compile(r"\s\^[\w-]+\s*$")
_HASH_TAG = re.compile(r"#[^\s#\d][^\s#]*")
_TAG = re.compile(r"<!--(?:(?!<!--|-->).)*-->|</?[a-zA-Z][^<>\n]*>", re.DOTALL)
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.{1,500}?)(?<=\S)\1")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-+*]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_DELIMITERS = re.compile(r"[\s|:-]+")

# Where a sentence ends: a full stop before what starts one, or a Chinese mark; closing quotes go with it.
_END = re.compile(
    r"""(?<![.!?])[.!?]++["'”’)\]]*+(?=\s+["'“‘(\[`*]*[A-Z0-9`À-ÞΑ-ΫА-Я\u3400-\u9fff])|[。！？]+[”’」』）)]*|[；;](?=[\u3400-\u9fff])"""
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|st)|\b[A-Z])\.$", re.IGNORECASE)
_ABBREVIATED = 8  # characters, of which the longest of these has seven
_HAN_SPACE = re.compile(f"(?<=[{UNSPACED}，。、；：！？）」』]) (?=[{UNSPACED}（「『])")
_CODE_SPAN = re.compile(r"`+[^`\n]*`+")

_COMMENT = re.compile(r"\s*(?://[/!]?|#+!?|/\*+|\*+/?|--+|;+|%+)\s?(?P<text>.*?)\s*(?:\*+/)?\s*$")
_DOCSTRING = re.compile(r"\s*[rRbBuUfF]{0,2}(\"\"\"|''')")
_NO_COMMENT = re.compile(r"\s*#(?:(?:include|define|ifdef|ifndef|if|endif|else|elif|pragma|undef)\b|!|\[)|\s*-{2,}\s*$")
# A line of code that says no more than what is used from elsewhere.
_IMPORT = re.compile(
    r"\s*(?:from\s+\S+\s+import\b|(?:import|pub\s+use|use)\s+[\w.:*{\"'@]|using\s+[\w.]+\s*;|#\s*(?:include|import)\b"
    r"|(?:require|include)(?:_once|_relative)?[\s(]+[\"'])"
)
# The last paragraph of a message that says nothing of what was done, and our own line of who made it.
_TRAILER = re.compile(
    r"— |[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: |\((?:cherry picked|backported) from|(?:Fixes|Closes|Refs) #\d+$|"
    r"This reverts commit"
)
_OPEN_COMMENT = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
_UNTELLING = re.compile(r"[\W_]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that can be quoted by itself."""

    text: str  # plain, on one line; of code as it is written
    start_line: int  # of the passage, 0-based
    end_line: int
    heading: str = ""  # that stands above it in the passage
    code: bool = False
    open: bool = False  # a task that is not done, a question, a TODO
    pointer: bool = False  # nothing but a label and what it leads to: "upstream: [[Storage]]"; an import


def is_label(unit: Unit) -> bool:
    """Whether a sentence says nothing by itself, and only announces what follows."""
    return unit.text.endswith((":", "：")) and len(unit.text.split()) <= _LABEL and len(unit.text) <= _LABEL_CHARS


def units_of(text: str, kind: Kind) -> list[Unit]:
    """What a passage says, in its order."""
    if kind is Kind.CODE:
        return list(_of_code(split_lines(text)))
    if kind is Kind.COMMIT:
        return list(_of_message(split_lines(text)))
    return list(_of_note(split_lines(text)))


def plain(text: str) -> str:
    """A piece of Markdown without what leads elsewhere or is not text: links become their words, HTML goes."""
    if not any(mark in text for mark in "[<*_~^#"):
        return " ".join(text.split())
    parts: list[str] = []
    done = 0
    for span in _CODE_SPAN.finditer(text):
        parts += (_plain(text[done : span.start()]), span[0])
        done = span.end()
    joined = "".join((*parts, _plain(text[done:])))
    words = _BLOCK_ID.sub("", joined).split()
    while words and _HASH_TAG.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)


def _plain(text: str) -> str:
    text = _TAG.sub("", _EMBED.sub("", text))
    text = _LINK.sub(r"\1", _WIKI.sub(lambda link: link[2] or link[1].replace("#", " › ").strip(" ›"), text))
    return _EMPHASIS.sub(r"\2", text)


def split_sentences(text: str) -> list[str]:
    """The sentences of one paragraph of English or Chinese, without the white space around them."""
    spans = [match.span() for match in _CODE_SPAN.finditer(text)]
    parts, start = [], 0
    for end in _END.finditer(text):
        inside = any(first < end.start() < last for first, last in spans)
        if inside or _ABBREVIATION.search(text, max(start, end.end() - _ABBREVIATED), end.end()):
            continue
        parts.append(text[start : end.end()].strip())
        start = end.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _of_note(lines: list[str]) -> Iterator[Unit]:
    kinds = scan_blocks(lines).kinds
    heading, at = "", 0
    while at < len(lines):
        kind, start = kinds[at], at
        at += 1
        if kind in (BLANK, HTML):
            continue
        if kind == HEADING:
            while at < len(lines) and kinds[at] == HEADING and not lines[at].lstrip().startswith("#"):
                at += 1  # the line below a heading
            heading = plain(lines[start].strip().lstrip("#").strip().rstrip("#"))
        elif kind == CODE:
            while at < len(lines) and kinds[at] == CODE:
                at += 1
            yield from _of_fence(lines, start, at, heading)
        elif kind == TABLE:
            cells = [plain(cell) for cell in lines[start].strip().strip("|").split("|")]
            if not _DELIMITERS.fullmatch(lines[start]):
                yield from _unit(" · ".join(cell for cell in cells if cell), start, at, heading)
        elif not _separates(lines[start]):
            while at < len(lines) and kinds[at] == kind and not _begins(lines[at]):
                at += 1
            yield from _of_paragraph(lines, start, at, heading)


def _begins(line: str) -> bool:
    """Whether a line ends the paragraph before it: the next item of a list, or nothing that is said."""
    return _ITEM.match(line) is not None or _separates(line)


def _separates(line: str) -> bool:
    """Whether a line is a thematic break, or tags alone."""
    return _UNTELLING.fullmatch(line) is not None or _TAGS.fullmatch(line) is not None


def _of_paragraph(lines: list[str], start: int, end: int, heading: str) -> Iterator[Unit]:
    """The sentences of a paragraph or of one item of a list; an item's are kept together where they are short."""
    item = _ITEM.match(lines[start])
    body = [lines[start][item.end() :] if item else _QUOTE.sub("", lines[start], count=1)]
    body += [_QUOTE.sub("", line, count=1).strip() for line in lines[start + 1 : end]]
    texts, places = [], []
    joined = _joined(body)
    whole, points = plain(joined), _POINTER.fullmatch(joined) is not None
    if item and len(whole) <= _LONGEST // 2:
        texts, places = [whole], [(start, end)]
    else:
        texts = split_sentences(whole)
        places = list(_places(texts, body, start))
    is_open = bool(item and item[1] == " ")
    for text, (first, last) in zip(texts, places, strict=True):
        yield from _unit(text, first, last, heading, is_open=is_open or _asks(text), points=points)


def _joined(lines: list[str]) -> str:
    """Lines of a paragraph as one; no space between two characters of a script without spaces."""
    return _HAN_SPACE.sub("", " ".join(line.strip() for line in lines))


def _places(sentences: list[str], lines: list[str], start: int) -> Iterator[tuple[int, int]]:
    """The lines on which each sentence of a paragraph stands, counted by their share of its characters."""
    ends, total = [], 0
    for line in lines:
        total += len(plain(line))
        ends.append(total)
    at, length = 0, sum(map(len, sentences)) or 1
    total = max(total, 1)
    for sentence in sentences:
        first = min(at * total // length, total - 1)
        at += len(sentence)
        last = max(at * total // length - 1, first)
        yield start + _line_at(ends, first), start + _line_at(ends, last) + 1


def _line_at(ends: list[int], offset: int) -> int:
    return next((number for number, end in enumerate(ends) if offset < end), len(ends) - 1)


def _of_fence(lines: list[str], start: int, end: int, heading: str) -> Iterator[Unit]:
    for number in range(start, end):
        line = lines[number].strip()
        if line and not line.startswith(("```", "~~~")):
            yield from _unit(line, number, number + 1, heading, code=True)


def _of_message(lines: list[str]) -> Iterator[Unit]:
    """A commit's subject, then the paragraphs of its body; trailers say nothing of what was done."""
    at = 0
    while at < len(lines):
        start = at
        while at < len(lines) and not _UNTELLING.fullmatch(lines[at]):
            at += 1
        if at > start and not _TRAILER.match(lines[start]):
            yield from _of_paragraph(lines, start, at, "")
        at += 1


def _of_code(lines: list[str]) -> Iterator[Unit]:
    """Comments and docstrings as sentences, all other lines as code."""
    at = 0
    while at < len(lines):
        start, said, at = _prose_at(lines, at)
        if said:
            texts = split_sentences(_joined([each for each in said if each]))
            for text, (first, last) in zip(texts, _places(texts, said, start), strict=True):
                yield from _unit(text, first, last, "", is_open=bool(_OPEN_COMMENT.search(text)))
            continue
        end = _code_end(lines, at)
        for number in range(at, end):
            line = lines[number].strip()
            is_open, points = bool(_OPEN_COMMENT.search(line)), _IMPORT.match(line) is not None
            yield from _unit(line, number, number + 1, "", code=True, is_open=is_open, points=points)
        at = end


def _code_end(lines: list[str], at: int) -> int:
    """The line after a line of code; after the end of a long string where one opens in it."""
    for quotes in ('"""', "'''"):
        if lines[at].count(quotes) % 2:
            closing = (n for n in range(at + 1, len(lines)) if quotes in lines[n])
            return next(closing, at) + 1
    return at + 1


def _prose_at(lines: list[str], at: int) -> tuple[int, list[str], int]:
    """(first line, the text of the comment or docstring that starts there, the line after it); no text for code."""
    quotes = _DOCSTRING.match(lines[at])
    if quotes:
        end = at
        rest = lines[at][quotes.end() :]
        while quotes[1] not in rest and end + 1 < len(lines):
            end += 1
            rest = lines[end]
        said = [line.strip() for line in lines[at : end + 1]]
        return at, [part.replace(quotes[1], "").strip() for part in said], end + 1
    end, said = at, []
    while end < len(lines) and (comment := _COMMENT.match(lines[end])) and not _NO_COMMENT.match(lines[end]):
        said.append(comment["text"])
        end += 1
    return at, said if any(part.strip() for part in said) else [], max(end, at) if said else at


def _unit(
    text: str,
    start: int,
    end: int,
    heading: str,
    *,
    code: bool = False,
    is_open: bool = False,
    points: bool = False,
) -> Iterator[Unit]:
    if len(text) > 1 and not _UNTELLING.fullmatch(text):
        said = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        yield Unit(said, start, end, heading, code, is_open, points)


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’」』）)").endswith(("?", "？"))
