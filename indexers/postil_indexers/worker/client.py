"""Talking to the worker of an index from a server, a command or a test."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import postil_indexers
from postil_indexers.errors import IndexBusyError, PostilError, error_of
from postil_indexers.worker.channel import Message, connect, receive, send

_START_S = 20.0  # for a process to start on a busy machine and say where it listens
_POLL_S = 0.05

T = TypeVar("T")


class WorkerClient:
    """One connection; one request at a time. Raises WorkerGoneError where the worker ends in the middle."""

    def __init__(self, connection: Connection, greeting: Message) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.greeting = greeting  # {"version", "pid", "root"}

    def request(self, do: str, on_progress: Callable[[Message], None] | None = None, **values: object) -> Message:
        """What the worker answers. Raises PostilError with its words."""
        with self._lock:
            try:
                send(self._connection, {"do": do, **values})
            except OSError as error:
                raise WorkerGoneError from error
            while (message := receive(self._connection)) is not None:
                if "progress" in message:
                    if on_progress is not None:
                        on_progress(message["progress"])
                elif "error" in message:
                    raise error_of(message["error"])
                else:
                    done: Message = message["done"]
                    return done
            raise WorkerGoneError

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> WorkerClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class WorkerGoneError(PostilError):
    """The worker ended before it answered; another can be started."""

    code = "worker_gone"

    def __init__(
        self, message: str = "the process that writes the index ended", hint: str = "run the command again"
    ) -> None:
        super().__init__(message, hint)


def call_worker(folder: Path, *, attach: bool = False) -> WorkerClient | None:
    """A client of the running worker, or None. An older worker than we are is told to go, and None comes of it.

    `attach`: the worker stays while this client is connected.
    """
    connection = connect(folder)
    if connection is None:
        return None
    greeting = receive(connection)
    if greeting is not None:
        try:
            send(connection, {"version": postil_indexers.__version__, "attach": attach})
        except OSError:
            greeting = None
    answer = receive(connection) if greeting is not None else None
    if greeting is None or answer is None or answer.get("done", {}).get("leaving"):
        connection.close()
        return None
    return WorkerClient(connection, greeting)


def join_worker(folder: Path, start: Callable[[], object]) -> WorkerClient:
    """Attach to the worker of an index, starting one where none runs. Raises IndexBusyError where none can be had.

    Of several that are started at once one gets the lock and the others end; all clients find that one. The worker of
    another version that is just going holds the lock for a moment longer, so starting is tried until it is time.
    """
    started = -math.inf

    def attempt() -> WorkerClient:
        nonlocal started
        client = call_worker(folder, attach=True)
        if client is not None:
            return client
        if time.monotonic() - started > _START_S / 4:
            start()
            started = time.monotonic()
        raise IndexBusyError(
            "the process that writes the index doesn't start",
            f"look into {folder / 'worker.log'}, or run: postil doctor",
        )

    return patiently(attempt)


def patiently(attempt: Callable[[], T]) -> T:
    """What `attempt` returns, made again while it meets a worker that just starts or ends. Raises its last error."""
    until = time.monotonic() + _START_S
    while True:
        try:
            return attempt()
        except (WorkerGoneError, IndexBusyError):
            if time.monotonic() > until:
                raise
            time.sleep(_POLL_S)
