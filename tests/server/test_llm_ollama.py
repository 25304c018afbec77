"""Ollama's client against a local server that speaks its documented API."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fixtures.machine import Machine
from fixtures.ollama_server import OllamaServer, serving
from postil_server.llm.base import Finish, Message, Options, StopSignal
from postil_server.llm.errors import (
    BadReplyError,
    ChatError,
    NotPulledError,
    NotRunningError,
    OutOfMemoryError,
    OverloadedError,
    PromptTooLongError,
    RateLimitedError,
    TimedOutError,
    UnauthorisedError,
)
from postil_server.llm.ollama import OllamaModel
from postil_server.llm.remote import Deadlines

ASKED = [Message("system", "Answer from the sources."), Message("user", "How long is a lease?")]
LONG = [Message("user", "lease " * 6_000)]


@pytest.fixture
def start() -> Iterator[Any]:
    with ExitStack() as stack:
        yield lambda **state: stack.enter_context(serving(**state))


def model_of(server: OllamaServer, **options: Any) -> OllamaModel:
    options = {"temperature": 0.2, "context": 8_192, **options}
    return OllamaModel(options.pop("model", server.model), server.address, **options)


def test_a_chat_is_streamed_with_the_settings_of_its_model(start: Any) -> None:
    server = start()
    stream = model_of(server).stream(ASKED, Options(max_tokens=300, stop=("\n\n\n",)), StopSignal())
    assert list(stream) == ["Workers ", "renew their lease [1]."]
    assert stream.finish == Finish("stop", prompt_tokens=11, answer_tokens=2)
    (chat,) = server.chats()
    assert chat["messages"] == [
        {"role": "system", "content": "Answer from the sources."},
        {"role": "user", "content": "How long is a lease?"},
    ]
    assert chat["options"] == {"temperature": 0.2, "num_ctx": 4_096, "num_predict": 300, "stop": ["\n\n\n"]}
    assert (chat["model"], chat["stream"], chat["keep_alive"]) == ("qwen2.5:7b", True, "1h")
    assert "think" not in chat


def test_a_model_that_can_think_is_told_not_to(start: Any) -> None:
    server = start(thinking=True)
    model_of(server).stream(ASKED, Options(), StopSignal()).text()
    assert server.chats()[0]["think"] is False


def test_the_context_is_as_large_as_the_prompt_needs_and_never_shrinks_again(start: Any) -> None:
    server = start(context=16_384)
    model = model_of(server, context=32_768)
    for words in (10, 2_800, 9_000, 10):
        model.stream([Message("user", "lease " * words)], Options(max_tokens=1_000), StopSignal()).text()
    assert [chat["options"]["num_ctx"] for chat in server.chats()] == [4_096, 8_192, 16_384, 16_384]
    assert model.window() == 16_384


@pytest.mark.parametrize("cut", [1, 7, 1_000])
def test_chunks_may_be_cut_anywhere(start: Any, cut: int) -> None:
    reply = ("租约", "为 30 秒", " – naïve café 🚀", ' "quoted"\n')
    stream = model_of(start(cut=cut, reply=reply)).stream(ASKED, Options(), StopSignal())
    assert list(stream) == list(reply)
    assert stream.finish.reason == "stop"


def test_a_limit_on_the_answer_is_told(start: Any) -> None:
    stream = model_of(start(reply=("a", "b", "c"))).stream(ASKED, Options(max_tokens=2), StopSignal())
    assert stream.text() == "ab"
    assert stream.finish == Finish("length", prompt_tokens=11, answer_tokens=2)


@pytest.mark.parametrize("limit", [2_048, 3_000])
def test_a_prompt_that_the_server_cut_does_not_pass_in_silence(start: Any, limit: int) -> None:
    stream = model_of(start(limit=limit)).stream(LONG, Options(), StopSignal())
    assert stream.text()
    assert stream.finish.truncated
    assert str(limit) in stream.finish.note
    assert "a part of the sources is missing" in stream.finish.note


def test_a_prompt_that_filled_the_window_was_cut(start: Any) -> None:
    stream = model_of(start(context=4_096)).stream(LONG, Options(), StopSignal())
    assert stream.text()
    assert stream.finish.truncated


def test_a_whole_prompt_is_not_called_cut_and_corrects_the_estimate(start: Any) -> None:
    model = model_of(start(), context=32_768)
    assert model.count("lease " * 1_000) == 1_050
    stream = model.stream([Message("user", "internationalisation " * 1_000)], Options(), StopSignal())
    stream.text()
    assert (stream.finish.truncated, stream.finish.prompt_tokens) == (False, 1_000)
    # the estimate was 2.85 tokens a word
    assert model.count("internationalisation " * 1_000) == 1_050


@pytest.mark.parametrize(
    ("status", "body", "kind", "hint"),
    [
        (500, {"error": "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"},
         OutOfMemoryError, "smaller model"),
        (500, {"error": "llama runner process has terminated: signal: killed"}, OutOfMemoryError, "smaller model"),
        (500, {"error": "llama runner process has terminated: cudaMalloc failed: out of memory"},
         OutOfMemoryError, "smaller model"),
        (400, {"error": "the input length exceeds the context length"}, PromptTooLongError, ""),
        (401, {"error": "unauthorized"}, UnauthorisedError, "OLLAMA_API_KEY"),
        (400, {"error": '"bge-m3" does not support chat'}, BadReplyError, "chat model"),
        (404, {"error": "model 'qwen2.5:7b' not found"}, NotPulledError, "ollama pull qwen2.5:7b"),
        (404, "404 page not found", NotPulledError, "ollama pull"),
    ],
)  # fmt: skip
def test_what_is_final_is_told_apart_and_not_tried_again(
    start: Any, status: int, body: Any, kind: type[ChatError], hint: str
) -> None:
    server = start(errors=[(status, body)] * 3)
    with pytest.raises(kind) as caught:
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
    assert type(caught.value) is kind
    assert hint in caught.value.hint
    assert len(server.chats()) == 1


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (503, "server busy, please try again.  maximum pending requests exceeded", OverloadedError),
        (429, "too many requests", RateLimitedError),
    ],
)
def test_what_passes_is_tried_again(start: Any, status: int, error: str, kind: type[ChatError]) -> None:
    server = start(errors=[(status, {"error": error})])
    assert model_of(server).stream(ASKED, Options(), StopSignal()).text() == "Workers renew their lease [1]."
    assert len(server.chats()) == 2
    server.errors += [(status, {"error": error})] * 3
    with pytest.raises(kind):
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
    assert len(server.chats()) == 5


def test_a_model_that_is_not_there_is_told_with_those_that_are(start: Any) -> None:
    server = start(model="llama3.2:3b")
    model = model_of(server, model="qwen2.5:7b")
    with pytest.raises(NotPulledError, match=r"no model named qwen2\.5:7b") as caught:
        model.stream(ASKED, Options(), StopSignal()).text()
    assert caught.value.hint == "run: ollama pull qwen2.5:7b; or set model to one that it has: llama3.2:3b"
    assert server.chats() == []


def test_nothing_at_the_address_is_not_running() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with pytest.raises(NotRunningError) as caught:
        OllamaModel("qwen2.5:7b", address, temperature=0.2, context=8_192).stream(ASKED, Options(), StopSignal()).text()
    assert caught.value.hint == "run: ollama serve"


def test_something_else_at_the_address_is_said(start: Any) -> None:
    server = start(errors=[(200, "<html>")])
    with pytest.raises(BadReplyError, match="is not Ollama"):
        model_of(server).stream(ASKED, Options(), StopSignal()).text()


def test_a_stall_is_told_as_slow_and_not_as_not_running(start: Any) -> None:
    server = start(stall=threading.Event())
    with pytest.raises(TimedOutError, match="is reached, but gave no first token within"):
        model_of(server, deadlines=Deadlines(0.3, 10)).stream(ASKED, Options(), StopSignal()).text()
    assert server.gone.wait(5)  # the model was stopped as well


def test_what_came_before_the_deadline_of_the_whole_is_kept(start: Any) -> None:
    server = start(pause=threading.Event())
    stream = model_of(server, deadlines=Deadlines(5, 0.4)).stream(ASKED, Options(), StopSignal())
    assert list(stream) == ["Workers "]
    assert stream.finish == Finish("cut", note="ollama:qwen2.5:7b was not done within 0.4 s")
    assert server.gone.wait(5)


def test_a_lost_connection_keeps_what_came(start: Any) -> None:
    server = start(lost=150)
    stream = model_of(server).stream(ASKED, Options(), StopSignal())
    assert list(stream) == ["Workers "]
    assert stream.finish.reason == "cut"
    assert "was lost" in stream.finish.note


def test_a_connection_lost_before_the_first_piece_is_tried_again(start: Any) -> None:
    server = start(lost=20)
    with pytest.raises(OverloadedError):
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
    assert len(server.chats()) == 3


def test_an_error_in_the_middle_keeps_what_came(start: Any) -> None:
    stream = model_of(start(error_line="an error was encountered while running the model: CUDA error: out of memory"))
    read = stream.stream(ASKED, Options(), StopSignal())
    assert list(read) == ["Workers "]
    assert read.finish.reason == "cut"
    assert "does not fit into the memory" in read.finish.note


@pytest.mark.parametrize("moment", ["stall", "pause"])
def test_stopping_closes_the_connection_before_and_after_the_first_piece(start: Any, moment: str) -> None:
    server = start(**{moment: threading.Event()})
    signal = StopSignal()
    stream = model_of(server).stream(ASKED, Options(), signal)
    came: list[str] = []
    reader = threading.Thread(target=lambda: came.extend(stream))
    reader.start()
    while not server.chats() or (moment == "pause" and not came):
        time.sleep(0.005)
    signal.interrupt()
    reader.join(5)
    assert stream.finish == Finish("stopped")
    assert came == (["Workers "] if moment == "pause" else [])
    assert server.gone.wait(5)


def test_a_reader_that_goes_away_stops_the_model(start: Any) -> None:
    server = start(pause=threading.Event())
    pieces = iter(model_of(server).stream(ASKED, Options(), StopSignal()))
    assert next(pieces) == "Workers "
    del pieces
    assert server.gone.wait(5)


def test_a_signal_that_was_interrupted_before_sends_nothing(start: Any) -> None:
    server = start()
    signal = StopSignal()
    signal.interrupt()
    stream = model_of(server).stream(ASKED, Options(), signal)
    assert (list(stream), stream.finish) == ([], Finish("stopped"))
    assert server.requests == []


def test_a_redirect_takes_no_text_to_another_address(start: Any) -> None:
    server = start(errors=[(307, {"error": "elsewhere"})])
    with pytest.raises(ChatError):
        model_of(server).stream(ASKED, Options(), StopSignal()).text()
    assert len(server.chats()) == 1


def test_a_model_is_pulled_with_progress_and_is_there_then(start: Any) -> None:
    server = start(model="llama3.2:3b", cut=5)
    model = model_of(server, model="qwen2.5:7b")
    pulling = model.pull(StopSignal())
    assert list(pulling) == [
        "pulling manifest",
        "pulling 0a1b2c 0.0 of 4.7 GB",
        "pulling 0a1b2c 2.4 of 4.7 GB",
        "success",
    ]
    assert pulling.finish.reason == "stop"
    assert model.stream(ASKED, Options(), StopSignal()).text()


def test_a_model_that_nobody_has_cannot_be_pulled(start: Any) -> None:
    with pytest.raises(BadReplyError, match="file does not exist"):
        model_of(start(), model="nosuch:7b").pull(StopSignal()).text()


def test_the_command_pulls_the_model_of_the_settings(start: Any, tmp_path: Path) -> None:
    server = start(model="llama3.2:3b")
    machine = Machine(tmp_path / "machine", f'[llm]\nendpoint = "{server.address}"\n')
    ran = machine.here("models", str(tmp_path), "--pull")
    assert (ran.status, ran.out) == (0, "ollama:qwen2.5:7b is there\n")
    assert "2.4 of 4.7 GB" in ran.err
    assert server.model == "qwen2.5:7b"
