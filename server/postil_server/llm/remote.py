"""A model behind HTTP: its requests run on an event loop, so that stopping closes the connection at any moment.

Closing the connection is what stops the model: Ollama and llama.cpp end an answer that nobody reads. A thread that
waits for the first byte of an answer could not be made to close it; a task that waits is cancelled at once.
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from postil_indexers.embedding.endpoint import is_loopback
from postil_server.llm.base import Finish, Message, Options, StopSignal, Stream
from postil_server.llm.errors import ChatError, RateLimitedError, TimedOutError

T = TypeVar("T")

LLAMACPP_EXTRAS: dict[str, Any] = {
    "return_progress": True,  # an event a batch of the prompt: a server sees who left only when it sends
    "chat_template_kwargs": {"enable_thinking": False},  # what it thinks is not shown, and takes minutes
}

CONNECT_S = 5.0  # a machine in the same network answers in milliseconds, a far one in less than a second
_ASK_S = 10.0  # for what a server knows without running the model
_FIRST_WAIT_S = 0.5  # before the second try, then twice as long each time
_LONGEST_WAIT_S = 4.0
_LONGEST_ASKED_WAIT_S = 20.0  # an endpoint that asks for longer is not waited for: the user decides


@dataclass(frozen=True, slots=True)
class Deadlines:
    """In seconds from the request on: `first_token` covers loading the model and reading the prompt, `whole` all."""

    first_token: float = 120.0
    whole: float = 600.0


Work = Callable[[], AsyncGenerator[str | Finish, None]]


class RemoteModel(ABC):
    """What is common to clients: deadlines, retries, stopping."""

    provider = ""

    def __init__(self, model: str, endpoint: str, temperature: float, deadlines: Deadlines) -> None:
        self.model = model
        self.endpoint = endpoint
        self.local = is_loopback(endpoint)
        self.temperature = temperature
        self._deadlines = deadlines
        self._loop = _LoopThread()

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @abstractmethod
    def answer(self, messages: Sequence[Message], options: Options) -> AsyncGenerator[str | Finish, None]:
        """One request: pieces, then how it finished. Closing it closes the connection. Raises ChatError."""

    @abstractmethod
    def known(self, error: Exception) -> ChatError | None:
        """What an error of the client means; None for a fault of ours."""

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Errors of the client as ours."""
        try:
            yield
        except ChatError:
            raise
        except Exception as error:
            known = self.known(error)
            if known is None:
                raise
            raise known from error

    def stream(self, messages: Sequence[Message], options: Options, signal: StopSignal) -> Stream:
        return self.streamed(lambda: self.answer(messages, options), self._deadlines, signal)

    def streamed(self, work: Work, deadlines: Deadlines, signal: StopSignal) -> Stream:
        """What `work` gives, made anew where it failed and may be tried again."""
        return Stream(self._pieces(work, deadlines, signal))

    def ask(self, question: Coroutine[Any, Any, T]) -> T:
        """What the server tells about itself. Raises ChatError."""

        async def asked() -> T:
            try:
                async with asyncio.timeout(_ASK_S):
                    return await question
            except TimeoutError as error:
                raise TimedOutError(f"{self.endpoint} did not answer within {_ASK_S:g} s") from error

        return self._loop.start(asked()).result()

    def _pieces(self, work: Work, deadlines: Deadlines, signal: StopSignal) -> Generator[str, None, Finish]:
        if signal.stopped:
            return Finish("stopped")
        inbox: SimpleQueue[str | Finish | BaseException] = SimpleQueue()
        task = self._loop.start(self._pump(work, deadlines, inbox.put))

        def stop() -> None:
            task.cancel()
            inbox.put(Finish("stopped"))

        try:
            with signal.calling(stop):
                while isinstance(item := inbox.get(), str):
                    yield item
            if isinstance(item, BaseException):
                raise item
            return item
        finally:
            task.cancel()  # the reader may have gone away in the middle

    async def _pump(
        self, work: Work, deadlines: Deadlines, put: Callable[[str | Finish | BaseException], None]
    ) -> None:
        """Hand on what comes. Whatever happens, something other than a piece is put at the end."""
        started = asyncio.get_running_loop().time()
        came = False
        try:
            async with asyncio.timeout_at(started + deadlines.first_token) as deadline:
                async for piece in _tried(work):
                    if isinstance(piece, str) and not came:
                        came = True
                        deadline.reschedule(started + deadlines.whole)
                    put(piece)
        except TimeoutError:
            put(self._late(came, deadlines))
        except ChatError as error:
            put(Finish("cut", note=_said(error)) if came else error)
        except Exception as error:
            put(error)  # a fault of ours: raised where the stream is read

    def _late(self, came: bool, deadlines: Deadlines) -> Finish | TimedOutError:
        if came:
            return Finish("cut", note=f"{self.name} was not done within {deadlines.whole:g} s")
        first = f"no first token within {deadlines.first_token:g} s"
        return TimedOutError(
            f"{self.name} at {self.endpoint} is reached, but gave {first}",
            "it may still be loading; where the machine is too slow for it, set a smaller model or a longer deadline",
        )


async def _tried(work: Work) -> AsyncGenerator[str | Finish, None]:
    """What it gives, asked for again where nothing of it came and the reason may pass."""
    tried, wait, came = 0, _FIRST_WAIT_S, False
    while True:
        try:
            async with aclosing(work()) as pieces:
                async for piece in pieces:
                    came = True
                    yield piece
            return
        except ChatError as error:
            tried += 1
            asked = error.wait_s if isinstance(error, RateLimitedError) else 0.0
            if came or tried >= error.tries or asked > _LONGEST_ASKED_WAIT_S:
                raise
        await asyncio.sleep(max(wait, asked))
        wait = min(2 * wait, _LONGEST_WAIT_S)


def truncated_note(who: str, read: int) -> str:
    """What is said of an answer to a prompt of which the server dropped a part."""
    return (
        f"{who} read only {read} tokens of a longer prompt: a part of the sources is missing; raise the context of the "
        "server, or lower context in the settings to it"
    )


def _said(error: ChatError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message


class _LoopThread:
    """An event loop in a thread of its own, from the first use on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """A future of `work`, whose cancelling cancels it. Any thread may wait for it."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="chat", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)
