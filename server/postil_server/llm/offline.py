"""A model that is not asked: for looking at a prompt while its server does not run."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence

from postil_server.llm.base import Finish, Message, Options, StopSignal, Stream
from postil_server.llm.errors import NotRunningError
from postil_server.llm.tokens import estimated


class OfflineModel:
    """It has the window that the settings give it, and counts by estimate."""

    exact = False

    def __init__(self, name: str, endpoint: str, local: bool, context: int) -> None:
        self.name = name
        self.endpoint = endpoint
        self.local = local
        self._context = context

    def window(self) -> int:
        return self._context

    def count(self, text: str) -> int:
        return math.ceil(estimated(text))

    def stream(self, messages: Sequence[Message], options: Options, signal: StopSignal) -> Stream:
        return Stream(self._pieces())

    def _pieces(self) -> Generator[str, None, Finish]:
        yield from ()
        raise NotRunningError(f"{self.name} is only looked at", "start its server")
