"""The OpenAI-compatible client against a local server that says what such servers say when something is wrong."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend

from postil_server.llm.base import Finish, Message, Options, StopSignal
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
    TimedOutError,
    UnauthorisedError,
)
from postil_server.llm.openai import OpenAIModel
from postil_server.llm.opening import ModelSpec, open_models
from postil_server.llm.remote import Deadlines

ASKED = [Message("user", "How long is a lease?")]


def piece(text: str | None, reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}
ANSWER = (piece("Thirty "), piece("秒 [1]."), piece(None, "stop"), USAGE)


@dataclass
class ChatServer:
    """Answers each chat with `events`, or with the next of `errors`: (status, body, headers)."""

    events: tuple[dict[str, Any], ...] = ANSWER
    errors: list[tuple[int, Any, dict[str, str]]] = field(default_factory=list)
    cut: int = 0  # bytes a write; 0 is an event
    lost: int = 0  # events after which the connection is lost
    done: bool = True  # whether the stream ends as it should
    pause: threading.Event | None = None  # waited for before the first event
    chats: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def _handler(state: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # /props, which this server does not have
            self._plain(404, {"error": {"message": "Not Found"}}, {})

        def do_POST(self) -> None:
            state.chats.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            state.keys.append(self.headers.get("Authorization", ""))
            try:
                if state.errors:
                    self._plain(*state.errors.pop(0))
                else:
                    self._stream()
            except OSError:
                self.close_connection = True

        def _plain(self, status: int, body: Any, headers: dict[str, str]) -> None:
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def _stream(self) -> None:
            if state.pause is not None:
                state.pause.wait(10)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            events = state.events[: state.lost] if state.lost else state.events
            raw = b"".join(b"data: " + json.dumps(each, ensure_ascii=False).encode() + b"\n\n" for each in events)
            raw += b"data: [DONE]\n\n" if state.done and not state.lost else b""
            size = state.cut or len(raw)
            for start in range(0, len(raw), size):
                self.wfile.write(raw[start : start + size])
                self.wfile.flush()

        def log_message(self, *arguments: object) -> None:
            return

    return Handler


@contextmanager
def serving(**state: Any) -> Iterator[ChatServer]:
    served = ChatServer(**state)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    served.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield served
    finally:
        if served.pause is not None:
            served.pause.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def start() -> Iterator[Any]:
    with ExitStack() as stack:
        yield lambda **state: stack.enter_context(serving(**state))


def model_of(server: ChatServer, **options: Any) -> OpenAIModel:
    options = {"temperature": 0.2, "context": 8_192, "key_variable": "POSTIL_TEST_LLM_KEY", **options}
    return OpenAIModel("own-model", server.address, **options)


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": None, "param": None, **more}}


@pytest.mark.parametrize("cut", [0, 1, 13])
def test_an_answer_is_streamed_however_its_events_are_cut(start: Any, cut: int) -> None:
    server = start(cut=cut)
    model = model_of(server)
    stream = model.stream(ASKED, Options(max_tokens=50, stop=("\n\n",)), StopSignal())
    assert list(stream) == ["Thirty ", "秒 [1]."]
    assert stream.finish == Finish("stop", prompt_tokens=9, answer_tokens=2)
    assert server.chats == [
        {
            "model": "own-model",
            "messages": [{"role": "user", "content": "How long is a lease?"}],
            "temperature": 0.2,
            "stop": ["\n\n"],
            "max_tokens": 50,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]
    assert (model.name, model.local, model.exact, model.window()) == ("openai:own-model", True, False, 8_192)
    assert model.count("How long is a lease?") == 6


@pytest.mark.parametrize(
    ("status", "body", "headers", "kind", "hint"),
    [
        (401, error("Incorrect API key provided"), {}, UnauthorisedError, "POSTIL_TEST_LLM_KEY"),
        (403, error("Country not supported"), {}, UnauthorisedError, "key"),
        (404, error("The model `own-model` does not exist", code="model_not_found"), {}, NotPulledError, "/v1"),
        (404, "<html>nginx</html>", {}, NotPulledError, "/v1"),
        (429, error("You exceeded your current quota", code="insufficient_quota"), {}, QuotaError, "billing"),
        (429, error("Rate limit reached"), {"retry-after": "3600"}, RateLimitedError, "wait"),
        (400, error("This model's maximum context length is 8192 tokens"), {}, PromptTooLongError, "context"),
        (400, error("request (5065 tokens) exceeds the available context size"), {}, PromptTooLongError, "context"),
        (500, error("CUDA error: out of memory"), {}, OutOfMemoryError, "smaller model"),
        (400, error("messages must alternate"), {}, BadReplyError, "chat model"),
    ],
)  # fmt: skip
def test_what_is_final_is_told_apart_and_not_tried_again(
    start: Any, status: int, body: Any, headers: dict[str, str], kind: type[ChatError], hint: str
) -> None:
    server = start(errors=[(status, body, headers)] * 3)
    with pytest.raises(kind) as caught:
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
    assert type(caught.value) is kind
    assert hint in caught.value.hint
    assert len(server.chats) == 1


def test_what_passes_is_tried_again(start: Any) -> None:
    busy = (503, error("overloaded"), {})
    server = start(errors=[busy, (429, error("Rate limit reached"), {"retry-after": "0.01"})])
    assert model_of(server).stream(ASKED, Options(), StopSignal()).text() == "Thirty 秒 [1]."
    assert len(server.chats) == 3
    server.errors = [busy] * 3
    with pytest.raises(OverloadedError):
        model_of(server).stream(ASKED, Options(), StopSignal()).text()


def test_a_model_that_is_being_loaded_is_waited_for_until_the_deadline(start: Any) -> None:
    loading = (503, error("Loading model", type="unavailable_error"), {})
    server = start(errors=[loading])
    assert model_of(server).stream(ASKED, Options(), StopSignal()).text() == "Thirty 秒 [1]."
    server.errors = [loading] * 9
    with pytest.raises((TimedOutError, LoadingError)):
        model_of(server, deadlines=Deadlines(0.7, 9)).stream(ASKED, Options(), StopSignal()).text()


def test_parameters_that_a_model_refuses_are_left_out_from_then_on(start: Any) -> None:
    server = start(
        errors=[
            (400, error("Unsupported parameter: 'max_tokens'", param="max_tokens"), {}),
            (400, error("Unsupported value: 'temperature' does not support 0.2", param="temperature"), {}),
        ]
    )
    model = model_of(server)
    assert model.stream(ASKED, Options(max_tokens=50), StopSignal()).text() == "Thirty 秒 [1]."
    assert model.stream(ASKED, Options(max_tokens=50), StopSignal()).text() == "Thirty 秒 [1]."
    assert len(server.chats) == 4
    for chat in server.chats[2:]:
        assert chat["max_completion_tokens"] == 50
        assert not {"max_tokens", "temperature"} & set(chat)


@pytest.mark.parametrize("state", [{"lost": 1}, {"events": ANSWER[:1], "done": False}])
def test_a_stream_that_breaks_off_keeps_what_came(start: Any, state: dict[str, Any]) -> None:
    stream = model_of(start(**state)).stream(ASKED, Options(), StopSignal())
    assert list(stream) == ["Thirty "]
    assert stream.finish.reason == "cut"
    assert stream.finish.note


def test_an_error_in_the_middle_keeps_what_came(start: Any) -> None:
    events = (ANSWER[0], {"error": {"message": "out of memory", "code": 500}})
    stream = model_of(start(events=events)).stream(ASKED, Options(), StopSignal())
    assert list(stream) == ["Thirty "]
    assert "does not fit into the memory" in stream.finish.note


@pytest.mark.parametrize(("reason", "finish"), [("length", "length"), ("content_filter", "cut")])
def test_how_an_answer_ended_is_told(start: Any, reason: str, finish: str) -> None:
    stream = model_of(start(events=(ANSWER[0], piece(None, reason)))).stream(ASKED, Options(), StopSignal())
    assert stream.text() == "Thirty "
    assert stream.finish.reason == finish


def test_a_prompt_of_which_a_part_was_dropped_is_told(start: Any) -> None:
    stream = model_of(start()).stream([Message("user", "lease " * 50)], Options(), StopSignal())
    assert stream.text()
    assert stream.finish.truncated
    assert "read only 9 tokens" in stream.finish.note


def test_nothing_at_the_address_is_not_running() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    with pytest.raises(NotRunningError, match="nothing answers"):
        OpenAIModel("m", address, temperature=0, context=8_192).stream(ASKED, Options(), StopSignal()).text()


def test_something_else_at_the_address_is_said(start: Any) -> None:
    server = start(errors=[(200, "<html>hello</html>", {"Content-Type": "text/html"})])
    with pytest.raises(BadReplyError, match="does not speak the chat API"):
        model_of(server).stream(ASKED, Options(), StopSignal()).text()


def test_interrupting_ends_a_wait_for_the_first_event(start: Any) -> None:
    server = start(pause=threading.Event())
    signal = StopSignal()
    stream = model_of(server).stream(ASKED, Options(), signal)
    threading.Timer(0.2, signal.interrupt).start()
    assert list(stream) == []
    assert stream.finish == Finish("stopped")


class _Ring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        return "from the ring" if (service, username) == ("postil", "127.0.0.1") else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError


def test_the_key_is_from_the_environment_or_else_from_the_keyring(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start()
    before = keyring.get_keyring()
    try:
        keyring.set_keyring(_Ring())
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
        monkeypatch.setenv("POSTIL_TEST_LLM_KEY", "from the environment")
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
    finally:
        keyring.set_keyring(before)
    assert server.keys == ["Bearer from the ring", "Bearer from the environment"]


@pytest.mark.parametrize(
    "spec",
    [ModelSpec("openai", "m"), ModelSpec("ollama", ""), ModelSpec("skynet", "m")],
    ids=lambda spec: spec.provider,
)
def test_settings_that_name_no_model_are_told(spec: ModelSpec) -> None:
    with pytest.raises(ModelSetupError) as caught:
        open_models(spec)
    assert "llm." in caught.value.hint
