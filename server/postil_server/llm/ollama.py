"""A chat model of an Ollama server, through its official client."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from postil_indexers.embedding.ollama import DEFAULT_ENDPOINT
from postil_server.llm.base import Finish, Message, Options, StopSignal, Stream
from postil_server.llm.errors import (
    BadReplyError,
    ChatError,
    NotPulledError,
    NotRunningError,
    OutOfMemoryError,
    OverloadedError,
    PromptTooLongError,
    RateLimitedError,
    UnauthorisedError,
)
from postil_server.llm.remote import CONNECT_S, Deadlines, RemoteModel, truncated_note
from postil_server.llm.tokens import Correction, fewest

if TYPE_CHECKING:
    from ollama import ChatResponse, ListResponse, ProgressResponse, ResponseError, ShowResponse

_KEEP_ALIVE = "1h"  # loading a 7B model anew takes longer than most answers
_PULLING = Deadlines(first_token=60.0, whole=6 * 3_600.0)  # of a model of many gigabytes over a slow line
_SMALLEST_CONTEXT = 4_096  # Ollama's own default: another size makes it load the model anew
_SLACK = 1.25  # of a prompt over its estimate: the vocabulary that needs most, see tokens.py
_OUT_OF_MEMORY = re.compile(
    r"out of memory|more system memory|unable to allocate|failed to allocate|insufficient memory|signal: killed", re.I
)
_TOO_LONG = re.compile(r"exceed\w* .{0,40}context|context (?:length|window) exceeded|prompt is too long", re.I)


class OllamaModel(RemoteModel):
    """`context`: tokens of prompt and answer together, at most; the model's own limit may be lower."""

    provider = "ollama"
    exact = False

    def __init__(
        self, model: str, endpoint: str, *, temperature: float, context: int, deadlines: Deadlines | None = None
    ) -> None:
        import httpx
        from ollama import AsyncClient

        super().__init__(model, endpoint or DEFAULT_ENDPOINT, temperature, deadlines or Deadlines())
        self._context = context
        self._largest = _SMALLEST_CONTEXT  # never made smaller again: each change loads the model anew
        self._shown: ShowResponse | None = None
        self._correction = Correction()
        self._client = AsyncClient(
            self.endpoint,
            timeout=httpx.Timeout(None, connect=CONNECT_S),  # our own deadlines hold for the rest
            follow_redirects=False,  # an address on this machine must not send texts on to another
            trust_env=not self.local,  # nor a proxy of the environment
        )

    def window(self) -> int:
        return self.ask(self._window())

    def count(self, text: str) -> int:
        return self._correction.count(text)

    async def answer(self, messages: Sequence[Message], options: Options) -> AsyncGenerator[str | Finish, None]:
        prompt = "\n".join(message.content for message in messages)
        with self.telling():
            window, thinks = await self._window(), await self._thinks()
            guess = self.count(prompt)
            self._largest = max(self._largest, _context_for(guess * _SLACK + options.max_tokens))
            context = min(self._largest, window)
            temperature = self.temperature if options.temperature is None else options.temperature
            settings = {
                "temperature": temperature,
                "num_ctx": context,
                "num_predict": options.max_tokens,
                "stop": list(options.stop),
            }
            parts = await self._client.chat(
                self.model,
                [{"role": message.role, "content": message.content} for message in messages],
                stream=True,
                think=False if thinks else None,  # what it thinks is not shown, and takes minutes on a slow machine
                options=settings,
                keep_alive=_KEEP_ALIVE,
            )
            async with aclosing(cast("AsyncGenerator[ChatResponse, None]", parts)) as answer:
                async for part in answer:
                    if part.message.content:
                        yield part.message.content
                    if part.done:
                        yield self._finish(part, prompt, context)
                        return
            raise OverloadedError(f"Ollama at {self.endpoint} ended the answer in the middle", "ask again")

    def pull(self, signal: StopSignal) -> Stream:
        """Let the server fetch the model; how far it has got. Raises ChatError."""
        return self.streamed(self._pulled, _PULLING, signal)

    async def _pulled(self) -> AsyncGenerator[str | Finish, None]:
        with self.telling():
            steps = await self._client.pull(self.model, stream=True)
            async with aclosing(cast("AsyncGenerator[ProgressResponse, None]", steps)) as progress:
                async for step in progress:
                    part = f" {(step.completed or 0) / 1e9:.1f} of {step.total / 1e9:.1f} GB" if step.total else ""
                    yield f"{step.status}{part}"
        yield Finish("stop")

    def _finish(self, part: ChatResponse, prompt: str, context: int) -> Finish:
        read, written = part.prompt_eval_count or 0, part.eval_count or 0
        truncated = read >= context - 1 or 0 < read < fewest(prompt)
        if not truncated:
            self._correction.learn(prompt, read)
        note = truncated_note("Ollama", read) if truncated else ""
        return Finish("length" if part.done_reason == "length" else "stop", read, written, note, truncated)

    async def _show(self) -> ShowResponse:
        import ollama

        if self._shown is None:
            with self.telling():
                try:
                    self._shown = await self._client.show(self.model)
                except ollama.ResponseError as error:
                    if error.status_code != 404:
                        raise
                    raise self._not_pulled(await self._client.list()) from error
        return self._shown

    async def _window(self) -> int:
        info = (await self._show()).modelinfo or {}
        own = next((value for key, value in info.items() if key.endswith(".context_length")), self._context)
        return min(self._context, own) if isinstance(own, int) and own > 0 else self._context

    async def _thinks(self) -> bool:
        return "thinking" in ((await self._show()).capabilities or [])

    def known(self, error: Exception) -> ChatError | None:
        import httpx
        import ollama

        if isinstance(error, ollama.ResponseError):
            return self._refused(error)
        if isinstance(error, (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout)):
            return NotRunningError(f"Ollama is not running at {self.endpoint}", "run: ollama serve")
        if isinstance(error, httpx.TransportError):
            return OverloadedError(f"the connection to Ollama at {self.endpoint} was lost: {error}", "ask again")
        if isinstance(error, (ValueError, TypeError, AttributeError)):  # not JSON, or JSON of another shape
            return BadReplyError(f"what answers at {self.endpoint} is not Ollama: {error}", "correct the address")
        return None

    def _refused(self, error: ResponseError) -> ChatError:
        said, status = str(error.error), error.status_code
        where = f"Ollama at {self.endpoint}"
        if _OUT_OF_MEMORY.search(said):
            hint = "set a smaller model or a smaller context, or close what else uses the memory"
            return OutOfMemoryError(f"{self.model} does not fit into the memory of {where}: {said}", hint)
        if _TOO_LONG.search(said):
            return PromptTooLongError(f"{where} says that the prompt is too long for {self.model}: {said}")
        if status == 404:
            return self._not_pulled()
        if status in (401, 403):
            return UnauthorisedError(f"{where} refused access: {said}", "set OLLAMA_API_KEY, or run: ollama signin")
        if status == 429:
            return RateLimitedError(f"{where} limits how much may be asked: {said}", "wait a moment and ask again")
        if status >= 500 or "runner" in said:
            return OverloadedError(f"{where} failed on {self.model}: {said} (status {status})", "ask again")
        return BadReplyError(f"{where} refused {self.model}: {said} (status {status})", "is it a chat model?")

    def _not_pulled(self, listed: ListResponse | None = None) -> NotPulledError:
        others = ", ".join(sorted(each.model for each in listed.models if each.model)) if listed else ""
        hint = f"run: ollama pull {self.model}" + (f"; or set model to one that it has: {others}" if others else "")
        return NotPulledError(f"no model named {self.model} on the Ollama server at {self.endpoint}", hint)


def _context_for(tokens: float) -> int:
    """The smallest doubling that holds them, so that prompts of different lengths seldom load the model anew."""
    size = _SMALLEST_CONTEXT
    while size < tokens:
        size *= 2
    return size
