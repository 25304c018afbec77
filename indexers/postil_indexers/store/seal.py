"""A note beside the index of how its writer left it: where the file is another now, nobody vouches for it."""

from __future__ import annotations

from pathlib import Path


def seal(path: Path) -> None:
    """The writer has closed it, and no statement of its failed."""
    stamp = _stamp(path)
    try:
        if stamp:
            _seal_of(path).write_text(stamp, encoding="ascii")
    except OSError:
        return  # a full disk, say: the next writer looks the file through


def break_seal(path: Path) -> bool:
    """Whether it was sealed and is as it was then. Call it before writing, and where damage was found."""
    try:
        was = _seal_of(path).read_text(encoding="ascii")
        _seal_of(path).unlink()
    except (OSError, ValueError):
        return False
    return was == _stamp(path)


def _seal_of(path: Path) -> Path:
    return path.with_suffix(".seal")


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
