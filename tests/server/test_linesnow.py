"""Where lines that a commit left are now, and what the tree has that is not committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import Index, open_index, write_index
from postil_indexers.types import Hunk, Span
from postil_server.linesnow import Left, LineTracer, carried
from postil_server.spanhistory import last_changes
from postil_server.tracing import LinesNow, TracedHunk, traced_hunks
from postil_server.types import FoundCommit
from postil_server.worktree import is_changed
from server.conftest import Indexed


def hunk(old: int, old_lines: int, new: int, new_lines: int) -> Hunk:
    return Hunk(old, old_lines, new, new_lines, "", "")


@pytest.mark.parametrize(
    ("hunks", "left"),
    [
        ([hunk(0, 0, 0, 3)], [Span(13, 16)]),
        ([hunk(0, 3, 0, 0)], [Span(7, 10)]),
        ([hunk(13, 1, 13, 5)], [Span(10, 13)]),
        ([hunk(11, 1, 11, 1)], [Span(10, 11), Span(12, 13)]),
        ([hunk(11, 0, 11, 4)], [Span(10, 11), Span(15, 17)]),
        ([hunk(9, 2, 9, 0)], [Span(9, 11)]),
        ([hunk(12, 4, 12, 1)], [Span(10, 12)]),
        ([hunk(9, 9, 9, 1)], []),
        ([hunk(10, 0, 10, 2), hunk(13, 0, 15, 2)], [Span(12, 15)]),
    ],
    ids=["added above", "taken above", "below", "changed", "added between", "start", "end", "all", "around"],
)
def test_what_a_commit_leaves_of_lines(hunks: list[Hunk], left: list[Span]) -> None:
    assert [Span(start, end) for start, end, _ in carried([(10, 13, 10)], hunks)] == left


def test_each_run_says_which_lines_it_was() -> None:
    hunks = [hunk(4, 6, 4, 1), hunk(12, 0, 7, 2), hunk(15, 2, 12, 0)]
    assert carried([(0, 5, 0), (8, 20, 8)], hunks) == [(0, 4, 0), (5, 7, 10), (9, 12, 12), (12, 15, 17)]
    left = Left("a.py", True, [hunks])
    assert left.of([Span(0, 5), Span(11, 18)]) == [[Span(0, 4)], [Span(6, 7), Span(9, 12), Span(12, 13)]]
    assert [line for line in range(18) if not left.had(line)] == [4, 7, 8]


def traced(index: Index, root: str, sha: str) -> list[TracedHunk]:
    ids = index.history.by_sha(sha)
    row = index.history.rows(ids)[ids[0]]
    files = tuple(index.history.files(row.id))
    with index.snapshot():
        return traced_hunks(index, LineTracer(index, root), FoundCommit(sha, 0, "", row.subject, 1.0, files))


def test_every_line_that_is_left_reads_now_as_it_did(indexed: Indexed) -> None:
    """Of all commits of the fixture, against the files of HEAD."""
    followed = gone = 0
    for sha in sorted(indexed.index.history.shas()):
        for each in traced(indexed.index, indexed.root, sha):
            added = [line[1:] for line in each.hunk.text.split("\n") if line.startswith("+")]
            if each.now is None:
                gone += each.followed
            elif each.now.whole and added and not each.hunk.truncated:
                now = indexed.workspace.git("show", f"HEAD:{each.now.path}").split("\n")
                assert now[each.now.span.start_line : each.now.span.end_line] == added, (sha, each.now)
                followed += 1
    assert (followed, gone) == (100, 7)


def test_lines_are_followed_to_the_name_that_the_file_has_now(indexed: Indexed) -> None:
    sha = indexed.workspace.sha("Add RetryPolicy with exponential backoff")
    (added,) = [each for each in traced(indexed.index, indexed.root, sha) if each.change.path.endswith("_policy.py")]
    assert added.now is not None
    assert (added.change.path, added.now.path) == ("millrace/backoff_policy.py", "millrace/retry.py")


def test_a_symbol_is_of_the_tree_where_its_name_was_the_same(indexed: Indexed) -> None:
    first, second = traced(indexed.index, indexed.root, indexed.workspace.sha("scheduler: promote due jobs"))
    assert (first.symbol, second.symbol) == ("batchSize", "Scheduler.promoteDue")
    keeping = traced(indexed.index, indexed.root, indexed.workspace.sha("Keep leases alive from a separate thread"))
    assert "Worker.kept_alive" in [each.symbol for each in keeping]


@pytest.fixture
def made(tmp_path: Path) -> tuple[Workspace, Path]:
    return init(tmp_path / "repository"), tmp_path / "index.db"


def lines(first: int, last: int) -> str:
    return "".join(f"line {number}\n" for number in range(first, last))


def indexed_now(repository: Workspace, path: Path) -> Index:
    with write_index(path) as writing:
        index_workspace(writing, repository.root, {}, processes=0)
        index_history(writing, repository.root, {})
    return open_index(path)


def test_lines_are_followed_through_a_merge(made: tuple[Workspace, Path]) -> None:
    repository, path = made
    repository.write("a.txt", lines(0, 30))
    first = repository.commit("Begin")
    repository.git("checkout", "-q", "-b", "side")
    repository.replace("a.txt", "line 20\n", "line 20\nline 20 and a half\n")
    side = repository.commit("Side")
    repository.git("checkout", "-q", "main")
    repository.write("a.txt", "above\n" + repository.read("a.txt"))
    repository.commit("Main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    repository.rename("a.txt", "b.txt")
    repository.commit("Rename")
    with indexed_now(repository, path) as index, index.snapshot():
        for sha, span, now in ((first, Span(5, 8), Span(6, 9)), (side, Span(21, 22), Span(22, 23))):
            (change,) = index.history.files(index.history.by_sha(sha)[0])
            left = LineTracer(index, repository.root).left("a.txt", change.new_blob)
            assert left is not None
            assert (left.path, left.of([span])) == ("b.txt", [[now]])


def test_a_name_that_was_given_to_another_file_is_that_file(made: tuple[Workspace, Path]) -> None:
    repository, path = made
    repository.write("a.txt", lines(0, 30))
    first = repository.commit("Begin")
    repository.rename("a.txt", "b.txt")
    repository.commit("Rename")
    repository.write("a.txt", lines(100, 130))
    second = repository.commit("Another a")
    with indexed_now(repository, path) as index:
        assert [(each.now and each.now.path) for each in traced(index, repository.root, first)] == ["b.txt"]
        assert [each.now for each in traced(index, repository.root, second)] == [LinesNow("a.txt", Span(0, 30), True)]


def test_the_side_of_a_merge_that_went_on_is_told_by_the_file_itself(made: tuple[Workspace, Path]) -> None:
    repository, path = made
    repository.write("a.txt", lines(0, 10))
    repository.commit("Begin")
    repository.git("checkout", "-q", "-b", "side")
    for number in range(3):
        repository.replace("a.txt", f"line {number}\n", f"line {number}, on the side\n")
        repository.commit(f"Side {number}")
    repository.git("checkout", "-q", "main")
    repository.replace("a.txt", "line 2\n", "line 2, on main\n")
    repository.commit("Main")
    repository.git("merge", "-q", "-s", "ours", "-m", "Merge", "side")
    with indexed_now(repository, path) as index:
        found = [row.subject for row in last_changes(index, repository.root, "a.txt", Span(0, 10), 9)]
    assert found == ["Main", "Begin"]


def test_what_is_not_as_it_was_committed(made: tuple[Workspace, Path]) -> None:
    repository, path = made
    repository.write("a.txt", "a\nb\n")
    repository.write("b.txt", "b\n")
    repository.write("gone.txt", "gone\n")
    repository.commit("Begin")
    repository.delete("gone.txt")
    repository.commit("Delete")
    root = repository.root
    with indexed_now(repository, path) as index:
        assert not is_changed(index, root, "a.txt")
        assert is_changed(index, root, "a.txt", b"a\nc\n")
        repository.write("a.txt", "a\r\nb\r\n")  # as a checkout with core.autocrlf leaves it
        assert not is_changed(index, root, "a.txt")
        repository.delete("b.txt")
        repository.write("new.txt", "new\n")
        assert [is_changed(index, root, name) for name in ("b.txt", "new.txt", "gone.txt")] == [True, False, False]
