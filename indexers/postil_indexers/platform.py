"""What differs between operating systems and their file systems."""

from __future__ import annotations

import os
import stat
import sys
import unicodedata
from typing import Any

_SF_DATALESS = 0x40000000  # macOS: sys/stat.h; reading such a file makes the provider fetch it
_RECALL = 0x1000 | 0x40000 | 0x400000  # Windows: FILE_ATTRIBUTE_OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS
_DRIVE_PARENTS = ("/mnt", "/media", "/run/media", "/Volumes")


def is_placeholder(status: Any) -> bool:
    """Whether a file's content is only in a cloud drive, by its stat result. Reading it would pull it down.

    Linux has no such mark: a file without blocks may be sparse or stored in its inode, so blocks are no sign.
    """
    return bool(getattr(status, "st_flags", 0) & _SF_DATALESS or getattr(status, "st_file_attributes", 0) & _RECALL)


def is_junction(status: Any) -> bool:
    """Whether a folder is a Windows junction or mount point, which leads elsewhere as a symbolic link does."""
    return getattr(status, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)


def comparison_key(path: str, *, fold_case: bool = False) -> str:
    """A path for comparing: NFC, and case-folded where the file system ignores case. Not unique."""
    composed = path if path.isascii() else unicodedata.normalize("NFC", path)
    return composed.casefold() if fold_case else composed


def ignores_case(folder: str) -> bool:
    """Whether the file system takes `a` and `A` for one name, tried on what is in `folder`; nothing is written."""
    try:
        names = set(os.listdir(folder))
    except OSError:
        names = set()
    for name in sorted(names):
        swapped = name.swapcase()
        if swapped == name or swapped in names:
            continue
        try:
            return os.path.samestat(os.lstat(os.path.join(folder, name)), os.lstat(os.path.join(folder, swapped)))
        except OSError:
            return False
    return sys.platform in ("darwin", "win32")


def give_back_memory() -> None:
    """Give what this process freed back to the system, where the system's library keeps it: glibc's does."""
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def broad_folder(root: str) -> str | None:
    """What makes `root` more than a workspace ("your home folder", ...), or None."""
    real = os.path.realpath(root)
    home = os.path.realpath(os.path.expanduser("~"))
    if real == home:
        return "your home folder"
    if os.path.dirname(real) == real:
        return "the root of a file system"
    if home.startswith(real + os.sep):
        return "a folder that contains your home folder"
    parent = os.path.dirname(real)
    if os.path.ismount(real) and (parent in _DRIVE_PARENTS or os.path.dirname(parent) in _DRIVE_PARENTS):
        return "the root of a drive"
    return None
