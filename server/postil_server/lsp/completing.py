"""What can stand where a link or a tag is being written, best first. Runs in a reading thread."""

from __future__ import annotations

import heapq
import posixpath
from dataclasses import dataclass

from lsprotocol import types as lsp

from postil_indexers.chunking.inline import destination_parts
from postil_indexers.chunking.notes import file_stem
from postil_indexers.chunking.sites import Range
from postil_indexers.errors import NotIndexedError
from postil_indexers.links import slugify
from postil_indexers.types import Link
from postil_server.lsp import related_first
from postil_server.lsp.completion_spot import Asked, asked_at
from postil_server.lsp.desk import Desk, Opened
from postil_server.lsp.linkforms import Form, spell
from postil_server.lsp.linkstyle import LinkStyle, learn
from postil_server.lsp.live import live_note
from postil_server.lsp.meanings import resolution
from postil_server.lsp.names import WORD, Names
from postil_server.lsp.note_names import NoteName, left_out, shortest
from postil_server.lsp.scene import Ready
from postil_server.lsp.tagging import tag_names

_NOTES = ("note", "title", "alias")
_MOST = 100  # items; what a list holds beyond that is found by a letter more
_STYLE_S = 60.0  # how long the style of a folder's links is taken for known; it takes months to change
_BEHIND_S = 5.0  # how long tags and pictures may be behind the index; they are read as a whole


@dataclass(frozen=True, slots=True)
class Offer:
    label: str
    kind: str
    text: str  # in place of `place`
    place: Range
    filter: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    offers: list[Offer]
    is_incomplete: bool  # more would be found with more letters, or other letters would bring others first


def prepare(desk: Desk, roots: list[str]) -> None:
    """Read the names of everything, here and for workspace symbols, and load what related notes are compared by."""
    for root in roots:
        try:
            opened = desk.at(root)
        except NotIndexedError:
            continue
        opened.note_names.find("a")
        opened.symbols.find("a")
        opened.kept(learn, _STYLE_S)
        opened.kept(tag_names, _BEHIND_S)
        related_first.prepare(opened)


def offers(ready: Ready, at: lsp.Position, typed: str | None) -> Offers | None:
    """None where nothing is to be completed."""
    features = ready.opened[0].app.settings.features
    if not features.completion or not ready.folders or ready.note.language == "rst":
        return None
    offset = ready.note.offset(at, ready.encoding)
    asked = asked_at(ready.note.sites, offset, typed)
    if asked is None or (asked.what == "inline" and not features.markdown_links):
        return None
    opened = ready.folders[0]
    if asked.what == "tag":
        return _tags(opened, asked)
    if asked.target is not None:
        return _anchors(ready, opened, asked)
    return _targets(ready, opened, asked)


def _tags(opened: Opened, asked: Asked) -> Offers:
    names = opened.kept(tag_names, _BEHIND_S)
    tags = list(names.entries)
    if asked.query:
        found = sorted(names.find(asked.query), key=lambda match: (match[0], -match[2].notes, match[2].name))
        tags = [tag for _, _, tag in found]
    shown = [
        Offer(tag.name, "tag", tag.name, asked.place, tag.name, f"{tag.notes} note{'s'[: tag.notes != 1]}")
        for tag in tags[:_MOST]
    ]
    return Offers(shown, len(tags) > _MOST)


def _anchors(ready: Ready, opened: Opened, asked: Asked) -> Offers | None:
    """Headings or block ids of the note that the link names."""
    written, inline = asked.target or "", asked.what == "inline"
    target = destination_parts(written)[0] if inline else written.strip()
    path = resolution(opened, ready.note, Link(target, "", "", asked.what, 0, 0, 0)).path if target else ready.note.path
    own = not target or (path == ready.note.path and ready.note.root == opened.root)
    note = ready.note if own else live_note(opened.root, path, ready.buffers) if path else None
    if note is None:
        return None
    closing = "]]" if asked.closes else ""
    shown = []
    if not asked.is_block:
        for site in note.sites.headings:
            text = _anchor(site.heading.text, asked)
            if text:
                level = f"H{site.heading.level}"
                shown.append(Offer(site.heading.text, "heading", text + closing, asked.place, site.heading.text, level))
    for block in note.sites.block_ids if not inline and (asked.is_block or not asked.query) else ():
        name, line = f"^{block.name}", note.sites.lines[block.line].strip()
        shown.append(Offer(name, "block", name + closing, asked.place, name, line[:80]))
    return Offers(shown[:_MOST], len(shown) > _MOST)


def _anchor(heading: str, asked: Asked) -> str:
    if asked.what == "inline":
        return spell(slugify(heading), asked.what, is_angled=asked.is_angled)
    # what a wiki link can't hold is left to its slug
    return slugify(heading) if any(mark in heading for mark in "[]|#^") else heading


def _targets(ready: Ready, opened: Opened, asked: Asked) -> Offers:
    style = opened.kept(learn, _STYLE_S)
    own = ready.note.path if ready.note.root == opened.root else ""
    query = asked.query if asked.what != "inline" else destination_parts(asked.query)[0]
    first = {path: rank for rank, path in enumerate(related_first.paths(ready, opened, asked.place))}
    kinds = {"wiki": _NOTES, "embed": (*_NOTES, "file"), "inline": ("note", "title", "file")}[asked.what]
    shown: dict[tuple[str, str], Offer] = {}
    for name in _ranked(opened, query.lstrip("./"), first, posixpath.dirname(own)):
        key = (name.path, name.name if name.kind == "alias" else "")
        if name.path != own and name.kind in kinds and key not in shown:
            shown[key] = _offer(opened, name, asked, style, own)
            if len(shown) == _MOST:
                break
    return Offers(list(shown.values()), is_incomplete=True)  # other letters, and another text, bring others first


def _ranked(opened: Opened, query: str, first: dict[str, int], folder: str) -> list[NoteName]:
    """By how well they match; what is related and has a word that begins so comes first."""
    if not query.strip():

        def place(name: NoteName) -> tuple[int, bool, str]:
            return first.get(name.path, _MOST), posixpath.dirname(name.path) != folder, name.path

        notes = (name for name in opened.note_names if name.kind == "note")
        return heapq.nsmallest(_MOST + 1, notes, key=place)
    wanted = query.rpartition("/")[2] or query
    found = [*opened.note_names.find(wanted), *opened.kept(_pictures, _BEHIND_S).find(wanted)]
    return [
        name
        for _, _, name in sorted(
            found,
            key=lambda match: (
                first.get(match[2].path, _MOST) if match[0] <= WORD else _MOST,
                match[0],
                match[1],
                match[2].path,
                match[2].name,
            ),
        )
    ]


def _pictures(opened: Opened) -> Names[NoteName]:
    return Names(left_out(opened.index), lambda each: each.name)


def _offer(opened: Opened, name: NoteName, asked: Asked, style: LinkStyle, own: str) -> Offer:
    form = style.inline if asked.what == "inline" else style.wiki
    target = _target(opened, name, form, own)
    if asked.what == "inline":
        text = spell(target, "inline", is_angled=asked.is_angled, written=asked.query)
    else:
        alias = f"|{name.name}" if name.kind == "alias" and asked.what == "wiki" and not asked.has_rest else ""
        text = f"{target}{alias}" + ("]]" if asked.closes else "")
    label = name.name if name.kind == "alias" else name.title or name.name
    # an editor filters and orders by this once more: what was typed stands in front of each, so that our order holds
    said = " ".join(dict.fromkeys((asked.query, target, name.name, name.title, name.path))).strip()
    return Offer(label, "note" if name.kind == "title" else name.kind, text, asked.place, said, name.path)


def _target(opened: Opened, name: NoteName, form: Form, own: str) -> str:
    keeps_extension = form.extension or name.kind == "file"
    if form.base == "name":
        same = (*opened.note_names.called(file_stem(name.path)), *opened.kept(_pictures, _BEHIND_S).called(name.name))
        return shortest(name.path, same, extension=keeps_extension)
    path = name.path if keeps_extension else posixpath.splitext(name.path)[0]
    if form.base == "relative":
        relative = posixpath.relpath(path, posixpath.dirname(own) or ".")
        return f"./{relative}" if form.dotted and not relative.startswith("../") else relative
    return f"/{path}" if form.base == "absolute" else path
