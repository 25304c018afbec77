"""A real model, in this process and behind llama.cpp's own HTTP server: streaming, stopping, limits, two at once."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.smollm import smollm_path
from postil_indexers.embedding.static import load_static
from postil_server.answering.answer import ask, question_weights
from postil_server.answering.asking import Asking
from postil_server.answering.context import gather
from postil_server.answering.corpus import Corpus
from postil_server.answering.question import Question
from postil_server.answering.writing import ModelWriter
from postil_server.llm.base import ChatModel, Finish, Message, Options, StopSignal
from postil_server.llm.errors import ModelSetupError, PromptTooLongError, TimedOutError, UnauthorisedError
from postil_server.llm.llamacpp import LlamaCppModel
from postil_server.llm.openai import OpenAIModel
from postil_server.llm.remote import Deadlines

CONTEXT = 1_024
STORY = [Message("user", "Tell me a very long story about a river.")]
KEY = "POSTIL_TEST_LLM_KEY"


@pytest.fixture(scope="module")
def inside() -> Iterator[LlamaCppModel]:
    """One thread: with more, a machine that is busy with other tests waits for the slowest at each token."""
    model = LlamaCppModel(smollm_path(), temperature=0.0, context=CONTEXT, threads=1)
    yield model
    model.close()


@pytest.fixture
def behind(inside: LlamaCppModel, monkeypatch: pytest.MonkeyPatch) -> OpenAIModel:
    """The same model behind its HTTP server."""
    monkeypatch.setenv(KEY, inside.key)
    return OpenAIModel("smollm2", f"{inside.address}/v1", temperature=0.0, context=8_192, key_variable=KEY)


@pytest.fixture(params=["inside", "behind"])
def model(request: pytest.FixtureRequest) -> ChatModel:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def asked(inside: LlamaCppModel, path: str, body: Any = None) -> Any:
    """What the server of the model says when it is asked without any client of ours."""
    headers = {"Authorization": f"Bearer {inside.key}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request(inside.address + path, data, headers), timeout=60) as reply:
        return json.loads(reply.read())


def slot(inside: LlamaCppModel) -> dict[str, Any]:
    """What the model is doing."""
    (one,) = asked(inside, "/slots")
    return one  # type: ignore[no-any-return]


def whole(inside: LlamaCppModel, question: str, tokens: int) -> Any:
    body = {"messages": [{"role": "user", "content": question}], "max_tokens": tokens, "temperature": 0.0}
    return asked(inside, "/v1/chat/completions", body)


def idle(inside: LlamaCppModel) -> None:
    while slot(inside)["is_processing"]:
        time.sleep(0.02)


def test_an_answer_is_streamed_token_by_token(inside: LlamaCppModel, model: ChatModel) -> None:
    wanted = whole(inside, "Say hello in one sentence.", 60)
    stream = model.stream([Message("user", "Say hello in one sentence.")], Options(max_tokens=60), StopSignal())
    pieces = list(stream)
    assert "".join(pieces) == wanted["choices"][0]["message"]["content"]
    assert len(pieces) > 5
    assert stream.finish == Finish("stop", wanted["usage"]["prompt_tokens"], wanted["usage"]["completion_tokens"])


def test_tokens_are_counted_by_the_model_itself(model: ChatModel) -> None:
    assert model.exact
    assert model.window() == CONTEXT
    assert model.count("") == 0
    assert model.count("The capital of France is Paris.") == 7
    assert model.count("<|im_start|>") > 1  # text of a source is no control token


def test_a_limit_on_the_answer_is_told(model: ChatModel) -> None:
    stream = model.stream(STORY, Options(max_tokens=8), StopSignal())
    assert stream.text()
    assert (stream.finish.reason, stream.finish.answer_tokens) == ("length", 8)


def test_an_answer_ends_at_a_stop_text(model: ChatModel) -> None:
    stream = model.stream(
        [Message("user", "Count from one to ten: one, two, three")], Options(max_tokens=60, stop=(",",)), StopSignal()
    )
    assert "," not in stream.text()
    assert stream.finish.reason == "stop"


def test_a_prompt_that_is_too_long_is_refused(model: ChatModel) -> None:
    with pytest.raises(PromptTooLongError) as caught:
        model.stream([Message("user", "river " * 2_000)], Options(), StopSignal()).text()
    assert caught.value.hint


def test_interrupting_stops_the_model_itself(inside: LlamaCppModel, model: ChatModel) -> None:
    signal = StopSignal()
    stream = model.stream(STORY, Options(max_tokens=900), signal)
    for number, _ in enumerate(stream):
        if number == 5:
            signal.interrupt()
    assert stream.finish.reason == "stopped"
    idle(inside)  # within a moment, not after 900 tokens
    assert slot(inside)["next_token"][0]["n_decoded"] < 100


def test_a_long_prompt_is_stopped_between_two_batches(inside: LlamaCppModel, model: ChatModel) -> None:
    idle(inside)
    signal = StopSignal()
    stream = model.stream([Message("user", "river sea " * 250)], Options(max_tokens=100), signal)
    threading.Timer(0.05, signal.interrupt).start()
    assert stream.text() == ""
    assert stream.finish.reason == "stopped"
    idle(inside)
    assert slot(inside)["next_token"][0]["n_decoded"] == 0


def test_two_requests_at_once_are_answered_both(inside: LlamaCppModel, behind: OpenAIModel) -> None:
    questions = {"one": "Say hello in one sentence.", "two": "Name a colour."}
    wanted = {
        name: whole(inside, question, 30)["choices"][0]["message"]["content"] for name, question in questions.items()
    }
    answers: dict[str, str] = {}

    def ask(name: str, model: ChatModel) -> None:
        asked = [Message("user", questions[name])]
        answers[name] = model.stream(asked, Options(max_tokens=30), StopSignal()).text()

    threads = [threading.Thread(target=ask, args=each) for each in (("one", inside), ("two", behind))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == wanted


def test_a_deadline_for_the_first_token(inside: LlamaCppModel, behind: OpenAIModel) -> None:
    hurried = OpenAIModel(
        "smollm2", behind.endpoint, temperature=0.0, context=8_192, key_variable=KEY, deadlines=Deadlines(0.01, 60)
    )
    with pytest.raises(TimedOutError, match="gave no first token"):
        hurried.stream([Message("user", "river sea " * 250)], Options(), StopSignal()).text()
    idle(inside)


def test_a_wrong_key_is_told(behind: OpenAIModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "wrong")
    model = OpenAIModel("smollm2", behind.endpoint, temperature=0.0, context=8_192, key_variable=KEY)
    with pytest.raises(UnauthorisedError) as caught:
        model.stream(STORY, Options(), StopSignal()).text()
    assert KEY in caught.value.hint


@pytest.mark.parametrize("content", [None, b"GGUF but not really"])
def test_a_file_that_is_no_model_is_told(tmp_path: Any, content: bytes | None) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelSetupError, match=r"model\.gguf") as caught:
        LlamaCppModel(str(path), temperature=0.0, context=CONTEXT).stream(STORY, Options(), StopSignal()).text()
    assert caught.value.hint


def test_a_question_is_answered_from_the_workspace(inside: LlamaCppModel, indexed: Any) -> None:
    """The whole path. What so small a model says is seldom of use; it is checked all the same."""
    corpus = Corpus(indexed.root, indexed.index, {"static": load_static()})
    question = Question("How are dead letters requeued?")
    writer = ModelWriter(Asking(inside), question_weights([corpus], question))
    prompt = writer.prompt(gather([corpus], question))
    assert prompt.tokens + 341 <= CONTEXT
    events = ask([corpus], question, writer=writer)
    first = next(events)
    assert (first.kind, first.sources[: len(prompt.sources)]) == ("sources", prompt.sources)
    kinds = [first.kind]
    for event in events:
        kinds.append(event.kind)
        if event.kind == "sentence":
            break
    events.close()  # type: ignore[attr-defined]
    assert "text" in kinds  # at times it ends after "The answer is:", which is no sentence
    if event.sentence is not None:
        assert set(event.sentence.citations) <= {source.number for source in first.sources}
    idle(inside)  # whoever stops reading stops the model
    assert slot(inside)["next_token"][0]["n_decoded"] < 200
