"""Indexes that nobody needs any more: of folders that are gone, of former versions, damaged ones set aside."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from postil_indexers.errors import IndexBusyError
from postil_indexers.store.lock import WriterLock
from postil_indexers.store.version import SCHEMA

_UNUSED_S = 30 * 24 * 3600  # a drive that was away for a month comes back to a new index


def prune(folder: Path) -> list[Path]:
    """Delete what was unused for a month beside and in the index folder `folder`; what was deleted."""
    gone = []
    for other in _vanished(folder.parent):
        try:
            with WriterLock(other):
                shutil.rmtree(other, ignore_errors=True)
        except IndexBusyError:
            continue
        gone.append(other)
    for file in folder.glob("index-*"):
        if not file.name.startswith(f"index-{SCHEMA}.db") and _is_old(file):
            file.unlink(missing_ok=True)
            gone.append(file)
    return gone


def _vanished(parent: Path) -> Iterator[Path]:
    for folder in sorted(parent.iterdir()):
        files = [file for file in folder.glob("index-*.db") if file.is_file()]
        if files and all(map(_is_old, files)) and all(_root_is_gone(file) for file in files):
            yield folder


def _is_old(file: Path) -> bool:
    try:
        return file.stat().st_mtime < time.time() - _UNUSED_S
    except OSError:
        return False


def _root_is_gone(file: Path) -> bool:
    """Whether the folder that an index is of is not there; False where the index doesn't say."""
    try:
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
        row = connection.execute("SELECT value FROM meta WHERE key='root'").fetchone()
        connection.close()
    except apsw.Error:
        return False
    return row is not None and not os.path.isdir(str(row[0]))
