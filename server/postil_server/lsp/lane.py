"""Threads that read the index for requests, and how a request is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk

T = TypeVar("T")


class DroppedError(Exception):
    """The request was cancelled, or a newer one took its place."""


class Stoppable(Protocol):
    def interrupt(self) -> None: ...


class Token:
    """Belongs to one request. Cancelling it stops the statement that runs for it and lets no other begin."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: list[Stoppable] = []
        self.cancelled = False

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            for connection in self._held:
                connection.interrupt()

    def hold(self, connection: Stoppable) -> None:
        """The request uses this connection until `release`. Raises DroppedError where it is cancelled already."""
        with self._lock:
            if self.cancelled:
                raise DroppedError
            self._held.append(connection)

    def release(self) -> None:
        with self._lock:
            self._held.clear()


class Lane:
    """A few threads, each with a desk of its own, made in it. `roots`: the folders that are open now."""

    def __init__(self, make_desk: Callable[[], Desk], threads: int, roots: Callable[[], frozenset[str]]) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="reader")
        self._make_desk = make_desk
        self._roots = roots
        self._own = threading.local()

    async def run(self, task: Callable[[Desk], T], token: Token | None = None) -> T:
        """What `task` returns. Cancelled, it stops in the middle. Raises DroppedError where the token was cancelled."""
        token = token or Token()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._work, task, token)
        except asyncio.CancelledError:
            token.cancel()
            raise

    def _work(self, task: Callable[[Desk], T], token: Token) -> T:
        if token.cancelled:
            raise DroppedError
        desk: Desk | None = getattr(self._own, "desk", None)
        if desk is None:
            desk = self._own.desk = self._make_desk()
        with desk.serving(token, self._roots()):
            return task(desk)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
