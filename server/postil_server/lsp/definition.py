"""textDocument/definition: from a link to the section or file that it means, from a footnote to its text."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_server.lsp.calls import guarded
from postil_server.lsp.scene import Ready, has, on_note
from postil_server.lsp.uris import uri_of

if TYPE_CHECKING:
    from postil_indexers.chunking.sites import Footnote, LinkSite
    from postil_server.lsp.live import Note
    from postil_server.lsp.server import PostilServer

_START = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


@dataclass(frozen=True, slots=True)
class Found:
    """Where a link leads: the whole section, and its first words."""

    origin: lsp.Range
    uri: str
    whole: lsp.Range
    first: lsp.Range


async def definition(
    server: PostilServer, params: lsp.DefinitionParams
) -> list[lsp.Location] | list[lsp.LocationLink] | None:
    at = params.position
    found = await on_note(server, params.text_document.uri, server.requests, lambda ready: _found(ready, at))
    if not found:
        return None
    if has(server.client_capabilities, "text_document", "definition", "link_support"):
        return [lsp.LocationLink(each.uri, each.whole, each.first, each.origin) for each in found]
    return [lsp.Location(each.uri, each.first) for each in found]


def _found(ready: Ready, at: lsp.Position) -> list[Found]:
    from postil_indexers.chunking.sites import Footnote
    from postil_server.lsp.live import served
    from postil_server.lsp.spots import LinkPart, spot_at

    features = ready.opened[0].app.settings.features
    if not features.definition:
        return []
    spot = spot_at(ready.note.sites, ready.note.offset(at, ready.encoding))
    if isinstance(spot, Footnote):
        return _footnote(ready, spot)
    if not isinstance(spot, LinkPart) or not served(spot.site, markdown_links=features.markdown_links):
        return []
    if spot.site.link.style == "reference" and spot.site.label:
        return _label(ready, spot.site)
    return _link(ready, spot.site)


def _footnote(ready: Ready, spot: Footnote) -> list[Found]:
    """From a mark to its text; from the text to its marks."""
    note, encoding = ready.note, ready.encoding
    origin = note.range((spot.start, spot.end), encoding)
    return [
        Found(origin, note.uri, place, place)
        for each in note.sites.footnotes
        if each.name == spot.name and each.defines != spot.defines
        for place in [note.range((each.start, each.end), encoding)]
    ]


def _label(ready: Ready, site: LinkSite) -> list[Found]:
    note, encoding = ready.note, ready.encoding
    origin = note.range((site.link.start, site.link.end), encoding)
    for each in note.sites.links:
        if each.link.style == "definition" and each.label == site.label:
            place = note.range((each.link.start, each.link.end), encoding)
            return [Found(origin, note.uri, place, place)]
    return []


def _link(ready: Ready, site: LinkSite) -> list[Found]:
    from postil_server.lsp.live import live_note
    from postil_server.lsp.meanings import resolution

    origin = ready.note.range((site.link.start, site.link.end), ready.encoding)
    for each in ready.folders:
        path = resolution(each, ready.note, site.link).path
        if path is None:
            continue
        own = path == ready.note.path and each.root == ready.note.root
        target = ready.note if own or not site.link.target.strip() else live_note(each.root, path, ready.buffers)
        if target is None:  # code, or a file that is gone since it was indexed
            full = os.path.join(each.root, path)
            return [Found(origin, uri_of(full), _START, _START)] if os.path.exists(full) else []
        return [Found(origin, target.uri, *_section(target, site.link.anchor, ready.encoding))]
    return []


def _section(target: Note, anchor: str, encoding: str) -> tuple[lsp.Range, lsp.Range]:
    """(the section that an anchor means, its heading); for none and for one that is missing, the start of the note."""
    from postil_server.lsp.meanings import heading_at, line_meant

    sites = target.sites
    line = line_meant(sites, anchor)
    if line is None:
        return _START, _START
    first = target.line_range(line, line + 1, encoding)
    heading = heading_at(sites, line)
    if heading is None or anchor.startswith("^"):
        return first, first
    return target.line_range(line, sites.section_end(heading), encoding), first


def register(server: PostilServer) -> None:
    method = lsp.TEXT_DOCUMENT_DEFINITION
    server.feature(method)(guarded(method, partial(definition, server)))
