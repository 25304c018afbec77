"""Which document a request is about: its text as it stands in the editor, and the folders that are open around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from postil_server.lsp.documents import Buffer

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer


@dataclass(frozen=True, slots=True)
class Where:
    """For a reading thread."""

    buffer: Buffer
    place: tuple[str, str] | None  # (root, path in it); None outside of all open folders
    roots: tuple[str, ...]  # of the open folders, the document's own first
    encoding: str  # of positions


def where(server: PostilServer, uri: str) -> Where | None:
    """None where the document is not open."""
    document = server.documents.get(uri)
    if document is None:
        return None
    found = server.folders.place(document.path)
    place = (found[0].root, found[1]) if found else None
    roots = dict.fromkeys(([place[0]] if place else []) + [folder.root for folder in server.folders])
    return Where(document.buffer(), place, tuple(roots), server.protocol.encoding)
