"""What a question names, and that a folder which names it nowhere does not answer it by its other words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import write_index
from postil_server.answering.about import is_asked, names_of
from postil_server.answering.answer import answered, ask
from postil_server.answering.coinage import coined
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
        ("When is a lease of a vexquil job extended?", False),
        ("How does the redis keeper extend a lease?", True),
    ],
)
def test_a_question_about_what_the_folder_nowhere_names_is_refused(indexed: Any, question: str, here: bool) -> None:
    corpus = Corpus(indexed.root, indexed.index, {"static": load_static()})
    assert bool(answered(ask([corpus], Question(question))).citations) is here


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("How are optional fields validated in a vexquil schema?", ["vexquil", "schema"]),
        ("How does blorpfs shrink file names?", ["blorpfs"]),
        ("What is the weight of qxl flat_tree_set?", ["qxl"]),
        ("How are requests that were mistyped handled, propagated and deleted?", []),
        ("How do rollbacks of subwindows stop a misconfigured timeout and its backpressure?", []),
        ("", []),
    ],
)
def test_a_word_that_is_not_made_of_english_is_a_name(text: str, names: list[str]) -> None:
    assert coined(text, load_static().is_word) == names


@pytest.fixture
def is_answered(tmp_path: Path) -> Callable[[Callable[[Workspace], None], str], bool]:
    """Whether a folder that was filled and committed answers a question."""

    def asked(fill: Callable[[Workspace], None], question: str) -> bool:
        workspace = init(tmp_path / "root")
        for number in range(30):  # what is rare has to be rare in something
            workspace.write(f"src/part{number}.py", f"def handle_{number}(frame):\n    return frame.part({number})\n")
        workspace.commit("Handle frames part by part")
        fill(workspace)
        static = load_static()
        models = {"static": RoleModel(static, "{}")}
        with write_index(tmp_path / "index.db") as index:
            index_workspace(index, workspace.root, models, processes=0)
            index_history(index, workspace.root, models)
            corpus = Corpus(workspace.root, index, {"static": static})
            return bool(answered(ask([corpus], Question(question))).citations)

    return asked


@pytest.mark.parametrize(("message", "here"), [("Take over the tree", False), ("Violins are tuned by glaciers", True)])
def test_words_that_a_commit_only_changed_somewhere_are_no_answer(
    is_answered: Callable[[Callable[[Workspace], None], str], bool], message: str, here: bool
) -> None:
    """The first commit of a repository holds all of its words in its lines."""

    def fill(workspace: Workspace) -> None:
        workspace.write("src/words.py", "def violins():\n    return 1\n\n\ndef glaciers():\n    return tuned()\n")
        workspace.commit(message)
        workspace.write("src/words.py", "def violins():\n    return 1\n")
        workspace.commit("Clean up")

    assert is_answered(fill, "How are violins tuned by glaciers?") is here


@pytest.mark.parametrize("question", ["线段树怎么做区间加法？", "How are violins tuned near glaciers?"])
@pytest.mark.parametrize(
    ("path", "text", "here"),
    [
        ("tests/test_asking.py", 'QUESTIONS = [\n    "{}",\n]\n', False),
        ("docs/asking.md", "# {}\n\n线段树做区间加法用懒标记。 Violins are tuned near glaciers by ear.\n", True),
    ],
)
def test_code_that_holds_the_question_is_no_answer_and_a_note_under_it_is(
    is_answered: Callable[[Callable[[Workspace], None], str], bool], path: str, text: str, here: bool, question: str
) -> None:
    def fill(workspace: Workspace) -> None:
        workspace.write(path, text.format(question))
        workspace.commit("More")

    assert is_answered(fill, question) is here


def test_beside_a_refusal_of_a_question_in_chinese_stand_the_english_notes_that_are_nearest(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "notes")
    workspace.write("backup.md", "# Database backup\n\nRestore a database from its backup: stop the service first.\n")
    for number, thing in enumerate(("lamp", "garden", "kitchen", "river", "window", "ladder", "carpet", "bicycle")):
        workspace.write(
            f"{number}.md", f"# The {thing}\n\nThe {thing} was painted green in the year {1900 + number}.\n"
        )
    static = load_static()
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {"static": RoleModel(static, "{}")}, processes=0)
        found = answered(ask([Corpus(workspace.root, index, {"static": static})], Question("怎么恢复数据库备份？")))
    assert (found.finish, found.nearest[0].path) == ("not_found", "backup.md")
