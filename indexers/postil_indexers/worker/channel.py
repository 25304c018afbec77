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
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any

from postil_indexers.platform import pipe_address, socket_family
from postil_indexers.store.version import SCHEMA

_SOCKET_PATH_BYTES = 100  # Linux takes 107, macOS 103
_LARGEST_PID = 1 << 22  # Linux's own limit
_FAMILY = socket_family()
_ANSWER_S = 5.0  # for a worker to begin to speak: a thread of its own does that, however busy it is
_MAX_BYTES = 16 << 20  # of a frame; what is larger is no message of ours

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a worker listens."""

    address: str
    key: str  # hexadecimal
    pid: int


def open_listener(folder: Path) -> tuple[Listener, bytes]:
    """Listen, and publish where and with which key. Only the holder of the writer's lock calls this.

    What is accepted is not authenticated yet: that waits for the other side, and goes on in a thread of its own.
    """
    address, key = _address(folder), secrets.token_bytes(16)
    listener = Listener(address, _FAMILY, backlog=32)
    contact = Contact(address, key.hex(), os.getpid())
    file = contact_file(folder)
    part = file.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_text(json.dumps(asdict(contact)), encoding="utf-8")
    part.replace(file)
    return listener, key


def withdraw(folder: Path, key: bytes) -> None:
    """Take back what was published. Where the folder was deleted, what lies there now is another worker's."""
    file = contact_file(folder)
    try:
        if json.loads(file.read_text(encoding="utf-8"))["key"] == key.hex():
            file.unlink()
    except (OSError, ValueError, KeyError, TypeError):
        return


def authenticate(connection: Connection, key: bytes) -> None:
    """The worker's side. Raises OSError, EOFError or AuthenticationError where the other side has not the key."""
    deliver_challenge(connection, key)
    answer_challenge(connection, key)


def connect(folder: Path) -> Connection | None:
    """A connection to the worker of an index, or None where none answers."""
    try:
        contact = Contact(**json.loads(contact_file(folder).read_text(encoding="utf-8")))
        connection = Client(contact.address, _FAMILY)
    except (OSError, ValueError, TypeError):
        return None  # no worker, or the file of one that was killed
    try:
        if connection.poll(_ANSWER_S):  # one that is just going accepts nobody, and the system lets us wait for ever
            answer_challenge(connection, bytes.fromhex(contact.key))
            deliver_challenge(connection, bytes.fromhex(contact.key))
            return connection
    except (OSError, EOFError, ValueError, AuthenticationError):
        pass  # it went meanwhile, or is not ours
    connection.close()
    return None


def wake(address: str | bytes | tuple[str, int]) -> None:
    """Let whoever accepts at an address go on: nothing is said or waited for."""
    try:
        Client(address, _FAMILY).close()
    except OSError:
        return  # nobody accepts any more


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
    """A new one: where the folder was deleted, its former worker still takes away its own when it ends."""
    pipe = pipe_address(f"postil-{folder.name}-{SCHEMA}-{os.getpid()}")
    if pipe is not None:
        return pipe
    parent, name = folder, f"worker-{SCHEMA}"
    if len(os.fsencode(folder / f"{name}-{_LARGEST_PID}.sock")) > _SOCKET_PATH_BYTES:
        parent = _short_folder()
        name = f"{hashlib.blake2b(os.fsencode(folder), digest_size=8).hexdigest()}-{SCHEMA}"
    for killed in parent.glob(f"{name}-*.sock"):
        killed.unlink(missing_ok=True)  # its worker was
    return str(parent / f"{name}-{os.getpid()}.sock")


def _short_folder() -> Path:
    """A folder of this user's own with a short path."""
    parent = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(parent) / f"postil-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"{folder} is not a folder that only you can use")
    return folder
