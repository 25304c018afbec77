"""What a repository is before its history is read: where it lies, where its HEAD stands, what is missing of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from postil_indexers.errors import GitError
from postil_indexers.git import run_git

_PROMISOR_KEYS = r"^(extensions\.partialclone|remote\..*\.promisor)$"
_OFF = frozenset({b"false", b"no", b"off", b"0"})


@dataclass(frozen=True, slots=True)
class RepositoryState:
    head: str | None  # commit id; None in a repository without commits
    branch: str | None  # "main"; None where HEAD is detached
    is_shallow: bool
    is_partial: bool  # objects may be missing that only the remote has
    git_dir: str  # absolute; of a linked worktree its own one
    common_dir: str  # absolute; the one all worktrees share
    prefix: str  # of the workspace in the repository: "" or "notes/"; POSIX separators, as os.fsdecode gives it


def repository_state(root: str) -> RepositoryState | None:
    """The repository that `root` is in, or None. Raises GitError where git refuses to read it."""
    try:
        git_dir = _ask(root, "--absolute-git-dir")
    except GitError as error:
        if "not a git repository" in error.message:
            return None
        raise
    head = run_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1)).decode("ascii").strip()
    branch = run_git(root, "symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1))
    return RepositoryState(
        head=head or None,
        branch=os.fsdecode(branch.rstrip(b"\n")) or None,
        is_shallow=_ask(root, "--is-shallow-repository") == "true",
        is_partial=_is_partial(root),
        git_dir=git_dir,
        common_dir=os.path.normpath(os.path.join(root, _ask(root, "--git-common-dir"))),
        prefix=_ask(root, "--show-prefix"),
    )


def _ask(root: str, flag: str) -> str:
    """One question a call: folder names may hold line ends, so two answers could not be told apart."""
    return os.fsdecode(run_git(root, "rev-parse", flag).removesuffix(b"\n"))


def _is_partial(root: str) -> bool:
    out = run_git(root, "config", "--null", "--get-regexp", _PROMISOR_KEYS, ok=(0, 1))
    return any(re.split(rb"\n", entry, maxsplit=1)[-1].lower() not in _OFF for entry in out.split(b"\0") if entry)
