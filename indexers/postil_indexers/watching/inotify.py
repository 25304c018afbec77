"""Linux: one inotify watch a folder. Reading a file is no event, names are bytes, and a full queue is told."""

from __future__ import annotations

import errno
import os
import select

from inotify_simple import INotify, flags

from postil_indexers.watching.limits import TOO_MANY_PROGRAMS, too_many_folders
from postil_indexers.watching.source import CannotWatchError, Event, News

# plain numbers: the library's enumerations cost more than the rest of an event
_MOVED = int(flags.CREATE | flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO)
_MASK = int(
    _MOVED | flags.MODIFY | flags.CLOSE_WRITE | flags.ATTRIB | flags.ONLYDIR | flags.DONT_FOLLOW | flags.EXCL_UNLINK
)
_OVERFLOW, _IGNORED, _IS_FOLDER = int(flags.Q_OVERFLOW), int(flags.IGNORED), int(flags.ISDIR)


class InotifySource:
    """Raises CannotWatchError where no more programs may watch."""

    def __init__(self, max_watches: int) -> None:
        try:
            self._inotify = INotify(nonblocking=True)
        except OSError as error:
            raise CannotWatchError(*TOO_MANY_PROGRAMS) from error
        self._max = max_watches
        self._by_number: dict[int, bytes] = {}
        self._by_folder: dict[bytes, int] = {}
        self._woken, self._waker = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._inotify.fileno(), select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def add(self, folder: bytes) -> bool:
        if folder not in self._by_folder and len(self._by_folder) >= self._max:
            raise CannotWatchError(*too_many_folders(self._max))
        try:
            number = self._inotify.add_watch(folder, _MASK)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.ENOMEM):
                raise CannotWatchError(*too_many_folders(len(self._by_folder))) from error
            return False
        before = self._by_folder.get(folder)
        if before is not None and before != number:
            self._drop(before)
        moved_from = self._by_number.get(number)
        if moved_from is not None and moved_from != folder:
            del self._by_folder[moved_from]  # a watch follows its folder to another name
        self._by_number[number] = folder
        self._by_folder[folder] = number
        return True

    def remove(self, folder: bytes) -> None:
        number = self._by_folder.pop(folder, None)
        if number is not None:
            self._drop(number)

    def _drop(self, number: int) -> None:
        del self._by_number[number]
        try:
            self._inotify.rm_watch(number)
        except OSError:
            pass  # its folder is gone, and the watch with it

    def read(self, timeout_s: float) -> News:
        ready = {descriptor for descriptor, _ in self._poll.poll(max(0.0, timeout_s) * 1000)}
        if self._woken in ready:
            os.read(self._woken, 4096)
        events: dict[Event, None] = {}
        lost = False
        for number, mask, _, name in self._inotify.read(0) if self._inotify.fileno() in ready else ():
            if mask & _OVERFLOW:
                lost = True
            folder = self._by_number.get(number)
            if folder is None:
                continue  # it was reported before the watch was dropped
            if mask & _IGNORED:  # deleted, or its drive is unmounted: the watch is no more
                del self._by_number[number], self._by_folder[folder]
                events[Event(folder, b"")] = None
            elif name:
                events[Event(folder, os.fsencode(name), bool(mask & _MOVED), bool(mask & _IS_FOLDER))] = None
        return News(list(events), lost)

    def wake(self) -> None:
        os.write(self._waker, b"\0")

    def close(self) -> None:
        self._inotify.close()
        os.close(self._woken)
        os.close(self._waker)
