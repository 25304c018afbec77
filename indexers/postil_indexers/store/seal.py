"""A note beside the index of how its writer left it: where the file is another now, nobody vouches for it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import NamedTuple


class FullText(NamedTuple):
    """Of the full-text tables, see `soundness.fulltext`."""

    digest: str  # another after each change, by whom ever
    state: str  # another after each change that SQLite makes


class Seal(NamedTuple):
    """What is known of an index before it is opened; by default nothing."""

    holds: bool = False  # its last writer closed it, and the file is as it was then
    closed: bool = False  # no writer has opened it since
    fulltext: FullText | None = None  # as the last writer that closed it left it

    def allows(self, found: FullText) -> bool:
        """Whether these full-text tables are what was left, or what a writer made of it since."""
        was = self.fulltext
        return was is None or found.digest == was.digest or (not self.closed and found.state != was.state)


def seal(path: Path, fulltext: FullText) -> None:
    """The writer has closed it, and no statement of its failed."""
    if stamp := _stamp(path):
        _write(path, Seal(closed=True, fulltext=fulltext), stamp)


def break_seal(path: Path) -> Seal:
    """What it said; call it before writing. Full text that nobody writes to after that must stay what it was."""
    found = _read(path)
    if found.closed:
        _write(path, found._replace(closed=False))
    return found


def doubt(path: Path) -> None:
    """Where damage was found: whoever writes next looks the file through."""
    _write(path, _read(path))


def remove_seal(path: Path) -> None:
    """Nobody knows anything of the file: the next writer looks it through."""
    with contextlib.suppress(OSError):
        _seal_of(path).unlink()


def _write(path: Path, seal: Seal, stamp: str = "") -> None:
    try:
        _seal_of(path).write_text(json.dumps([stamp, seal.closed, seal.fulltext]), encoding="ascii")
    except OSError:  # a full disk, say
        remove_seal(path)


def _read(path: Path) -> Seal:
    try:
        stamp, closed, fulltext = json.loads(_seal_of(path).read_text(encoding="ascii"))
        return Seal(stamp != "" and stamp == _stamp(path), closed, fulltext and FullText(*fulltext))
    except (OSError, ValueError, TypeError):
        return Seal()


def _seal_of(path: Path) -> Path:
    return path.with_suffix(".seal")


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
