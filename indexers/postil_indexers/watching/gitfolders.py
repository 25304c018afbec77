"""Where git keeps what tells that a branch was switched, a commit made or a rebase begun: the real git folders."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from postil_indexers.repository import Repository, find_git_folders
from postil_indexers.watching.source import Event, Source

_OF_A_TREE = frozenset(
    {
        *(b"HEAD", b"index", b"MERGE_HEAD", b"CHERRY_PICK_HEAD", b"REVERT_HEAD"),
        *(b"rebase-merge", b"rebase-apply", b"sequencer"),
    }
)
_OF_ALL_TREES = frozenset({b"packed-refs", b"shallow", b"refs"})
_LOCK = b"index.lock"
# Git holds the lock for as long as it changes files. One that is older was left behind by a git that was ended, or
# belongs to a command that waits for its user.
_LONGEST_LOCK_S = 30.0
_CLOCKS_DIFFER_S = 5.0  # of a network drive's server and ours


class GitFolders:
    """The folders of git's own that are watched. Its methods raise CannotWatchError as the source does."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tops: dict[str, tuple[bytes, bytes]] = {}
        self._names: dict[bytes, frozenset[bytes]] = {}  # what counts in a folder; everything where that is empty
        self._refs: dict[bytes, bytes] = {}  # folder of refs -> the git folder it belongs to
        self.indexes: set[str] = set()  # tops of work trees whose index was written; whoever reads it clears it
        self.is_broken = False  # a folder is gone: to be followed anew

    def follow(self, repositories: Iterable[Repository]) -> bool:
        """Watch the git folders of these and no others; whether that is a change."""
        tops = {repository.top: found for repository in repositories if (found := _git_folders(repository.top))}
        if tops == self._tops and not self.is_broken:
            return False
        self.is_broken = False
        before = self._names.keys() | self._refs.keys()
        self._tops, self._names, self._refs = tops, {}, {}
        for own, common in tops.values():
            self._add(own, _OF_A_TREE)
            self._add(common, _OF_ALL_TREES)
            self._add_refs(common)
        for folder in before - self._names.keys() - self._refs.keys():
            self._source.remove(folder)
        return True

    def _add(self, folder: bytes, names: frozenset[bytes]) -> None:
        if self._source.add(folder):
            self._names[folder] = self._names.get(folder, frozenset()) | names

    def _add_refs(self, common: bytes) -> None:
        for kind in (b"refs", b"reftable"):
            for folder, _, _ in os.walk(os.path.join(common, kind)):
                if self._source.add(folder):
                    self._refs[folder] = common

    def holds(self, folder: bytes) -> bool:
        return folder in self._names or folder in self._refs

    def changed(self, event: Event) -> bool:
        """Whether an event in one of these folders tells something."""
        common = self._refs.get(event.folder)
        if common is not None:
            if not event.name:
                del self._refs[event.folder]
            elif event.is_folder:
                self._add_refs(common)
            return not event.name.endswith(b".lock")
        if not event.name:
            self.is_broken = True
        if event.name == b"index":
            self.indexes.update(top for top, (own, _) in self._tops.items() if own == event.folder)
        return not event.name or event.name in self._names[event.folder]

    def is_busy(self) -> bool:
        """Whether git is changing files: a checkout, a stash, a step of a rebase."""
        return any(_is_held(os.path.join(own, _LOCK)) for own, _ in self._tops.values())

    def places(self) -> Iterator[tuple[str, str, str]]:
        """(top of the work tree, its own git folder, the one shared by its work trees)."""
        for top, (own, common) in self._tops.items():
            yield top, os.fsdecode(own), os.fsdecode(common)


def _git_folders(top: str) -> tuple[bytes, bytes] | None:
    found = find_git_folders(top)
    if found is None:
        return None
    own, common = (os.fsencode(os.path.realpath(folder)) for folder in found)
    return own, common


def _is_held(lock: bytes) -> bool:
    try:
        age_s = time.time() - os.lstat(lock).st_mtime
    except OSError:
        return False
    return -_CLOCKS_DIFFER_S < age_s < _LONGEST_LOCK_S
