"""The thread that waits for changes of a workspace and tells the worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType

from postil_indexers.errors import WorkspaceError
from postil_indexers.watching.changes import Changes
from postil_indexers.watching.watch import Watcher

_WAIT_S = 60.0
_ROOT_GONE_S = 2.0  # between two looks for a root that was not there at the start


class Lookout:
    """Watches from `with` on; `tell` is called in its thread."""

    def __init__(self, root: str, exclude: Sequence[str], tell: Callable[[Changes], None]) -> None:
        self._root = root
        self._exclude = tuple(exclude)
        self._tell = tell
        self._over = threading.Event()
        self._again = False
        self._watcher: Watcher | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lookout", daemon=True)

    def __enter__(self) -> Lookout:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._interrupt()
        self._thread.join(_WAIT_S)

    def restart(self, exclude: Sequence[str]) -> None:
        """Watch anew, and tell that everything may have changed."""
        self._exclude, self._again = tuple(exclude), True
        self._interrupt()

    def mode(self) -> tuple[str, str]:
        """("watching" or "polling" or "", why it polls)"""
        watcher = self._watcher
        return (str(watcher.mode), watcher.reason) if watcher else ("", "")

    def _interrupt(self) -> None:
        watcher = self._watcher
        if watcher is not None:
            watcher.interrupt()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _watch(self) -> None:
        try:
            self._keep_watching()
        finally:
            self._ready.set()  # nobody waits for one that failed: that it did is seen by `is_alive`

    def _keep_watching(self) -> None:
        while not self._over.is_set():
            try:
                with Watcher(self._root, exclude=self._exclude) as watcher:
                    self._watcher = watcher
                    if self._ready.is_set():
                        self._tell(Changes(everything=True, git=True))
                    self._ready.set()
                    self._again = False
                    while not self._over.is_set() and not self._again:
                        changes = watcher.wait(_WAIT_S)
                        if changes:
                            self._tell(changes)
            except WorkspaceError:
                self._tell(Changes(root_missing=True))
                self._ready.set()
                self._over.wait(_ROOT_GONE_S)
