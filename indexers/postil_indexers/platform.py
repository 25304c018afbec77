"""What differs between operating systems and their file systems.

`system` is `sys.platform` of the system that is asked about. What is one system call stands where it is made.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import stat
import sys
import unicodedata
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

_SF_DATALESS = 0x40000000  # macOS: sys/stat.h; reading such a file makes the provider fetch it
_RECALL = 0x1000 | 0x40000 | 0x400000  # Windows: FILE_ATTRIBUTE_OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS
_DRIVE_PARENTS = ("/mnt", "/media", "/run/media", "/Volumes")
_DRIVE = re.compile(r"/[A-Za-z]:(?:/|$)")  # how the path of a URI begins that means a place on Windows


def is_placeholder(status: Any) -> bool:
    """Whether a file's content is only in a cloud drive, by its stat result. Reading it would pull it down.

    Linux has no such mark: a file without blocks may be sparse or stored in its inode, so blocks are no sign.
    """
    return bool(getattr(status, "st_flags", 0) & _SF_DATALESS or getattr(status, "st_file_attributes", 0) & _RECALL)


def is_junction(status: Any) -> bool:
    """Whether a folder is a Windows junction or mount point, which leads elsewhere as a symbolic link does."""
    return getattr(status, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)


def leads_elsewhere(entry: os.DirEntry[bytes], system: str = sys.platform) -> bool:
    """Whether a listed folder is a junction. Only Windows has them; elsewhere no status is read for it."""
    return system == "win32" and is_junction(entry.stat(follow_symlinks=False))


def identity(status: os.stat_result, system: str = sys.platform) -> tuple[int, int]:
    """(inode, device) of a file; zeros on Windows, where a listing has neither and a scan must equal a read."""
    return (0, 0) if system == "win32" else (status.st_ino, status.st_dev)


def is_below(path: str, system: str = sys.platform) -> bool:
    """Whether a path with slashes can only name what lies below the folder that it is joined to.

    On Windows a backslash separates as well, and a colon names a drive or a second stream of a file.
    """
    if system == "win32" and ("\\" in path or ":" in path):
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))


def program_file(name: str, system: str = sys.platform) -> str:
    """The file of a program on PATH. Windows finds scripts by the bare name, too."""
    return f"{name}.exe" if system == "win32" else name


def socket_family(system: str = sys.platform) -> str:
    """How processes of one machine talk, as `multiprocessing.connection` names it."""
    return "AF_PIPE" if system == "win32" else "AF_UNIX"


def pipe_address(name: str, system: str = sys.platform) -> str | None:
    """The address of a named pipe; None where a socket, which is a file, takes its place."""
    return rf"\\.\pipe\{name}" if system == "win32" else None


def uri_path(host: str, path: str, system: str = sys.platform) -> str | None:
    """What a `file:` URI of this host and path, both as they are written, is on a system; None for another system's."""
    local, decoded = host in ("", "localhost"), unquote(path)
    if system == "win32":
        if not local:
            return ntpath.normpath(f"//{host}{decoded}")  # a share
        return ntpath.normpath(decoded[1:]) if _DRIVE.match(decoded) else None
    if not local or not path.startswith("/") or _DRIVE.match(decoded):
        return None
    return posixpath.normpath(os.fsdecode(unquote_to_bytes(path)))


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


def waited_s(pid: int) -> float:
    """Seconds for which a process was ready to run and others had the processors; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:  # Linux: on a processor, waiting for one, slices
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


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
