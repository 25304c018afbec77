"""A model as the writer: what it is given, what becomes of what it says, and of its troubles."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fixtures.scripted_model import ScriptedModel
from postil_indexers.embedding.static import load_static
from postil_indexers.types import Kind, Span
from postil_server.answering.answer import answered, ask, question_weights
from postil_server.answering.asking import Asking, may_send
from postil_server.answering.briefing import briefing
from postil_server.answering.context import Context, gather
from postil_server.answering.corpus import Corpus
from postil_server.answering.draft import Event
from postil_server.answering.followup import completed
from postil_server.answering.library import Replies
from postil_server.answering.modelled import Wish, with_model
from postil_server.answering.privacy import Rules
from postil_server.answering.question import Exchange, Question
from postil_server.answering.writing import ModelWriter
from postil_server.llm.base import Finish, Message, StopSignal
from postil_server.llm.errors import (
    ChatError,
    NotPulledError,
    NotRunningError,
    OutOfMemoryError,
    PromptTooLongError,
)
from postil_server.settings import LlmSettings
from postil_server.types import Answer, Source, Support

LEASE = Question("How long does a lease last?")


@pytest.fixture
def corpus(indexed: Any) -> Corpus:
    return Corpus(indexed.root, indexed.index, {"static": load_static()})


def numbered(prompt: str, words: str) -> str:
    """The number of the first source whose text has these words."""
    for number, text in re.findall(r"=== source \[(\d+)\] \w+: (.*?)\n=== end", prompt, re.DOTALL):
        if words in text:
            return str(number)
    raise AssertionError(f"no source has {words!r}")


def says(*sentences: str) -> ScriptedModel:
    """Says these sentences, citing the source that has the words after the `|`."""

    def reply(messages: Sequence[Message]) -> str:
        parts = [sentence.partition("|") for sentence in sentences]
        told = [
            f"{text} [{numbered(messages[-1].content, words)}]." if words else f"{text}." for text, _, words in parts
        ]
        return " ".join(told)

    return ScriptedModel(reply)


def answer_of(corpus: Corpus, model: ScriptedModel, question: Question = LEASE, **asking: Any) -> Answer:
    writer = ModelWriter(Asking(model, **asking), question_weights([corpus], question))
    return answered(ask([corpus], question, writer=writer))


def test_a_model_answers_from_the_sources_and_is_checked(corpus: Corpus) -> None:
    model = says("A lease lasts 30 seconds|Thirty seconds", "A lease lasts 90 seconds|Thirty seconds")
    answer = answer_of(corpus, model)
    assert (answer.model, answer.finish) == ("scripted", "complete")
    assert [sentence.support for sentence in answer.sentences] == [Support.SUPPORTED, Support.NOT_FOUND]
    assert answer.text.endswith("⚠")
    system, user = model.given[0]
    assert system.content.startswith("You answer a question from numbered sources")
    assert user.content.endswith("Question: How long does a lease last?")


def test_a_sentence_that_cites_nothing_is_given_the_source_that_says_it(corpus: Corpus) -> None:
    said = "Extending happens at half time. Zebras graze on Mars."
    answer = answer_of(corpus, ScriptedModel(lambda messages: said), Question("When is a lease extended?"))
    (source,) = answer.citations
    assert "Extending happens at half time." in source.text.replace("\n", " ")
    assert answer.text == f"Extending happens at half time. [{source.number}] Zebras graze on Mars. ⚠"
    assert [sentence.support for sentence in answer.sentences] == [Support.SUPPORTED, Support.NOT_FOUND]


def test_sources_come_before_the_model_is_asked_and_text_as_it_comes(corpus: Corpus) -> None:
    model = says("A lease lasts 30 seconds|Thirty seconds")
    events = ask([corpus], LEASE, writer=ModelWriter(Asking(model), {}))
    seen = [(event.kind, len(model.given)) for event in events]
    assert seen[0] == ("sources", 0)
    assert [kind for kind, _ in seen].count("text") >= 4
    assert seen[-1] == ("done", 1)


def test_leaving_an_answer_stops_the_model(corpus: Corpus) -> None:
    model = ScriptedModel(lambda messages: "word " * 1_000)
    events = ask([corpus], LEASE, writer=ModelWriter(Asking(model), {}))
    for event in events:
        if event.kind == "text":
            break
    events.close()  # type: ignore[attr-defined]
    assert model.pieces < 5


def test_interrupting_keeps_what_came(corpus: Corpus) -> None:
    signal = StopSignal()
    model = ScriptedModel(lambda messages: "A lease lasts long. " * 100)
    events: list[Event] = []
    for event in ask([corpus], LEASE, writer=ModelWriter(Asking(model, signal=signal), {})):
        events.append(event)
        if len(events) == 6:
            signal.interrupt()
    answer = events[-1].answer
    assert answer is not None
    assert answer.finish == "cancelled"
    assert answer.text.startswith("A lease lasts")
    assert model.pieces < 20


def test_a_model_that_cannot_be_reached_leaves_extracts_that_say_so(corpus: Corpus) -> None:
    error = NotRunningError("Ollama is not running at http://127.0.0.1:11434", "run: ollama serve")
    answer = answer_of(corpus, ScriptedModel(lambda messages: error))
    assert answer.model == ""
    assert answer.text.startswith("Extracts; the model did not answer: Ollama is not running at")
    assert "run: ollama serve" in answer.text
    assert "lease" in answer.text
    assert answer.citations


@pytest.mark.parametrize("error", [NotRunningError("not running", "run it"), NotPulledError("not pulled", "pull it")])
def test_a_model_that_nobody_named_and_that_is_not_there_is_no_trouble(corpus: Corpus, error: ChatError) -> None:
    writer = ModelWriter(Asking(ScriptedModel(lambda messages: error), unasked=True), {})
    *events, done = ask([corpus], LEASE, writer=writer)
    assert done.answer is not None
    assert done.answer.text.startswith("Extracts; no model is set (`postil models` tells how to have one).\n\n- ")
    assert [event for event in events if event.kind == "status"] == []
    chinese = answered(ask([corpus], Question("租约默认多久？"), writer=writer))
    assert chinese.text.startswith("摘录（没有设置模型；`postil models` 说明如何设置）：\n\n- ")


def test_the_trouble_of_a_model_that_nobody_named_and_that_is_there_is_told(corpus: Corpus) -> None:
    error = OutOfMemoryError("it does not fit into the memory")
    answer = answer_of(corpus, ScriptedModel(lambda messages: error), unasked=True)
    assert answer.text.startswith("Extracts; the model did not answer: it does not fit into the memory.")


@pytest.mark.parametrize(
    ("settings", "unasked"),
    [
        (LlmSettings(), True),
        (LlmSettings(temperature=0.0), True),
        (LlmSettings(model="qwen2.5:3b"), False),
        (LlmSettings(endpoint="http://127.0.0.1:9"), False),
    ],
)
def test_a_model_is_set_by_its_name_or_its_address(corpus: Corpus, settings: LlmSettings, unasked: bool) -> None:
    _, writer = with_model([corpus], LEASE, settings, Wish(asking=False))
    assert isinstance(writer, ModelWriter)
    assert writer.unasked is unasked


def test_a_model_is_briefed(corpus: Corpus) -> None:
    given = context_of("Try it.", "An example.", "What breaks.", "Do this.", "It is so.").sources
    names = ("Pitfalls", "Lease > Example", "Lease > What can go wrong", "Steps", "Lease")
    sources = [replace(source, name=name) for source, name in zip(given, names, strict=True)]
    assert [source.number for source in briefing(sources)] == [1, 5, 4, 3, 2]


def test_a_connection_that_is_lost_keeps_what_came_with_a_note(corpus: Corpus) -> None:
    model = says("A lease lasts 30 seconds|Thirty seconds")
    model.finish = Finish("cut", note="the connection was lost")
    answer = answer_of(corpus, model)
    assert answer.finish == "error"
    assert answer.text.startswith("A lease lasts 30 seconds [")
    assert answer.text.endswith("(the connection was lost)\n")


def test_a_truncated_prompt_is_said(corpus: Corpus) -> None:
    model = says("A lease lasts 30 seconds|Thirty seconds")
    model.finish = Finish("stop", note="Ollama read only 2048 tokens", truncated=True)
    assert "(Ollama read only 2048 tokens)" in answer_of(corpus, model).text


@pytest.mark.parametrize("reply", ["NOT IN THE SOURCES", "NOT IN THE SOURCES.", "not in the sources. I am sorry!"])
def test_what_the_sources_do_not_have_is_said_in_our_words(corpus: Corpus, reply: str) -> None:
    answer = answer_of(corpus, ScriptedModel(lambda messages: reply, size=3))
    assert answer.text == "The workspace does not have this."
    assert (answer.citations, answer.finish) == ((), "not_found")
    assert answer.nearest


def test_a_reply_is_kept_and_given_again(corpus: Corpus, tmp_path: Path) -> None:
    replies = Replies(corpus.root, tmp_path / "answers.db")
    model = says("A lease lasts 30 seconds|Thirty seconds")
    first = answer_of(corpus, model, replies=replies)
    second = answer_of(corpus, model, replies=replies)
    assert (first.text, first.sentences) == (second.text, second.sentences)
    assert len(model.given) == 1
    answer_of(corpus, model)  # without a cache
    answer_of(corpus, model, Question("How long may a lease last?"), replies=replies)
    assert len(model.given) == 3


def test_what_was_cut_off_is_not_kept(corpus: Corpus, tmp_path: Path) -> None:
    replies = Replies(corpus.root, tmp_path / "answers.db")
    model = says("A lease lasts 30 seconds|Thirty seconds")
    for finish in (Finish("length"), Finish("cut", note="x"), Finish("stop", truncated=True)):
        model.finish = finish
        answer_of(corpus, model, replies=replies)
    assert len(model.given) == 3


def test_the_log_says_what_was_sent_where(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    model = says("A lease lasts 30 seconds|Thirty seconds")
    with caplog.at_level(logging.INFO, "postil.server.llm"):
        answer_of(corpus, model)
    (record,) = caplog.records
    fields = record.fields  # type: ignore[attr-defined]
    assert (fields["endpoint"], fields["model"], fields["masked"]) == ("http://127.0.0.1:9", "scripted", 0)
    words = sum(len(message.content.split()) for message in model.given[0])
    assert fields["tokens"] == words + 32
    assert "docs/design.md" in fields["sources"]


def test_files_that_are_never_sent_are_found_and_shown_and_not_sent(corpus: Corpus) -> None:
    context = gather([corpus], LEASE)
    paths = {source.path for source in context.sources}
    assert len(paths) > 1
    held = context.sources[0].path
    model = ScriptedModel(lambda messages: "NOT IN THE SOURCES")
    writer = ModelWriter(Asking(model, may_send([corpus], lambda root: [f"/{held}"])), {})
    prompt = writer.prompt(context)
    assert {source.path for source in prompt.sources} == paths - {held}
    assert not re.search(rf"^=== source .*{re.escape(held)}", prompt.text, re.MULTILINE)
    answer = answer_of(corpus, model, may_send=may_send([corpus], lambda root: ["*"]))
    assert model.given == []
    assert "no model may see the passages" in answer.text
    assert answer.citations  # as extracts, which stay here


def test_a_note_says_in_its_front_matter_that_it_stays_here(corpus: Corpus) -> None:
    note = Source(1, corpus.root, "docs/design.md", Span(0, 1), Kind.NOTE, "Design", "", "text")
    assert may_send([corpus], lambda root: [])(note)
    typed = {"docs/design.md": "---\npostil: never-send\n---\n# Design\n"}  # not saved yet
    assert not may_send([replace(corpus, buffers=typed)], lambda root: [])(note)
    below = {"docs/design.md": "# Design\n\npostil: never-send\n"}
    assert may_send([replace(corpus, buffers=below)], lambda root: [])(note)


def test_a_commit_goes_nowhere_that_one_of_its_files_may_not(corpus: Corpus, indexed: Any) -> None:
    sha = indexed.workspace.git("log", "-1", "--format=%H", "--", "millrace/lease.py").strip()
    commit = Source(1, corpus.root, "", Span(0, 1), Kind.COMMIT, "subject", "Anna", "text", sha=sha)
    assert may_send([corpus], lambda root: [])(commit)
    assert not may_send([corpus], lambda root: ["millrace/lease.py"])(commit)


def test_personal_data_stays_here_and_comes_back(corpus: Corpus) -> None:
    question = Question("Why did Maya (maya@example.org) have the lease extended with its token?")

    def reply(messages: Sequence[Message]) -> str:
        prompt = messages[-1].content
        assert "Maya" not in prompt
        assert "maya@" not in prompt
        number = numbered(prompt, "token first")
        return f"HIDDEN_NAME_1: a lease runs out, and extending it compares the token first [{number}]."

    model = ScriptedModel(reply, size=3)
    answer = answer_of(corpus, model, question, rules=Rules(personal=True, names=("Maya",)))
    assert "HIDDEN_NAME_1 (HIDDEN_EMAIL_1)" in model.given[0][-1].content
    assert answer.text.startswith("Maya: a lease runs out, and extending it compares the token first [")


def test_a_model_that_repeats_itself_is_stopped(corpus: Corpus) -> None:
    model = ScriptedModel(lambda messages: "The code is in the docstring.\n\n" * 100)
    answer_of(corpus, model)
    assert model.pieces < 20


def context_of(*texts: str) -> Context:
    sources = [
        Source(number, "/r", f"{number}.md", Span(0, 1), Kind.NOTE, f"Note {number}", "", text)
        for number, text in enumerate(texts, 1)
    ]
    return Context(LEASE, tuple(sources), ())


def test_long_sources_are_shortened_to_what_is_asked() -> None:
    long = "\n\n".join(f"Paragraph {number} is about the weather of day {number}." for number in range(200))
    long += "\n\nA lease lasts 30 seconds."
    model = ScriptedModel(lambda messages: "")
    model.context = 1_000
    prompt = ModelWriter(Asking(model), {"leas": 1.0}).prompt(context_of("Short note.", long))
    assert "A lease lasts 30 seconds." in prompt.text
    assert "…" in prompt.text
    assert "Short note." in prompt.text
    assert prompt.tokens + 333 <= 1_000
    assert [source.number for source in prompt.sources] == [1, 2]


def test_a_window_too_small_for_the_question_is_an_error() -> None:
    model = ScriptedModel(lambda messages: "")
    model.context = 120
    with pytest.raises(PromptTooLongError):
        ModelWriter(Asking(model), {}).prompt(context_of("Short note."))


def test_what_nobody_sees_is_not_sent() -> None:
    prompt = ModelWriter(Asking(ScriptedModel(lambda m: "")), {}).prompt(context_of("a\U000e0041\u200b\u202eb\x1b[2Jc"))
    assert "\nabc\n" in prompt.text


FOLLOW_UP = Question("And why is it so short?", previous=Exchange("How long does a lease last?", "30 seconds [1]."))


def test_a_follow_up_is_completed_by_the_model() -> None:
    model = ScriptedModel(lambda messages: '"Why does a lease last only 30 seconds?"')
    question = completed(FOLLOW_UP, Asking(model))
    assert question.standalone == "Why does a lease last only 30 seconds?"
    assert question.text == FOLLOW_UP.text
    assert "Earlier question: How long does a lease last?" in model.given[0][-1].content


@pytest.mark.parametrize("reply", ["", "Zebras graze.", "lease " * 200, NotRunningError("not running")])
def test_a_follow_up_stays_as_it_is_where_the_model_does_not_help(reply: str | NotRunningError) -> None:
    assert completed(FOLLOW_UP, Asking(ScriptedModel(lambda messages: reply))) == FOLLOW_UP


def test_a_question_that_stands_alone_is_not_rewritten() -> None:
    model = ScriptedModel(lambda messages: "anything")
    alone = Question("How does the worker renew leases?", previous=FOLLOW_UP.previous)
    assert completed(alone, Asking(model)) == alone
    assert model.given == []


def test_extracts_of_an_earlier_answer_are_not_sent() -> None:
    model = ScriptedModel(lambda messages: "")
    extract = Exchange("How long does a lease last?", "Extracts; no model was asked.\n\n- The secret plan [1]")
    completed(Question("And why?", previous=extract), Asking(model))
    assert "secret plan" not in model.given[0][-1].content
