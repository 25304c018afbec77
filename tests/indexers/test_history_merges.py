"""Merges as they are read: in a run of their own where there are many commits, and with git's search for renames."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.history import new_commits, reachable_shas, read_history
from postil_indexers.types import Commit, MergedFile, Shift

_MANY = 40  # more commits than are read in one run of git
_Files = dict[str, str | None]  # path -> text; None: deleted


@pytest.fixture
def repo(tmp_path: Path) -> Workspace:
    return init(tmp_path / "repo")


def _text(**changed: str) -> str:
    """Twelve lines, some of them otherwise: `line3="x"`."""
    return "".join(changed.get(f"line{number}", f"line {number}") + "\n" for number in range(12))


def _merge(repo: Workspace, name: str, ours: _Files, theirs: _Files, merged: _Files) -> None:
    repo.git("checkout", "-q", "-b", name)
    _commit(repo, f"{name}: theirs", theirs)
    repo.git("checkout", "-q", "main")
    _commit(repo, f"{name}: ours", ours)
    repo.git("merge", "-q", "-s", "ours", "--no-commit", name)
    _commit(repo, f"{name}: merge", merged)


def _commit(repo: Workspace, subject: str, files: _Files) -> None:
    for path, text in files.items():
        if text is None:
            repo.delete(path)
        else:
            repo.write(path, text)
    repo.commit(subject)


@pytest.fixture
def merges(repo: Workspace) -> Workspace:
    """Merges of all sorts behind many other commits."""
    _commit(repo, "base", dict.fromkeys(("both", "renamed", "gone"), _text()))
    for number in range(_MANY):
        repo.commit(f"empty {number}")
    a, b, ab = _text(line1="ours"), _text(line10="theirs"), _text(line1="ours", line10="theirs")
    _merge(repo, "apart", {"ours": "1\n"}, {"theirs": "2\n"}, {"theirs": "2\n"})
    _merge(repo, "both", {"both": a}, {"both": b}, {"both": ab})
    _merge(repo, "renamed", {"renamed": a}, {"renamed": None, "moved": b}, {"renamed": None, "moved": ab})
    _merge(repo, "gone", {"gone": a}, {"gone": b}, {"gone": None})
    return repo


def test_a_merge_is_read_alike_alone_and_among_many(merges: Workspace) -> None:
    found = list(read_history(merges.root))
    shas = reachable_shas(merges.root)
    assert [commit.sha for commit in found] == shas == merges.git("log", "--format=%H").split()
    of_merges = [commit for commit in found if len(commit.parents) > 1]
    assert len(of_merges) == 4
    alone = [next(new_commits(merges.root, {*shas} - {commit.sha})) for commit in of_merges]
    assert alone == of_merges


def test_lines_of_a_merge_can_be_followed_to_each_parent(merges: Workspace) -> None:
    found = {commit.subject: commit for commit in read_history(merges.root)}
    theirs, ours = Shift(10, 1, 10, 1), Shift(1, 1, 1, 1)
    assert found["apart: merge"].merged == ()
    assert _shifts(found["both: merge"]) == {"both": ((theirs,), (ours,))}
    # against the name that the first parent had, not as a new file
    assert _shifts(found["renamed: merge"]) == {"moved": ((theirs,), (ours,))}
    assert found["both: merge"].files == found["renamed: merge"].files == ()


def _shifts(commit: Commit) -> dict[str, tuple[tuple[Shift, ...], ...]]:
    return {file.path: file.shifts for file in commit.merged}


def test_a_merge_that_is_longer_than_a_block_is_read_whole(repo: Workspace) -> None:
    def numbered(word: str) -> str:
        return "".join(f"{word} {number} {'.' * 200}\n" for number in range(3_000))

    _commit(repo, "base", {"a": numbered("base")})
    _merge(repo, "long", {"a": numbered("main")}, {"a": numbered("side")}, {"a": numbered("solved")})
    merge = next(iter(read_history(repo.root)))
    whole = (Shift(0, 3_000, 0, 3_000),)
    assert merge.merged == (MergedFile("a", (whole, whole)),)
    (hunk,) = merge.files[0].hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (0, 3_000, 0, 3_000)
    assert hunk.truncated
    assert hunk.text.startswith(f"-main 0 {'.' * 200}\n-main 1 ")
