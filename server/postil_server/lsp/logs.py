"""The server's log: JSON lines in the user's log folder, rotated; with the text of documents only while debugging."""

from __future__ import annotations

import json
import logging
import os
import time
import traceback
from io import BufferedWriter, FileIO, TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

import platformdirs

_BYTES, _OLDER = 1 << 20, 3  # a megabyte, and three that came before
log = logging.getLogger("postil.server")


def log_file() -> Path:
    return Path(platformdirs.user_log_dir("postil", appauthor=False)) / "server.log"


def start_log() -> None:
    """POSTIL_LOG_LEVEL=debug logs messages with their content as well."""
    debug = os.environ.get("POSTIL_LOG_LEVEL", "").lower() == "debug"
    logging.raiseExceptions = False  # a log that can't be written says nothing, least of all on a protocol's stream
    log.setLevel(logging.DEBUG if debug else logging.INFO)
    log.propagate = False
    # pygls logs whole messages at INFO, and the parameters of a failed one at ERROR; what fails, we log
    logging.getLogger("pygls").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    path = log_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = _SharedFile(path, maxBytes=_BYTES, backupCount=_OLDER, encoding="utf-8", errors="replace")
    except OSError:
        return
    handler.setFormatter(_Lines())
    log.addHandler(handler)
    if debug:
        logging.getLogger("pygls").addHandler(handler)


class _SharedFile(RotatingFileHandler):
    """One that the servers of several windows write: who finds it put aside by another opens the new one."""

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream is not None and not _is_at(self.stream, self.baseFilename):
            self.stream.close()
            self.stream = self._open()
        super().emit(record)

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return TextIOWrapper(BufferedWriter(FileIO(descriptor, "a")), encoding=self.encoding, errors=self.errors)

    def rotate(self, source: str, dest: str) -> None:
        try:
            os.replace(source, dest)
        except OSError:
            return  # gone already, or open in another server on Windows, which lets nobody move it: it grows meanwhile


def _is_at(stream: TextIOWrapper, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.stat(path))
    except OSError:
        return False


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        given: dict[str, Any] = getattr(record, "fields", {})
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "pid": record.process,
            "event": record.getMessage(),
            **given,
        }
        return json.dumps(line, ensure_ascii=False, default=str)


def event(name: str, level: int = logging.INFO, **fields: Any) -> None:
    log.log(level, name, extra={"fields": fields})


def failure(name: str, error: BaseException, **fields: Any) -> None:
    """An error that we did not foresee. Its message may quote a document, so it is only logged while debugging."""
    said = {"message": str(error)} if log.isEnabledFor(logging.DEBUG) else {}
    event(name, logging.ERROR, error=type(error).__name__, where=_where(error.__traceback__), **said, **fields)


def _where(at: TracebackType | None) -> list[str]:
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(at)]
