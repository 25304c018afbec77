"""The watcher: bursts of changes in a workspace, told once each, when they are over."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from postil_indexers.errors import WorkspaceError
from postil_indexers.watching import limits
from postil_indexers.watching.burst import Burst
from postil_indexers.watching.changes import Changes, Mode
from postil_indexers.watching.directories import Directories
from postil_indexers.watching.gitfolders import GitFolders
from postil_indexers.watching.outside_rules import OutsideRules
from postil_indexers.watching.polling import PollingSource
from postil_indexers.watching.source import CannotWatchError, News, Source

# Between two looks at what no event tells of: whether the root is there, and some ten files of rules outside it.
_LOOK_AROUND_S = 2.0

_Identity = tuple[int, int]  # device and inode


class Watcher:
    """Begin to watch, then scan: what changes after `with` began is told by the next `wait`.

    `exclude` are the user's own patterns, as for a scan. Where more than `max_watches` folders would be watched, or the
    system can't, all is polled. Entering raises WorkspaceError where there is no root. One thread waits; `interrupt` is
    for the others.
    """

    def __init__(
        self,
        root: str,
        *,
        exclude: Sequence[str] = (),
        max_watches: int | None = None,
        open_source: Callable[[bytes, int], Source] | None = None,
    ) -> None:
        self._root = root
        self._exclude = tuple(exclude)
        self._max_watches = limits.max_watches() if max_watches is None else max_watches
        self._open_source = open_source or _system_source
        self._interrupted = threading.Event()
        self._swapping = threading.Lock()  # of the source, against `interrupt`
        self._source: Source = PollingSource()
        self._identity: _Identity | None = None  # of the root, as it was when it was last there
        self._is_missing = False
        self._missing_untold = self._everything = self._git_changed = False
        self.mode = Mode.WATCHING
        self.reason = ""  # why it polls and what to do, fit to show

    def __enter__(self) -> Watcher:
        try:
            self._start()
        except BaseException:
            self._swap(PollingSource())
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._swap(PollingSource())

    @property
    def watched(self) -> int:
        """How many folders of the workspace are watched or polled."""
        return 0 if self._is_missing else len(self._directories)

    def interrupt(self) -> None:
        """Let `wait` return at once with nothing, or the next one if none is under way."""
        self._interrupted.set()
        with self._swapping:
            self._source.wake()

    def wait(self, timeout_s: float) -> Changes:
        """The next burst as soon as it is over; nothing after `timeout_s` or `interrupt`: then it is told later."""
        deadline = time.monotonic() + timeout_s
        has_read = False  # once at least, whatever the time
        while True:
            try:
                if time.monotonic() >= self._look_around_at:
                    self._look_around()
                now = time.monotonic()
                due = 0.0 if self._missing_untold else self._burst.due(now)
                if due <= now:
                    changes = self._take()
                    if changes:
                        return changes
                    continue
                if self._interrupted.is_set() or (now >= deadline and has_read):
                    self._interrupted.clear()
                    return Changes()
                has_read = True
                self._follow(self._source.read(min(deadline, due, self._look_around_at) - now))
            except CannotWatchError as error:
                self._give_up_watching(error)
            except WorkspaceError:  # it went between two looks
                self._lose_root()

    def _start(self) -> None:
        """Watch if the system can, else poll."""
        self._identity = _identity(self._root)
        self._is_missing = False
        self._look_around_at = time.monotonic() + _LOOK_AROUND_S
        real = os.path.realpath(self._root)
        try:
            mount = limits.remote_mount(real)
            if mount is not None:
                raise CannotWatchError(*limits.not_reported(mount))
            source = self._open_source(os.fsencode(real), self._max_watches)
            self.mode, self.reason = Mode.WATCHING, ""
            self._use(source, limits.remote_mounts())
        except CannotWatchError as error:
            self._poll(error)

    def _give_up_watching(self, error: CannotWatchError) -> None:
        try:
            self._poll(error)
            self._git_changed = True
            self._look_at_everything()
        except WorkspaceError:
            self._lose_root()

    def _poll(self, error: CannotWatchError) -> None:
        advice = f"; {error.hint}" if error.hint else ""
        self.mode = Mode.POLLING
        reason = error.reason[:1].upper() + error.reason[1:]
        self.reason = f"{reason}: changes are looked for every few seconds instead{advice}."
        self._use(PollingSource(), ())

    def _use(self, source: Source, remote: Sequence[limits.Mount]) -> None:
        self._swap(source)
        self._directories = Directories(self._root, self._exclude, source, remote)
        self._git = GitFolders(source)
        self._burst = Burst(self._git.is_busy)
        self._follow_git()

    def _swap(self, source: Source) -> None:
        with self._swapping:
            self._source.close()
            self._source = source

    def _follow(self, news: News) -> None:
        """Take in what the source read."""
        relevant = 0
        for event in news.events:
            if self._git.holds(event.folder):
                if self._git.changed(event):
                    self._git_changed = True
                    relevant += 1
            elif self._directories.changed(event):
                relevant += 1
            elif not event.name:
                self._look_around_at = 0.0  # the root itself, it may be
        if news.lost:
            self._git.is_broken = self._git_changed = True
            self._look_at_everything()
        elif relevant:
            self._burst.add(time.monotonic(), relevant)

    def _take(self) -> Changes:
        """What is to be told now. Nothing of a root that is not there any more."""
        if self._missing_untold:
            self._missing_untold = False
            return Changes(root_missing=True)
        self._burst.clear()
        if _identity(self._root) != self._identity:
            self._look_around()
            return Changes()
        everything, git = self._everything, self._git_changed
        self._everything = self._git_changed = False
        indexes = list(self._git.indexes)
        self._git.indexes.clear()
        tracked = [self._outside.tracked_changed(top) for top in indexes]
        if everything or any(tracked) or self._directories.rules_changed():
            self._directories.build()
            self._directories.repositories_changed = everything = True
        if self._directories.repositories_changed or self._git.is_broken:
            git = self._follow_git() or git
        return Changes(frozenset() if everything else self._directories.take(), everything, git)

    def _follow_git(self) -> bool:
        self._directories.repositories_changed = False
        changed = self._git.follow(self._directories.repositories())
        self._outside = OutsideRules(self._root, self._git.places())
        return changed

    def _look_at_everything(self) -> None:
        self._everything = True
        self._burst.add(time.monotonic())

    def _look_around(self) -> None:
        """For what no event tells of."""
        self._look_around_at = time.monotonic() + _LOOK_AROUND_S
        identity = _identity(self._root)
        if identity != self._identity and (identity is None or _is_empty(self._root)):
            # a drive that was unmounted leaves an empty folder in its place
            if not self._is_missing:
                self._lose_root()
        elif self._is_missing or identity != self._identity:
            self._start()
            self._git_changed = True
            self._look_at_everything()
        elif self._outside.changed():
            self._look_at_everything()

    def _lose_root(self) -> None:
        self._is_missing = self._missing_untold = True
        self._swap(PollingSource())
        self._burst.clear()
        self._everything = self._git_changed = False
        self._look_around_at = time.monotonic() + _LOOK_AROUND_S


def _system_source(root: bytes, max_watches: int) -> Source:
    if sys.platform == "linux":
        from postil_indexers.watching.inotify import InotifySource

        return InotifySource(max_watches)
    from postil_indexers.watching.recursive import RecursiveSource

    return RecursiveSource(root)


def _identity(root: str) -> _Identity | None:
    try:
        status = os.stat(root)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _is_empty(root: str) -> bool:
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is None
    except OSError:
        return True
