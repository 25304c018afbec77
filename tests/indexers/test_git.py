from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fixtures.hostile import make_hostile_repository
from postil_indexers.errors import GitError
from postil_indexers.files import FileEntry, read_text, scan, why
from postil_indexers.git import git_executable, leave_out_of_path, repository_root, run_git, stream_git

_HISTORY = ("log", "--raw", "-z", "-p", "-U0", "-M", "--format=%x01%H%x00%an%x00%s%x00%b")


def _git(folder: Path, *arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, "-C", str(folder), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "-q")
    (folder / "a.txt").write_text("one\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("hostile") / "repository"
    return folder, make_hostile_repository(folder)


def test_a_hostile_repository_runs_nothing(hostile: tuple[Path, Path]) -> None:
    folder, canaries = hostile
    root = str(folder)
    rows = list(scan(root))
    for row in rows:
        why(root, row.path)
        if isinstance(row, FileEntry):
            read_text(root, row.path)
    assert {"note.md", "main.c", "sub/inner.md"} <= {row.path for row in rows}
    assert repository_root(root) == root
    with stream_git(root, *_HISTORY) as stream:
        history = stream.read()
    assert history.count(b"\x01") == 3
    assert b"-int main(void) { return 0; }\n+int main(void) { return 1; }" in history  # not what a driver made of it
    run_git(root, "show", "HEAD~1")
    run_git(root, "log", "--name-status", "--format=%H %G?")
    run_git(root, "blame", "--porcelain", "HEAD", "--", "main.c")
    run_git(root, "diff-tree", "-p", "HEAD~2", "HEAD")
    run_git(root, "cat-file", "-p", "HEAD")
    assert os.listdir(canaries) == []


def test_a_missing_promised_blob_is_not_fetched(tmp_path: Path) -> None:
    canaries = make_hostile_repository(tmp_path / "repository", missing_blob=True)
    with pytest.raises(GitError, match="git log failed"):
        run_git(str(tmp_path / "repository"), *_HISTORY)
    names = run_git(str(tmp_path / "repository"), "log", "--name-status", "--format=%s")
    assert b"second\n\nM\tmain.c\nM\tnote.md" in names
    assert os.listdir(canaries) == []


def test_the_hostile_repository_has_teeth(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    sprung: set[str] = set()
    for missing_blob in (False, True):
        folder = tmp_path / f"repository-{missing_blob}"
        canaries = make_hostile_repository(folder, missing_blob=missing_blob)
        for arguments in (
            ("log", "-p", "--no-ext-diff"),
            ("log", "-p", "--ext-diff"),
            ("cat-file", "-p", "HEAD~2:note.md"),
            ("rm", "-q", "--cached", "main.h"),
            ("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-m", "x"),
            ("status",),
        ):
            subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, env=environment)
        sprung |= set(os.listdir(canaries))
    assert {
        *("diff.evil.textconv", "diff.evil.command", "gpg.openpgp.program", "worktree-fsmonitor", "worktree-external"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.pipe.process", "promisor", "submodule-fsmonitor"),
        *("core.hooksPath-pre-commit", "core.hooksPath-post-index-change"),
    } <= sprung


def test_the_callers_environment_points_git_nowhere_else(repository: Path, tmp_path: Path, monkeypatch) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{canary}'\n")
    program.chmod(0o755)
    for name, value in {
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_EXTERNAL_DIFF": str(program),
        "GIT_PAGER": str(program),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(program),
        "GIT_CONFIG_PARAMETERS": f"'diff.external={program}'",
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_TRACE": str(tmp_path / "trace"),
    }.items():
        monkeypatch.setenv(name, value)
    assert run_git(str(repository), "ls-files", "-z") == b"a.txt\0"
    assert b"+one" in run_git(str(repository), "log", "-p")
    assert not canary.exists()
    assert not (tmp_path / "trace").exists()


def test_a_git_in_the_workspace_is_not_run(repository: Path, tmp_path: Path, monkeypatch) -> None:
    planted = repository / "git"
    planted.write_text("#!/bin/sh\ntouch ran\n")
    planted.chmod(0o755)
    monkeypatch.chdir(repository)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.symlink_to(repository)
    through_a_link = tmp_path / "bin"
    through_a_link.mkdir()
    (through_a_link / "git").symlink_to(planted)
    real = os.environ["PATH"]
    for entry in (".", "", str(repository), f"{repository}/", str(elsewhere), str(through_a_link)):
        monkeypatch.setenv("PATH", os.pathsep.join([entry, real]))
        assert os.path.isabs(git_executable(str(repository)))
        assert run_git(str(repository), "ls-files", "-z") == b"a.txt\0"
        assert not (repository / "ran").exists(), entry


def test_a_program_in_the_workspace_is_no_helper_of_git(repository: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(["relative", str(repository / "bin"), os.environ["PATH"]]))
    leave_out_of_path(str(repository))
    assert "relative" not in os.environ["PATH"].split(os.pathsep)
    assert str(repository / "bin") not in os.environ["PATH"].split(os.pathsep)
    assert run_git(str(repository), "ls-files", "-z") == b"a.txt\0"


def test_a_workspace_of_a_whole_drive_still_finds_git() -> None:
    assert os.path.isabs(git_executable(os.path.abspath(os.sep)))


def test_without_git_the_error_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setenv("PATH", "relative")
    with pytest.raises(GitError) as caught:
        git_executable("/no/workspace")
    assert caught.value.hint == "install git, or index with --no-history"


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("diff",),
        ("fetch",),
        ("log", "--output=x"),
        ("log", "--outp=x"),
        ("log", "--ext-diff"),
        ("show", "--textconv"),
        ("cat-file", "--filters", "HEAD:a.txt"),
        ("log", "--show-signature"),
        ("config", "core.pager", "x"),
        ("blame", "--contents", "x", "a.txt"),
    ],
)
def test_commands_that_could_run_or_write_something_are_refused(repository: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="git"):
        run_git(str(repository), *arguments)
    assert sorted(os.listdir(repository)) == [".git", "a.txt"]


def test_a_path_that_looks_like_an_option_is_a_path(repository: Path) -> None:
    (repository / "--output=x").write_text("two\n")
    _git(repository, "add", "--", "./--output=x")
    _git(repository, "commit", "-q", "-m", "second")
    assert run_git(str(repository), "log", "--format=%s", "--", "--output=x") == b"second\n"


def test_output_has_one_shape_whatever_the_settings(repository: Path) -> None:
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "color.diff": "always",
        "i18n.logOutputEncoding": "latin1",
        "core.quotePath": "true",
        "diff.relative": "true",
        "log.showRoot": "false",
    }.items():
        _git(repository, "config", key, value)
    (repository / "é.txt").write_text("zwei\n")
    _git(repository, "add", ".")
    _git(repository, "commit", "-q", "-m", "größer")
    _git(repository, "config", "diff.orderFile", "missing")
    assert run_git(str(repository), "log", "-p", "-U0", "--format=%s", "-1").decode() == (
        "größer\n\ndiff --git a/é.txt b/é.txt\nnew file mode 100644\nindex 0000000..5ee7f22\n"
        "--- /dev/null\n+++ b/é.txt\n@@ -0,0 +1 @@\n+zwei\n"
    )
    assert b"+one" in run_git(str(repository), "log", "-p", "--format=%s")


def test_a_failure_names_the_command_and_gits_reason(repository: Path) -> None:
    with pytest.raises(GitError) as caught:
        run_git(str(repository), "log", "nothing-of-that-name", "--")
    assert caught.value.message == f"git log failed in {repository}: fatal: bad revision 'nothing-of-that-name'"
    with pytest.raises(GitError, match="bad revision"), stream_git(str(repository), "log", "nothing", "--") as stream:
        assert stream.read() == b""


def test_leaving_a_stream_early_stops_git(repository: Path) -> None:
    (repository / "big.txt").write_bytes(os.urandom(4 << 20).hex().encode())
    _git(repository, "add", ".")
    with stream_git(str(repository), "cat-file", "-p", ":big.txt") as stream:
        assert len(stream.read(10)) == 10
    with pytest.raises(KeyError), stream_git(str(repository), "cat-file", "-p", ":big.txt") as stream:
        raise KeyError
    with stream_git(str(repository), "cat-file", "-p", ":big.txt") as stream:
        assert len(stream.read()) == 8 << 20


def test_a_stream_is_not_blocked_by_many_errors(repository: Path) -> None:
    heads = repository / ".git" / "refs" / "heads"
    for number in range(1500):  # git warns of each of them: more than a pipe holds
        (heads / f"broken-{number}-{'x' * 60}").write_text("broken\n")
    with stream_git(str(repository), "for-each-ref", "--format=%(objecttype)", timeout_s=20) as stream:
        assert stream.read() == b"commit\n"


def test_a_stuck_git_is_stopped(repository: Path) -> None:
    os.mkfifo(repository / ".gitattributes")  # git waits for somebody to write into it
    with pytest.raises(GitError, match="git log"), stream_git(str(repository), "log", "-p", timeout_s=0.5) as stream:
        stream.read()
    with pytest.raises(GitError, match="did not answer within 0 s"):
        run_git(str(repository), "log", "-p", timeout_s=0.4)


@pytest.mark.parametrize(("kills", "answers"), [(1, True), (2, False)])
def test_a_git_that_was_killed_is_asked_once_more(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int, answers: bool
) -> None:
    real = git_executable(str(repository))
    killed = tmp_path / "bin" / "git"
    killed.parent.mkdir()
    script = f'#!/bin/sh\necho >> "$0.runs"; [ $(wc -l < "$0.runs") -gt {kills} ] || kill -9 $$\nexec {real} "$@"\n'
    killed.write_text(script)
    killed.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(killed.parent), os.environ["PATH"]]))
    if answers:
        assert run_git(str(repository), "ls-files", "-z") == b"a.txt\0"
    else:
        with pytest.raises(GitError, match=r"git ls-files failed in .*: it was stopped, or gave no message"):
            run_git(str(repository), "ls-files", "-z")
    assert killed.with_name("git.runs").read_text().count("\n") == 2


def test_a_work_tree_that_is_set_elsewhere_is_not_this_one(repository: Path, tmp_path: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    assert repository_root(str(inner)) == str(repository)
    _git(repository, "config", "core.worktree", str(tmp_path / "away"))
    (tmp_path / "away").mkdir()
    assert repository_root(str(inner)) is None
    assert repository_root(str(tmp_path)) is None
