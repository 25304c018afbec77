"""Answers that are being made: what is told of each as it comes, and how it is stopped."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from postil_server.lsp.calls import WrongArgumentError
from postil_server.lsp.lane import Lane, Token

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk

METHOD = "postil/answer"  # the notification of one event

Tell = Callable[[dict[str, Any]], None]
Work = Callable[["Desk", Tell, Token], dict[str, Any]]


class Streams:
    """`notify` sends a notification; it is called in the event loop."""

    def __init__(self, lane: Lane, notify: Callable[[str, dict[str, Any]], object]) -> None:
        self._lane = lane
        self._notify = notify
        self._running: dict[str | int, Token] = {}

    async def run(self, stream: str | int | None, work: Work) -> dict[str, Any]:
        """What `work` returns, its events told under the client's name for them; nothing is told without one.

        Raises WrongArgumentError where that name is in use.
        """
        if stream in self._running:
            raise WrongArgumentError("stream is the name of an answer that is still being made")
        name: str | int = uuid.uuid4().hex if stream is None else stream
        loop, token, told = asyncio.get_running_loop(), Token(), 0

        def send(event: dict[str, Any]) -> None:
            nonlocal told
            if not token.cancelled:
                self._notify(METHOD, {"stream": name, "seq": told, **event})
                told += 1

        def tell(event: dict[str, Any]) -> None:
            if stream is not None:
                loop.call_soon_threadsafe(send, event)

        self._running[name] = token
        try:
            return await self._lane.run(lambda desk: work(desk, tell, token), token)
        finally:
            del self._running[name]

    def cancel(self, stream: str | int) -> bool:
        """Whether there was such an answer to stop."""
        token = self._running.get(stream)
        if token is not None:
            token.cancel()
        return token is not None
