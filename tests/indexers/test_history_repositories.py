"""Repositories of every kind: empty, shallow, partial, damaged, linked, and larger than the workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init, run_git
from postil_indexers.errors import GitError
from postil_indexers.history import new_commits, reachable_shas, read_history, repository_state
from postil_indexers.types import Commit


def test_no_repository_and_an_empty_one(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert repository_state(str(plain)) is None
    assert list(read_history(str(plain))) == []
    assert reachable_shas(str(plain)) == []
    empty = init(tmp_path / "empty")
    state = repository_state(empty.root)
    assert state is not None
    assert (state.head, state.branch, state.prefix) == (None, "main", "")
    assert list(read_history(empty.root)) == []
    assert list(new_commits(empty.root, set())) == []


def test_detached_head_and_a_linked_worktree(workspace: Workspace, tmp_path: Path) -> None:
    workspace.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "release-0.9")
    linked = repository_state(str(tmp_path / "linked"))
    main = repository_state(workspace.root)
    assert linked is not None
    assert main is not None
    assert (main.branch, linked.branch) == ("main", None)
    assert main.git_dir == main.common_dir == linked.common_dir == os.path.join(workspace.root, ".git")
    assert linked.git_dir == os.path.join(workspace.root, ".git", "worktrees", "linked")
    assert (main.is_shallow, main.is_partial) == (False, False)
    assert next(iter(read_history(str(tmp_path / "linked")))).sha == linked.head != main.head


def test_a_shallow_clone_ends_where_it_was_cut(built_workspace: Workspace, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--depth=3", f"file://{built_workspace.root}", "shallow")
    state = repository_state(str(tmp_path / "shallow"))
    assert state is not None
    assert state.is_shallow
    found = list(read_history(str(tmp_path / "shallow")))
    assert [commit.sha for commit in found] == reachable_shas(built_workspace.root)[:3]
    assert found[-1].parents == ()  # its parent is not here
    assert len(found[-1].files) > 30  # so that all files seem to be added


def test_a_folder_of_a_larger_repository(workspace: Workspace) -> None:
    workspace.write("web/web/a.ts", "1\n")
    workspace.commit("inside")
    workspace.rename("Makefile", "web/Makefile")
    workspace.rename("web/package.json", "package.json")
    workspace.commit("across the border")
    web = str(workspace.path("web"))
    state = repository_state(web)
    assert state is not None
    assert state.prefix == "web/"
    found = list(read_history(web))
    assert [commit.subject for commit in found] == [
        "across the border",
        "inside",
        "Merge branch 'web-client'",
        "Client: retry with backoff while the gateway answers 503",
        "Add a TypeScript client for the gateway",
    ]
    assert [commit.sha for commit in found] == reachable_shas(web)
    assert {(file.status, file.path) for file in found[0].files} == {("A", "Makefile"), ("D", "package.json")}
    assert [file.path for file in found[1].files] == ["web/a.ts"]
    assert [commit.sha for commit in new_commits(web, {found[0].sha, found[3].sha})] == [
        found[i].sha for i in (1, 2, 4)
    ]


def test_a_merge_in_a_folder_of_a_larger_repository(tmp_path: Path) -> None:
    repo = init(tmp_path / "repo")
    repo.write("sub/sub/a", "1\n")
    repo.write("top", "1\n")
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("sub/sub/a", "side\n")
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    repo.write("sub/sub/a", "main\n")
    repo.commit("main")
    repo.git("merge", "-q", "-s", "ours", "--no-commit", "side")
    repo.write("sub/sub/a", "both\n")
    repo.write("top", "evil\n")
    repo.commit("merge")
    merge = next(iter(read_history(str(repo.path("sub")))))
    assert [file.path for file in merge.files] == ["sub/a"]


@pytest.fixture
def partial(tmp_path: Path) -> Workspace:
    """A clone without blobs of a repository of four commits; those of the second one have been fetched."""
    source = init(tmp_path / "source")
    for number in range(4):
        source.write("a.md", f"text {number}\n" * 10)
        source.write(f"{number}.md", f"only {number}\n")
        source.commit(f"commit {number}")
    source.git("config", "uploadpack.allowFilter", "true")
    source.git("config", "uploadpack.allowAnySHA1InWant", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{source.root}", "partial")
    clone = Workspace(tmp_path / "partial")
    clone.git("show", "HEAD~2")
    return clone


def test_a_partial_clone_falls_back_to_names_and_fetches_nothing(partial: Workspace) -> None:
    state = repository_state(partial.root)
    assert state is not None
    assert state.is_partial
    before = partial.git("rev-list", "--objects", "--all", "--missing=print")
    found = list(read_history(partial.root))
    assert partial.git("rev-list", "--objects", "--all", "--missing=print") == before
    assert [(commit.subject, commit.text_missing) for commit in found] == [
        ("commit 3", True),
        ("commit 2", True),
        ("commit 1", False),
        ("commit 0", True),
    ]
    assert [[file.path for file in commit.files] for commit in found][:2] == [["3.md", "a.md"], ["2.md", "a.md"]]
    assert found[2].files[0].hunks[0].text == "+only 1\n"
    assert found[1].files[0].hunks == ()
    assert [commit.subject for commit in read_history(partial.root, limit=3)] == ["commit 3", "commit 2", "commit 1"]


def test_a_partial_clone_of_many_commits_has_each_once(tmp_path: Path) -> None:
    source = init(tmp_path / "source")
    for number in range(40):
        source.write("a.md", f"{number}\n")
        source.commit(f"commit {number}")
    source.git("config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{source.root}", "partial")
    found = list(read_history(str(tmp_path / "partial")))
    assert [commit.subject for commit in found] == [f"commit {number}" for number in reversed(range(40))]
    assert all(commit.text_missing for commit in found)


def _damage(repo: Workspace, revision: str) -> None:
    name = repo.git("rev-parse", revision).strip()
    path = repo.path(f".git/objects/{name[:2]}/{name[2:]}")
    path.chmod(0o644)
    path.write_bytes(b"garbage")


@pytest.mark.parametrize("broken", ["HEAD~2:a.md", "HEAD~2^{tree}", "HEAD~2"])
def test_a_damaged_object_is_an_error_after_what_was_readable(tmp_path: Path, broken: str) -> None:
    repo = init(tmp_path / "repo")
    for number in range(6):
        repo.write("a.md", f"{number}\n")
        repo.commit(f"commit {number}")
    _damage(repo, broken)
    found: list[Commit] = []
    with pytest.raises(GitError, match="git log failed"):
        _collect(repo.root, found)
    assert [commit.subject for commit in found][:2] == ["commit 5", "commit 4"][: len(found)]
    assert len(found) >= 1
    assert all(commit.files[0].hunks for commit in found)


def _collect(root: str, into: list[Commit]) -> None:
    for commit in read_history(root):
        into.append(commit)  # noqa: PERF402 - what came before the error counts


def test_leaving_early_stops_git(built_workspace: Workspace) -> None:
    stream = read_history(built_workspace.root)
    assert next(stream).subject.startswith("Keep leases alive")
    stream.close()


def test_a_commit_of_many_files(tmp_path: Path) -> None:
    repo = init(tmp_path / "repo")
    entries = (f"M 100644 inline d{n % 100}/f{n}\ndata 2\n{n % 10}\n" for n in range(20_000))
    head = "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 3\nbig\n"
    repo.git("fast-import", "--quiet", stdin=(head + "".join(entries) + "\n").encode())
    (commit,) = read_history(repo.root)
    assert len(commit.files) == 20_000
    assert all(file.hunks[0].new_lines == 1 for file in commit.files)
    assert sum(len(file.hunks[0].text) for file in commit.files) <= 20_000
