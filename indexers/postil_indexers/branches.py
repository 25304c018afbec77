"""The branches beside the current one whose commits are wanted as well, by the patterns of the user's settings."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence

from postil_indexers.git import run_git

_KINDS = ("refs/heads/", "refs/remotes/")


def matching_branches(root: str, patterns: Sequence[str]) -> tuple[list[str], list[str]]:
    """(the full names of the branches that some pattern matches, the patterns that match none). Raises GitError.

    A pattern is held against the whole short name, as `release/2` or `origin/main`; its `*` goes past slashes.
    """
    # the name of a symbolic one, as origin/HEAD, stands for another that is listed itself
    out = run_git(root, "for-each-ref", "--format=%(refname)%00%(symref)", *_KINDS)
    listed = (os.fsdecode(line).split("\0") for line in out.splitlines())
    names = {name: short_name(name) for name, target in listed if not target}
    found: dict[str, None] = {}
    unmatched = []
    for pattern in patterns:
        matched = [name for name, short in names.items() if fnmatch.fnmatchcase(short, pattern)]
        found.update(dict.fromkeys(matched))
        if not matched:
            unmatched.append(pattern)
    return list(found), unmatched


def short_name(ref: str) -> str:
    """Of the full name of a branch, local or remote."""
    return next((ref.removeprefix(kind) for kind in _KINDS if ref.startswith(kind)), ref)
