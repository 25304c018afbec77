"""Whether the system can report changes in a folder: what kind of drive it is on, and how many folders it watches."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

# What is changed by another machine, or beside the mount, is not reported by any of these.
_REMOTE = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "afs", "ncpfs", "coda", "davfs"),
        *("9p", "drvfs", "virtiofs", "vboxsf", "prl_fs", "vmhgfs", "fakeowner", "osxfs", "macfuse", "osxfuse"),
        *("ceph", "glusterfs", "lustre", "gpfs", "beegfs", "ocfs2", "gfs2", "orangefs", "pvfs2", "fuse"),
    }
)
# Of the file systems in user space, those that keep a local folder, which only the user's own programs change.
_LOCAL_IN_USER_SPACE = frozenset(
    f"fuse.{name}" for name in ("bindfs", "cryfs", "encfs", "exfat", "gocryptfs", "mergerfs", "ntfs", "ntfs-3g")
)
_MAX_WATCHES = "/proc/sys/fs/inotify/max_user_watches"
# The limit is the user's, and editors and synchronisers watch as well: what we leave to them.
_LEFT_TO_OTHERS = 1 / 4
_NO_LIMIT = sys.maxsize
_DRIVE_REMOTE = 4  # Windows: GetDriveType

TOO_MANY_PROGRAMS = (
    "as many programs watch files as the system allows",
    "to raise it: sudo sysctl fs.inotify.max_user_instances=1024",
)


def too_many_folders(watched: int) -> tuple[str, str]:
    """The reason and what to do, when no more than `watched` folders can be watched."""
    return (
        f"more folders are to be watched than the system has room for ({watched:,})",
        "to raise it: sudo sysctl fs.inotify.max_user_watches=1048576; or leave folders out in a .postilignore",
    )


class Mount(NamedTuple):
    folder: bytes
    kind: str  # "ext4", "nfs4", "fuse.sshfs"


def is_remote(kind: str) -> bool:
    """Whether that kind of file system is changed from elsewhere, or hides what changes it."""
    return kind in _REMOTE or (kind.startswith("fuse.") and kind not in _LOCAL_IN_USER_SPACE)


def not_reported(mount: Mount) -> tuple[str, str]:
    """The reason and what to do, for a folder on such a file system."""
    where = os.fsdecode(mount.folder).encode("utf-8", "replace").decode()
    return (
        f"{where} is a network or shared drive ({mount.kind}), where changes made elsewhere are not reported",
        "keep the folder on a local disk to have changes found at once",
    )


def max_watches() -> int:
    """How many folders we may watch."""
    try:
        with open(_MAX_WATCHES, encoding="ascii") as file:
            allowed = int(file.read())
    except (OSError, ValueError):
        return _NO_LIMIT
    return int(allowed * (1 - _LEFT_TO_OTHERS))


def remote_mounts() -> list[Mount]:
    """All file systems that report no changes from elsewhere, as far as this system tells."""
    return [mount for mount in mounts() if is_remote(mount.kind)]


def mount_of(folder: bytes, mounted: list[Mount]) -> Mount | None:
    """The mount that a folder (a real path) lies on: the innermost, and of two at one place the later."""
    around = [mount for mount in mounted if _is_below(folder, mount.folder)]
    return max(reversed(around), key=lambda mount: len(mount.folder), default=None)


def _is_below(folder: bytes, top: bytes) -> bool:
    return folder == top or folder.startswith(top.rstrip(b"/") + b"/")


def mounts() -> list[Mount]:
    """What is mounted where, in order; on Windows nothing."""
    if sys.platform == "darwin":
        try:
            done = subprocess.run(["/sbin/mount"], capture_output=True, timeout=5, check=False)
        except (OSError, subprocess.SubprocessError):
            return []
        return list(parse_mount(done.stdout))
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            return list(parse_mountinfo(file.read()))
    except OSError:
        return []


def parse_mountinfo(content: bytes) -> Iterator[Mount]:
    """Linux: proc(5). Blanks and backslashes in names are octal escapes."""
    for line in content.splitlines():
        left, _, right = line.partition(b" - ")
        fields, kind = left.split(b" "), right.split(b" ", 1)[0]
        if len(fields) > 4 and kind:
            folder = re.sub(rb"\\([0-7]{3})", lambda escape: bytes([int(escape[1], 8)]), fields[4])
            yield Mount(folder, kind.decode("ascii", "replace"))


def parse_mount(content: bytes) -> Iterator[Mount]:
    """macOS: `//me@host/share on /Volumes/share (smbfs, nodev, nosuid)`."""
    for line in content.splitlines():
        found = re.fullmatch(rb".*? on (/.*) \(([\w.]+)[^()]*\)", line)
        if found:
            yield Mount(found[1], found[2].decode("ascii"))


def remote_mount(root: str) -> Mount | None:
    """The drive that a folder (a real path) lies on, where that is one that reports no changes from elsewhere."""
    if sys.platform == "win32":
        return _remote_drive(root)
    mount = mount_of(os.fsencode(root), mounts())
    return mount if mount is not None and is_remote(mount.kind) else None


def _remote_drive(root: str) -> Mount | None:
    import ctypes

    drive = os.path.splitdrive(root)[0]
    is_share = drive.startswith("\\\\")
    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009  # only there on Windows
    if is_share or kernel.GetDriveTypeW(drive + "\\") == _DRIVE_REMOTE:
        return Mount(os.fsencode(drive), "share" if is_share else "mapped drive")
    return None
