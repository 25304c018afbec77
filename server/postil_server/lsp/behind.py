"""Whether the commits that the index has are behind the branch, told from git's files alone: a hover starts no git."""

from __future__ import annotations

import os
import re

from postil_indexers.opening import read_small
from postil_indexers.repository import find_git_folders
from postil_server.lsp.desk import Opened

_SHA = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LARGEST_PACKED = 1 << 20  # bytes of packed-refs that are read; a branch that is in use has a file of its own


def missing_head(opened: Opened) -> str | None:
    """The commit that HEAD means where the index does not have it yet; None where it has, or where nobody can tell."""
    head = _head(opened.root)
    if head is None or not opened.index.history.count():
        return None
    return None if opened.index.branches.of(head) == "" else head  # of another branch: not known as HEAD's yet


def _head(root: str) -> str | None:
    folders = _git_folders(root)
    if folders is None:
        return None
    own, common = folders
    said = read_small(os.path.join(own, "HEAD"), follow=True).strip()
    if said.startswith(b"ref: "):
        name = said[5:]
        said = read_small(os.path.join(common, os.fsdecode(name)), follow=True).strip() or _packed(common, name)
    return said.decode("ascii") if _SHA.fullmatch(said) else None


def _git_folders(root: str) -> tuple[str, str] | None:
    """Of the innermost repository around a folder."""
    top = root
    while True:
        found = find_git_folders(top)
        parent = os.path.dirname(top)
        if found is not None or parent == top:
            return found
        top = parent


def _packed(common: str, name: bytes) -> bytes:
    path = os.path.join(common, "packed-refs")
    try:
        if os.path.getsize(path) > _LARGEST_PACKED:
            return b""
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return b""
    return next((line.partition(b" ")[0] for line in lines if line.partition(b" ")[2] == name), b"")
