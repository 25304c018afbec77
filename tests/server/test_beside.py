"""What a hover shows beside a paragraph: notes, and the code and commits that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import open_index, write_index
from postil_indexers.types import Kind
from postil_server.beside import MOST, beside, files_changed_with
from postil_server.cli.records import related_record
from postil_server.named import Name, names_in
from postil_server.related import Passage
from postil_server.runs import are_unspaced, characters_beyond_pairs, shared_runs
from postil_server.termvectors import TermVectors
from postil_server.types import Related

ROLES: dict[str, Embedder] = {"static": load_static()}
Show = Callable[..., list[Related]]


@pytest.fixture
def show(built_workspace: Workspace, indexed_file: Path) -> Iterator[Show]:
    with open_index(indexed_file) as index:

        def call(text: str, path: str | None = None) -> list[Related]:
            return beside(index, built_workspace.root, Passage(text, path), ROLES, TermVectors(index))

        yield call


def of_kind(shown: list[Related], kind: Kind) -> list[Related]:
    return [item for item in shown if item.kind is kind]


def test_code_that_a_paragraph_names_stands_at_its_definition(show: Show, built_workspace: Workspace) -> None:
    text = "Never more than `cap_seconds`: `RetryPolicy.delay` draws between zero and that."
    (code,) = of_kind(show(text, "docs/retries.md"), Kind.CODE)
    lines = built_workspace.read("millrace/retry.py").split("\n")
    assert (code.path, code.title, code.heading) == ("millrace/retry.py", "millrace/retry.py", "RetryPolicy.delay")
    assert lines[code.span.start_line].strip() == code.snippet == "def delay(self, attempt):"
    assert code.reason == "defines `delay`, `cap_seconds`"


@pytest.mark.parametrize("word", ["`run`", "get", "`enqueue_all`", "a lease", "JavaScript", "`HTTP`"])
def test_words_that_may_be_anybodys_bring_no_code(show: Show, word: str) -> None:
    assert of_kind(show(f"Then {word} is called once more, and it waits for the answer."), Kind.CODE) == []


def test_names_of_a_paragraph_are_told_from_its_words() -> None:
    text = "Call `Queue.claim(job)` or `run`, see `max_attempts = 1` and requeueDead, never `fd`. HTTP and GitHub."
    assert names_in(text) == [
        Name("claim", "Queue", marked=True),
        Name("max_attempts", marked=True),
        Name("GitHub"),
        Name("requeueDead"),
    ]


def test_a_commit_whose_message_has_the_names_of_a_paragraph(show: Show, built_workspace: Workspace) -> None:
    text = "`max_attempts` counts the first try as well; the off-by-one in counting attempts is gone"
    (named,) = of_kind(show(f"{text} since #42.", "docs/retries.md"), Kind.COMMIT)
    assert (named.reason, named.confidence) == ("named here: #42", 1.0)
    (commit,) = of_kind(show(text, "docs/retries.md"), Kind.COMMIT)
    assert commit.title == "Fix off-by-one in counting attempts (#42)"
    assert commit.reason == "same topic: off-by-one, counting, attempts"
    record = related_record(commit)
    assert (record["kind"], record["path"], record["sha"]) == ("commit", "", commit.sha)
    assert record["uri"].endswith(f"/{commit.sha}.diff")
    assert "start_line" not in record


def test_notes_come_first_and_five_are_the_most(show: Show) -> None:
    text = "Look for an entry with many deliveries in `XPENDING`: one job poisons the workers. "
    text += "See `LeaseLost` and `requeueDead`."
    assert [item.kind.value for item in show(text)] == ["note", "note", "code", "code"]
    assert MOST == 5


def test_what_the_note_links_to_is_left_out_whatever_it_is(show: Show) -> None:
    text = "The `Store` is what the scheduler promotes due jobs from: `NewScheduler` and `batchSize`."
    there = {item.path for item in show(text)}
    assert "internal/scheduler/scheduler.go" in there
    assert "internal/scheduler/scheduler.go" not in {
        item.path for item in show(text, "docs/design.md")
    }  # it links there


def test_a_name_with_two_definitions_is_silent_and_its_owner_decides(tmp_path: Path) -> None:
    workspace = init(tmp_path / "notes")
    body = "class {}:\n    def flush_all(self):\n        return 1\n"
    workspace.write("a/store.py", body.format("Store"))
    workspace.write("b/cache.py", body.format("Cache"))
    workspace.write("tests/test_cache.py", "def only_tested():\n    return 1\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)

        def paths(text: str) -> list[str]:
            return [item.path for item in beside(index, workspace.root, Passage(text), {}, TermVectors(index))]

        assert paths("Then `flush_all` empties it.") == []
        assert paths("Then `Cache.flush_all` empties it.") == ["b/cache.py"]
        assert paths("Then `store.flush_all` empties it.") == ["a/store.py"]
        assert paths("Then `only_tested` is called.") == []
        workspace.delete("b/cache.py")
        assert paths("Then `Cache.flush_all` empties it.") == []


def test_a_note_that_changes_with_this_one_says_so(tmp_path: Path) -> None:
    workspace = init(tmp_path / "notes")
    for number in range(4):
        volcano = "Eruptions of a volcano in Iceland follow rifts; magma rises in the fissure swarm of Krafla."
        workspace.write("volcanoes.md", f"# Volcanoes\n\n{volcano}\n\nVisit {number}.\n")
        workspace.write(
            "rifts.md", f"# Rifts\n\nIn Iceland rifts open where magma rises; Krafla erupted.\n\nSeen {number}.\n"
        )
        workspace.commit(f"Day {number}")
        for other in range(3):
            workspace.write(f"bread-{other}.md", f"# Bread {other}\n\nSourdough, day {number}.\n")
            workspace.commit(f"Bread {other} of day {number}")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)
        index_history(index, workspace.root, {})
        together = files_changed_with(index, "volcanoes.md")
        assert together == {"rifts.md"}
        passage = Passage("Krafla erupted again: in Iceland magma rises where rifts open.", "volcanoes.md")
        shown = beside(index, workspace.root, passage, {}, TermVectors(index), together)
        assert [(item.path, item.reason.endswith("; changed together")) for item in shown] == [("rifts.md", True)]


def test_shared_runs_of_an_unspaced_script() -> None:
    passage, text = "單調棧維護區間最小值", "用单调栈维护一个区间,求最小值"
    assert shared_runs(passage, text) == {"单调栈维护", "最小值"}
    assert characters_beyond_pairs(passage, text) == 3 + 1
    assert characters_beyond_pairs("两个字", "个字") == 0
    assert are_unspaced(["单调", "调栈", "redis"])
    assert not are_unspaced(["单调", "redis", "xlen"])
    assert not are_unspaced(["очередь", "задач"])
