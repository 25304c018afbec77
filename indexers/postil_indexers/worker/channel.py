"""Messages between the worker and its clients: one JSON object a frame, over a private socket or named pipe.

The worker publishes where it listens in a file beside the index that only its user can read: a socket's path may be no
longer than some hundred bytes, which a cache folder's may be. The key in that file keeps out whoever else can reach the
address; frames are JSON and are never unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from postil_indexers.store.schema import SCHEMA

_SOCKET_PATH_BYTES = 100  # Linux takes 107, macOS 103
_MAX_BYTES = 16 << 20  # of a frame; what is larger is no message of ours

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a worker listens."""

    address: str
    key: str  # hexadecimal
    pid: int


def open_listener(folder: Path) -> Listener:
    """Listen, and publish where. Only the holder of the writer's lock calls this."""
    address, key = _address(folder), secrets.token_bytes(16)
    if sys.platform != "win32":
        Path(address).unlink(missing_ok=True)  # of a worker that was killed
    listener = Listener(address, "AF_PIPE" if sys.platform == "win32" else "AF_UNIX", backlog=32, authkey=key)
    contact = Contact(address, key.hex(), os.getpid())
    file = contact_file(folder)
    part = file.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_text(json.dumps(asdict(contact)), encoding="utf-8")
    part.replace(file)
    return listener


def connect(folder: Path) -> Connection | None:
    """A connection to the worker of an index, or None where none answers."""
    try:
        contact = Contact(**json.loads(contact_file(folder).read_text(encoding="utf-8")))
        family = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"
        return Client(contact.address, family, authkey=bytes.fromhex(contact.key))
    except (OSError, EOFError, ValueError, TypeError, AuthenticationError):
        return None  # no worker, one that is just going, or the file of one that was killed


def contact_file(folder: Path) -> Path:
    return folder / f"worker-{SCHEMA}.json"


def send(connection: Connection, message: Message) -> None:
    """Raises OSError where the other side is gone."""
    connection.send_bytes(json.dumps(message).encode())


def receive(connection: Connection) -> Message | None:
    """The next message; None where the other side is gone or doesn't speak as we do."""
    try:
        message = json.loads(connection.recv_bytes(_MAX_BYTES))
    except (OSError, EOFError, ValueError):
        return None
    return message if isinstance(message, dict) else None


def _address(folder: Path) -> str:
    if sys.platform == "win32":
        return rf"\\.\pipe\postil-{folder.name}-{SCHEMA}"
    beside = str(folder / f"worker-{SCHEMA}.sock")
    if len(os.fsencode(beside)) <= _SOCKET_PATH_BYTES:
        return beside
    digest = hashlib.blake2b(os.fsencode(folder), digest_size=8).hexdigest()
    return str(_short_folder() / f"{digest}-{SCHEMA}.sock")


def _short_folder() -> Path:
    """A folder of this user's own with a short path."""
    parent = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(parent) / f"postil-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"{folder} is not a folder that only you can use")
    return folder
