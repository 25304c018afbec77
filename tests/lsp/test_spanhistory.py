"""The commits that changed some lines, with git's own `log -L` as the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.indexer import index_history
from postil_indexers.store.index import Index, open_index, write_index
from postil_indexers.types import Hunk, Span
from postil_server.spanhistory import last_changes, span_before, touches


@pytest.fixture(scope="module")
def index(built_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    path: Path = tmp_path_factory.mktemp("history") / "index.db"
    with write_index(path) as writing:
        index_history(writing, built_workspace.root, {})
    with open_index(path) as reading:
        yield reading


@pytest.mark.parametrize(
    ("path", "first", "lines"),
    [
        ("millrace/retry.py", "class RetryPolicy", 24),
        ("millrace/retry.py", "    def delay", 4),
        ("millrace/retry.py", "    def exhausted", 2),
        ("millrace/retry.py", "def policy_for", 8),
        ("millrace/worker.py", "    def kept_alive", 16),
        ("millrace/worker.py", "    def fail", 10),
        ("millrace/queue.py", "    def ready_count", 3),
        ("internal/scheduler/scheduler.go", "// batchSize", 3),
    ],
)
def test_it_is_what_git_finds(index: Index, built_workspace: Workspace, path: str, first: str, lines: int) -> None:
    text = built_workspace.read(path).split("\n")
    start = next(number for number, line in enumerate(text) if line.startswith(first))
    wanted = built_workspace.git("log", "-s", "--format=%H", f"-L{start + 1},{start + lines}:{path}").split()
    found = [row.sha for row in last_changes(index, built_workspace.root, path, Span(start, start + lines), 3)]
    assert found == wanted[:3]


def hunk(old: int, old_lines: int, new: int, new_lines: int) -> Hunk:
    return Hunk(old, old_lines, new, new_lines, "", "")


@pytest.mark.parametrize(
    ("hunks", "before", "touched"),
    [
        ([hunk(0, 0, 0, 3)], Span(7, 10), False),
        ([hunk(0, 3, 0, 0)], Span(13, 16), False),
        ([hunk(20, 1, 20, 5)], Span(10, 13), False),
        ([hunk(11, 1, 11, 1)], Span(10, 13), True),
        ([hunk(11, 2, 11, 0)], Span(10, 15), True),
        ([hunk(10, 0, 10, 3)], None, True),
        ([hunk(8, 4, 8, 3), hunk(13, 0, 12, 4)], Span(8, 13), True),
    ],
    ids=["added above", "taken above", "below", "changed", "taken out of it", "brought by it", "both ends"],
)
def test_lines_are_followed_back(hunks: list[Hunk], before: Span | None, touched: bool) -> None:
    assert touches(Span(10, 13), hunks) is touched
    assert span_before(Span(10, 13), hunks) == before


def _lines(first: int, last: int) -> str:
    return "".join(f"line {number} is one of many\n" for number in range(first, last))


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Index, Workspace]]:
    """A file that two branches change at different places, at the same place, and alike; and one that is renamed."""
    folder = tmp_path_factory.mktemp("branched")
    repo = init(folder / "repo")
    repo.write("a.txt", _lines(0, 60))
    repo.write("old.txt", _lines(100, 130))
    repo.commit("Begin")
    repo.git("checkout", "-q", "-b", "side")
    repo.replace("a.txt", "line 40 is", "line 40, on the side, is")
    repo.commit("Side changes 40")
    repo.rename("old.txt", "new.txt")
    repo.replace("new.txt", "line 110 is", "line 110, renamed, is")
    repo.commit("Side renames")
    repo.git("checkout", "-q", "main")
    repo.replace("a.txt", "line 3 is one of many\n", "line 3 is one of many\n" + _lines(200, 212))
    repo.commit("Main adds twelve lines above")
    repo.replace("a.txt", "line 41 is", "line 41, on main, is")
    repo.commit("Main changes 41")
    repo.git("merge", "-q", "--no-ff", "-s", "recursive", "-X", "theirs", "-m", "Merge side", "side")
    repo.git("checkout", "-q", "-b", "alike")
    repo.replace("a.txt", "line 20 is", "line 20, alike, is")
    repo.commit("Alike on the branch")
    repo.replace("a.txt", "line 50 is", "line 50, on the branch, is")
    repo.commit("Branch changes 50")
    repo.git("checkout", "-q", "main")
    repo.replace("a.txt", "line 20 is", "line 20, alike, is")
    repo.commit("Alike on main")
    repo.write("b.txt", "b\n")
    repo.commit("Something else")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge alike", "alike")
    repo.replace("new.txt", "line 120 is", "line 120, at last, is")
    repo.commit("Last")
    path = folder / "index.db"
    with write_index(path) as writing:
        index_history(writing, repo.root, {})
    with open_index(path) as reading:
        yield reading, repo


@pytest.mark.parametrize(
    ("path", "start", "end"),
    [
        *(("a.txt", start, start + 4) for start in (0, 2, 5, 16, 20, 24, 35, 50, 52, 60, 66)),
        ("a.txt", 0, 72),
        *(("new.txt", start, start + 3) for start in (0, 9, 11, 19, 27)),
    ],
)
def test_lines_are_followed_through_merges_and_renames(
    branched: tuple[Index, Workspace], path: str, start: int, end: int
) -> None:
    index, repo = branched
    wanted = repo.git("log", "-s", "--format=%H", f"-L{start + 1},{end}:{path}").split()
    found = [row.sha for row in last_changes(index, repo.root, path, Span(start, end), 50)]
    assert sorted(found) == sorted(wanted)


def test_a_graph_knows_what_the_index_was_given_since(tmp_path: Path) -> None:
    repo = init(tmp_path / "repo")
    repo.write("a.txt", _lines(0, 9))
    repo.commit("Begin")
    with write_index(tmp_path / "index.db") as index:
        index_history(index, repo.root, {})
        assert len(last_changes(index, repo.root, "a.txt", Span(2, 3), 9)) == 1
        repo.replace("a.txt", "line 2 is", "line 2, changed, is")
        repo.commit("Change")
        index_history(index, repo.root, {})
        assert [row.subject for row in last_changes(index, repo.root, "a.txt", Span(2, 3), 9)] == ["Change", "Begin"]
        repo.git("commit", "-q", "--amend", "-m", "Change it")
        index_history(index, repo.root, {})
        assert [row.subject for row in last_changes(index, repo.root, "a.txt", Span(2, 3), 9)] == ["Change it", "Begin"]
