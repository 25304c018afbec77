"""Where in a note its links' destinations, tags, headings and footnotes stand, to the character: for editing them.

The same rules as for what the index stores, over the same text; here the places are kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from postil_indexers.chunking import inline
from postil_indexers.chunking.blocks import scan_blocks
from postil_indexers.chunking.found import Blocks, RawHeading
from postil_indexers.chunking.frontmatter import FrontMatter, read_front_matter
from postil_indexers.chunking.markdown import plain_heading
from postil_indexers.chunking.notes import shortened, split_lines, title_from_path, title_heading
from postil_indexers.chunking.references import link_of
from postil_indexers.chunking.rst import parse_rst
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import BlockId, Document, Heading, Link, Tag

_FOOTNOTE = re.compile(r"\[\^([^\s\[\]]{1,200})\](:?)")
_BACKTICKS = re.compile(r"(\\*+)(`++)")
_ANCHOR_SIGN = re.compile(r"(?<!&)#")  # not that of `&#35;`
_TAG_EDGE = r"[\s\[\],\"'，#]"
_RST_DESTINATION = re.compile(r"<([^<>]+)>`_{0,2}$|`([^`<>]+)`$|::[ \t]+(\S+)$")

Range = tuple[int, int]  # code points of the text, half-open


@dataclass(frozen=True, slots=True)
class LinkSite:
    """A link, or the line that defines a label (style "definition"), with where its destination stands."""

    link: Link
    destination: Range | None  # as written, with its anchor; None for `[text][label]`, whose label has it
    target: Range = (0, 0)
    anchor: Range = (0, 0)  # without its `#`; empty where there is none
    label: str = ""  # of `[text][label]` and of a definition, folded
    is_angled: bool = False  # written as <destination>


@dataclass(frozen=True, slots=True)
class TagSite:
    name: str
    start: int  # of the name, after its `#`
    end: int
    is_in_front: bool = False  # in the front matter


@dataclass(frozen=True, slots=True)
class HeadingSite:
    heading: Heading
    raw: str  # with its inline markup
    place: Range | None  # of `raw`; None where it is not one run of characters


@dataclass(frozen=True, slots=True)
class Footnote:
    name: str
    start: int
    end: int
    defines: bool


@dataclass(frozen=True, slots=True)
class Sites:
    text: str
    lines: tuple[str, ...]  # without their ends
    starts: tuple[int, ...]  # offsets of the lines
    prose: frozenset[int]  # lines that may hold inline markup
    front: FrontMatter
    title: str
    top: Heading | None  # the heading that is the title
    headings: tuple[HeadingSite, ...] = ()
    links: tuple[LinkSite, ...] = ()  # definitions of labels too, each where it stands
    tags: tuple[TagSite, ...] = ()
    block_ids: tuple[BlockId, ...] = ()
    footnotes: tuple[Footnote, ...] = ()

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def section_end(self, heading: Heading) -> int:
        """The line after the section of a heading."""
        below = (s.heading.line for s in self.headings if s.heading.line > heading.line)
        nested = {s.heading.line: s.heading.level for s in self.headings}
        return next((line for line in below if nested[line] <= heading.level), len(self.lines))


def code_spans(text: str) -> list[Range]:
    """Those of one paragraph, in time that grows with its length alone."""
    runs = [found.span(2) for found in _BACKTICKS.finditer(text)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    spans: list[Range] = []
    done = 0
    for found in _BACKTICKS.finditer(text):
        start = found.start(2) + len(found[1]) % 2  # an escaped one opens nothing
        length = found.end(2) - start
        same = by_length.get(length, [])
        following = bisect_right(same, start)
        if start >= done and length and following < len(same):
            done = same[following] + length
            spans.append((start, done))
    return spans


def find_sites(text: str, path: str, language: str) -> Sites:
    """Of a note in Markdown, reStructuredText or plain text; never raises, whatever the text is."""
    lines, starts = split_lines(text), LineIndex(text).starts
    if language == "rst":
        return _rst_sites(text, path, lines, starts)
    if language != "markdown":
        blocks = _plain_blocks(lines)
        return _inline_sites(Sites(text, tuple(lines), tuple(starts), _prose(blocks), FrontMatter(), "", None), blocks)
    front = read_front_matter(lines)
    blocks = scan_blocks(lines, front.end_line, mdx=path.lower().endswith(".mdx"))
    headings = tuple(_heading_site(raw, lines, starts) for raw in blocks.headings)
    told = [site.heading for site in headings]
    opens = bool(told) and not any(line.strip() for line in lines[front.end_line : told[0].line])
    top = title_heading(told, opens)
    title = shortened(front.title) or (top.text if top else "") or title_from_path(path)
    sites = Sites(text, tuple(lines), tuple(starts), _prose(blocks), front, title, top, headings)
    return _inline_sites(sites, blocks)


def _prose(blocks: Blocks) -> frozenset[int]:
    runs = zip(blocks.first_lines, blocks.end_lines, strict=True)
    return frozenset(line for first, end in runs for line in range(first, end))


def _plain_blocks(lines: list[str]) -> Blocks:
    blocks = Blocks(bytearray(len(lines)), bytearray(len(lines)))
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if number and lines[number - 1].strip():
            blocks.end_lines[-1] = number + 1
        else:
            blocks.add_run(number)
    return blocks


def _inline_sites(sites: Sites, blocks: Blocks) -> Sites:
    """With the links, tags, block ids and footnotes of all runs."""
    text, starts = sites.text, sites.starts
    links: list[LinkSite] = []
    tags = list(_front_tags(sites))
    ids: list[BlockId] = []
    footnotes: list[Footnote] = []
    labels: dict[str, str] = {}
    runs: list[tuple[int, str, int]] = []
    for first, end in zip(blocks.first_lines, blocks.end_lines, strict=True):
        start = starts[first]
        run = text[start : starts[end] if end < len(starts) else len(text)]
        position = inline.take_definitions(run, labels) if "]:" in run else 0
        if position:
            links += _definitions(run, start, position, sites)
        runs.append((start, run, position))
    scanner = inline.InlineScanner(labels)
    for start, run, position in runs:
        scanner.scan(run, position)
        for raw in scanner.links:
            links.append(_link_site(raw, start, sites))
        tags += [TagSite(name, start + at + 1, start + at + 1 + len(name)) for name, at in scanner.tags]
        ids += [BlockId(name, sites.line_of(start + at)) for name, at in inline.block_ids(run)]
        footnotes += _footnotes(run, start)
    return Sites(
        text, sites.lines, starts, sites.prose, sites.front, sites.title, sites.top, sites.headings,
        tuple(links), tuple(tags), tuple(ids), tuple(footnotes),
    )  # fmt: skip


def _link_site(raw: inline.RawLink, start: int, sites: Sites) -> LinkSite:
    text, at = sites.text, start + raw.start
    link = link_of(raw, start, sites.line_of(at))
    if raw.style in ("wiki", "embed"):
        first = at + (3 if raw.style == "embed" else 2)
        place = (first, first + len(raw.destination))
        return LinkSite(link, place, *_wiki_ranges(text, place))
    if raw.style == "autolink":
        return LinkSite(link, None)
    opener = at + 1 + (text[at] == "!")
    after = opener + len(raw.text) + 1  # of the bracket that closes the text
    found = inline.inline_destination(text, after) if text.startswith("(", after) else None
    if found is None:
        return LinkSite(link, None, label=_label_used(text, opener, after, link))
    place = found[0], found[1]
    return LinkSite(link, place, *_ranges(text, place), is_angled=found[2])


def _label_used(text: str, opener: int, after: int, link: Link) -> str:
    second = text[after + 1 : link.end - 1] if text.startswith("[", after) else ""
    return inline.folded_label(second or text[opener : after - 1])


def _definitions(run: str, start: int, end: int, sites: Sites) -> Iterator[LinkSite]:
    for found in inline.definitions(run, end):
        place = (start + found.start, start + found.end)
        target, anchor = inline.destination_parts(run[found.start : found.end])
        at = start + found.opener
        link = Link(target, anchor, found.label, "definition", at, place[1] + found.is_angled, sites.line_of(at))
        label = inline.folded_label(found.label)
        yield LinkSite(link, place, *_ranges(sites.text, place), label=label, is_angled=found.is_angled)


def _ranges(text: str, place: Range) -> tuple[Range, Range]:
    """Of target and anchor in a destination as Markdown has it."""
    sign = _ANCHOR_SIGN.search(text, *place)
    if sign is None:
        return place, (place[1], place[1])
    return (place[0], sign.start()), (sign.end(), place[1])


def _wiki_ranges(text: str, place: Range) -> tuple[Range, Range]:
    start, end = place
    end -= text.startswith("\\", end - 1)  # in a table the pipe is written `\|`
    inside = text[start:end]
    sign = inside.find("#")
    anchor = sign + 1 if sign >= 0 else inside.find("^")
    if sign < 0:
        sign = anchor
    if sign < 0:
        return _trimmed(text, start, end), (end, end)
    return _trimmed(text, start, start + sign), _trimmed(text, start + anchor, end)


def _trimmed(text: str, start: int, end: int) -> Range:
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, max(start, end - (len(inside) - len(inside.rstrip())))


def _heading_site(raw: RawHeading, lines: list[str], starts: list[int]) -> HeadingSite:
    heading = Heading(shortened(plain_heading(raw.text)), raw.level, raw.line)
    line = lines[raw.line]
    marks = len(line) - len(line.lstrip(" #")) if raw.end_line == raw.line + 1 else 0  # setext's may begin with `#`
    column = line.find(raw.text, marks)
    if not raw.text or "\n" in raw.text or column < 0:
        return HeadingSite(heading, raw.text, None)
    start = starts[raw.line] + column
    return HeadingSite(heading, raw.text, (start, start + len(raw.text)))


def _front_tags(sites: Sites) -> Iterator[TagSite]:
    """The tags of the front matter that stand there as they are; one that is written with escapes is left out."""
    front, used = sites.front, set[int]()
    for tag in front.tags:
        found = _front_tag(sites, tag, used)
        if found is not None:
            used.add(found.start)
            yield found


def _front_tag(sites: Sites, tag: Tag, used: set[int]) -> TagSite | None:
    whole = re.compile(rf"(?<={_TAG_EDGE}){re.escape(tag.name)}(?=/?(?:{_TAG_EDGE}|$))")
    for line in range(tag.line, sites.front.end_line - 1):
        text = sites.lines[line]
        for found in whole.finditer(text, max(text.find(":"), text.find("=")) + 1 if line == tag.line else 0):
            start = sites.starts[line] + found.start()
            if start not in used:
                return TagSite(tag.name, start, start + len(tag.name), is_in_front=True)
    return None


def _footnotes(run: str, start: int) -> Iterator[Footnote]:
    if "[^" not in run:
        return
    hidden = code_spans(run)
    for found in _FOOTNOTE.finditer(run):
        if not any(first <= found.start() < end for first, end in hidden):
            at_start = not run[run.rfind("\n", 0, found.start()) + 1 : found.start()].strip(" \t>")
            yield Footnote(
                found[1], start + found.start(), start + found.end() - len(found[2]), bool(found[2]) and at_start
            )


def _rst_sites(text: str, path: str, lines: list[str], starts: list[int]) -> Sites:
    parsed = parse_rst(Document(path, text, "rst"))
    headings = []
    for heading in parsed.headings:
        # an overlined title stands one line below where its section starts
        line = next((n for n in (heading.line, heading.line + 1) if lines[n].strip() == heading.text), heading.line)
        column = lines[line].find(heading.text)
        start = starts[line] + column
        place = (start, start + len(heading.text)) if column >= 0 else None
        headings.append(HeadingSite(heading, heading.text, place))
    links = tuple(_rst_site(text, link) for link in parsed.links)
    prose = frozenset(number for number, line in enumerate(lines) if line.strip())
    top = next((h for h in parsed.headings if h.text == parsed.title), None)
    return Sites(text, tuple(lines), tuple(starts), prose, FrontMatter(), parsed.title, top, tuple(headings), links)


def _rst_site(text: str, link: Link) -> LinkSite:
    found = _RST_DESTINATION.search(text[link.start : link.end]) if link.style != "autolink" else None
    if found is None:
        return LinkSite(link, None)
    start, end = found.span(found.lastindex or 0)
    place = (link.start + start, link.start + end)
    return LinkSite(link, place, *_ranges(text, place))
