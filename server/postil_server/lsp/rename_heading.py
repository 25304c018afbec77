"""A heading gets another text, and all links to it follow: by its anchor, and by the title that it gives its note."""

from __future__ import annotations

from dataclasses import replace

from postil_indexers.chunking.markdown import plain_heading
from postil_indexers.chunking.sites import HeadingSite, LinkSite, Sites
from postil_indexers.links import LinkResolver, anchor_line, name_key, slugify
from postil_server.lsp.desk import Opened
from postil_server.lsp.edits import Change, Plan, RefusedError, changed_text
from postil_server.lsp.linkforms import Form, spell, write_target
from postil_server.lsp.live import Buffers, Note
from postil_server.lsp.meanings import line_meant, links_to
from postil_server.lsp.moving import check_others, linkable
from postil_server.lsp.referring import notes_linking


def rename(opened: Opened, note: Note, site: HeadingSite, new: str, buffers: Buffers, plan: Plan) -> None:
    """Raises RefusedError."""
    sites = note.sites
    assert site.place is not None
    own = Change(*site.place, new)
    after = _after(note, site, own)
    plan.add(note, [own])
    files = [replace(file, title=after.title) if file.path == note.path else file for file in linkable(opened)]
    renewed = LinkResolver(files)
    by_note: dict[str, tuple[Note, list[Change]]] = {}
    for each, link_site in links_to(opened, note.path, notes_linking(opened, note.path, buffers)):
        change = _anchor(each, link_site, sites, after, site)
        title = _title(opened, each, link_site, note.path, renewed, after.title) if after.title != sites.title else None
        by_note.setdefault(each.uri, (each, []))[1].extend(one for one in (change, title) if one is not None)
    if after.title != sites.title:
        check_others(opened, renewed, {}, {after.title})
    for each, changes in by_note.values():
        plan.add(each, changes)


def _after(note: Note, site: HeadingSite, own: Change) -> Sites:
    """The note with its new heading, which must be one, and be told from the others."""
    sites = note.sites
    after = note.changed(changed_text(sites.text, [own]))
    now = [(each.heading.line, each.heading.level) for each in after.headings]
    renamed = next((each for each in after.headings if each.heading.line == site.heading.line), None)
    if renamed is None or renamed.raw != own.text or now != [(h.heading.line, h.heading.level) for h in sites.headings]:
        raise RefusedError(f"“{own.text}” would not be read as this heading")
    key = name_key(plain_heading(own.text))
    for each in sites.headings:
        if each is not site and name_key(each.heading.text) == key and key != name_key(site.heading.text):
            raise RefusedError(
                f"line {each.heading.line + 1} of {note.path} is the heading “{each.heading.text}” already: "
                "links could not tell the two apart"
            )
    return after


def _anchor(note: Note, link_site: LinkSite, sites: Sites, after: Sites, site: HeadingSite) -> Change | None:
    """The anchor of a link that names the heading, as its last or an earlier part. Raises RefusedError where a link
    would come to mean another place."""
    link = link_site.link
    if not link.anchor or link.anchor.startswith("^") or link_site.destination is None:
        return None
    meant = line_meant(sites, link.anchor)
    if meant is None:
        return None
    new = next(each.heading.text for each in after.headings if each.heading.line == site.heading.line)
    slugs = link.style not in ("wiki", "embed")
    anchor = _renamed(link.anchor, site, new, last=meant == site.heading.line, slugs=slugs)
    headings = [each.heading for each in after.headings]
    if anchor_line(anchor, headings, ()) != meant:
        raise RefusedError(
            f"the link in line {link.line + 1} of {note.place} could not name this heading any more"
            if meant == site.heading.line
            else f"the link in line {link.line + 1} of {note.place} would come to mean this heading"
        )
    if anchor == link.anchor:
        return None
    written = note.sites.text[slice(*link_site.anchor)]
    start = link_site.anchor[0]
    text = spell(anchor, link.style, is_angled=link_site.is_angled, written=written)
    if link.style in ("wiki", "embed") and any(mark in anchor for mark in "[]|\n"):
        raise RefusedError(f"the link in line {link.line + 1} of {note.place} can't hold [, ] or |")
    return Change(start, link_site.anchor[1], text)


def _renamed(anchor: str, site: HeadingSite, new: str, *, last: bool, slugs: bool) -> str:
    """`A#B` with the parts that are this heading in its new words; a slug stays a slug. `slugs`: what may be read as
    one is one."""
    parts, slug = anchor.split("#"), slugify(name_key(site.heading.text))
    for at, part in enumerate(parts):
        if at == len(parts) - 1 and not last:
            break
        if name_key(part) == name_key(site.heading.text) and not (slugs and part == slug):
            parts[at] = new
        elif slugify(name_key(part)) == slug:
            parts[at] = slugify(new)
    return "#".join(parts)


def _title(
    opened: Opened, note: Note, link_site: LinkSite, path: str, renewed: LinkResolver, title: str
) -> Change | None:
    """The target of a link that names the note by its title."""
    link = link_site.link
    if link_site.destination is None or opened.resolver().resolve(note.path, link).how != "title":
        return None
    if renewed.resolve(note.path, link).path == path:
        return None
    named = renewed.resolve(note.path, replace(link, target=title))
    target: str | None = title
    if named.path != path or any(mark in title for mark in "[]|#^"):
        target = write_target(Form("name", False), note.path, path, link.style, renewed)
    if target is None:
        raise RefusedError(f"the link in line {link.line + 1} of {note.place} could not name this note any more")
    start, end = link_site.target
    return Change(start, end, spell(target, link.style, is_angled=link_site.is_angled))
