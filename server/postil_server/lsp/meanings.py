"""What links mean among the files and notes as they are now."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from postil_indexers.chunking.sites import LinkSite, Sites
from postil_indexers.links import LinkResolver, LinkTarget, Resolution, anchor_line, name_key
from postil_indexers.types import Heading, Link
from postil_server.lsp.desk import Opened
from postil_server.lsp.live import Note


@dataclass(frozen=True, slots=True)
class Place:
    """Of a note: as a whole, or a heading or block in it."""

    path: str
    line: int | None = None  # of the heading or block; None for the whole
    block: str = ""  # the block's name


def resolution(opened: Opened, note: Note, link: Link) -> Resolution:
    """Of a link in a note as it stands in the editor; it may mean a file that is not indexed, as pictures are."""
    own = note.path if note.root == opened.root else ""
    found = opened.resolver().resolve(own, link)
    return found if found.how else opened.kept(_left_out).resolve(own, link)


def _left_out(opened: Opened) -> LinkResolver:
    return LinkResolver(LinkTarget(path) for path in opened.index.names.left_out_names())


def line_meant(sites: Sites, anchor: str) -> int | None:
    """The line that an anchor means in a note; None for none."""
    if not anchor:
        return None
    headings = [site.heading for site in sites.headings]
    return anchor_line(anchor, headings, ((block.name, block.line) for block in sites.block_ids))


def heading_at(sites: Sites, line: int) -> Heading | None:
    return next((site.heading for site in sites.headings if site.heading.line == line), None)


def links_to(opened: Opened, path: str, notes: Iterator[Note]) -> Iterator[tuple[Note, LinkSite]]:
    """The links and definitions of labels in these notes that lead to a file."""
    for note in notes:
        meant: dict[tuple[str, str], str | None] = {}
        for site in note.sites.links:
            key = (site.link.target, site.link.text if site.link.style in ("wiki", "embed") else "")
            if key not in meant:
                meant[key] = resolution(opened, note, site.link).path
            if meant[key] == path:
                yield note, site


def notes_naming(opened: Opened, paths: Iterable[str]) -> list[str]:
    """Notes with a link that leads to no indexed file and has the name of one of these: a picture's, for most."""
    names = {name_key(posixpath.basename(path)) for path in paths}
    return [
        path
        for path, link, means in opened.index.names.distinct_links()
        if means is None and name_key(posixpath.basename(link.target.replace("\\", "/"))) in names
    ]
