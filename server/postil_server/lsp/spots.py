"""What stands at a place of a note: a link and which part of it, a tag, a heading, a footnote, a block id."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postil_indexers.chunking.sites import Footnote, HeadingSite, LinkSite, Range, Sites, TagSite
from postil_indexers.types import BlockId

_BLOCK = re.compile(r"\^[A-Za-z0-9-]+[ \t]*$")


@dataclass(frozen=True, slots=True)
class LinkPart:
    site: LinkSite
    part: str  # "target", "anchor", or "" for the rest


Spot = LinkPart | TagSite | HeadingSite | Footnote | BlockId


def spot_at(sites: Sites, offset: int) -> Spot | None:
    """The innermost; a place just behind a link or a tag still belongs to it, as where one has just typed."""
    for inclusive in (0, 1):
        for site in sites.links:
            if site.link.start <= offset < site.link.end + inclusive:
                return LinkPart(site, _part(site, offset))
        for tag in sites.tags:
            if tag.start - (not tag.is_in_front) <= offset < tag.end + inclusive:
                return tag
        for note in sites.footnotes:
            if note.start <= offset < note.end + inclusive:
                return note
    line = sites.line_of(offset)
    block = _BLOCK.search(sites.lines[line])
    if block and offset - sites.starts[line] >= block.start():
        found = next((each for each in sites.block_ids if each.line == line), None)
        if found is not None:
            return found
    return next((heading for heading in sites.headings if _on(sites, heading, offset)), None)


def _on(sites: Sites, site: HeadingSite, offset: int) -> bool:
    """Whether on a heading's line; in reStructuredText that may be the one under an overline."""
    lines = {site.heading.line} | ({sites.line_of(site.place[0])} if site.place else set())
    return sites.line_of(offset) in lines


def _part(site: LinkSite, offset: int) -> str:
    if site.destination is None:
        return ""
    if _within(site.anchor, offset) and site.anchor[0] < site.anchor[1]:
        return "anchor"
    return "target" if _within(site.target, offset) and site.target[0] < site.target[1] else ""


def _within(place: Range, offset: int) -> bool:
    return place[0] <= offset <= place[1]
