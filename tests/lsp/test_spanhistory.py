"""The commits that changed some lines, with git's own `log -L` as the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.repository import Workspace
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
    found = [row.sha for row in last_changes(index, path, Span(start, start + lines), 3)]
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
