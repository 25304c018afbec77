"""What an answer of the history says that it does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init, run_git
from postil_indexers.indexer import index_history
from postil_indexers.store.index import Index, open_index, write_index
from postil_indexers.types import Span
from postil_server.history.missing import missing_of_lines
from postil_server.spanhistory import line_history
from postil_server.timeline import history
from server.conftest import Indexed


@pytest.fixture
def index_of(tmp_path: Path) -> Iterator[Callable[[str], Index]]:
    with ExitStack() as stack:

        def make(root: str) -> Index:
            with write_index(tmp_path / "index.db") as writing:
                index_history(writing, root, {})
            return stack.enter_context(open_index(tmp_path / "index.db"))

        yield make


def test_a_shallow_clone_says_where_it_begins_until_it_is_whole(
    built_workspace: Workspace, tmp_path: Path, index_of: Callable[[str], Index]
) -> None:
    run_git(tmp_path, "clone", "-q", "--depth=3", f"file://{built_workspace.root}", "shallow")
    root = str(tmp_path / "shallow")
    said = ("this clone is shallow: commits from before 2024-04-13 are not in it; `git fetch --unshallow` brings them",)
    index = index_of(root)
    assert history(index, "lease", {}, 5).notes == said
    with index.snapshot():
        found = list(line_history(index, root, "README.md", Span(0, 3)))
        first = index.history.newest(9)[-1]
        begins = index.history.rows([first])[first].sha
        assert [commit.sha for commit in found] == [begins]
        assert missing_of_lines(index, "README.md", found) == [
            f"these lines may be older than {begins[:10]}, with which this shallow clone begins",
            *said,
        ]
    run_git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert history(index_of(root), "lease", {}, 5).notes == ()


def test_a_partial_clone_says_which_lines_it_lacks(tmp_path: Path, index_of: Callable[[str], Index]) -> None:
    source = init(tmp_path / "source")
    for number in range(4):
        source.write("a.md", f"text {number}\n" * 10)
        source.commit(f"commit {number}")
    source.git("config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{source.root}", "partial")
    root = str(tmp_path / "partial")
    index = index_of(root)
    answer = history(index, "merge:no", {}, 9)
    said = "this clone is partial: 4 commits are known by the names of their files, and not by their lines"
    assert answer.notes == (said,)
    assert [commit.text_missing for commit in answer.commits] == [True] * 4
    with index.snapshot():
        found = list(islice(line_history(index, root, "a.md", Span(0, 1)), 9))
        assert missing_of_lines(index, "a.md", found)[-2:] == [
            "4 of the 4 commits that changed a.md may belong here",
            said,
        ]


def test_a_path_that_nobody_changed_is_told_with_the_nearest(indexed: Indexed) -> None:
    answer = history(indexed.index, "lease", {}, 5, path="millrace/leases.py")
    assert (answer.commits, answer.notes) == (
        (),
        ("no commit changed a file 'millrace/leases.py'; nearest: lease.py, lease protocol.md",),
    )


def test_a_file_of_a_submodule_is_told_to_have_a_history_of_its_own(
    tmp_path: Path, index_of: Callable[[str], Index]
) -> None:
    outer = init(tmp_path / "outer")
    outer.write("src/a.py", "x = 1\n")
    began = outer.commit("Begin")
    outer.git("update-index", "--add", "--cacheinfo", f"160000,{began},vendor/lib")
    outer.git("commit", "-q", "-m", "Take the library in")
    index = index_of(outer.root)
    said = "vendor/lib is a submodule, whose commits are its own: open or index that folder"
    assert history(index, "what changed in vendor/lib/src/inner.py", {}, 5).notes == (said,)
    assert history(index, "file:vendor/lib/src/inner.py", {}, 5).notes == (said,)
    assert missing_of_lines(index, "vendor/lib/src/inner.py", []) == [said]
    assert history(index, "file:vendor/lib", {}, 5).notes == ()
    assert history(index, "file:src/b.py", {}, 5).notes == ("no commit changed a file 'src/b.py'; nearest: a.py",)
