"""Questions for what a thing is: which those are, which sentences say it, and that notes without prose say nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.repository import Workspace
from postil_indexers.embedding_run import RoleModel
from postil_indexers.errors import PostilError
from postil_indexers.indexer import index_workspace
from postil_indexers.store.index import write_index
from postil_indexers.types import Kind
from postil_server.answering.answer import answered, ask
from postil_server.answering.corpus import Corpus
from postil_server.answering.defining import defines, mentions, thing_of
from postil_server.answering.question import Question
from postil_server.answering.sentences import is_label, units_of
from postil_server.answering.summary import summarise_file
from server.conftest import ROLES

NOTES = {
    "notes/Kernel.md": (
        "#seed\nupstream: [[Computer Vision]]\n\n---\n\n## Description\n\nWhere signals are convolved, a kernel, also "
        "known as a filter, is a small matrix of weights.\n\n"
        + "## Reasoning\n\n"
        + "Imagine a flashlight in a dark room: this flashlight is what the kernel looks through. " * 20
    ),
    "notes/Bitmap.md": "#seed\nupstream: [[Data Structures]]\n\n---\n\n**links**:\n\n---\n",
    "notes/group.md": "# Groups\n\nThe function `addUserToGroup` adds a user to a group; a group is a list of users.\n",
    "notes/Functional Groups.md": "#seed\nupstream: [[Chemistry]]\n\nBrain Dump:\n\n---\n",
    "notes/git.md": "# Git\n\n---\nQuestions about Git are answered at the desk on Mondays.\n\nWhat it costs to ask.\n",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    root = tmp_path_factory.mktemp("thin")
    workspace = Workspace(root / "notes")
    for path, text in NOTES.items():
        workspace.write(path, text)
    with write_index(root / "index.db") as index:
        index_workspace(index, workspace.root, {"static": RoleModel(ROLES["static"], "{}")}, processes=0)
        yield Corpus(workspace.root, index, ROLES)


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What is a kernel?", ("kernel",)),
        ("what's self-attention", ("self", "attent")),
        ("What does fencing token mean?", ("fenc", "token")),
        ("什么是租约？", ("租约",)),
        ("postil-static 是什么？", ("postil", "static")),
        ("What is the default of the lease?", ()),
        ("租约的上限是什么？", ()),
        ("What is it?", ()),
        ("How long is a lease?", ()),
    ],
)
def test_which_questions_ask_what_a_thing_is(question: str, thing: tuple[str, ...]) -> None:
    assert thing_of(question) == thing


def test_a_thing_is_named_by_its_words_beside_each_other() -> None:
    group = thing_of("What is a user group?")
    assert mentions("the user groups", group)
    assert mentions("one user-group of many", group)
    assert not mentions("a group of users", group)
    assert not mentions("add a user to some group", group)
    assert mentions("分布式锁有期限", thing_of("什么是分布式锁？"))
    assert not mentions("锁是分布的", thing_of("什么是分布式锁？"))


def test_a_sentence_defines_what_stands_before_its_verb() -> None:
    lease = thing_of("What is a lease?")
    assert defines("A lease (a claim with an end) is what a consumer gets.", lease)
    assert not defines("Thirty seconds is how long a lease lasts.", lease)
    assert defines("租约是消费者领取任务时得到的。", thing_of("租约是什么？"))


def test_what_separates_points_and_announces_says_nothing() -> None:
    text = "#seed\nupstream: [[Storage]]\n- [[Lease]]\n---\nSteps:\n\nSee [[Lease]] first. #later\n\n"
    text += "* * *\n=====\nThe end.\n"
    found = [(unit.text, unit.pointer, is_label(unit)) for unit in units_of(text, Kind.NOTE)]
    assert found == [
        ("upstream: Storage", True, False),
        ("Lease", True, False),
        ("Steps:", False, True),
        ("See Lease first.", False, False),
        ("The end.", False, False),
    ]


def test_the_note_of_that_name_is_read_from_where_it_says_what_the_thing_is(corpus: Corpus) -> None:
    answer = answered(ask([corpus], Question("What is a kernel?")))
    said = "Where signals are convolved, a kernel, also known as a filter, is a small matrix of weights."
    assert answer.sentences[0].text == said
    assert answer.citations[0].path == "notes/Kernel.md"


@pytest.mark.parametrize("question", ["What is a bitmap?", "What are functional groups?"])
def test_a_note_without_a_sentence_does_not_answer(corpus: Corpus, question: str) -> None:
    answer = answered(ask([corpus], Question(question)))
    assert (answer.citations, answer.finish) == ((), "not_found")
    assert answer.nearest


def test_the_core_of_a_summary_is_a_sentence(corpus: Corpus) -> None:
    (core,) = summarise_file(corpus, "notes/git.md").core
    assert core.text == "Questions about Git are answered at the desk on Mondays."
    with pytest.raises(PostilError, match="no text to summarise in notes/Bitmap") as raised:
        summarise_file(corpus, "notes/Bitmap.md")
    assert raised.value.hint == "it has headings and links alone"
