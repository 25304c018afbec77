"""A first run over a long history: the newest commits come before git has listed all."""

from __future__ import annotations

import pytest

from fixtures.repository import Workspace
from postil_indexers.embedding_run import RoleModel
from postil_indexers.errors import GitError
from postil_indexers.indexer import index_history
from postil_indexers.progress import Progress
from postil_indexers.store.index import Index


def test_the_newest_commits_are_written_before_all_are_listed(
    folder: Workspace, models: dict[str, RoleModel], index: Index
) -> None:
    """Of a history whose beginning git can't read, the newest thousand are there all the same."""
    _import_commits(folder, range(5))
    oldest = folder.head()
    _import_commits(folder, range(5, 1_010), parent=oldest)
    torn = folder.path(f".git/objects/{oldest[:2]}/{oldest[2:]}")
    data = torn.read_bytes()
    torn.unlink()
    with pytest.raises(GitError, match="git log failed"):
        index_history(index, folder.root, models)
    subjects = {row.subject for row in index.history.rows(index.history.newest(2_000)).values()}
    assert subjects == {f"commit {number}" for number in range(10, 1_010)}
    torn.write_bytes(data)
    assert index_history(index, folder.root, models).commits == 1_010


def test_progress_over_a_long_history_tells_no_whole_before_it_is_known(
    folder: Workspace, models: dict[str, RoleModel], index: Index
) -> None:
    _import_commits(folder, range(1_010))
    steps: list[Progress] = []
    index_history(index, folder.root, models, listener=steps.append)
    told = [step for step in steps if step.stage == "history"]
    assert max(step.done for step in told if not step.total) == 1_000
    assert (told[-1].done, told[-1].total) == (10, 10)
    assert len(index.history.shas()) == 1_010


def _import_commits(repo: Workspace, numbers: range, parent: str = "") -> None:
    """Empty commits, by git's own importer; a few as files of their own, many in one pack."""
    parts = [
        f"commit refs/heads/main\ncommitter A <a@b> {1_700_000_000 + number} +0000\n"
        f"data {len(f'commit {number}')}\ncommit {number}\n"
        + (f"from {parent}\n" if parent and number == numbers[0] else "")
        for number in numbers
    ]
    repo.git("fast-import", "--quiet", stdin="".join(parts).encode())
