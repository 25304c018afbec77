"""A note beside the index of how its writer left it: where the file is another now, nobody vouches for it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Seal(NamedTuple):
    """Of an index that its last writer closed, and that no other has opened since."""

    holds: bool  # the file is as it was then
    digest: str  # of its full-text tables then, see `fulltext_digest`; "" where none is known


def seal(path: Path, digest: str) -> None:
    """The writer has closed it, and no statement of its failed."""
    stamp = _stamp(path)
    try:
        if stamp:
            _seal_of(path).write_text(f"{stamp}\n{digest}", encoding="ascii")
    except OSError:
        return  # a full disk, say: the next writer looks the file through


def break_seal(path: Path) -> Seal:
    """What it said; without one, nothing holds. Call it before writing."""
    found = _read(path)
    try:
        _seal_of(path).unlink()
    except OSError:
        return Seal(False, "")
    return found


def doubt(path: Path, digest: str = "") -> None:
    """Where damage was found: whoever writes next looks the file through, by this digest or the one that was left."""
    try:
        _seal_of(path).write_text(f"\n{digest or _read(path).digest}", encoding="ascii")
    except OSError:
        break_seal(path)


def _read(path: Path) -> Seal:
    try:
        was, _, digest = _seal_of(path).read_text(encoding="ascii").partition("\n")
    except (OSError, ValueError):
        return Seal(False, "")
    return Seal(was != "" and was == _stamp(path), digest)


def _seal_of(path: Path) -> Path:
    return path.with_suffix(".seal")


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
