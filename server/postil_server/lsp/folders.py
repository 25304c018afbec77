"""The folders that are open in the editor or joined to it, each with the connection that keeps its worker running."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from postil_indexers.errors import PostilError
from postil_server.lsp.logs import event, failure
from postil_server.lsp.uris import path_of, uri_of
from postil_server.roots import outside_folders

if TYPE_CHECKING:
    from postil_indexers.worker.client import WorkerClient

_LOOK_S = 1.0  # between two looks at what the worker does
_LOOK_OFTEN_S = 0.25  # while it indexes: progress is to move
_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0  # before a worker that ended is started again; doubled each time
_STEADY_S = 10.0  # a worker that ran for so long did not end for what it found at its start

Status = Mapping[str, Any]
Heard = Callable[["Folder", Status | None], None]
Attach = Callable[[str], "WorkerClient"]


class Folder:
    """One folder. Its thread attaches to the worker, starting one where none runs, and again whenever it ends."""

    def __init__(self, uri: str, name: str, path: str, heard: Heard, attach: Attach, *, outside: bool = False) -> None:
        self.uri = uri
        self.name = name
        self.path = path  # as the editor wrote it
        self.root = os.path.realpath(path)
        self.outside = outside  # not open in the editor: one that the user joins to every workspace
        self.status: Status | None = None  # of the worker; None while there is none
        self.focus: tuple[str, ...] = ()  # open documents, relative to the root, the newest first
        self.held = ""  # why it is not indexed before the user says so
        self._heard = heard
        self._attach = attach
        self._stop = threading.Event()
        self._wanted = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._keep, name=f"worker of {self.name}", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def want(self) -> None:
        """The user says that it is to be indexed."""
        self._wanted.set()

    def _hold(self) -> None:
        """Wait for that, where it is a home folder or a drive and has no index yet."""
        from postil_indexers.platform import broad_folder
        from postil_indexers.store.location import index_file

        self.held = broad_folder(self.root) or ""
        while self.held and not self._stop.is_set():
            if self._wanted.is_set() or index_file(self.root).is_file():
                self.held = ""
                return
            self._tell(None)
            self._stop.wait(_LOOK_S)

    def _keep(self) -> None:
        if not self.outside:  # one that the user has named is wanted
            self._hold()
        wait = _WAIT_S
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                with self._attach(self.root) as client:
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

    def __init__(self, heard: Heard, attach: Attach) -> None:
        self._heard = heard
        self._attach = attach
        self._open: dict[str, Folder] = {}
        self._outside: dict[str, Folder] = {}  # by root
        self._named: tuple[str, ...] = ()  # outside folders as the user wrote them
        self._started = False

    def add(self, uri: str, name: str) -> None:
        path = path_of(uri)
        if path is None or uri in self._open or not os.path.isdir(path):
            event("folder", logging.WARNING, uri=uri, left_out=True)
            return
        if not name or os.path.isabs(os.path.expanduser(name)):  # Emacs has no other name for it than its path
            name = os.path.basename(path)
        self._open[uri] = folder = Folder(uri, name, path, self._heard, self._attach)
        if self._started:
            folder.start()
        self._settle_outside()

    def join(self, named: Iterable[str]) -> list[str]:
        """Have these outside folders, in place of the former ones; warnings of those that are none."""
        self._named = tuple(named)
        return self._settle_outside()

    def _settle_outside(self) -> list[str]:
        """Which of them count depends on what is open: what an open folder holds is not joined once more."""
        wanted, warnings = outside_folders(self._named, [folder.root for folder in self._open.values()])
        for root in self._outside.keys() - set(wanted):
            self._outside.pop(root).stop()
        for root in wanted:
            if root not in self._outside:
                name = os.path.basename(root)
                joined = Folder(uri_of(root), name, root, self._heard, self._attach, outside=True)
                self._outside[root] = joined
                if self._started:
                    joined.start()
        return warnings

    def start(self) -> None:
        """Attach to the workers of all folders, now and of those that are added later."""
        self._started = True
        for folder in self:
            folder.start()

    def remove(self, uri: str) -> None:
        folder = self._open.pop(uri, None)
        if folder is not None:
            folder.stop()
            self._settle_outside()

    def __iter__(self) -> Iterator[Folder]:
        """Those that are open, then those that are joined to them."""
        return iter([*self._open.values(), *self._outside.values()])

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
