"""Questions to the history of the fixture workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures.repository import Workspace
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.store.index import open_index
from postil_server.timeline import history
from postil_server.types import FoundCommit

ROLES: dict[str, Embedder] = {"static": load_static()}
Ask = Callable[..., list[FoundCommit]]


@pytest.fixture
def ask(indexed_file: Path) -> Iterator[Ask]:
    with open_index(indexed_file) as index:
        yield lambda query, limit=10, path=None: history(index, query, ROLES, limit, path)


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("full jitter", "Rename backoff_policy to retry and add full jitter"),
        ("off-by-one attempts", "Fix off-by-one in counting attempts (#42)"),
        ("#42", "Fix off-by-one in counting attempts (#42)"),
        ("续租失败", "修复：续租失败后任务被重复执行"),
        ("LeaseLost", "修复：续租失败后任务被重复执行"),
        ("备份前检查磁盘空间", "脚本：备份前检查磁盘空间"),
        ("why were credentials removed", "Remove credentials from the production settings"),
        ("activedefrag", "新增笔记：Redis内存碎片整理"),
    ],
)
def test_words_find_their_commit(ask: Ask, query: str, subject: str) -> None:
    assert subject in [commit.subject for commit in ask(query, 3)]


def test_the_start_of_an_id_finds_its_commit(ask: Ask, built_workspace: Workspace) -> None:
    sha = built_workspace.sha("Runbooks for a stuck queue")
    for query in (sha, sha[:7], sha[:9].upper(), f"what did {sha[:12]} change?"):
        assert ask(query, 1)[0].sha == sha


def test_an_id_of_zeros_is_no_commit_and_no_error(ask: Ask) -> None:
    for query in ("0" * 40, "0000000", f"since {'0' * 40}"):
        assert all(set(commit.sha) != {"0"} for commit in ask(query))


def test_a_path_narrows_the_answer(ask: Ask) -> None:
    for path in ("web", "web/", "web/src/client.ts"):
        found = ask("client retry", 20, path)
        assert {commit.subject for commit in found} == {
            "Add a TypeScript client for the gateway",
            "Client: retry with backoff while the gateway answers 503",
        }
    assert ask("client retry", 20, "no/such") == []


def test_a_path_that_was_renamed_is_found_by_both_names(ask: Ask) -> None:
    for path in ("millrace/retry.py", "millrace/backoff_policy.py"):
        assert "Rename backoff_policy to retry and add full jitter" in {
            c.subject for c in ask("rename backoff", 20, path)
        }


def test_a_commit_comes_with_its_files_and_hunks(ask: Ask, built_workspace: Workspace) -> None:
    (commit,) = ask("five minutes", 1)
    assert commit.subject == "Cap the backoff at five minutes"
    (change,) = commit.files
    (hunk,) = change.hunks
    assert (change.path, change.status) == ("millrace/retry.py", "M")
    assert hunk.text.splitlines() == ["-    cap_seconds: float = 900.0", "+    cap_seconds: float = 300.0"]
    lines = built_workspace.git("show", f"{commit.sha}:millrace/retry.py").splitlines()
    assert lines[hunk.new_start] == "    cap_seconds: float = 300.0"


@pytest.mark.parametrize("query", ["", '"', "NEAR(", "*", "\udcff", "\x00"])
def test_no_query_is_an_expression(ask: Ask, query: str) -> None:
    ask(query)
