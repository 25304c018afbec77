"""File names, encodings, kinds of change and caps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.history import read_history
from postil_indexers.hunktext import BODY_CHARS, COMMIT_CHARS, FILE_CHARS, HUNK_CHARS, LINE_CHARS, keeps_text
from postil_indexers.types import Commit


@pytest.fixture
def repo(tmp_path: Path) -> Workspace:
    return init(tmp_path / "repo")


def last(workspace: Workspace) -> Commit:
    return next(iter(read_history(workspace.root, limit=1)))


NAMES = [
    'quo"te\\back.md',
    "line\nend.md",
    "tab\tand space.md",
    "{old => new}.md",
    "中文 笔记.md",
    "Cafe\u0301.md",
    "a b/b a b.md",
    os.fsdecode(b"latin\xe9.md"),
]


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="the file system refuses such names")
def test_names_that_need_quoting_come_back_as_they_are(repo: Workspace) -> None:
    for number, name in enumerate(NAMES):
        repo.write(name, f"{number}\n" * 5)
    repo.commit("add")
    assert {file.path for file in last(repo).files} == set(NAMES)
    assert all(file.hunks[0].new_lines == 5 for file in last(repo).files)
    for name in NAMES:
        repo.rename(name, f"moved {name}")
        repo.write(f"moved {name}", repo.read(f"moved {name}") + "more\n")
    repo.commit("move")
    moved = last(repo)
    assert {(file.old_path, file.path, file.status) for file in moved.files} == {(n, f"moved {n}", "R") for n in NAMES}
    assert all([hunk.text for hunk in file.hunks] == ["+more\n"] for file in moved.files)


def test_other_configuration_prints_the_same(built_workspace: Workspace, workspace: Workspace) -> None:
    for key, value in {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.renames": "false", "diff.algorithm": "patience",
        "diff.context": "5", "diff.interHunkContext": "9", "diff.relative": "true", "diff.orderFile": "order",
        "log.showRoot": "false", "log.diffMerges": "first-parent", "log.follow": "true", "log.date": "raw",
        "log.decorate": "full", "format.pretty": "oneline", "core.quotePath": "true", "color.ui": "always",
        "i18n.logOutputEncoding": "GBK", "diff.wordRegex": ".", "diff.ignoreSubmodules": "all",
    }.items():  # fmt: skip
        workspace.git("config", key, value)
    assert list(read_history(workspace.root)) == list(read_history(built_workspace.root))


def test_messages_in_other_encodings(repo: Workspace) -> None:
    (repo.folder / "gbk").write_bytes("修复内存泄漏".encode("gbk"))
    repo.git("-c", "i18n.commitEncoding=GBK", "commit", "-q", "--allow-empty", "-F", "gbk")
    assert last(repo).subject == "修复内存泄漏"
    (repo.folder / "latin").write_bytes("Schlüssel für Größe geändert, über alles".encode("latin-1"))
    repo.git("commit", "-q", "--allow-empty", "-F", "latin")
    assert last(repo).subject == "Schlüssel für Größe geändert, über alles"
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    assert (last(repo).subject, last(repo).body) == ("", "")


def test_a_file_that_became_a_link_is_one_change_with_two_hunks(repo: Workspace) -> None:
    repo.write("a", "1\n2\n")
    repo.write("z", "1\n")
    repo.commit("one")
    repo.delete("a")
    repo.path("a").symlink_to("z")
    repo.write("z", "2\n")
    repo.commit("two")
    link, other = last(repo).files
    assert (link.path, link.status) == ("a", "T")
    assert [(h.old_lines, h.new_lines, h.text) for h in link.hunks] == [(2, 0, "-1\n-2\n"), (0, 1, "+z\n")]
    assert (other.path, other.hunks[0].text) == ("z", "-1\n+2\n")


def test_a_submodule_moves(repo: Workspace, tmp_path: Path) -> None:
    inner = init(tmp_path / "inner")
    first = inner.commit("inner one")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    repo.git("commit", "-q", "-m", "add lib")
    second = inner.commit("inner two")
    repo.git("update-index", "--cacheinfo", f"160000,{second},lib")
    repo.git("commit", "-q", "-m", "move lib")
    file = last(repo).files[0]
    assert (file.path, file.status) == ("lib", "M")
    assert file.hunks[0].text == f"-Subproject commit {first}\n+Subproject commit {second}\n"


def test_long_text_is_cut_and_numbers_are_not(repo: Workspace) -> None:
    repo.write("a.py", "".join(f"value_{n} = {n}\n" for n in range(5000)))
    repo.write("b.py", "x" * 1000 + "\nshort\n")
    repo.write("c.py", "y" * 9_000_000 + "\nlast\n")
    repo.write("d.py", "def fine(): pass\n")
    repo.commit("big\n\n" + "word " * 10_000)
    commit = last(repo)
    a, b, c, d = (file.hunks[0] for file in commit.files)
    assert (a.new_lines, a.truncated) == (5000, True)
    assert HUNK_CHARS - 20 < len(a.text) <= HUNK_CHARS
    assert a.text.endswith("\n")
    assert (b.new_lines, b.truncated) == (2, True)
    assert b.text == "+" + "x" * (LINE_CHARS - 2) + "…\n+short\n"
    assert (c.new_lines, c.truncated) == (2, True)
    assert d.text == "+def fine(): pass\n"
    assert len(commit.body) <= BODY_CHARS
    assert len(commit.added_names) == 64


def test_a_removed_block_leaves_room_for_what_replaced_it(repo: Workspace) -> None:
    repo.write("a.py", "".join(f"old_{n} = {n}\n" for n in range(500)))
    repo.commit("one")
    repo.write("a.py", "new_value = 1\n")
    repo.commit("two")
    hunk = last(repo).files[0].hunks[0]
    assert hunk.text.startswith("-old_0 = 0\n")
    assert hunk.text.endswith("+new_value = 1\n")
    assert hunk.truncated


def test_one_commit_has_its_share_and_each_file_its_own(repo: Workspace) -> None:
    for number in range(40):
        repo.write(f"{number:02}.py", "\n".join(f"line {n} of {number}" if n % 2 else "same" for n in range(400)))
    repo.commit("one")
    for number in range(40):
        repo.replace(f"{number:02}.py", f"line 1 of {number}\n", "changed\n" * 90)
        text = repo.read(f"{number:02}.py")
        repo.write(f"{number:02}.py", text.replace(f" of {number}", " OF"))
    repo.commit("two")
    commit = last(repo)
    sizes = [sum(len(hunk.text) for hunk in file.hunks) for file in commit.files]
    assert max(sizes) <= FILE_CHARS
    assert sum(sizes) <= COMMIT_CHARS
    assert sum(size > 0 for size in sizes) >= 3
    assert all(len(file.hunks) == 200 for file in commit.files)
    assert all(hunk.truncated for hunk in commit.files[-1].hunks)


def test_what_programs_wrote_keeps_its_numbers_only(repo: Workspace) -> None:
    for name in ("package-lock.json", "web/app.min.js", "vendor/lib/a.go", "node_modules/x/i.js", ".env", "src/a.go"):
        repo.write(name, "some text\n" * 3)
    repo.commit("all")
    texts = {file.path: file.hunks[0] for file in last(repo).files}
    assert {path for path, hunk in texts.items() if hunk.text} == {"src/a.go"}
    assert all(hunk.new_lines == 3 for hunk in texts.values())
    assert {path for path, hunk in texts.items() if hunk.truncated} == set(texts) - {"src/a.go"}


@pytest.mark.parametrize(
    ("path", "kept"), [(b"a/vendors.py", True), (b"third_party/x.c", False), (b"Cargo.lock", False)]
)
def test_keeps_text(path: bytes, kept: bool) -> None:
    assert keeps_text(path) is kept


def test_names_of_prose_are_identifiers_only(repo: Workspace) -> None:
    repo.write("note.md", "The worker calls lease_keeper and RetryPolicy twice.\n")
    repo.write("code.py", "def worker(job):\n    return job.run()\n")
    repo.commit("one")
    assert set(last(repo).added_names) == {"lease_keeper", "RetryPolicy", "worker", "job", "run"}
    repo.write("code.py", "def worker(job):\n    return job.start()\n")
    repo.commit("two")
    assert (last(repo).added_names, last(repo).removed_names) == (("start",), ("run",))
