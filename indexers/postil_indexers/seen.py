"""What a walk says of each path: a file to index, or why it is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class SkipReason(StrEnum):
    """Why a path is left out. The values are stored and printed: never change one."""

    IGNORED = "ignored"  # by git's rules
    POSTILIGNORE = "postilignore"  # by a .postilignore
    EXCLUDED = "excluded"  # by the user's own settings
    VERSION_CONTROL = "version_control"  # .git, .hg, a bare repository ...
    TOOL_FOLDER = "tool_folder"  # installed packages, caches, the state of an application
    SECRET = "secret"
    BINARY = "binary"
    DRAWING = "drawing"
    TOO_LARGE = "too_large"
    MINIFIED = "minified"
    GENERATED = "generated"
    SYMLINK = "symlink"  # to a place inside the root, which is walked where it lies
    OUTSIDE = "outside"  # leads out of the root
    PLACEHOLDER = "placeholder"  # its content is in a cloud drive only
    SPECIAL = "special"  # pipe, socket, device
    UNREADABLE = "unreadable"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file to index, as the file system described it. Equal entries mean that nothing was written since."""

    path: str  # relative to the root, POSIX separators, undecodable bytes as surrogates (os.fsdecode)
    size: int  # bytes
    mtime_ns: int
    ctime_ns: int  # catches a rewrite that puts the old modification time back
    inode: int  # 0 on Windows, as the device
    device: int


@dataclass(frozen=True, slots=True)
class Skip:
    """A path that is left out. A folder's row stands for all below it that has no row of its own."""

    path: str  # as FileEntry.path; "" for the root itself
    reason: SkipReason
    detail: str = ""  # fit to show
    is_directory: bool = False
    size: int = 0  # bytes; 0 where it was not looked at


def shown(path: str) -> str:
    """A path that can be printed on one line and encoded as UTF-8: odd bytes and control characters as escapes."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", _escaped, path)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as os.fsdecode keeps it
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape").decode("ascii")


def shown_size(size: int) -> str:
    """1,536 as "1.5 KiB"."""
    if size < 1024:
        return f"{size} B"
    amount, unit = size / 1024, "KiB"
    for larger in ("MiB", "GiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f} {unit}"
