"""Opening the index file, and SQLite's errors in our own words."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw
import sqlite_vec

from postil_indexers.errors import IndexBusyError, IndexDamagedError, NotIndexedError, PostilError
from postil_indexers.store import fieldscore
from postil_indexers.store.inherit import inherit_vectors
from postil_indexers.store.schema import create_schema
from postil_indexers.store.version import SCHEMA

_BUSY_MS = 5_000  # a reader waits out a checkpoint; a writer is alone by its lock
# Of pages that changed and are not in the file yet; all others are mapped. With four times as much a first index takes
# as long, and the memory of every process grows for minutes until all of it is filled.
_PAGE_CACHE_KIB = 8_192
_CHECKPOINT_PAGES = 8_192  # 32 MB; a first run writes the same inner pages again and again, each checkpoint all of them
_MMAP_BYTES = 1 << 30  # the page cache of the system serves reads without copying
_WRITER_MMAP_BYTES = 256 << 20  # a first run touches all of a large index, and what is mapped counts as its memory

# sqlite-vec has one error for all: "chunks iter error", "vectors blob read error for 2" are of tables it can't read.
_OF_VECTORS = re.compile(r"\b(?:blob|chunks?|rowids?|sqlite-vec)\b")


def open_for_writing(path: Path) -> apsw.Connection:
    """Open or make the index. Only the holder of the writer's lock calls this."""
    with sqlite_errors(path):
        connection = apsw.Connection(str(path))
        path.chmod(0o600)
        _prepare(connection)
        connection.pragma("mmap_size", _WRITER_MMAP_BYTES)
        connection.pragma("auto_vacuum", "incremental")  # of a new file, before its first table: see `Index.shrink`
        connection.pragma("journal_mode", "wal")
        connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
        connection.pragma("synchronous", "normal")  # with WAL a power cut loses the last commits, never the file
        if create_schema(connection):
            inherit_vectors(connection, path)
        return connection


def open_for_reading(path: Path) -> apsw.Connection:
    """Open an existing index; no statement of this connection can write."""
    if not path.is_file():
        raise _not_indexed(path)
    with sqlite_errors(path):
        connection = _connect_for_reading(path)
        _prepare(connection)
        connection.pragma("query_only", True)
        if connection.pragma("user_version") != SCHEMA:
            raise _not_indexed(path)
        return connection


def _connect_for_reading(path: Path) -> apsw.Connection:
    wal = path.with_name(f"{path.name}-wal")
    if not os.access(path.parent, os.W_OK) and not (wal.exists() and wal.stat().st_size):
        # on a disk that can only be read nobody writes: neither shared memory nor locks are needed, or could be had
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(f"file:{quote(os.fsencode(path))}?immutable=1", flags=flags)
    # a reader of a WAL database needs its shared memory, so the file is opened read-write and held to reading
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)


def _not_indexed(path: Path) -> NotIndexedError:
    text = "this folder is not indexed yet"
    if any(other != path for other in path.parent.glob("index-*.db")):  # which the next run takes vectors over from
        text = "this folder's index is of another version of Postil"
    return NotIndexedError(text, "run: postil index <folder>")


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MS)
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.enable_load_extension(False)
    fieldscore.register(connection)
    connection.pragma("cache_size", -_PAGE_CACHE_KIB)
    connection.pragma("mmap_size", _MMAP_BYTES)
    connection.pragma("temp_store", "memory")


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with what to do."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, zlib.error, UnicodeDecodeError) as error:
        # the last two are of rows whose page is whole: a packed text, or one that is not UTF-8
        raise IndexDamagedError(
            f"the index file is damaged: {error}", "run: postil index <folder>; it is set aside and rebuilt"
        ) from error
    except apsw.SQLError as error:
        if not _OF_VECTORS.search(str(error)):
            raise
        raise IndexDamagedError(
            f"the index file is damaged: {error}", "run: postil index <folder>; it is set aside and rebuilt"
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise IndexBusyError("the index is locked by another process", "try again in a moment") from error
    except apsw.FullError as error:
        raise PostilError(f"the disk that holds {path.parent} is full", "free some room and index again") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.IOError) as error:
        raise PostilError(
            f"the index at {path} can't be opened or written: {error}",
            "check the folder's permissions, or set POSTIL_INDEX_DIR to another place",
        ) from error
