"""The folders that are open in the editor, each with the connection that keeps its worker running."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from postil_indexers.errors import PostilError
from postil_server.lsp.logs import event, failure
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_indexers.worker.client import WorkerClient

_LOOK_S = 1.0  # between two looks at what the worker does
_LOOK_OFTEN_S = 0.25  # while it indexes: progress is to move
_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0  # before a worker that ended is started again; doubled each time
_STEADY_S = 10.0  # a worker that ran for so long did not end for what it found at its start

Status = Mapping[str, Any]
Heard = Callable[["Folder", Status | None], None]


class Folder:
    """One open folder. Its thread attaches to the worker, starting one where none runs, and again whenever it ends."""

    def __init__(self, uri: str, name: str, path: str, heard: Heard) -> None:
        self.uri = uri
        self.name = name
        self.path = path  # as the editor wrote it
        self.root = os.path.realpath(path)
        self.status: Status | None = None  # of the worker; None while there is none
        self.focus: tuple[str, ...] = ()  # open documents, relative to the root, the newest first
        self._heard = heard
        self._stop = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._keep, name=f"worker of {self.name}", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def _keep(self) -> None:
        from postil_server.keeping import attach  # a second of imports, after `initialize` was answered

        wait = _WAIT_S
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                with attach(self.root) as client:
                    started = time.monotonic()
                    event("worker", root=self.root, worker=client.greeting.get("pid"))
                    self._converse(client)
            except PostilError as error:
                event("worker", logging.WARNING, root=self.root, code=error.code, message=error.message)
            except Exception as error:  # whatever it is, the next try may go well; the editor has its answers meanwhile
                failure("worker", error, root=self.root)
            self._tell(None)
            wait = _WAIT_S if time.monotonic() - started > _STEADY_S else wait
            self._stop.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT_S)

    def _converse(self, client: WorkerClient) -> None:
        focus: tuple[str, ...] = ()
        while not self._stop.is_set():
            if self.focus != focus:
                focus = self.focus
                client.request("focus", paths=list(focus))
            status = client.request("status")
            self._tell(status)
            self._stop.wait(_LOOK_OFTEN_S if status["state"] == "indexing" else _LOOK_S)

    def _tell(self, status: Status | None) -> None:
        self.status = status
        self._heard(self, status)


class Folders:
    """By URI, in the order in which they were opened. A folder that is no file system's of this machine is left out."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._open: dict[str, Folder] = {}
        self._started = False

    def add(self, uri: str, name: str) -> None:
        path = path_of(uri)
        if path is None or uri in self._open or not os.path.isdir(path):
            event("folder", logging.WARNING, uri=uri, left_out=True)
            return
        self._open[uri] = folder = Folder(uri, name or os.path.basename(path), path, self._heard)
        if self._started:
            folder.start()

    def start(self) -> None:
        """Attach to the workers of all folders, now and of those that are added later."""
        self._started = True
        for folder in self:
            folder.start()

    def remove(self, uri: str) -> None:
        folder = self._open.pop(uri, None)
        if folder is not None:
            folder.stop()

    def __iter__(self) -> Iterator[Folder]:
        return iter(list(self._open.values()))

    def roots(self) -> frozenset[str]:
        return frozenset(folder.root for folder in self)

    def place(self, path: str | None) -> tuple[Folder, str] | None:
        """The innermost open folder that holds an absolute path, and the path relative to it, POSIX."""
        if path is None:
            return None
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        found = [
            (folder, spelled[len(top) :])
            for folder in self
            for top, spelled in ((_with_end(folder.root), real), (_with_end(folder.path), path))
            if spelled.startswith(top)
        ]
        if not found:
            return None
        folder, relative = max(found, key=lambda place: len(place[0].root))
        return folder, relative.replace(os.sep, "/")

    def stop(self) -> None:
        for folder in self:
            folder.stop()


def _with_end(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep
