"""A git repository as far as the walk needs it: where its rules lie and which files it tracks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property

from postil_indexers.errors import GitError
from postil_indexers.git import run_git
from postil_indexers.opening import read_small

_TIMEOUT_S = 20.0  # reads configuration and the index only


class Repository:
    """One repository. Paths are match paths (see rules.Folder); `offset` is where this repository's part begins."""

    def __init__(self, top: str, git_folder: str, offset: int, listed_from: str) -> None:
        self.top = top
        self.offset = offset
        self.warnings: list[str] = []
        self._git_folder = git_folder
        self._listed_from = listed_from  # a folder of it; only what is tracked below matters

    @classmethod
    def nested(cls, folder: str, offset: int) -> Repository | None:
        """The repository whose top is `folder`, or None."""
        git_folder = find_git_folder(folder)
        return None if git_folder is None else cls(folder, git_folder, offset, folder)

    @classmethod
    def around(cls, folder: str) -> Repository | None:
        """The repository that `folder` is in, or None."""
        top = folder
        while (git_folder := find_git_folder(top)) is None:
            parent = os.path.dirname(top)
            if parent == top:
                return None
            top = parent
        return cls(top, git_folder, 0, folder)

    def exclude_files(self) -> Iterator[tuple[str, bytes]]:
        """(where, content) of the rules outside the tree, the last word first."""
        content = read_small(os.path.join(self._git_folder, "info", "exclude"), follow=True)
        if content:
            yield ".git/info/exclude", content
        path = self.excludes_file
        content = read_small(path, follow=True) if path else b""
        if content:
            yield self._config.get("core.excludesfile", path), content

    @property
    def excludes_file(self) -> str:
        """core.excludesFile, or git's place for it, whether it is there or not; "" where none is to be read."""
        path = self._config.get("core.excludesfile")
        if path is None:
            home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
            path = os.path.join(home, "git", "ignore")
        return os.path.join(self.top, os.path.expanduser(path)) if path else ""

    @property
    def ignores_case(self) -> bool:
        return self._config.get("core.ignorecase", "false").lower() in ("true", "yes", "on", "1", "")

    def tracks(self, path: bytes) -> bool:
        """Whether git tracks that file, or that folder as a submodule, whatever the ignore rules say."""
        return path[self.offset :] in self._tracked

    def tracks_below(self, path: bytes) -> bool:
        return path[self.offset :] in self._tracked_folders

    def _warn(self, error: GitError, consequence: str) -> None:
        self.warnings.append("; ".join(filter(None, (error.message, consequence, error.hint))))

    @cached_property
    def _config(self) -> dict[str, str]:
        try:
            keys = r"^core\.(excludesfile|ignorecase)$"
            out = run_git(self.top, "config", "-z", "--get-regexp", keys, ok=(0, 1), timeout_s=_TIMEOUT_S)
        except GitError as error:
            self._warn(error, "git's own ignore settings are not known")
            return {}
        pairs = (entry.partition("\n") for entry in os.fsdecode(out).split("\0") if entry)
        return {key.lower(): value for key, _, value in pairs}

    @cached_property
    def _tracked(self) -> frozenset[bytes]:
        try:
            out = run_git(self._listed_from, "ls-files", "-z", "--full-name", timeout_s=_TIMEOUT_S)
        except GitError as error:
            self._warn(error, "files that git tracks in spite of its rules are left out")
            return frozenset()
        return frozenset(out.split(b"\0"))

    @cached_property
    def _tracked_folders(self) -> frozenset[bytes]:
        folders: set[bytes] = set()
        for path in self._tracked:
            folder = path.rpartition(b"/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition(b"/")[0]
        return frozenset(folders)


def find_git_folder(top: str) -> str | None:
    """The folder that holds the repository of the work tree `top` (the common one of a linked work tree), or None."""
    folders = find_git_folders(top)
    return None if folders is None else folders[1]


def find_git_folders(top: str) -> tuple[str, str] | None:
    """(what belongs to the work tree `top`: HEAD and index; what all work trees share: refs, objects), mostly one
    folder; None where there is no repository."""
    git_folder = os.path.join(top, ".git")
    if not os.path.isdir(git_folder):
        content = read_small(git_folder, follow=True)
        if not content.startswith(b"gitdir: "):
            return None
        git_folder = os.path.join(top, os.fsdecode(content[8:].rstrip(b"\r\n")))
    if not os.path.lexists(os.path.join(git_folder, "HEAD")):
        return None
    common = read_small(os.path.join(git_folder, "commondir"), follow=True).rstrip(b"\r\n")
    folder = os.path.join(git_folder, os.fsdecode(common)) if common else git_folder
    return (git_folder, folder) if os.path.isdir(os.path.join(folder, "objects")) else None
