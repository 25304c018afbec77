"""macOS and Windows: the system reports whole trees; what lies in other folders than the added ones is passed over."""

from __future__ import annotations

import os
import threading

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from postil_indexers.watching.source import CannotWatchError, Event, News

# The library joins what follows within 10 ms, for 50 ms at most: less than the watcher itself waits for quiet.
_JOIN_MS, _STEP_MS = 50, 10
# Neither system keeps all events of a large burst, and that some were dropped is not passed on to us.
_LARGE_BURST = 1_000


class RecursiveSource:
    """Raises CannotWatchError where the root can't be watched."""

    def __init__(self, root: bytes) -> None:
        self._tops = [root]
        self._folders: set[bytes] = set()
        self._woken = threading.Event()
        self._lost = False
        self._notify = self._watch()

    def _watch(self) -> RustNotify:
        try:
            return RustNotify([os.fsdecode(top) for top in self._tops], False, False, 0, True, True)
        except (OSError, ValueError, WatchfilesRustInternalError) as error:
            raise CannotWatchError(f"the system does not report changes here ({error})", "") from error

    def add(self, folder: bytes) -> bool:
        if not os.path.isdir(folder) or not os.access(folder, os.R_OK):
            return False
        if not any(folder == top or folder.startswith(top + os.fsencode(os.sep)) for top in self._tops):
            self._tops.append(folder)
            before, self._notify = self._notify, self._watch()
            before.close()
            self._lost = True  # what the old one had not handed over yet
        self._folders.add(folder)
        return True

    def remove(self, folder: bytes) -> None:
        self._folders.discard(folder)

    def read(self, timeout_s: float) -> News:
        try:
            changed = self._notify.watch(_JOIN_MS, _STEP_MS, max(1, int(timeout_s * 1000)), self._woken)
        except WatchfilesRustInternalError:
            self._notify.close()
            self._notify = self._watch()
            return News([], lost=True)
        lost, self._lost = self._lost, False
        if isinstance(changed, str):
            self._woken.clear()
            return News([], lost)
        events: dict[Event, None] = {}
        for kind, path in sorted(changed):
            folder, name = os.path.split(os.fsencode(path))
            if folder in self._folders:
                events[Event(folder, name, kind != Change.modified, os.path.isdir(path))] = None
        return News(list(events), lost or len(changed) > _LARGE_BURST)

    def wake(self) -> None:
        self._woken.set()

    def close(self) -> None:
        self._notify.close()
