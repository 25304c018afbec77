"""Opening files of a workspace so that no link leads out of it, no pipe blocks and no more than asked is read."""

from __future__ import annotations

import errno
import os
import stat

from postil_indexers.platform import is_below, is_placeholder
from postil_indexers.seen import Skip, SkipReason

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS = _FLAGS | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)  # a pipe put there must not block us
# Linux's O_PATH needs no right to list the folder and costs least
_FOLDER_FLAGS = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", _FLAGS) | getattr(os, "O_CLOEXEC", 0)
_LARGEST_RULES = 4 << 20  # an ignore file beyond this is none


def open_file(root: str, path: str) -> tuple[int, os.stat_result] | Skip:
    """A descriptor of the regular file `path` below `root` and its status; the caller closes it.

    Every part of the path is opened by itself and never through a link: what was a folder when it was listed may be
    a link to somewhere else by now.
    """
    if not is_below(path):
        return Skip(path, SkipReason.OUTSIDE, "not a path below the root")
    try:
        descriptor = _open_below(root, path.split("/"))
    except OSError as error:
        return _refused(path, error)
    except ValueError:  # a zero byte
        return Skip(path, SkipReason.MISSING, "no file can have that name")
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and not is_placeholder(status):
        return descriptor, status
    os.close(descriptor)
    if stat.S_ISREG(status.st_mode):
        return Skip(path, SkipReason.PLACEHOLDER, "its content is in a cloud drive only", size=status.st_size)
    if stat.S_ISDIR(status.st_mode):
        return Skip(path, SkipReason.MISSING, "it is a folder now", is_directory=True)
    return Skip(path, SkipReason.SPECIAL, "a pipe, socket or device")


def _open_below(root: str, parts: list[str]) -> int:
    if os.open not in os.supports_dir_fd:  # Windows
        whole = os.path.join(root, *parts)
        if os.path.realpath(whole) != os.path.join(os.path.realpath(root), *parts):
            raise OSError(errno.ELOOP, "a link")
        return os.open(whole, _FILE_FLAGS)
    if len(parts) == 1:
        return os.open(f"{root}/{parts[0]}", _FILE_FLAGS | _NO_LINK)
    folder = os.open(root, _FOLDER_FLAGS)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FOLDER_FLAGS | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _FILE_FLAGS | _NO_LINK, dir_fd=folder)
    finally:
        os.close(folder)


def _refused(path: str, error: OSError) -> Skip:
    if error.errno == errno.ENOENT:
        return Skip(path, SkipReason.MISSING, "it is gone")
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return Skip(path, SkipReason.SYMLINK, "it, or a folder on the way to it, is a link or no folder now")
    if error.errno == errno.ENXIO:
        return Skip(path, SkipReason.SPECIAL, "a pipe, socket or device")
    return Skip(path, SkipReason.UNREADABLE, error.strerror or "it can't be read")


def read_up_to(descriptor: int, limit: int) -> bytes:
    """At most `limit` bytes; a file that is written to meanwhile gives what is there. Raises OSError."""
    parts = []
    while limit > 0 and (part := os.read(descriptor, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def read_whole(root: str, path: str, limit: int) -> bytes | None:
    """The bytes of a regular file below `root`; None where it is gone, a link, larger than `limit` or can't be read."""
    opened = open_file(root, path)
    if isinstance(opened, Skip):
        return None
    descriptor, status = opened
    try:
        return read_up_to(descriptor, limit) if status.st_size <= limit else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def read_small(path: str, *, follow: bool) -> bytes:
    """The bytes of a file of rules; nothing where it is missing, no regular file, a link (unless `follow`) or huge."""
    try:
        descriptor = os.open(path, _FILE_FLAGS | (0 if follow else _NO_LINK))
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_RULES or is_placeholder(status):
            return b""
        return read_up_to(descriptor, _LARGEST_RULES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
