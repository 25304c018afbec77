"""What a request about a note works with: its place, its text, and the other notes that are open beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types as lsp

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.documents import Buffer
from postil_server.lsp.lane import DroppedError, Lane
from postil_server.lsp.where import Where, where

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk, Opened
    from postil_server.lsp.live import Note
    from postil_server.lsp.server import PostilServer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scene:
    """For a reading thread, which opens the folders of `at` and reads the note."""

    at: Where
    buffers: dict[tuple[str, str], Buffer]  # of all open documents in open folders, by (root, path in it)


@dataclass(frozen=True, slots=True)
class Ready:
    """A note and the indexes around it, its own folder's first."""

    note: Note
    opened: list[Opened]
    buffers: dict[tuple[str, str], Buffer]
    encoding: str

    @property
    def folders(self) -> list[Opened]:
        """Those whose files the note's links can mean: its own; for a note in none, all."""
        own = [each for each in self.opened if each.root == self.note.root]
        return own if self.note.root else self.opened


def open_buffers(server: PostilServer) -> dict[tuple[str, str], Buffer]:
    found = {}
    for document in server.documents:
        place = server.folders.place(document.path)
        if place is not None:
            found[place[0].root, place[1]] = document.buffer()
    return found


async def on_note(server: PostilServer, uri: str, lane: Lane, task: Callable[[Ready], T | None]) -> T | None:
    """What `task` says of an open note, in a reading thread; None for what is no note, and before it can be read."""
    here = where(server, uri)
    if here is None or not here.roots:
        return None
    scene = Scene(here, open_buffers(server))

    def work(desk: Desk) -> T | None:
        from postil_server.lsp.live import open_note

        note = open_note(scene.at.buffer, scene.at.place)
        if note is None:
            return None
        ready = Ready(note, desk.indexed(list(scene.at.roots)), scene.buffers, scene.at.encoding)
        return task(ready)

    try:
        return await lane.run(work)
    except (DroppedError, NotIndexedError):
        return None


def has(capabilities: lsp.ClientCapabilities, *path: str) -> bool:
    """Whether the client says that it can do something: the names lead through its capabilities."""
    value: object = capabilities
    for name in path:
        value = getattr(value, name, None)
    return bool(value)
