"""Several roots: which outside folders the user joins to a workspace, and what is found in all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from postil_indexers.seen import shown
from postil_server.types import FoundCommit


class Placed(Protocol):
    @property
    def root(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def sha(self) -> str: ...  # of a commit

    @property
    def confidence(self) -> float: ...


P = TypeVar("P", bound=Placed)


def outside_folders(named: Iterable[str], roots: Iterable[str]) -> tuple[list[str], list[str]]:
    """(real paths of those that lie in no open root and in no other of them, a warning for each that is no folder)."""
    found: list[str] = []
    warnings: list[str] = []
    for name in named:
        path = os.path.expanduser(name)
        if not os.path.isabs(path):
            warnings.append(f"folders: {shown(name)} is passed over: write it from `/` or `~` on")
        elif not os.path.isdir(path):
            warnings.append(f"folders: {shown(name)} is not there and is passed over")
        else:
            found.append(os.path.realpath(path))
    known = list(roots)
    outside = [path for path in dict.fromkeys(found) if not any(_holds(root, path) for root in known)]
    return [path for path in outside if not any(_holds(o, path) for o in outside if o != path)], warnings


def merged(found: Iterable[P], roots: Sequence[str], limit: int) -> list[P]:
    """What was found in each root as one answer: what an inner root holds is not taken from the one around it, and a
    commit of a repository that holds several comes once."""
    items = list(found)
    if len(roots) < 2:
        return items[:limit]
    inner = {root: [other for other in roots if other != root and _holds(root, other)] for root in roots}
    once: dict[object, P] = {}
    # scores order one root's answer; confidence compares across roots
    for item in sorted(items, key=lambda item: -item.confidence):
        if not any(_holds(other, os.path.join(item.root, item.path)) for other in inner.get(item.root, ())):
            once.setdefault(item.sha or id(item), item)
    return list(once.values())[:limit]


def merged_commits(found: Iterable[tuple[str, FoundCommit]], limit: int) -> list[tuple[str, FoundCommit]]:
    """(root, commit) of each root as one answer; two roots in one repository have the same commits."""
    best: dict[str, tuple[str, FoundCommit]] = {}
    for root, commit in sorted(found, key=lambda item: -item[1].score):  # ranks fused with the same weights everywhere
        best.setdefault(commit.sha, (root, commit))
    return list(best.values())[:limit]


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
