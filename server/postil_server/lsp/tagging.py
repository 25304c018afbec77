"""Tags of a folder: equal whatever their case, and `a` stands for `a/b` too."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from postil_indexers.chunking.sites import TagSite
from postil_server.lsp.desk import Opened
from postil_server.lsp.live import Buffers, Note, live_notes
from postil_server.lsp.names import Names


def tag_key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def below(name: str, top: str) -> bool:
    """Whether a tag is `top` or nested in it."""
    key, above = tag_key(name), tag_key(top)
    return key == above or key.startswith(f"{above}/")


def tag_sites(opened: Opened, name: str, buffers: Buffers) -> Iterator[tuple[Note, TagSite]]:
    """Every use of a tag and of those nested in it, in all notes as they are now."""
    names = [each for each in opened.index.names.tags() if below(each, name)]
    for note in live_notes(opened.root, opened.index.names.tagged(names), buffers):
        for site in note.sites.tags:
            if below(site.name, name):
                yield note, site


@dataclass(frozen=True, slots=True)
class TagUse:
    name: str
    notes: int


def tag_names(opened: Opened) -> Names[TagUse]:
    """The tags in use, the commonest first; of spellings that differ in case alone the commonest."""
    spelled: dict[str, list[tuple[int, str]]] = {}
    for name, notes in opened.index.names.tags().items():
        spelled.setdefault(tag_key(name), []).append((notes, name))
    uses = [TagUse(max(each)[1], sum(notes for notes, _ in each)) for each in spelled.values()]
    uses.sort(key=lambda use: (-use.notes, use.name))
    return Names(uses, lambda use: use.name)
