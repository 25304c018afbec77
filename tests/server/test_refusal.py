"""What a question names, and that a folder which names it nowhere does not answer it by its other words."""

from __future__ import annotations

from typing import Any

import pytest

from postil_indexers.embedding.static import load_static
from postil_server.answering.about import is_asked, names_of
from postil_server.answering.answer import answered, ask
from postil_server.answering.corpus import Corpus
from postil_server.answering.question import Question


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How does monolog format a log record as HTML?", ["monolog"]),
        ("Where are SQL migrations rolled back in ecto?", ["sql", "ecto"]),
        ("How does mdBook render a page?", ["mdbook"]),
        ("How does vim-fugitive open a blame window?", ["fugit"]),
        ("What happens to payloads that are too large?", ["payload"]),
        ("How many backups does the script keep?", ["backup"]),
        ("How does the background worker detect a dead drive?", ["background|worker"]),
        ("How do I requeue dead letters?", []),
        ("Why did we choose Redis streams instead of lists?", []),
        ("what rate limits apply for a tenant", ["rate", "tenant"]),
        ("What leaves the dead letter list by itself?", []),
        ("What limits does the tenant have?", ["limit"]),
        ("parse an option with multiple values", []),
        ("线段树怎么做区间加法？", []),
        ("How?", []),
    ],
)
def test_a_question_names_its_subject_and_its_setting(question: str, names: list[str]) -> None:
    assert ["|".join(name) for name in names_of(question)] == names


def test_a_question_begins_or_ends_as_one() -> None:
    asked = ["Where is it", "lease length?", "租约默认多久？", "lease length"]
    assert [is_asked(text) for text in asked] == [True, True, True, False]


@pytest.mark.parametrize(
    ("question", "here"),
    [
        ("How does the lease keeper extend a lease?", True),
        ("How does zookeeper extend a lease?", False),
        ("When is a lease extended in the protocol?", True),
        ("When is a lease extended in etcd?", False),
    ],
)
def test_a_question_about_what_the_folder_nowhere_names_is_refused(indexed: Any, question: str, here: bool) -> None:
    corpus = Corpus(indexed.root, indexed.index, {"static": load_static()})
    assert bool(answered(ask([corpus], Question(question))).citations) is here
