"""Outside folders, and what several roots found as one answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from postil_server.roots import merged, merged_commits, outside_folders
from postil_server.types import FoundCommit


@dataclass(frozen=True)
class Found:
    root: str
    path: str
    confidence: float
    sha: str = ""


def test_folders_that_are_none_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()
    (tmp_path / "file").touch()
    folders, warnings = outside_folders(["~/notes", "relative/notes", "~/gone", str(tmp_path / "file")], [])
    assert folders == [str(tmp_path / "notes")]
    assert [warning.split(" ")[1] for warning in warnings] == ["relative/notes", "~/gone", str(tmp_path / "file")]


def test_what_an_open_folder_or_another_holds_is_joined_once(tmp_path: Path) -> None:
    for name in ("notes/daily", "notesbook", "code"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "alias").symlink_to(tmp_path / "notes")
    named = [str(tmp_path / name) for name in ("notes/daily", "notes", "alias", "notesbook", "code")]

    def joined(*opened: str) -> list[str]:
        found, warnings = outside_folders(named, [str(tmp_path / name) for name in opened])
        assert warnings == []
        return [str(Path(path).relative_to(tmp_path)) for path in found]

    assert joined() == ["notes", "notesbook", "code"]
    assert joined("code") == ["notes", "notesbook"]
    assert joined("notes") == ["notesbook", "code"]
    assert joined("notes/daily") == ["notes", "notesbook", "code"]
    assert joined(".") == []


def test_what_an_inner_root_holds_comes_from_it_alone() -> None:
    found = [
        Found("/n", "a.md", 0.5),
        Found("/n", "in/b.md", 0.9),
        Found("/n", "inner.md", 0.7),
        Found("/n/in", "b.md", 0.8),
        Found("/c", "x.py", 0.95),
    ]
    best = merged(found, ["/n", "/n/in", "/c"], 10)
    assert [(item.root, item.path) for item in best] == [
        ("/c", "x.py"),
        ("/n/in", "b.md"),
        ("/n", "inner.md"),
        ("/n", "a.md"),
    ]
    assert merged(found, ["/n", "/n/in", "/c"], 2) == best[:2]
    assert merged(found[:2], ["/n"], 10) == found[:2]  # as they were ranked
    commits = [Found("/n", "", 0.6, "aa"), Found("/n/in", "", 0.7, "aa"), Found("/n", "", 0.5, "bb")]
    assert merged(commits, ["/n", "/n/in"], 10) == [commits[1], commits[2]]


def test_two_roots_in_one_repository_have_its_commits_once() -> None:
    def commit(sha: str, score: float) -> FoundCommit:
        return FoundCommit(sha, 0, "", "", score, ())

    found = [("/a", commit("1", 0.3)), ("/b", commit("1", 0.4)), ("/b", commit("2", 0.1)), ("/a", commit("3", 0.2))]
    assert [(root, item.sha) for root, item in merged_commits(found, 2)] == [("/b", "1"), ("/a", "3")]
