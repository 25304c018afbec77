"""A chat model behind an OpenAI-compatible address (llama.cpp, LM Studio, vLLM, a cloud), by the official client."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from postil_server.llm.base import Finish, Message, Options, Reason
from postil_server.llm.errors import (
    BadReplyError,
    ChatError,
    LoadingError,
    ModelSetupError,
    NotPulledError,
    NotRunningError,
    OutOfMemoryError,
    OverloadedError,
    PromptTooLongError,
    QuotaError,
    RateLimitedError,
    UnauthorisedError,
)
from postil_server.llm.keys import api_key
from postil_server.llm.remote import CONNECT_S, LLAMACPP_EXTRAS, Deadlines, RemoteModel, truncated_note
from postil_server.llm.tokens import Correction, fewest

if TYPE_CHECKING:
    from openai import APIStatusError, BadRequestError

# OpenAI and vLLM: "maximum context length is 8192 tokens"; llama.cpp: "exceeds the available context size"
_TOO_LONG = re.compile(r"context.?length|context size|context window|too long|maximum .{0,30}tokens", re.I)
_OUT_OF_MEMORY = re.compile(r"out of memory|insufficient memory|(?:failed|unable) to allocate", re.I)
_ADDRESS = "correct the address; it usually ends in /v1"
_PROBE_S = 2.0  # to tell llama.cpp from others


class OpenAIModel(RemoteModel):
    """`context`: tokens of prompt and answer together, at most, where the server does not say less."""

    provider = "openai"

    def __init__(
        self,
        model: str,
        endpoint: str,
        *,
        temperature: float,
        context: int,
        key_variable: str = "",
        deadlines: Deadlines | None = None,
    ) -> None:
        try:
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout
        except ModuleNotFoundError as error:
            raise ModelSetupError("the OpenAI client is not installed", "run: pip install 'postil[openai]'") from error
        endpoint = endpoint if "//" in endpoint else f"http://{endpoint}"
        super().__init__(model, endpoint, temperature, deadlines or Deadlines())
        self._context = context
        self._key_variable = key_variable
        self._correction = Correction()
        self._refuses: set[str] = set()  # parameters that this model does not take
        self._llamacpp: tuple[str, int] | None = None  # once asked, what `_server` gives
        timeout = Timeout(None, connect=CONNECT_S)  # our own deadlines hold for the rest
        # an address on this machine must not send texts on to another, by a redirect or through a proxy
        http = DefaultAsyncHttpxClient(follow_redirects=False, trust_env=not self.local, timeout=timeout)
        key = api_key(key_variable, endpoint) or "none"  # the client wants one; local servers do not read it
        self._client = AsyncOpenAI(api_key=key, base_url=endpoint, timeout=timeout, max_retries=0, http_client=http)

    @property
    def exact(self) -> bool:
        return bool(self.ask(self._server())[0])

    def window(self) -> int:
        return self.ask(self._server())[1]

    def count(self, text: str) -> int:
        return self.ask(self._count(text))

    async def answer(self, messages: Sequence[Message], options: Options) -> AsyncGenerator[str | Finish, None]:
        import openai

        with self.telling():
            await self._server()
            while True:
                try:
                    parts = await self._client.chat.completions.create(**self._request(messages, options))
                    break
                except openai.BadRequestError as error:
                    if not self._learned(error):
                        raise
            reason, read, written, events, ended = "", 0, 0, 0, False
            async with parts:
                async for part in parts:
                    events += 1
                    for choice in part.choices[:1]:
                        if choice.delta and choice.delta.content:
                            yield choice.delta.content
                        reason = choice.finish_reason or reason
                    if part.usage:
                        read, written = part.usage.prompt_tokens, part.usage.completion_tokens
                        ended = True
            if not events:
                raise BadReplyError(f"what answers at {self.endpoint} does not speak the chat API", _ADDRESS)
            if not reason and not ended:
                raise OverloadedError(f"{self.endpoint} ended the answer in the middle", "ask again")
            yield self._finish("\n".join(message.content for message in messages), reason, read, written)

    def _request(self, messages: Sequence[Message], options: Options) -> dict[str, Any]:
        limit = "max_completion_tokens" if "max_tokens" in self._refuses else "max_tokens"
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": self.temperature if options.temperature is None else options.temperature,
            "stop": list(options.stop) or None,
            limit: options.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self._llamacpp and self._llamacpp[0]:
            asked["extra_body"] = LLAMACPP_EXTRAS
        return {name: value for name, value in asked.items() if value is not None and name not in self._refuses}

    def _learned(self, error: BadRequestError) -> bool:
        """Whether the request can be sent again without something that newer models of the API refuse."""
        for name in ("max_tokens", "temperature", "stop", "stream_options"):
            if name not in self._refuses and (error.param == name or f"'{name}'" in error.message):
                self._refuses.add(name)
                return True
        return False

    def _finish(self, prompt: str, reason: str, read: int, written: int) -> Finish:
        if reason == "content_filter":
            return Finish("cut", read, written, "a filter of the endpoint withheld the rest")
        ended: Reason = "length" if reason == "length" else "stop"
        if 0 < read < fewest(prompt):
            return Finish(ended, read, written, truncated_note(self.endpoint, read), truncated=True)
        self._correction.learn(prompt, read)
        return Finish(ended, read, written)

    async def _count(self, text: str) -> int:
        address, _ = await self._server()
        if not address:
            return self._correction.count(text)
        body = {"content": text, "add_special": False, "parse_special": False}
        with self.telling():
            reply = await self._client.post(f"{address}/tokenize", body=body, cast_to=object)
        tokens = reply.get("tokens") if isinstance(reply, dict) else None
        if not isinstance(tokens, list):
            raise BadReplyError(f"{address}/tokenize gave no tokens")
        return len(tokens)

    async def _server(self) -> tuple[str, int]:
        """(address of llama.cpp's own API, or "" where it is another server; tokens that fit)."""
        if self._llamacpp is None:
            parts = urlsplit(self.endpoint)
            address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/v1')}"
            settings = (await self._props(address)).get("default_generation_settings")
            size = settings.get("n_ctx") if isinstance(settings, dict) else None
            is_llamacpp = isinstance(size, int) and size > 0
            self._llamacpp = (address, min(size or 0, self._context)) if is_llamacpp else ("", self._context)
        return self._llamacpp

    async def _props(self, address: str) -> dict[str, Any]:
        """What llama.cpp tells of itself; nothing of other servers, which refuse the question or ignore it."""
        import openai

        with self.telling():
            try:
                props = await self._client.get(f"{address}/props", cast_to=object, options={"timeout": _PROBE_S})
            except openai.APIStatusError as error:
                if error.status_code == 503:  # still loading
                    raise
                return {}
            except openai.APIConnectionError as error:
                if not isinstance(error, openai.APITimeoutError):
                    raise
                return {}
        return props if isinstance(props, dict) else {}

    def known(self, error: Exception) -> ChatError | None:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._refused(error)
        if isinstance(error, openai.APIConnectionError):
            if isinstance(error, openai.APITimeoutError) or _is_connect_error(error.__cause__):
                hint = "start the server, or correct its address"
                return NotRunningError(f"nothing answers at {self.endpoint}", hint)
            return OverloadedError(f"the connection to {self.endpoint} was lost: {error.__cause__}", "ask again")
        if isinstance(error, openai.APIError):  # an error in the middle of an answer
            return self._by_text(error.message) or BadReplyError(f"{self.endpoint} broke off: {error.message}")
        if isinstance(error, (ValueError, TypeError, AttributeError, openai.OpenAIError)):
            said = f"what answers at {self.endpoint} does not speak the chat API: {error}"
            return BadReplyError(said, _ADDRESS)
        return None

    def _refused(self, error: APIStatusError) -> ChatError:
        said, status = error.message, error.status_code
        if status in (401, 403):
            hint = f"put the right key into {self._key_variable}, or into the keyring of the system"
            return UnauthorisedError(f"{self.endpoint} refused access: {said}", hint)
        if status == 429 and error.code == "insufficient_quota":
            return QuotaError(f"the account at {self.endpoint} has nothing left: {said}", "see its billing page")
        if status == 429:
            wait_s = _seconds(error.response.headers.get("retry-after", ""))
            hint = "wait a moment and ask again"
            return RateLimitedError(f"{self.endpoint} limits how much may be asked: {said}", hint, wait_s)
        if status == 503 and "loading" in said.lower():
            return LoadingError(f"{self.endpoint} is still loading {self.model}", "ask again in a moment")
        if status == 404:
            hint = f"name one of its models, or {_ADDRESS}"
            return NotPulledError(f"{self.endpoint} has no model named {self.model}: {said}", hint)
        if known := self._by_text(said):
            return known
        if status >= 500:
            return OverloadedError(f"{self.endpoint} failed on {self.model}: {said} (status {status})", "ask again")
        return BadReplyError(f"{self.endpoint} refused {self.model}: {said} (status {status})", "is it a chat model?")

    def _by_text(self, said: str) -> ChatError | None:
        if _OUT_OF_MEMORY.search(said):
            hint = "set a smaller model or a smaller context, or close what else uses the memory"
            return OutOfMemoryError(f"{self.model} does not fit into the memory of {self.endpoint}: {said}", hint)
        if _TOO_LONG.search(said):
            hint = "lower context in the settings to what the server gives the model"
            return PromptTooLongError(f"{self.endpoint} says that the prompt is too long: {said}", hint)
        return None


def _is_connect_error(error: BaseException | None) -> bool:
    """By name: versions of the client have different HTTP libraries below them."""
    return error is not None and type(error).__name__ in ("ConnectError", "ConnectTimeout")


def _seconds(header: str) -> float:
    """Of a Retry-After; its other form, a date, counts as unknown."""
    try:
        return max(0.0, float(header))
    except ValueError:
        return 0.0
