"""What every chat model does, whatever serves it: count, stream, stop.

signal = StopSignal()                       # any thread may call signal.interrupt()
stream = model.stream(messages, Options(view="editor 1"), signal)
for piece in stream: ...                    # text as it comes; a ChatError before the first piece only
stream.finish.reason                        # "stop" | "length" | "stopped" | "cut"
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant"]
Reason = Literal["stop", "length", "stopped", "cut"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Options:
    """How one answer is made. `view` names the place it is for: a newer request of a view replaces its older one."""

    max_tokens: int = 700
    temperature: float | None = None  # None is what the settings say
    stop: tuple[str, ...] = ()  # texts at which the answer ends
    view: str = ""  # "" replaces nothing and is replaced by nothing


@dataclass(frozen=True, slots=True)
class Finish:
    """How a stream ended. What came before a cut is kept; `note` says why there is no more."""

    reason: Reason  # complete; max_tokens reached; interrupted; connection lost or deadline passed after some text
    prompt_tokens: int = 0  # as the model counted them; 0 where it does not tell
    answer_tokens: int = 0
    note: str = ""
    truncated: bool = False  # the server dropped a part of the prompt; `note` says so, with the way out


class StopSignal:
    """Stops what one request does, from any thread, before it begins or in the middle. It stays stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self._stopped = False

    @property
    def stopped(self) -> bool:
        return self._stopped

    def interrupt(self) -> None:
        with self._lock:
            self._stopped = True
            stops = list(self._stops)
        for stop in stops:
            stop()

    @contextmanager
    def calling(self, stop: Callable[[], None]) -> Iterator[None]:
        """While inside, an interrupt calls `stop`, in the thread that interrupts; at once where it came before."""
        with self._lock:
            self._stops.append(stop)
            late = self._stopped
        if late:
            stop()
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)


class Stream:
    """The pieces of one answer, read once. `finish` is there when they are at their end."""

    def __init__(self, pieces: Generator[str, None, Finish]) -> None:
        self._pieces = pieces
        self._finish: Finish | None = None

    def __iter__(self) -> Iterator[str]:
        self._finish = yield from self._pieces

    @property
    def finish(self) -> Finish:
        """A stream whose reader went away in the middle was stopped."""
        return self._finish or Finish("stopped")

    def text(self) -> str:
        """All of it. Raises ChatError."""
        return "".join(self)


class ChatModel(Protocol):
    """One model. Its methods may be called from any thread; each may raise a ChatError."""

    @property
    def name(self) -> str:
        """As it is shown and as it enters cache keys: "ollama:qwen2.5:7b"."""
        ...

    @property
    def endpoint(self) -> str:
        """The address that prompts go to; "" where the model runs in this process."""
        ...

    @property
    def local(self) -> bool:
        """Whether prompts stay on this machine."""
        ...

    @property
    def exact(self) -> bool:
        """Whether `count` asks the model's own tokenizer; otherwise it estimates, rather too high than too low."""
        ...

    def window(self) -> int:
        """Tokens that prompt and answer may have together."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text."""
        ...

    def stream(self, messages: Sequence[Message], options: Options, signal: StopSignal) -> Stream:
        """Nothing is sent before the first piece is asked for. Interrupting `signal` stops the model itself."""
        ...
