"""Notes as they stand now: in the editor where they are open, else on disk; with where everything in them is."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_indexers.chunking.sites import LinkSite, Range, Sites, find_sites
from postil_indexers.files import FileText, read_text
from postil_indexers.languages import language_of
from postil_server.lsp.kinds import is_note, language_in
from postil_server.lsp.positions import character_of, column_of
from postil_server.lsp.uris import uri_of

if TYPE_CHECKING:
    from postil_server.lsp.documents import Buffer

_KEPT = 8  # notes; requests come in runs on the same one

Buffers = Mapping[tuple[str, str], "Buffer"]  # of the open documents, by (root, path in it)


@dataclass(frozen=True, slots=True)
class Note:
    root: str  # "" for one that lies in no open folder
    path: str  # relative to the root
    uri: str  # as the editor calls it
    version: int | None  # of an open document
    language: str
    sites: Sites

    @property
    def place(self) -> str:
        """For a message."""
        return self.path or self.uri

    def changed(self, text: str, path: str = "") -> Sites:
        """What it would hold with another text, and with another path."""
        return find_sites(text, path or self.path, self.language)

    def range(self, place: Range, encoding: str) -> lsp.Range:
        return lsp.Range(self._position(place[0], encoding), self._position(place[1], encoding))

    def line_range(self, first: int, end: int, encoding: str) -> lsp.Range:
        """From the start of a line to the end of the one before `end`."""
        last = max(end - 1, first)
        width = character_of(self.sites.lines[last], len(self.sites.lines[last]), encoding)
        return lsp.Range(lsp.Position(first, 0), lsp.Position(last, width))

    def offset(self, at: lsp.Position, encoding: str) -> int:
        """Of a position, clamped to the text."""
        line = min(max(at.line, 0), len(self.sites.lines) - 1)
        text = self.sites.lines[line]
        return self.sites.starts[line] + (column_of(text, at.character, encoding) if line == at.line else len(text))

    def _position(self, offset: int, encoding: str) -> lsp.Position:
        line = self.sites.line_of(offset)
        return lsp.Position(line, character_of(self.sites.lines[line], offset - self.sites.starts[line], encoding))


def open_note(buffer: Buffer, place: tuple[str, str] | None) -> Note | None:
    """An open document; None for what is no note."""
    path = place[1] if place else buffer.path or ""
    language = language_in(buffer, path)
    if not is_note(path, language):
        return None
    root, path = place or ("", "")
    return Note(root, path, buffer.uri, buffer.version, language, _sites(buffer.text, path, language))


def live_note(root: str, path: str, buffers: Buffers) -> Note | None:
    """A note of a folder; None where it is gone, can't be read, or is none."""
    buffer = buffers.get((root, path))
    if buffer is not None:
        return open_note(buffer, (root, path))
    read = read_text(root, path)
    if not isinstance(read, FileText):
        return None
    language = language_of(path, read.text[:200].split("\n", 1)[0])
    if not is_note(path, language):
        return None
    return Note(root, path, uri_of(os.path.join(root, path)), None, language, find_sites(read.text, path, language))


def live_notes(root: str, paths: Iterable[str], buffers: Buffers) -> Iterator[Note]:
    """Those of these paths that are notes, and every open note of the folder: what was just written is in no index."""
    opened = [path for folder, path in buffers if folder == root]
    for path in dict.fromkeys((*paths, *opened)):
        note = live_note(root, path, buffers)
        if note is not None:
            yield note


def served(site: LinkSite, *, markdown_links: bool) -> bool:
    """Whether a link is ours to serve: standard ones are left to an editor that does so itself."""
    return markdown_links or site.link.style in ("wiki", "embed")


@functools.lru_cache(_KEPT)
def _sites(text: str, path: str, language: str) -> Sites:
    return find_sites(text, path, language)
