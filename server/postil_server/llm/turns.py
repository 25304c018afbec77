"""Who may use a model: a few at a time, in the order they came; of one view the newest takes the place of others."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from postil_server.llm.base import ChatModel, Finish, Message, Options, StopSignal, Stream


class Turns:
    """`places`: how many may be served at once."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._changed = threading.Condition()
        self._line: list[tuple[str, StopSignal]] = []  # those in front are served

    @contextmanager
    def turn(self, view: str, signal: StopSignal) -> Iterator[bool]:
        """Wait for a place. Gives False where `signal` was interrupted before there was one."""
        mine = (view, signal)
        with self._changed:
            older = [other for name, other in self._line if view and name == view and other is not signal]
            self._line.append(mine)
        for each in older:
            each.interrupt()
        try:
            with signal.calling(self._wake), self._changed:
                self._changed.wait_for(lambda: signal.stopped or self._is_served(mine))
            yield not signal.stopped
        finally:
            with self._changed:
                self._line.remove(mine)
                self._changed.notify_all()

    def ahead(self) -> int:
        """How many must end before a new one is served."""
        with self._changed:
            return max(0, len(self._line) - self._places + 1)

    def _is_served(self, mine: tuple[str, StopSignal]) -> bool:
        return any(each is mine for each in self._line[: self._places])

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


class QueuedModel:
    """A model whose streams wait for their turn."""

    def __init__(self, model: ChatModel, turns: Turns) -> None:
        self._model = model
        self._turns = turns
        self.name = model.name
        self.endpoint = model.endpoint
        self.local = model.local

    @property
    def exact(self) -> bool:
        return self._model.exact

    def ahead(self) -> int:
        return self._turns.ahead()

    def window(self) -> int:
        return self._model.window()

    def count(self, text: str) -> int:
        return self._model.count(text)

    def stream(self, messages: Sequence[Message], options: Options, signal: StopSignal) -> Stream:
        return Stream(self._pieces(messages, options, signal))

    def _pieces(
        self, messages: Sequence[Message], options: Options, signal: StopSignal
    ) -> Generator[str, None, Finish]:
        with self._turns.turn(options.view, signal) as mine:
            if not mine:
                return Finish("stopped")
            stream = self._model.stream(messages, options, signal)
            yield from stream
            return stream.finish
