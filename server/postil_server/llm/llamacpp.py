"""A GGUF file in this process, through xllamacpp."""

from __future__ import annotations

import atexit
import http.client
import json
import os
import secrets
import threading
import time
from collections.abc import Generator, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psutil

from postil_server.llm.base import Finish, Message, Options, StopSignal, Stream
from postil_server.llm.errors import (
    BadReplyError,
    ModelSetupError,
    OutOfMemoryError,
    PromptTooLongError,
    TimedOutError,
)
from postil_server.llm.remote import LLAMACPP_EXTRAS, Deadlines

if TYPE_CHECKING:
    from xllamacpp import Server

_IDLE_S = 3_600  # after which the weights leave the memory; loading them anew takes seconds
_BATCH = 128  # tokens of a prompt read at once: between two batches a request can be stopped
_ENDING_S = 3.0  # that the end of this process waits for an answer that is under way to stop

Item = dict[str, Any] | Finish | Exception | None


class LlamaCppModel:
    """`context`: tokens of prompt and answer together, at most. The weights are loaded at the first use."""

    endpoint = ""
    local = True
    exact = True

    def __init__(
        self, path: str, *, temperature: float, context: int, deadlines: Deadlines | None = None, threads: int = 0
    ) -> None:
        """`threads`: 0 is all processors but one, which is left to the editor."""
        self.path = os.path.expanduser(path)
        self.name = f"llamacpp:{os.path.basename(self.path)}"
        self._temperature = temperature
        self._context = context
        self._deadlines = deadlines or Deadlines()
        self._threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self.key = secrets.token_urlsafe()
        self._loading = threading.Lock()
        self._server: Server | None = None
        self._window = 0
        self._running: dict[threading.Thread, StopSignal] = {}

    @property
    def address(self) -> str:
        """Of the HTTP server that it can't do without; `key` opens it."""
        return str(self._loaded().listening_address)

    def window(self) -> int:
        if not self._window:
            models = self._post("/v1/models", {}).get("data") or [{}]
            trained = (models[0].get("meta") or {}).get("n_ctx_train") or self._context
            self._window = min(self._context, trained)
        return self._window

    def count(self, text: str) -> int:
        tokens = self._post("/tokenize", {"content": text, "add_special": False, "parse_special": False}).get("tokens")
        if not isinstance(tokens, list):
            raise BadReplyError(f"{self.name} gave no tokens")
        return len(tokens)

    def stream(self, messages: Sequence[Message], options: Options, signal: StopSignal) -> Stream:
        return Stream(self._pieces(messages, options, signal))

    def _pieces(
        self, messages: Sequence[Message], options: Options, signal: StopSignal
    ) -> Generator[str, None, Finish]:
        inbox: SimpleQueue[Item] = SimpleQueue()
        started = time.monotonic()
        server = self._loaded()
        ended = StopSignal()  # for this request alone: the caller's may serve others after it

        def take(event: dict[str, Any]) -> bool:
            inbox.put(event)
            return ended.stopped  # which ends the answer

        def work() -> None:
            try:
                server.handle_chat_completions(self._request(messages, options), take)
                inbox.put(None)
            except Exception as error:
                inbox.put(error)
            finally:
                self._running.pop(thread)

        def stop() -> None:
            ended.interrupt()
            inbox.put(Finish("stopped"))

        thread = threading.Thread(target=work, name="chat", daemon=True)
        self._running[thread] = ended
        thread.start()
        try:
            with signal.calling(stop):
                return (yield from self._read(inbox, started))
        finally:
            ended.interrupt()

    def _read(self, inbox: SimpleQueue[Item], started: float) -> Generator[str, None, Finish]:
        came, reason, limit = False, "", started + self._deadlines.first_token
        usage: dict[str, int] = {}
        while True:
            try:
                item = inbox.get(timeout=max(0.0, limit - time.monotonic()))
            except Empty:
                return self._late(came)
            if isinstance(item, Finish):
                return item
            if isinstance(item, Exception):
                raise item
            if item is None:
                read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
                return Finish("length" if reason == "length" else "stop", read, written)
            if "error" in item:
                raise self._refused(item["error"])
            usage = item.get("usage") or usage
            for choice in item["choices"][:1]:
                reason = choice["finish_reason"] or reason
                if text := choice["delta"].get("content"):
                    came, limit = True, started + self._deadlines.whole
                    yield text

    def _request(self, messages: Sequence[Message], options: Options) -> dict[str, Any]:
        return {
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": self._temperature if options.temperature is None else options.temperature,
            "max_tokens": options.max_tokens,
            "stop": list(options.stop),
            "stream": True,
            "stream_options": {"include_usage": True},
            **LLAMACPP_EXTRAS,
        }

    def _late(self, came: bool) -> Finish:
        if came:
            return Finish("cut", note=f"{self.name} was not done within {self._deadlines.whole:g} s")
        raise TimedOutError(
            f"{self.name} works, but gave no first token within {self._deadlines.first_token:g} s",
            "set a smaller model or a longer deadline",
        )

    def _refused(self, error: dict[str, Any]) -> Exception:
        said = str(error.get("message"))
        if error.get("type") == "exceed_context_size_error":
            return PromptTooLongError(
                f"the prompt is too long for {self.name}: {said}", "raise context in the settings"
            )
        return BadReplyError(f"{self.name} failed: {said}")

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What only its HTTP server tells."""
        address = urlsplit(self.address)
        connection = http.client.HTTPConnection(
            address.hostname or "", address.port, timeout=self._deadlines.first_token
        )
        try:
            headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
            connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, headers)
            reply = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise BadReplyError(f"{self.name} failed: {error}") from error
        finally:
            connection.close()
        return reply if isinstance(reply, dict) else {}

    def _loaded(self) -> Server:
        with self._loading:
            if self._server is None:
                self._server = self._load()
                atexit.register(self.close)  # its threads must not call back into an interpreter that is gone
            return self._server

    def _load(self) -> Server:
        try:
            import xllamacpp
        except ModuleNotFoundError as error:
            raise ModelSetupError("xllamacpp is not installed", "run: pip install 'postil[llamacpp]'") from error
        if not os.path.isfile(self.path):
            raise ModelSetupError(f"there is no file {self.path}", "set model to the path of a GGUF file")
        size, free = os.path.getsize(self.path), psutil.virtual_memory().available
        if size > free:
            need = f"{size / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free"
            hint = "set a smaller model, or close what else uses the memory"
            raise OutOfMemoryError(f"{self.name} needs {need}", hint)
        params = xllamacpp.CommonParams()
        params.model.path = self.path
        params.n_ctx = self._context
        params.n_parallel = 1
        params.n_batch = params.n_ubatch = _BATCH
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.sleep_idle_seconds = _IDLE_S
        params.warmup = False
        params.verbosity = -1
        params.port = 0  # a free one
        params.api_keys = [self.key]
        params.ui = False
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise ModelSetupError(f"{self.path} can't be loaded", "is it a whole GGUF file of a chat model?") from error

    def close(self) -> None:
        """Stop what runs and give the memory back."""
        for thread, ended in list(self._running.items()):
            ended.interrupt()
            thread.join(_ENDING_S)
        self._server = None
