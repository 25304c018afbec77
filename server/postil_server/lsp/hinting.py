"""Which links of a note lead nowhere, to one of several, or to a place that is not in the note they mean."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from postil_indexers.chunking.sites import LinkSite, Range, Sites
from postil_indexers.links import anchor_line, slugify
from postil_indexers.types import Kind, Link
from postil_server.lsp.desk import Opened
from postil_server.lsp.live import live_note, served
from postil_server.lsp.meanings import line_meant, resolution
from postil_server.lsp.moving import unread
from postil_server.lsp.scene import Ready

_NAMED = 3  # candidates in a message; one line is read
_NAME_CHARS = 80  # of a name in a message
_PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|\$\{|\*")  # a template's, which becomes a link later; a pattern
_COUNTED_SLUG = re.compile(r"(.+)-(\d{1,4})$")


@dataclass(frozen=True, slots=True)
class Hint:
    place: Range
    code: str
    message: str


def hints(ready: Ready) -> list[Hint]:
    """In the order of the text; none for a note outside of all folders: nobody knows what its links are to mean."""
    if not ready.note.root or not ready.folders:
        return []
    opened = ready.folders[0]
    features = opened.app.settings.features
    if not features.diagnostics:
        return []
    if unread(opened):  # what a link means may be in what is not read yet
        return []
    found: list[Hint] = []
    for site in ready.note.sites.links:
        if site.destination is None or not served(site, markdown_links=features.markdown_links):
            continue
        if not _PLACEHOLDER.search(site.link.target + site.link.anchor):
            found += _of_link(ready, opened, site)
    return sorted(found, key=lambda hint: hint.place)


def _of_link(ready: Ready, opened: Opened, site: LinkSite) -> Iterator[Hint]:
    link = site.link
    meant = resolution(opened, ready.note, link)
    if meant.how == "external":
        return
    if meant.path is None:
        if not _is_there(opened.root, ready.note.path, link.target):
            yield Hint(site.target, "link-to-nothing", f"Nothing in this folder is called “{_shown(link.target)}”")
        return
    if meant.ambiguous:
        others = list(meant.paths[1:])
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        said = ", ".join(others[:_NAMED]) + more
        yield Hint(site.target, "ambiguous-link", f"“{_shown(link.target)}” is {meant.path}, the nearest; or {said}")
    if link.anchor and not _has_anchor(ready, opened, meant.path, link.anchor):
        what = "block" if link.anchor.startswith("^") else "heading"
        yield Hint(
            site.anchor, "missing-anchor", f"{meant.path} has no {what} “{_shown(link.anchor.removeprefix('^'))}”"
        )


def leads_nowhere(ready: Ready, opened: Opened, link: Link) -> bool:
    """Whether nothing in the folder is what a link of the note means."""
    meant = resolution(opened, ready.note, link)
    return meant.path is None and meant.how != "external" and not _is_there(opened.root, ready.note.path, link.target)


def _shown(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else f"{name[: _NAME_CHARS - 1]}…"


def _is_there(root: str, path: str, target: str) -> bool:
    """Whether a link that no indexed file answers means something all the same: a folder, a file that was left out, a
    page of a site, or something outside of the folder, where nobody looks."""
    target = target.replace("\\", "/")
    if target.startswith("/") and not posixpath.splitext(target)[1]:
        return True
    folder = "" if target.startswith("/") else posixpath.dirname(path)
    places = [posixpath.normpath(posixpath.join(base, target.lstrip("/"))) for base in (folder, "")]
    if (places[0] + "/").startswith("../") or "\0" in target:
        return True
    return any(not place.startswith("../") and os.path.lexists(os.path.join(root, place)) for place in places)


def _has_anchor(ready: Ready, opened: Opened, path: str, anchor: str) -> bool:
    if path == ready.note.path:
        return _stands_in(ready.note.sites, anchor)
    document = opened.index.content.document(path)
    if document is None or document.kind is not Kind.NOTE:
        return True  # what an anchor of code means, its own tools know
    if (opened.root, path) not in ready.buffers:
        headings, blocks = opened.index.names.outline(document.id)
        if anchor_line(anchor, headings, ((block.name, block.line) for block in blocks)) is not None:
            return True
    target = live_note(opened.root, path, ready.buffers)
    return target is None or target.language != "markdown" or _stands_in(target.sites, anchor)


def _stands_in(sites: Sites, anchor: str) -> bool:
    """As a heading or a block; as the second of its name, or as an id that the text itself sets."""
    if line_meant(sites, anchor) is not None:
        return True
    counted = _COUNTED_SLUG.match(anchor)
    if counted:
        same = [site for site in sites.headings if slugify(site.heading.text) == counted[1].lower()]
        if len(same) > int(counted[2]) > 0:
            return True
    escaped = re.escape(anchor)
    return (
        re.search(rf"\b(?:id|name)\s*=\s*[\"']?{escaped}[\"'\s>]|\{{[^{{}}\n]{{0,200}}#{escaped}[\s}}]", sites.text)
        is not None
    )
