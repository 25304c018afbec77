"""The file of past answers: where it lies, how it is opened, what its tables are."""

from __future__ import annotations

import os
import time
from pathlib import Path

import apsw
import platformdirs

from postil_indexers.errors import PostilError

# Appended, never edited: number n brings a file from version n to n + 1.
_MIGRATIONS = (
    """
    CREATE TABLE answers (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        root TEXT NOT NULL,
        name TEXT NOT NULL UNIQUE,      -- by which whoever asked knows it
        kind TEXT NOT NULL,             -- "ask", "summarise"
        question TEXT NOT NULL,
        record TEXT NOT NULL,           -- JSON, as it was answered
        model TEXT NOT NULL,            -- "" for extracts
        answered_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX answers_by_root ON answers (root, id);
    CREATE TABLE replies (
        key BLOB PRIMARY KEY,           -- of model, prompt and options
        root TEXT NOT NULL,
        text TEXT NOT NULL,
        used_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX replies_by_use ON replies (used_at);
    CREATE TABLE feedback (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        answer TEXT NOT NULL UNIQUE,    -- its name; itself may be gone
        root TEXT NOT NULL,
        question TEXT NOT NULL,
        record TEXT NOT NULL,
        verdict TEXT NOT NULL,          -- "good", "bad"
        comment TEXT NOT NULL,
        given_at INTEGER NOT NULL
    ) STRICT;
    """,
)
_BUSY_MS = 5_000  # another server's transaction takes milliseconds
_POLL_S = 0.01


def library_path() -> Path:
    """In the user's data folder; POSTIL_DATA_DIR overrides its place."""
    override = os.environ.get("POSTIL_DATA_DIR")
    return (Path(override) if override else Path(platformdirs.user_data_dir("postil", appauthor=False))) / "answers.db"


def open_file(place: Path) -> apsw.Connection:
    """Open or make it; a damaged one is set aside. Raises OSError, apsw.Error, and PostilError for a newer version."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return _opened(place)
    except (apsw.CorruptError, apsw.NotADBError):
        _set_aside(place)
        return _opened(place)


def _opened(place: Path) -> apsw.Connection:
    connection = apsw.Connection(str(place))
    try:
        place.chmod(0o600)
        connection.set_busy_timeout(_BUSY_MS)
        _use_wal(connection)
        connection.pragma("synchronous", "normal")  # a power cut loses the last answers, never the file
        _migrate(connection, place)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: apsw.Connection) -> None:
    """SQLite does not wait here where another server makes the file at the same moment."""
    until = time.monotonic() + _BUSY_MS / 1e3
    while True:
        try:
            connection.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(_POLL_S)


def _migrate(connection: apsw.Connection, place: Path) -> None:
    if connection.pragma("user_version") == len(_MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")  # another server may be at it
    try:
        version = connection.pragma("user_version")
        if version > len(_MIGRATIONS):
            raise PostilError(f"{place} was made by a newer Postil", "install that version, or move the file away")
        for migration in _MIGRATIONS[version:]:
            connection.execute(migration)
        connection.pragma("user_version", len(_MIGRATIONS))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _set_aside(place: Path) -> None:
    """Out of the way, not away: whoever made it may want to look into it."""
    for suffix in ("", "-wal", "-shm"):
        part = Path(f"{place}{suffix}")
        if part.exists():
            part.rename(f"{place}.damaged-{int(time.time())}{suffix}")
