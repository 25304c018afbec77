"""Which folders of a workspace are watched: all that are walked for indexing, and no other."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence

from postil_indexers.files import Place, Walk
from postil_indexers.known_names import is_secret, skip_file
from postil_indexers.platform import is_junction, leads_elsewhere
from postil_indexers.repository import Repository
from postil_indexers.rules import GIT_FILE, OWN_FILE, Folder
from postil_indexers.seen import Skip
from postil_indexers.watching.limits import Mount, not_reported
from postil_indexers.watching.source import CannotWatchError, Event, Source

# What decides how the folder that it lies in is taken: rules, a repository, a mark of an environment or a cache.
_MARKS = frozenset({GIT_FILE, OWN_FILE, b".git", b"pyvenv.cfg", b"CACHEDIR.TAG", b"HEAD", b"objects", b"refs"})
_LOOKED_INTO = os.R_OK | os.X_OK
_EFFECTIVE = os.access in os.supports_effective_ids


class Directories:
    """The watched folders, kept up with what happens to them. Paths are relative, b"" for the root.

    A folder is added to the source before it is listed: what is made in it meanwhile is listed, or reported, or both.
    Every method but `take` raises CannotWatchError, after which all is to be built anew with another source.
    """

    def __init__(self, root: str, exclude: Sequence[str], source: Source, remote: Sequence[Mount] = ()) -> None:
        self._root = root
        self._exclude = exclude
        self._source = source
        self._remote: Mapping[bytes, Mount] = {mount.folder: mount for mount in remote}
        self._places: dict[bytes, tuple[Place, Place]] = {}  # as found, and with the rules that lie in it
        self._below: dict[bytes, set[bytes]] = {}
        self._nested: dict[bytes, Repository] = {}
        self._touched: set[bytes] = set()
        self._doubtful: set[bytes] = set()
        self.repositories_changed = False  # one may have come, gone or moved since this was last set to False
        self.build()

    def build(self) -> None:
        """Look at the whole tree, with the rules as they are now. Raises WorkspaceError where there is no root."""
        self._walk = Walk(self._root, None, self._exclude)
        self._top = os.fsencode(self._walk.root)
        self._base = self._top.rstrip(os.fsencode(os.sep)) + os.fsencode(os.sep)
        before, self._places, self._below, self._nested = self._places, {}, {}, {}
        self._doubtful = set()
        self._adopt(self._walk.start)
        for path in before.keys() - self._places.keys():
            self._source.remove(self._absolute(path))
        self.take()

    def __len__(self) -> int:
        return len(self._places)

    def repositories(self) -> list[Repository]:
        """The one around the root first, then those inside."""
        around = Repository.around(self._walk.root)  # even one that ignores the root
        return [*(() if around is None else (around,)), *self._nested.values()]

    def take(self) -> frozenset[str]:
        """The folders in which something changed since the last time."""
        touched, self._touched = self._touched, set()
        return frozenset(os.fsdecode(path) for path in touched)

    def changed(self, event: Event) -> bool:
        """Follow one event, and whether it matters. What is there now counts more than what the event says."""
        folder, name = self._relative(event.folder), event.name
        if not name:
            folder, _, name = folder.rpartition(b"/")
        if folder not in self._places:
            return False
        place = self._places[folder][1]
        path = place.path + name
        if name in _MARKS:
            self._doubtful.add(folder)
            self.repositories_changed = self.repositories_changed or name == b".git"
        was_known = path in self._places
        if was_known:
            if not event.moved and os.access(self._absolute(path), _LOOKED_INTO, effective_ids=_EFFECTIVE):
                return False
            self._forget(path)
        if self._is_folder(path):
            inner = self._walk.folder(place, name)
            matters = (inner is not None and self._adopt(inner)) or was_known
        else:
            matters = was_known or _counts(place, event, name)
        if matters:
            self._touched.add(folder)
        return matters or name in _MARKS

    def rules_changed(self) -> bool:
        """Whether what lies in a folder now takes effect on others: then `build`. What only concerns a folder itself,
        as the mark of a cache does, is followed here."""
        doubtful, self._doubtful = self._doubtful, set()
        for path in doubtful:
            if path not in self._places:
                continue
            found, place = self._places[path]
            if not path:
                outside, found = found.rules, Walk(self._root, None, self._exclude).start
                if not _same_rules(found.rules, outside):
                    return True
            entered = self._walk.enter(found)
            if not isinstance(entered, Skip):
                if not _same_rules(entered[0].rules, place.rules):
                    return True
            elif path:
                self._forget(path)
                self._touched.add(path.rpartition(b"/")[0])
        return False

    def _adopt(self, place: Place) -> bool:
        """Watch a folder and what is walked below it; whether it is one to watch."""
        start = place.path[:-1]
        stack = [place]
        while stack:
            found = stack.pop()
            path = found.path[:-1]
            absolute = self._absolute(path)
            if absolute in self._remote:
                raise CannotWatchError(*not_reported(self._remote[absolute]))
            if not self._source.add(absolute):
                continue
            entered = self._walk.enter(found)
            if isinstance(entered, Skip):
                self._source.remove(absolute)
                continue
            place, entries = entered
            self._keep(path, found, place)
            folders = (self._walk.folder(place, entry.name) for entry in entries if _leads_below(entry))
            stack.extend(inner for inner in folders if inner is not None)
        return start in self._places

    def _keep(self, path: bytes, found: Place, place: Place) -> None:
        self._places[path] = found, place
        self._touched.add(path)
        if path:
            self._below.setdefault(path.rpartition(b"/")[0], set()).add(path)
        repository = place.rules.repository
        if repository is not None and repository is not found.rules.repository:
            self._nested[path] = repository
            self.repositories_changed = True

    def _forget(self, path: bytes) -> None:
        """No longer watch a folder and what is below it. All of it counts as changed."""
        self._below.get(path.rpartition(b"/")[0], set()).discard(path)
        stack = [path]
        while stack:
            gone = stack.pop()
            del self._places[gone]
            if self._nested.pop(gone, None) is not None:
                self.repositories_changed = True
            self._source.remove(self._absolute(gone))
            self._touched.add(gone)
            stack.extend(self._below.pop(gone, ()))

    def _is_folder(self, path: bytes) -> bool:
        try:
            status = os.lstat(self._absolute(path))
        except OSError:
            return False
        return stat.S_ISDIR(status.st_mode) and not is_junction(status)

    def _absolute(self, path: bytes) -> bytes:
        return self._base + (path if os.sep == "/" else path.replace(b"/", os.fsencode(os.sep))) if path else self._top

    def _relative(self, folder: bytes) -> bytes:
        path = folder[len(self._base) :]
        return path if os.sep == "/" else path.replace(os.fsencode(os.sep), b"/")


def _leads_below(entry: os.DirEntry[bytes]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and not leads_elsewhere(entry)
    except OSError:
        return False


def _counts(place: Place, event: Event, name: bytes) -> bool:
    """Whether what is no watched folder can matter: logs, build output and the swap files of editors, say, do not."""
    if place.rules.judge(name, event.is_folder).reason is not None:
        return False
    if event.moved or event.is_folder:
        return True
    name = name.lower()
    return skip_file(name) is None and not is_secret(name, place.name)


def _same_rules(one: Folder, other: Folder) -> bool:
    """Layers are equal where they come from the same text: parsing it is cached."""
    return (one.git, one.own) == (other.git, other.own) and _top(one) == _top(other)


def _top(folder: Folder) -> str | None:
    return None if folder.repository is None else folder.repository.top
