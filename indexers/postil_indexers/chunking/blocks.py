"""The blocks of a Markdown text, found line by line: CommonMark's containers, fences, HTML and headings, GFM's tables.

Beyond CommonMark: `$$` maths is verbatim, and so are MDX imports, exports and comments; MkDocs' admonitions and tabs
(`!!!`, `???`, `===`) hold Markdown that is indented by four. Only headings outside lists and
quotes count, as in outlines. Rules: CommonMark 0.31 (https://spec.commonmark.org), checked against markdown-it-py.
"""

from __future__ import annotations

import re

from postil_indexers.chunking.found import Blocks, RawHeading
from postil_indexers.chunking.linekinds import BLANK, BLOCK, CODE, HEADING, HTML, INNER, ITEM, PROSE, SECTION, TABLE
from postil_indexers.chunking.tables import is_delimiter_row
from postil_indexers.chunking.verbatim import BLANK_LINE, MATHS_END, verbatim_end

_QUOTE = 0  # a container's number: 0 for a quote, else the columns its list item's content is indented by
_MAX_DEPTH = 100  # containers inside each other, markdown-it's limit too; without one, deep quotes cost depth x lines

_SPACES = re.compile(" *")
_ATX = re.compile(r"(#{1,6})(?:[ ]+(.*))?$", re.DOTALL)
_ATX_CLOSING = re.compile(r"(?:^|[ ])#+[ ]*$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})", re.DOTALL)
_BREAK = re.compile(r"(?:(?:\*[ ]*+){3,}|(?:-[ ]*+){3,}|(?:_[ ]*+){3,})$")
_ITEM = re.compile(r"([-+*]|(\d{1,9})[.)])( +(?=[^ ])| *$)")
_DEFINITION = re.compile(
    r"[ ]{0,3}\[(?!\^)(?:[^\[\]\\]|\\.)+\]:[ ]*\S+[ ]*(?:\"[^\"]*\"|'[^']*'|\([^()]*\))?[ ]*$", re.DOTALL
)
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?) ?\w|===[+!]? \"")
_ESM = re.compile(r"(?:import|export)\b")
_STARTERS = frozenset("><#`~*+-_=$0123456789{!?")
_SPECIAL = _STARTERS | frozenset(" |:")  # what can begin more than another line of a paragraph

_NOTHING, _PARAGRAPH, _TABLE, _INDENTED, _FENCED, _VERBATIM = range(6)  # the open leaf


def scan_blocks(lines: list[str], first: int = 0, mdx: bool = False) -> Blocks:
    """Blocks of `lines` (without line ends) from line `first` on; the lines before it stay PROSE of rank 0."""
    return _Scanner(lines, mdx).scan(first)


class _Scanner:
    __slots__ = ("blank_item", "blocks", "containers", "end", "fence", "leaf", "lines", "list_mark", "mdx", "start")

    def __init__(self, lines: list[str], mdx: bool) -> None:
        self.lines = lines
        self.mdx = mdx
        self.blocks = Blocks(bytearray(len(lines)), bytearray(len(lines)))
        self.containers: list[int] = []
        self.leaf = _NOTHING
        self.start = 0  # first line of the open paragraph
        self.fence = ""  # what closes the open fence, at least
        self.end = BLANK_LINE  # what closes open verbatim text
        self.list_mark = ""  # marker of the outermost list that the last line belonged to
        self.blank_item = -1  # line of a list item that began empty: a blank line after it closes it

    def scan(self, first: int) -> Blocks:
        for number in range(first, len(self.lines)):
            line = self.lines[number]
            if "\t" in line:
                line = line.expandtabs(4)
            if not line or line.isspace():
                quote = self.containers.index(_QUOTE) if _QUOTE in self.containers else len(self.containers)
                self._blank(number, quote)
                continue
            position = matched = 0
            if self.leaf == _PARAGRAPH and line[0] not in _SPECIAL and not self.containers:
                self.blocks.end_lines[-1] = number + 1  # most lines of most notes
                continue
            if self.containers:
                position, matched = self._continue_containers(line)
                if not line[position:].strip():  # nothing but the marks of quotes
                    self._blank(number, matched)
                    continue
            if self.leaf >= _FENCED:
                if matched == len(self.containers):
                    self._continue_verbatim(number, line, position)
                    continue
                self.leaf = _NOTHING
            self._open(number, line, position, matched)
        return self.blocks

    def _blank(self, number: int, matched: int) -> None:
        """A line without text, in so many of the open containers; the others end."""
        self.blocks.kinds[number] = BLANK
        if matched < len(self.containers):
            del self.containers[matched:]
            self.leaf = _NOTHING
        if self.containers and self.blank_item == number - 1 >= 0:
            self.containers.pop()
        if self.leaf == _FENCED:
            self.blocks.kinds[number] = CODE
        elif self.leaf == _VERBATIM:
            if self.end is BLANK_LINE or self.end is MATHS_END:  # maths never runs on for want of a `$$`
                self.leaf = _NOTHING
        elif self.leaf != _INDENTED:
            self.leaf = _NOTHING

    def _continue_containers(self, line: str) -> tuple[int, int]:
        """Where the content starts after the open containers that this line continues, and how many those are."""
        position = 0
        for depth, width in enumerate(self.containers):
            spaces = _SPACES.match(line, position)
            content = spaces.end() if spaces else position
            if width == _QUOTE:
                if content - position > 3 or not line.startswith(">", content):
                    return position, depth
                position = content + 1
                if line.startswith(" ", position):
                    position += 1
            elif content - position >= width:
                position += width
            elif content == len(line):
                position = content  # a blank line goes on with any item
            else:
                return position, depth
        return position, len(self.containers)

    def _continue_verbatim(self, number: int, line: str, position: int) -> None:
        kinds = self.blocks.kinds
        if self.leaf == _VERBATIM:
            kinds[number] = HTML if kinds[number - 1] == HTML else CODE
            if self.end.search(line, position):
                self.leaf = _NOTHING
            return
        kinds[number] = CODE
        mark = self.fence[0]
        rest = line[position:].rstrip()
        bare = rest.lstrip(" ")
        if len(rest) - len(bare) <= 3 and bare.startswith(self.fence) and not bare.strip(mark):
            self.leaf = _NOTHING

    def _open(self, number: int, line: str, position: int, matched: int) -> None:
        """A line that continues no verbatim text: new containers, then a new leaf or more of the open one."""
        nested = False  # this line has opened a container
        while True:
            content = _SPACES.match(line, position).end()  # type: ignore[union-attr]  # matches anywhere
            mark = line[content] if content < len(line) else ""
            if content - position >= 4 or mark not in _STARTERS or mark == "":
                break
            in_paragraph = self.leaf == _PARAGRAPH and not nested
            here = in_paragraph and matched == len(self.containers)
            if here and mark == "-" and self._table_starts(number, line, position):
                return
            if here and mark in "=-" and self._underline(number, line, content):
                return
            if mark == ">" and matched < _MAX_DEPTH:
                self._enter(number, matched, _QUOTE, ">")
                position = content + 1 + line.startswith(" ", content + 1)
            elif self._leaf(number, line, position, content, matched, in_paragraph):
                return
            else:
                item = _ITEM.match(line, content) if matched < _MAX_DEPTH else None
                if item is None or (here and (item.end() == len(line) or item.group(2) not in (None, "1"))):
                    break
                position = self._item(number, line, position, item, matched)
            matched += 1
            nested = True
        self._text(number, line, position, matched, nested)

    def _enter(self, number: int, matched: int, container: int, mark: str) -> None:
        top = matched == 0
        if self.blocks.ranks[number] == 0:
            continues = top and (mark == self.list_mark or (mark == ">" and matched < len(self.containers)))
            self.blocks.ranks[number] = ITEM if continues else BLOCK if top else INNER
        if top:
            self.list_mark = mark
        del self.containers[matched:]
        self.containers.append(container)
        self.leaf = _NOTHING

    def _item(self, number: int, line: str, position: int, item: re.Match[str], matched: int) -> int:
        """Opens a list item; returns where its content starts."""
        marker = item.end(1)
        gap = item.end() - marker
        if item.end() == len(line):  # an empty item
            self.blank_item = number
            gap = 1
        elif gap > 4:  # content that is indented code
            gap = 1
        self._enter(number, matched, marker + gap - position, item.group(1)[-1])
        return min(marker + gap, len(line))

    def _underline(self, number: int, line: str, content: int) -> bool:
        """Whether this line underlines the open paragraph, which then was a heading."""
        rest = line[content:].rstrip()
        if rest.strip(rest[0]):
            return False
        first = self.start
        self.leaf = _NOTHING
        if not self.containers:
            text = "\n".join(part.strip() for part in self.lines[first:number])
            self.blocks.headings.append(RawHeading(first, 1 if rest[0] == "=" else 2, text, number + 1))
            self.blocks.ranks[first] = SECTION
            self.blocks.kinds[first : number + 1] = bytes([HEADING]) * (number + 1 - first)
        return True

    def _leaf(self, number: int, line: str, position: int, content: int, matched: int, in_paragraph: bool) -> bool:
        """Opens a leaf other than a paragraph, if the line starts one."""
        mark = line[content]
        kind, leaf = CODE, _NOTHING
        if mark == "#":
            if (atx := _ATX.match(line, content)) is None:
                return False
            self._heading(number, atx, matched)
            return True
        if mark in "`~":
            if (fence := _FENCE.match(line, content)) is None:
                return False
            self.fence = fence.group(1) or fence.group(2)
            leaf = _FENCED
        elif mark in "*-_" and _BREAK.match(line, content):
            kind = PROSE
        elif mark in "!?=" and _ADMONITION.match(line, content):
            self._admonition(number, content - position, matched)
            return True
        elif (end := verbatim_end(line, content, in_paragraph, self.mdx)) is not None:
            self.end = end
            leaf = _NOTHING if end is not BLANK_LINE and end.search(line, content + 2) else _VERBATIM
            kind = HTML if mark == "<" else CODE
        else:
            return False
        self._close(number, matched)
        self.blocks.kinds[number] = kind
        self.leaf = leaf
        return True

    def _heading(self, number: int, atx: re.Match[str], matched: int) -> None:
        self._close(number, matched)
        self.leaf = _NOTHING
        self.blocks.add_run(number)
        if not self.containers:
            text = _ATX_CLOSING.sub("", (atx.group(2) or "").rstrip()).strip()
            self.blocks.headings.append(RawHeading(number, len(atx.group(1)), text, number + 1))
            self.blocks.ranks[number] = SECTION
            self.blocks.kinds[number] = HEADING

    def _admonition(self, number: int, indent: int, matched: int) -> None:
        """Its title; what is indented by four below it is its content, not code."""
        self._close(number, matched)
        self.leaf = _NOTHING
        self.blocks.add_run(number)
        if matched < _MAX_DEPTH:
            self.containers.append(indent + 4)

    def _close(self, number: int, matched: int) -> None:
        """A new leaf starts: containers that the line did not continue end here."""
        del self.containers[matched:]
        if not self.containers:
            self.list_mark = ""
        if self.blocks.ranks[number] == 0:
            self.blocks.ranks[number] = INNER if self.containers else BLOCK

    def _text(self, number: int, line: str, position: int, matched: int, nested: bool) -> None:
        """Plain text: more of the open paragraph or table, indented code, or a new paragraph."""
        blocks = self.blocks
        if self.leaf == _PARAGRAPH and not nested:  # a lazy line keeps containers open that it does not continue
            if matched == len(self.containers) and self._table_starts(number, line, position):
                return
            blocks.end_lines[-1] = number + 1
            return
        if self.leaf == _TABLE and not nested and matched == len(self.containers):
            blocks.kinds[number] = TABLE
            blocks.ranks[number] = INNER
            blocks.add_run(number)
            return
        rest = line[position:]
        if not rest.strip():  # an empty list item or quote
            del self.containers[matched:]
            self.leaf = _NOTHING
            return
        indented = rest.startswith("    ")
        if self.leaf == _INDENTED and indented and matched == len(self.containers):
            blocks.kinds[number] = CODE
            return
        if self.mdx and matched == 0 and not nested and _ESM.match(line):
            self._close(number, 0)
            blocks.kinds[number] = CODE
            self.leaf, self.end = _VERBATIM, BLANK_LINE
            return
        self._close(number, matched)
        if indented:
            blocks.kinds[number] = CODE
            self.leaf = _INDENTED
        else:
            self.leaf, self.start = _PARAGRAPH, number
            blocks.add_run(number)
            if "]:" in rest and _DEFINITION.match(rest):
                self.leaf = _NOTHING  # what follows it is no more of its paragraph

    def _table_starts(self, number: int, line: str, position: int) -> bool:
        """Whether this line is the delimiter row under the paragraph's last line, which then is a table's head."""
        head = self.lines[number - 1]
        if self.start > number - 1 or any(row[position:].expandtabs(4).startswith("    ") for row in (head, line)):
            return False
        if not is_delimiter_row(line[position:].strip(), head):
            return False
        blocks = self.blocks
        if self.start < number - 1:
            blocks.end_lines[-1] = number - 1
            blocks.add_run(number - 1)
            blocks.ranks[number - 1] = INNER if self.containers else BLOCK
        blocks.kinds[number - 1] = blocks.kinds[number] = TABLE
        self.leaf = _TABLE
        return True
