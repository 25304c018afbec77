"""Summaries by a model: at once, or part by part; checked like answers; without a model extracts that say so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fixtures.scripted_model import ScriptedModel
from postil_indexers.embedding.static import load_static
from postil_indexers.types import Kind, Span
from postil_server.answering.answer import answered, summarise
from postil_server.answering.asking import Asking, may_send
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest
from postil_server.answering.library import Replies
from postil_server.answering.summary import summarise_file
from postil_server.answering.summing import ModelSummary
from postil_server.llm.base import Finish, Message
from postil_server.llm.errors import NotRunningError
from postil_server.types import Source, Support

NOTE = "docs/lease protocol.md"


@pytest.fixture
def corpus(indexed: Any) -> Corpus:
    return Corpus(indexed.root, indexed.index, {"static": load_static()})


def sections_of(messages: Sequence[Message]) -> list[tuple[int, str]]:
    found = re.findall(r"=== source \[(\d+)\] \w+: [^\n]*\n(.*?)\n=== end", messages[-1].content, re.DOTALL)
    return [(int(number), text) for number, text in found]


def quoting(messages: Sequence[Message]) -> str:
    """A model that says the first sentence of each section."""
    lines = [f"- {text.strip().splitlines()[-1]} [{number}]" for number, text in sections_of(messages)]
    if "Write exactly these three parts" in messages[0].content:
        return "**Core point:** " + lines[0].removeprefix("- ") + "\n\n**Key points:**\n" + "\n".join(lines)
    return "Here is what it says:\n" + "\n".join(lines[:5])


def test_a_short_text_is_summarised_at_once_and_checked(corpus: Corpus) -> None:
    model = ScriptedModel(quoting, size=40)
    answer = answered(summarise([corpus], summarise_file(corpus, NOTE), ModelSummary(Asking(model))))
    assert len(model.given) == 1
    assert (answer.model, answer.finish) == ("scripted", "complete")
    assert answer.text.startswith("**Core point:**")
    assert {sentence.support for sentence in answer.sentences} == {Support.SUPPORTED}
    assert {source.path for source in answer.citations} == {NOTE}
    assert len(answer.citations) == len(sections_of(model.given[0]))


def long_digest(sections: int) -> Digest:
    whole = tuple(
        Source(0, "/r", "long.md", Span(n, n + 1), Kind.NOTE, "Long", f"Part {n}", f"{'word ' * 400}\nFact {n} is so.")
        for n in range(sections)
    )
    return Digest("long.md", (), (), whole=whole)


def test_a_long_text_is_read_part_by_part_with_progress(corpus: Corpus) -> None:
    model = ScriptedModel(quoting, size=40)
    events = list(summarise([corpus], long_digest(20), ModelSummary(Asking(model))))
    told = [event.text for event in events if event.kind == "status"]
    assert told == [f"reading part {number} of 4" for number in (1, 2, 3, 4)]
    assert len(model.given) == 5
    read = [number for given in model.given[:4] for number, _ in sections_of(given)]
    assert read == list(range(1, 21))
    assert sections_of(model.given[4])[0] == (1, "- Fact 0 is so.")
    answer = events[-1].answer
    assert answer is not None
    assert "Fact 18 is so" in answer.text
    assert {source.number for source in answer.citations} == {*range(1, 6), *range(7, 12), *range(13, 18), 19, 20}


def test_the_small_model_reads_the_parts_and_the_main_one_writes_the_whole(corpus: Corpus) -> None:
    main, small = ScriptedModel(quoting), ScriptedModel(quoting, name="small", context=4_000)
    answer = answered(summarise([corpus], long_digest(20), ModelSummary(Asking(main), Asking(small))))
    assert [sections_of(given)[0][0] for given in small.given] == [1, 5, 9, 13, 17]  # as many as fit into its window
    assert len(main.given) == 1
    assert sections_of(main.given[0])[0] == (1, "- Fact 0 is so.")
    assert answer.model == "scripted"


def test_parts_that_were_read_before_are_not_read_again(corpus: Corpus, tmp_path: Path) -> None:
    model = ScriptedModel(quoting, size=40)
    asking = Asking(model, replies=Replies("/r", tmp_path / "answers.db"))
    first = answered(summarise([corpus], long_digest(20), ModelSummary(asking)))
    assert answered(summarise([corpus], long_digest(20), ModelSummary(asking))).text == first.text
    assert len(model.given) == 5
    changed = long_digest(20)
    longer = Digest("long.md", (), (), whole=(*changed.whole, *long_digest(1).whole))
    answered(summarise([corpus], longer, ModelSummary(asking)))
    assert len(model.given) == 7  # the last part, and the whole


def test_a_very_long_text_is_read_as_far_as_it_is_said(corpus: Corpus) -> None:
    model = ScriptedModel(quoting, size=400)
    answer = answered(summarise([corpus], long_digest(200), ModelSummary(Asking(model))))
    assert 24 < len(model.given) <= 40
    assert "Fact 0 is so" in answer.text
    assert re.search(r"\(the last \d+ sections were not read\)", answer.text)


def test_without_a_model_that_can_be_reached_there_are_extracts_that_say_so(corpus: Corpus) -> None:
    error = NotRunningError("Ollama is not running at http://127.0.0.1:11434", "run: ollama serve")
    writer = ModelSummary(Asking(ScriptedModel(lambda messages: error)))
    events = list(summarise([corpus], summarise_file(corpus, NOTE), writer))
    answer = events[-1].answer
    assert answer is not None
    assert answer.text.startswith("Extracts; the model did not answer: Ollama is not running at")
    assert answer.citations
    shown = [event.sources for event in events if event.kind == "sources"][-1]
    assert set(answer.citations) <= set(shown)


def test_a_model_that_says_nothing_of_the_text_leaves_extracts_in_its_place(corpus: Corpus) -> None:
    model = ScriptedModel(lambda messages: "Zebras graze on Mars [1].\n\n```\nZebras\n")
    events = list(summarise([corpus], summarise_file(corpus, NOTE), ModelSummary(Asking(model))))
    answer = events[-1].answer
    assert answer is not None
    assert answer.text.startswith("Extracts; the model did not answer: what it wrote is not in the text.")
    assert (answer.model, answer.finish) == ("", "complete")
    assert {source.path for source in answer.citations} == {NOTE}
    (at,) = [number for number, event in enumerate(events) if event.kind == "replace"]
    assert events[at].text + "".join(event.text for event in events[at:] if event.kind == "text") == answer.text


def test_stopping_in_a_part_ends_it(corpus: Corpus) -> None:
    model = ScriptedModel(quoting, finish=Finish("stopped"))
    answer = answered(summarise([corpus], long_digest(20), ModelSummary(Asking(model))))
    assert answer.finish == "cancelled"
    assert len(model.given) == 1


def test_sections_that_are_never_sent_are_not_summarised_by_a_model(corpus: Corpus) -> None:
    model = ScriptedModel(quoting)
    asking = Asking(model, may_send([corpus], lambda root: ["/docs/"]))
    answer = answered(summarise([corpus], summarise_file(corpus, NOTE), ModelSummary(asking)))
    assert model.given == []
    assert "no model may see" in answer.text
