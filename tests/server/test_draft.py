"""An answer as it is written: events add up, a sentence is judged as it ends, and where nothing holds it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pytest

from postil_indexers.types import Kind, Span
from postil_server.answering.answer import passage_text
from postil_server.answering.citations.check import check
from postil_server.answering.draft import Aside, Draft, Event, finished
from postil_server.types import Answer, Sentence, Source, Support

TEXTS = {
    1: "A claimed job belongs to one consumer until its lease runs out. A lease is 30 seconds.",
    2: "Jobs that failed eight times go to the dead letter list.",
}
SOURCES = [
    Source(number, "/w", f"{number}.md", Span(0, 1), Kind.NOTE, f"Note {number}", "", text)
    for number, text in TEXTS.items()
]


def checked(sentences: Sequence[Sentence], sources: Mapping[int, Source]) -> Sequence[Sentence]:
    return check(sentences, {number: passage_text(source) for number, source in sources.items()})


def written(pieces: Iterable[str]) -> tuple[list[Event], Answer]:
    draft = Draft(SOURCES, checked)
    events = [event for piece in pieces for event in draft.feed(piece)]
    events += [*draft.close(), *finished(draft, "a model", (), "Not here.", "complete")]
    answer = events[-1].answer
    assert answer is not None
    return events, answer


SAID = (
    "A claimed job belongs to one consumer [1]. A lease is 90 seconds [1].\n\n"
    "- Jobs that failed eight times go to the dead letter list, see [2][7].\n\n"
    "## More:\n\n```\nx = [1]\n```\nNothing cites this."
)


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_sentences_are_judged_and_marked_and_numbers_that_cite_nothing_go(size: int) -> None:
    events, answer = written(SAID[at : at + size] for at in range(0, len(SAID), size))
    assert answer.text == (
        "A claimed job belongs to one consumer [1]. A lease is 90 seconds [1]. ⚠\n\n"
        "- Jobs that failed eight times go to the dead letter list, see [2].\n\n"
        "## More:\n\n```\nx = [1]\n```\nNothing cites this."
    )
    assert [(s.text, s.citations, s.support) for s in answer.sentences] == [
        ("A claimed job belongs to one consumer.", (1,), Support.SUPPORTED),
        ("A lease is 90 seconds.", (1,), Support.NOT_FOUND),
        ("Jobs that failed eight times go to the dead letter list, see.", (2,), Support.SUPPORTED),
        ("Nothing cites this.", (), Support.UNCHECKED),
    ]
    assert answer.citations == tuple(SOURCES)
    assert "".join(event.text for event in events if event.kind == "text") == answer.text
    assert [event.sentence for event in events if event.kind == "sentence"] == list(answer.sentences)


def test_a_sentence_is_told_before_the_next_one_is_written() -> None:
    draft = Draft(SOURCES, checked)
    first = list(draft.feed("A lease is 30 seconds [1]. And"))
    assert [event.kind for event in first] == ["text", "sentence", "text"]
    assert first[0].text == "A lease is 30 seconds [1]."


def test_where_nothing_holds_the_answer_says_that_it_is_not_there() -> None:
    events, answer = written(["Leases last for 90 seconds [1]. The moon is made of cheese [2]."])
    assert answer == Answer("Not here.", "a model", (), (), (), "not_found")
    assert [event.text for event in events if event.kind == "replace"] == ["Not here."]


def test_a_number_that_no_source_has_is_marked_though_it_cites_nothing() -> None:
    _, answer = written(["A lease is 30 seconds [1]. It was 45 seconds once. That is all."])
    assert answer.text == "A lease is 30 seconds [1]. It was 45 seconds once. ⚠ That is all."
    assert [s.support for s in answer.sentences] == [Support.SUPPORTED, Support.NOT_FOUND, Support.UNCHECKED]


def test_labels_claim_nothing_and_are_not_judged() -> None:
    _, answer = written([Aside("See also: Note 2 [2]\n"), "A lease is 30 seconds [1]."])
    assert [sentence.text for sentence in answer.sentences] == ["A lease is 30 seconds."]
    assert [source.number for source in answer.citations] == [1, 2]


def test_an_abbreviation_or_a_code_span_ends_no_sentence() -> None:
    draft = Draft(SOURCES, checked)
    assert [*draft.feed("Use e.g. Redis. `a. B` is one [1]"), *draft.close()]
    assert [sentence.text for sentence in draft.sentences] == ["Use e.g. Redis.", "`a. B` is one"]


def test_chinese_sentences_end_without_a_space() -> None:
    _, answer = written(["任务属于一个消费者。[1]租约是 30 秒！[1]好。"])
    assert [(s.text, s.citations) for s in answer.sentences] == [
        ("任务属于一个消费者。", (1,)),
        ("租约是 30 秒！", (1,)),
        ("好。", ()),
    ]
