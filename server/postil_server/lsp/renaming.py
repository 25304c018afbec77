"""What is renamed at a place of a note, and how. Runs in a reading thread."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from postil_indexers.chunking.notes import NOTE_EXTENSIONS
from postil_indexers.chunking.sites import HeadingSite, Range, TagSite
from postil_server.lsp import moving, rename_heading, rename_tag
from postil_server.lsp.desk import Opened
from postil_server.lsp.edits import Plan, RefusedError
from postil_server.lsp.live import Note, live_note, served
from postil_server.lsp.meanings import line_meant, resolution
from postil_server.lsp.scene import Ready
from postil_server.lsp.spots import LinkPart, spot_at

_LAST_NAME = re.compile(r"[^/\\]*$")


@dataclass(frozen=True, slots=True)
class Renamed:
    """A tag, a heading or a file."""

    place: Range  # in the note where the cursor is: what the editor replaces
    name: str  # as it is now
    tag: str = ""
    heading: tuple[Note, HeadingSite] | None = None
    file: tuple[Opened, str] | None = None


def renamed_at(ready: Ready, offset: int) -> Renamed | None:
    """None where nothing can be renamed."""
    features = ready.opened[0].app.settings.features
    if not features.rename or not ready.note.root or not ready.folders:
        return None
    note, opened = ready.note, ready.folders[0]
    spot = spot_at(note.sites, offset)
    if isinstance(spot, TagSite):
        return Renamed((spot.start, spot.end), spot.name, tag=spot.name)
    if isinstance(spot, HeadingSite) and spot.place and note.language == "markdown":
        return Renamed(spot.place, spot.raw, heading=(note, spot))
    if not isinstance(spot, LinkPart) or not served(spot.site, markdown_links=features.markdown_links):
        return None
    return _linked(ready, opened, spot)


def _linked(ready: Ready, opened: Opened, spot: LinkPart) -> Renamed | None:
    """The heading or the file that a link names, the cursor being on that part of it."""
    site = spot.site
    found = resolution(opened, ready.note, site.link)
    path = found.path
    if path is None or not spot.part:
        return None
    target = ready.note if path == ready.note.path else live_note(opened.root, path, ready.buffers)
    if spot.part == "anchor" or found.how == "title":
        if target is None or target.language != "markdown" or site.link.anchor.startswith("^"):
            return None
        line = line_meant(target.sites, site.link.anchor) if spot.part == "anchor" else _title_line(target)
        heading = next((each for each in target.sites.headings if each.heading.line == line), None)
        place = site.anchor if spot.part == "anchor" else site.target
        return Renamed(place, heading.raw, heading=(target, heading)) if heading and heading.place else None
    if found.how not in ("path", "name") or found.ambiguous:
        return None
    document = opened.index.content.document(path)
    if target is None and document is not None:  # code: what its own language server has to know of
        return None
    return Renamed(_name_place(ready.note, site.target), _stem(path), file=(opened, path))


def _title_line(note: Note) -> int | None:
    top = note.sites.top
    return top.line if top and note.sites.title == top.text else None


def _name_place(note: Note, target: Range) -> Range:
    """Of the file's name, without folders and extension, in a target as written."""
    written = note.sites.text[target[0] : target[1]]
    name = _LAST_NAME.search(written)
    start = target[0] + (name.start() if name else 0)
    extension = posixpath.splitext(written)[1]
    return start, target[1] - (len(extension) if extension.lower() in NOTE_EXTENSIONS else 0)


def _stem(path: str) -> str:
    name = posixpath.basename(path)
    stem, extension = posixpath.splitext(name)
    return stem if extension.lower() in NOTE_EXTENSIONS else name


def rename_at(ready: Ready, offset: int, new: str, *, renames_files: bool) -> Plan:
    """Raises RefusedError where it would collide, or change what other links mean."""
    renamed = renamed_at(ready, offset)
    if renamed is None:
        raise RefusedError("nothing here can be renamed: put the cursor on a heading, a tag, or the name in a link")
    new, plan = new.strip(), Plan()
    if "\n" in new or "\r" in new or not new:
        raise RefusedError("a name is one line that is not empty")
    opened = ready.folders[0]
    if moving.unread(opened):
        raise RefusedError(
            "the folder is still being indexed, and links in what is not read yet would be missed",
            "try again when indexing has ended",
        )
    if renamed.tag:
        rename_tag.rename(opened, renamed.tag, new.lstrip("#"), ready.buffers, plan)
    elif renamed.heading:
        rename_heading.rename(opened, *renamed.heading, new, ready.buffers, plan)
    elif renamed.file:
        if not renames_files:
            raise RefusedError("this editor can't rename files for a language server", "rename it in the file explorer")
        old = renamed.file[1]
        moving.rename_file(opened, old, moving.new_path(old, new), ready.buffers, plan)
    return plan
