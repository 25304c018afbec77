"""Looking again and again, where the system reports nothing: on network drives, and beyond its limits."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from postil_indexers.watching.source import Event, News

_SHORTEST_S = 2.0
# Of the time between two looks, the share that they may take: of a processor, and of the drive's time (the answers of
# a slow server are waited for).
_SHARE_OF_PROCESSOR = 1 / 250  # for each of the two kinds of look: together under 1 %
_SHARE_OF_TIME = 1 / 20

_Listing = dict[bytes, int]  # name -> what its status was, hashed


class _Pace:
    """When to look next: the costlier, the later."""

    def __init__(self, shortest_s: float) -> None:
        self._shortest_s = shortest_s
        self._processor_s = self._s = 0.0
        self.due_at = 0.0

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Around a part of a look."""
        began, processor = time.monotonic(), time.thread_time()
        yield
        self._processor_s += time.thread_time() - processor
        self._s += time.monotonic() - began

    def looked(self) -> None:
        """At the end of a look: when the next is due."""
        pause = max(self._shortest_s, self._processor_s / _SHARE_OF_PROCESSOR, self._s / _SHARE_OF_TIME)
        self.due_at = time.monotonic() + pause
        self._processor_s = self._s = 0.0


class PollingSource:
    """Two kinds of look. The short one asks each folder when a name in it came or went, which finds new, deleted and
    renamed files and those saved by renaming; the long one asks each file, which finds what was written in place."""

    def __init__(self, shortest_s: float = _SHORTEST_S) -> None:
        self._folders: dict[bytes, tuple[int, _Listing]] = {}
        self._short, self._long = _Pace(shortest_s), _Pace(shortest_s)
        self._woken = threading.Event()

    def add(self, folder: bytes) -> bool:
        with self._long.looking():
            state = _state(folder)
            listing = None if state is None else _listing(folder)
        if state is None or listing is None:
            return False
        self._folders[folder] = state, listing  # the state was taken first: what comes between is found again
        return True

    def remove(self, folder: bytes) -> None:
        self._folders.pop(folder, None)

    def read(self, timeout_s: float) -> News:
        if not self._long.due_at:  # adding all folders was the first look
            self._long.looked()
            self._short.looked()
        pause = min(self._short.due_at, self._long.due_at) - time.monotonic()
        self._woken.wait(max(0.0, min(pause, timeout_s)))
        self._woken.clear()
        now = time.monotonic()
        if now >= self._long.due_at:
            return News(self._look(self._long, at_files=True))
        return News(self._look(self._short, at_files=False) if now >= self._short.due_at else [])

    def _look(self, pace: _Pace, *, at_files: bool) -> list[Event]:
        events: list[Event] = []
        with pace.looking():
            for folder, (state, listing) in list(self._folders.items()):
                events.extend(self._look_at(folder, state, listing, at_files=at_files))
        pace.looked()
        return events

    def _look_at(self, folder: bytes, state: int, listing: _Listing, *, at_files: bool) -> Iterable[Event]:
        now = _state(folder)
        if now == state and not at_files:
            return ()
        found = None if now is None else _listing(folder)
        if now is None or found is None:
            del self._folders[folder]
            return (Event(folder, b""),)
        self._folders[folder] = now, found
        return () if found == listing else _differences(folder, listing, found)

    def wake(self) -> None:
        self._woken.set()

    def close(self) -> None:
        self._folders.clear()


def _state(folder: bytes) -> int | None:
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return None
    return hash((status.st_ino, status.st_dev, status.st_mtime_ns, status.st_ctime_ns))


def _listing(folder: bytes) -> _Listing | None:
    listing: _Listing = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    listing[entry.name] = _seen(entry)
                except OSError:
                    continue  # gone meanwhile
    except OSError:
        return None
    return listing


def _seen(entry: os.DirEntry[bytes]) -> int:
    if entry.is_dir(follow_symlinks=False):
        # which folder it is and no more: what happens in it is asked of itself, if at all; odd, where files are even
        return entry.inode() << 1 | 1
    status = entry.stat(follow_symlinks=False)
    return hash((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)) << 1


def _differences(folder: bytes, before: _Listing, now: _Listing) -> list[Event]:
    events = []
    for name in before.keys() | now.keys():
        old, new = before.get(name), now.get(name)
        if old != new:
            is_folder = bool((old or 0) & 1 or (new or 0) & 1)
            events.append(Event(folder, name, moved=is_folder or old is None or new is None, is_folder=is_folder))
    return events
