"""Watching what git does: in work trees of every kind, and while it is at it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init, run_git
from fixtures.watching import PATIENCE_S, Follower, folders, inotify_watches, told, wait_for
from postil_indexers.watching.changes import Changes
from postil_indexers.watching.watch import Watcher


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody's settings of git."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Workspace:
    made = init(tmp_path / "root")
    made.write("a.md", "one\n")
    made.write("docs/b.md", "one\n")
    made.commit("first")
    return made


def test_a_commit_an_amend_a_reset_a_branch_and_packed_refs_are_told(repository: Workspace) -> None:
    with Watcher(repository.root) as watcher:
        repository.git("commit", "-q", "--allow-empty", "-m", "second")
        wait_for(watcher, "git")
        for arguments in (
            ("commit", "-q", "--amend", "--allow-empty", "-m", "other words"),
            ("reset", "-q", "--soft", "HEAD~1"),
            ("branch", "feature/deep/name"),
            ("update-ref", "refs/heads/feature/deep/name", "HEAD@{1}"),
            ("checkout", "-q", "-b", "other"),
            ("pack-refs", "--all"),
            ("tag", "v1"),
        ):
            while watcher.wait(0.2):
                pass
            repository.git(*arguments)
            assert any(changes.git for changes in told(watcher)), arguments
        assert watcher.wait(0.3) == Changes()


def test_a_branch_switch_of_thousands_of_files_is_one_diff(repository: Workspace) -> None:
    repository.git("checkout", "-q", "-b", "many")
    for number in range(5_000):
        repository.write(f"src/{number // 50}/{number}.py", f"n = {number}\n")
    repository.commit("many")
    with Watcher(repository.root) as watcher:
        follower = Follower(repository.folder)
        for branch in ("main", "many"):
            switch = threading.Thread(target=repository.git, args=("checkout", "-q", branch))
            switch.start()
            found = told(watcher, 0.5)
            switch.join()
            assert len(found) <= 2
            assert any(changes.git for changes in found)
            follower.follow(found)
            assert follower.files == follower.actual()
        assert watcher.watched == 103


def test_a_save_under_the_lock_of_git_waits_for_its_end_and_not_for_one_left_behind(repository: Workspace) -> None:
    lock = repository.path(".git/index.lock")
    with Watcher(repository.root) as watcher:
        lock.touch()
        repository.write("a.md", "two\n")
        assert watcher.wait(0.8) == Changes()
        repository.write("docs/b.md", "two\n")
        lock.unlink()
        assert watcher.wait(PATIENCE_S).directories == {"", "docs"}
        lock.touch()
        os.utime(lock, (time.time() - 3600,) * 2)
        repository.write("a.md", "three\n")
        assert watcher.wait(PATIENCE_S).directories == {""}


def test_a_linked_work_tree_tells_of_its_own_head_and_of_shared_refs(repository: Workspace, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", "-b", "side", str(linked))
    with Watcher(str(linked)) as watcher:
        run_git(linked, "commit", "-q", "--allow-empty", "-m", "aside")
        assert any(changes.git for changes in told(watcher))
        run_git(linked, "checkout", "-q", "--detach")
        assert any(changes.git for changes in told(watcher))
        repository.git("branch", "elsewhere")
        assert told(watcher) == [Changes(git=True)]


def test_a_folder_of_a_larger_repository_follows_that_one_and_its_rules(repository: Workspace) -> None:
    with Watcher(str(repository.path("docs"))) as watcher:
        repository.git("commit", "-q", "--allow-empty", "-m", "outside of it")
        assert wait_for(watcher, "git")
        while watcher.wait(0.2):
            pass
        repository.write("a.md", "not below the root\n")
        assert watcher.wait(0.3) == Changes()
        repository.write(".gitignore", "*.tmp.md\n")
        wait_for(watcher, "everything")
        repository.write("docs/x.tmp.md", "ignored\n")
        assert watcher.wait(0.3) == Changes()
        assert Path(repository.path("docs")).is_dir()


def test_submodules_and_nested_repositories_are_followed(repository: Workspace, tmp_path: Path) -> None:
    library = init(tmp_path / "library")
    library.write("lib.py", "x = 1\n")
    library.commit("library")
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library.root, "vendored")
    with Watcher(repository.root) as watcher:
        run_git(repository.path("vendored"), "commit", "-q", "--allow-empty", "-m", "in the submodule")
        assert any(changes.git for changes in told(watcher))
        run_git(repository.folder, "clone", "-q", library.root, "cloned")
        assert "cloned" in folders(told(watcher)) or watcher.watched == 4
        run_git(repository.path("cloned"), "commit", "-q", "--allow-empty", "-m", "in the clone")
        assert any(changes.git for changes in told(watcher))


def test_a_repository_that_is_made_removed_and_made_again_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("text\n", encoding="utf-8")
    with Watcher(str(root)) as watcher:
        for _ in range(2):
            made = init(root)
            assert wait_for(watcher, "git")
            while watcher.wait(0.2):
                pass
            made.commit("first")
            assert any(changes.git for changes in told(watcher))
            shutil.rmtree(root / ".git")
            told(watcher)


def test_rules_outside_the_tree_that_change_mean_everything(repository: Workspace, home: Path) -> None:
    changes = [
        {repository.path(".git/info/exclude"): "*.one.md\n", home / ".config/git/ignore": "*.two.md\n"},
        {home / "mine": "*.three.md\n", home / ".gitconfig": f"[core]\n\texcludesFile = {home}/mine\n"},
    ]
    with Watcher(repository.root) as watcher:
        for files in changes:
            for path, text in files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            wait_for(watcher, "everything")
        repository.write("x.one.md", "ignored\n")
        repository.write("x.three.md", "ignored\n")
        assert watcher.wait(0.3) == Changes()
        repository.write("x.two.md", "no longer\n")
        assert told(watcher) == [Changes(frozenset({""}))]


def test_a_file_that_git_tracks_in_spite_of_its_rules_means_everything(repository: Workspace) -> None:
    repository.write(".gitignore", "build/\n")
    repository.write("build/kept/notes.md", "kept\n")
    repository.commit("rules")
    before = inotify_watches()
    with Watcher(repository.root) as watcher:
        assert watcher.watched == 2
        repository.write("docs/new.md", "new\n")
        repository.git("add", "docs/new.md")
        assert not any(changes.everything for changes in told(watcher))
        repository.git("add", "-f", "build/kept/notes.md")
        wait_for(watcher, "everything")
        assert watcher.watched == 4
        repository.write("build/kept/notes.md", "changed\n")
        assert told(watcher) == [Changes(frozenset({"build/kept"}))]
    assert inotify_watches() == before
