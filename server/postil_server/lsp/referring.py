"""Which places of a folder refer to what stands under the cursor. Runs in a reading thread."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from postil_indexers.chunking.sites import Footnote, HeadingSite, TagSite
from postil_server.lsp.desk import Opened
from postil_server.lsp.live import Buffers, Note, live_note, live_notes, served
from postil_server.lsp.meanings import Place, line_meant, links_to, notes_naming, resolution
from postil_server.lsp.scene import Ready
from postil_server.lsp.spots import LinkPart, spot_at
from postil_server.lsp.tagging import tag_sites


def references(ready: Ready, offset: int, *, declared: bool) -> list[lsp.Location]:
    """`declared`: with the heading itself, the footnote's text."""
    if not ready.opened[0].app.settings.features.references:
        return []
    note = ready.note
    spot = spot_at(note.sites, offset)
    if isinstance(spot, Footnote):
        same = (f for f in note.sites.footnotes if f.name == spot.name and (declared or not f.defines))
        return [_location(note, (each.start, each.end), ready.encoding) for each in same]
    if isinstance(spot, TagSite):
        return [
            _location(each, (site.start - (not site.is_in_front), site.end), ready.encoding)
            for opened in ready.folders
            for each, site in tag_sites(opened, spot.name, ready.buffers)
        ]
    if isinstance(spot, LinkPart):
        return [
            found
            for opened in ready.folders
            for place in [place_meant(ready, opened, spot)]
            if place is not None
            for found in _to_place(ready, opened, place, declared=declared)
        ]
    place = place_here(note, spot) if spot is not None else _first_words(note, offset)
    if place is None or not note.root:
        return []
    return list(_to_place(ready, ready.folders[0], place, declared=declared)) if ready.folders else []


def place_here(note: Note, spot: object) -> Place | None:
    """What a heading or a block id is to links: the note's first heading, and its title, stand for all of it."""
    if isinstance(spot, HeadingSite):
        first = note.sites.headings[0].heading
        whole = spot.heading in (note.sites.top, first)
        return Place(note.path) if whole else Place(note.path, spot.heading.line)
    line = getattr(spot, "line", None)
    return None if line is None else Place(note.path, line, spot.name)  # type: ignore[attr-defined]


def _first_words(note: Note, offset: int) -> Place | None:
    """Of a note without headings its first line stands for all of it."""
    first = min(note.sites.prose, default=0)
    return Place(note.path) if not note.sites.headings and note.sites.line_of(offset) == first else None


def place_meant(ready: Ready, opened: Opened, spot: LinkPart) -> Place | None:
    """What a link leads to: its section, or with the cursor on its file, the file."""
    link = spot.site.link
    path = resolution(opened, ready.note, link).path
    if path is None:
        return None
    target = ready.note if path == ready.note.path else live_note(opened.root, path, ready.buffers)
    line = line_meant(target.sites, link.anchor) if target and spot.part != "target" else None
    if line is None:
        return Place(path)
    return Place(path, line, link.anchor[1:] if link.anchor.startswith("^") else "")


def _to_place(ready: Ready, opened: Opened, place: Place, *, declared: bool) -> Iterator[lsp.Location]:
    markdown_links = opened.app.settings.features.markdown_links
    target = live_note(opened.root, place.path, ready.buffers)
    if declared and markdown_links and target is not None:  # an editor with links of its own declares it itself
        yield _declaration(target, place, ready.encoding)
    for note, site in links_to(opened, place.path, notes_linking(opened, place.path, ready.buffers)):
        if site.link.style == "definition" or not served(site, markdown_links=markdown_links):
            continue
        if target is None or place.line is None or line_meant(target.sites, site.link.anchor) == place.line:
            yield _location(note, (site.link.start, site.link.end), ready.encoding)


def notes_linking(opened: Opened, path: str, buffers: Buffers) -> Iterator[Note]:
    """Every note in which a link to a file may stand: those of the index, itself, and all that are open."""
    document = opened.index.content.document(path)
    linking = opened.index.names.linking([document.id]) if document else notes_naming(opened, [path])
    return live_notes(opened.root, [path, *linking], buffers)


def _declaration(target: Note, place: Place, encoding: str) -> lsp.Location:
    line = place.line
    if line is None:
        first = target.sites.top or next((site.heading for site in target.sites.headings), None)
        line = first.line if first else 0
    return lsp.Location(target.uri, target.line_range(line, line + 1, encoding))


def _location(note: Note, place: tuple[int, int], encoding: str) -> lsp.Location:
    return lsp.Location(note.uri, note.range(place, encoding))
