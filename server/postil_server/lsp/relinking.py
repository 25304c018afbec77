"""The links of one note when files move: each stays where it still leads there, else is written as it was."""

from __future__ import annotations

from collections.abc import Mapping

from postil_indexers.chunking.sites import LinkSite
from postil_indexers.links import LinkResolver, Resolution
from postil_indexers.types import Link
from postil_server.lsp.edits import Change, Plan, RefusedError, changed_text
from postil_server.lsp.linkforms import form_of, spell, write_target
from postil_server.lsp.live import Note, served

_BY_FILE = ("path", "name")

Moves = Mapping[str, str]  # old path -> new path, both relative to the root


class Relinker:
    """`before`, `after`: what links mean now, and when the files have moved."""

    def __init__(self, before: LinkResolver, after: LinkResolver, moves: Moves, *, markdown_links: bool) -> None:
        self._before, self._after = before, after
        self._moves = moves
        self._markdown_links = markdown_links

    def relink(self, note: Note, plan: Plan, *, strict: bool) -> None:
        """Raises RefusedError where a link can't be written, or would not read as it should. Not `strict`: one that
        can't be written stays as it is."""
        sites, changes, kept = note.sites, [], set[int]()
        for number, site in enumerate(sites.links):
            try:
                change = self._change(note, site)
            except RefusedError:
                if strict:
                    raise
                kept.add(number)
                continue
            if change is not None:
                changes.append(change)
        again = note.changed(changed_text(sites.text, changes)) if changes else sites
        after = self._moves.get(note.path, note.path)
        if len(again.links) != len(sites.links) or any(
            number not in kept
            and (wanted := self._wanted(note, site)) is not None
            and self._after.resolve(after, written.link).path != wanted
            for number, (site, written) in enumerate(zip(sites.links, again.links, strict=True))
        ):
            raise RefusedError(f"the links in {note.place} can't be rewritten safely")
        plan.add(note, changes)

    def _wanted(self, note: Note, site: LinkSite) -> str | None:
        """Where a link is to lead; None for one that leads nowhere, or is not ours."""
        if not site.link.target.strip() or not served(site, markdown_links=self._markdown_links):
            return None
        was = self._before.resolve(note.path, site.link).path
        return None if was is None or site.destination is None else self._moves.get(was, was)

    def _change(self, note: Note, site: LinkSite) -> Change | None:
        link, wanted = site.link, self._wanted(note, site)
        if wanted is None:
            return None
        after = self._moves.get(note.path, note.path)
        was, now = self._before.resolve(note.path, link), self._after.resolve(after, link)
        if _as_good(was, now, wanted, link):
            return None
        target = write_target(form_of(link, note.path, was.path or ""), after, wanted, link.style, self._after)
        if target is None:
            if now.path == wanted:
                return None  # by its title, and nothing better can be said
            raise RefusedError(f"the link in line {link.line + 1} of {note.place} could not name {wanted}")
        if "\\" in link.target and "/" not in link.target:
            target = target.replace("/", "\\")
        written = note.sites.text[slice(*site.target)]
        return Change(*site.target, spell(target, link.style, is_angled=site.is_angled, written=written))


def _as_good(was: Resolution, now: Resolution, wanted: str, link: Link) -> bool:
    """Whether a link can stay as it is written: for others too, who know neither titles nor other folders' names."""
    if now.path != wanted or (now.ambiguous and not was.ambiguous):
        return False
    if link.style in ("wiki", "embed"):
        return was.how not in _BY_FILE or now.how in _BY_FILE
    return was.how != "path" or now.how == "path"
