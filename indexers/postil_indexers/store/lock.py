"""One writer an index: an operating-system lock beside the database, gone with the process that holds it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

from postil_indexers.errors import IndexBusyError, PostilError
from postil_indexers.store.version import SCHEMA


class WriterLock:
    """Held from `with` to its end. Raises IndexBusyError at once where another process holds it, PostilError."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"writer-{SCHEMA}.lock"  # versions with other tables write other files
        self._handle: int | None = None

    def __enter__(self) -> WriterLock:
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise PostilError(
                f"{self._path} can't be written: {error.strerror}",
                "check its permissions, or set POSTIL_INDEX_DIR to another place",
            ) from error
        try:
            _lock(handle)
        except OSError as error:
            holder = os.pread(handle, 100, 0).decode("utf-8", "replace").strip() if hasattr(os, "pread") else ""
            os.close(handle)
            named = f" by process {holder}" if holder else ""
            raise IndexBusyError(f"the index is being written{named}", "try again when it is done") from error
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        self._handle = handle
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


if sys.platform == "win32":
    import msvcrt

    # past the process number, which stays readable: Windows locks are mandatory
    _LOCK_AT = 1 << 20

    def _lock(handle: int) -> None:
        os.lseek(handle, _LOCK_AT, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
