"""Tags and a summary for a note, without a model and by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fixtures.scripted_model import ScriptedModel
from postil_indexers.embedding.static import load_static
from postil_server.answering.asking import Asking, may_send
from postil_server.answering.corpus import Corpus
from postil_server.answering.filing import Filing, propose
from postil_server.answering.frontmatter import inserted, insertions
from postil_server.llm.base import Message
from postil_server.llm.errors import NotRunningError

NOTE = "docs/lease protocol.md"
SUMMARY = "A Lua script compares the token and extends the expiry in one step."


@pytest.fixture
def corpus(indexed: Any) -> Corpus:
    return Corpus(indexed.root, indexed.index, {"static": load_static()})


@pytest.fixture
def text(indexed: Any) -> str:
    return str(indexed.workspace.path(NOTE).read_text(encoding="utf-8"))


def test_tags_come_from_those_in_use_and_the_summary_from_the_note(corpus: Corpus, text: str) -> None:
    filing = propose(corpus, NOTE, text)
    in_use = corpus.index.names.tags()
    assert 3 <= len(filing.tags) <= 5
    assert set(filing.tags) <= set(in_use)
    assert {"redis", "millrace/core"} <= set(filing.tags)
    assert filing.summary in text.replace("\n", " ")
    assert filing.model == ""


def test_a_note_like_no_other_gets_words_of_its_own(corpus: Corpus) -> None:
    text = (
        "# Sourdough baking\n\nFeed the starter twice. The starter doubles; then bake the sourdough at 240 degrees.\n"
    )
    filing = propose(corpus, "bread.md", text)
    assert {"sourdough", "baking"} <= set(filing.tags)
    assert filing.summary == "Feed the starter twice."


def test_tags_that_the_note_has_count_and_are_not_proposed_again(corpus: Corpus, text: str) -> None:
    had = "---\ntags: [redis, a, b, c]\n---\n" + text
    assert len(propose(corpus, NOTE, had).tags) == 1
    assert "redis" not in propose(corpus, NOTE, had).tags
    assert propose(corpus, NOTE, "---\ntags: [a, b, c, d, e]\n---\n" + text).tags == ()


def test_an_empty_note_gets_nothing_of_its_own(corpus: Corpus) -> None:
    assert propose(corpus, "empty.md", "").summary == ""


def filed_by(corpus: Corpus, text: str, reply: Any) -> tuple[Filing, ScriptedModel]:
    model = ScriptedModel(lambda messages: reply)
    return propose(corpus, NOTE, text, Asking(model)), model


def test_a_model_is_shown_the_tags_in_use_and_what_it_says_is_brought_into_form(corpus: Corpus, text: str) -> None:
    filing, model = filed_by(corpus, text, f"Tags: #Redis, Lua scripts, Millrace/Core, 租约, 7, \nSummary: {SUMMARY}")
    assert filing == Filing(("redis", "lua-scripts", "millrace/core", "租约"), SUMMARY, "scripted")
    system, user = model.given[0]
    assert "redis" in system.content
    assert user.content.endswith("File this note: Lease protocol")


def test_a_summary_that_the_note_does_not_say_is_not_taken(corpus: Corpus, text: str) -> None:
    filing, _ = filed_by(corpus, text, "tags: redis\nsummary: Leases last 900 seconds on Kubernetes by Tobias.")
    assert filing.tags == ("redis",)
    assert filing.summary == propose(corpus, NOTE, text).summary


@pytest.mark.parametrize(
    "reply", ["", "I can't do that.", "tags: \nsummary: x", "tags: a, b", NotRunningError("not running")]
)
def test_a_model_that_does_not_help_is_done_without(corpus: Corpus, text: str, reply: Any) -> None:
    filing, _ = filed_by(corpus, text, reply)
    assert filing == propose(corpus, NOTE, text)


def test_a_note_that_is_never_sent_is_filed_without_a_model(corpus: Corpus, text: str) -> None:
    model = ScriptedModel(lambda messages: "tags: a\nsummary: b")
    asking = Asking(model, may_send([corpus], lambda root: ["/docs/"]))
    assert propose(corpus, NOTE, text, asking) == propose(corpus, NOTE, text)
    assert model.given == []


def test_a_note_that_says_so_itself_is_filed_without_a_model(corpus: Corpus, text: str) -> None:
    private = "---\npostil: never-send\n---\n" + text
    model = ScriptedModel(lambda messages: "tags: a\nsummary: b")
    here = replace(corpus, buffers={NOTE: private})
    assert propose(here, NOTE, private, Asking(model, may_send([here], lambda root: []))).model == ""
    assert model.given == []


def obeying(messages: Sequence[Message]) -> str:
    return (
        "tags: redis, ](command:evil), <img src=x>, \x1b[31mred, a: b\ntags: [x\n"
        'summary: Leases "compare" the token. ![x](https://evil.example/p.png) <script>alert(1)</script>\x1b]0;x\x07'
    )


def test_what_a_model_was_told_to_say_breaks_neither_tags_nor_front_matter(corpus: Corpus, text: str) -> None:
    filing = propose(corpus, NOTE, text, Asking(ScriptedModel(obeying)))
    for tag in filing.tags:
        assert not set(tag) & set("[](){}<>:#\"'`, \x1b")
    assert "evil.example" not in filing.summary
    assert "<" not in filing.summary
    assert "\x1b" not in filing.summary
    made = insertions(text, filing.tags, filing.summary)
    assert inserted(text, made).endswith(text)
