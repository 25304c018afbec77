"""Rules that lie in no watched folder: git's own excludes, its configuration, ignore files above the root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from postil_indexers.errors import GitError
from postil_indexers.git import run_git
from postil_indexers.opening import read_small
from postil_indexers.repository import Repository
from postil_indexers.rules import GIT_FILE

_Status = tuple[int, int, int] | None


class OutsideRules:
    """They are asked for now and then instead of watched: a watch on the home folder would tell of every program."""

    def __init__(self, root: str, git_places: Iterable[tuple[str, str, str]]) -> None:
        self._root = os.path.realpath(root)
        self._places = list(git_places)
        self._load()

    def _load(self) -> None:
        self._rules, paths = self._read()
        self._statuses = {path: _status(path) for path in paths}
        self._tracked = {top: _tracked_in_spite(self._below(top)) for top, _, _ in self._places}

    def changed(self) -> bool:
        """Whether any of them says something else than before. Costs one look at each file."""
        if all(_status(path) == status for path, status in self._statuses.items()):
            return False
        before = self._rules
        self._load()
        return before != self._rules

    def tracked_changed(self, top: str) -> bool:
        """Whether git tracks other files than before in spite of its rules, after the index of `top` was written."""
        before = self._tracked.get(top)
        self._tracked[top] = _tracked_in_spite(self._below(top))
        return before != self._tracked[top]

    def _below(self, top: str) -> str:
        """The part of a work tree that is the workspace's."""
        return self._root if self._root.startswith(top.rstrip(os.sep) + os.sep) else top

    def _read(self) -> tuple[list[object], set[str]]:
        """What the rules say, and the files it is in or would be in."""
        rules: list[object] = []
        paths = {*_user_configuration()}
        for top, own, common in self._places:
            repository = Repository(top, common, 0, top)
            rules.append((top, *repository.exclude_files(), repository.ignores_case))
            paths |= {os.path.join(common, "info", "exclude"), repository.excludes_file}
            paths |= {os.path.join(common, "config"), os.path.join(own, "config.worktree")}
            above = list(self._above(top))
            rules.extend(read_small(path, follow=False) for path in above)
            paths.update(above)
        return rules, paths - {""}

    def _above(self, top: str) -> Iterator[str]:
        """The ignore files between the top of a repository and the root, where it is a folder of that repository."""
        folder = self._root
        while folder != top and folder.startswith(top.rstrip(os.sep) + os.sep):
            folder = os.path.dirname(folder)
            yield os.path.join(folder, os.fsdecode(GIT_FILE))


def _user_configuration() -> Iterator[str]:
    home = os.path.expanduser("~")
    yield os.environ.get("GIT_CONFIG_GLOBAL", "")
    yield os.path.join(home, ".gitconfig")
    yield os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git", "config")
    yield "/etc/gitconfig"


def _status(path: str) -> _Status:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _tracked_in_spite(folder: str) -> bytes | None:
    try:
        return run_git(folder, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    except GitError:
        return None  # said by the scan
