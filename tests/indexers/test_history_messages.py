"""What messages, prefixes and paths say of a commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.changekind import Touches, change_kind, touched
from postil_indexers.mailmap import parse_mailmap
from postil_indexers.messages import Mention, issues, mentions, trailers
from postil_indexers.repository_context import Tag, first_releases, web_address


@pytest.fixture
def repo(tmp_path: Path) -> Workspace:
    return init(tmp_path / "repo")


@pytest.mark.parametrize(
    ("subject", "paths", "kind"),
    [
        ("fix(parser): keep the last line", ["a.py"], "fix"),
        ("feat!: drop Python 3.8", ["a.py"], "feature"),
        ("Fix off-by-one in counting attempts (#42)", ["a.py", "tests/test_a.py"], "fix"),
        ("Add RetryPolicy with exponential backoff", ["a.py"], "feature"),
        ("Rename backoff_policy to retry", ["a.py"], "refactor"),
        ('Revert "Cache ready_count"', ["a.py"], "revert"),
        ("Runbooks for a stuck queue", ["docs/runbooks/a.md"], "docs"),
        ("Cover the second branch", ["tests/test_a.py"], "test"),
        ("release version 3.1.1", ["pyproject.toml"], "release"),
        ("修复：续租失败后任务被重复执行", ["lease.py"], "fix"),
        ("chore: bump actions", ["x.yml"], "other"),
        ("Cap the backoff at five minutes", ["retry.py"], "other"),
    ],
)
def test_kinds(subject: str, paths: list[str], kind: str) -> None:
    assert change_kind(subject, "", touched(paths), len(paths), 0) == kind


def test_what_a_commit_touches() -> None:
    assert touched(["a.py", "tests/test_a.py"]) == Touches.CODE | Touches.TESTS
    assert touched(["docs/a.md", "CHANGES.rst"]) == Touches.DOCS
    assert touched([]) == Touches(0)


def test_trailers_are_the_last_paragraph() -> None:
    body = "Why.\n\nNot: a trailer\nbecause of this line\n\nReviewed-by: Ada <ada@x.example>\nCloses #57\n"
    assert trailers(body) == [("Reviewed-by", "Ada <ada@x.example>"), ("Closes", "57")]
    assert trailers("Why.\n\nNot: a trailer\nbecause of this line") == []


def test_what_a_message_names() -> None:
    one, two, three = "a" * 39 + "1", "b" * 8 + "2", "c" * 11 + "3"
    body = (
        f"This reverts commit {one}.\n\nFixes {two}\n(cherry picked from commit {three})\n"
        "See https://host.example/x/y/pull/12 and PROJ-7, UTF-8, GH-42; not x#5 or a&#39;."
    )
    found = mentions("Something (#42)", body)
    assert found == [
        Mention("reverts", one),
        Mention("picks", three),
        Mention("mends", two),
        Mention("issue", "42"),
        Mention("issue", "12"),
        Mention("issue", "PROJ-7"),
    ]
    assert issues("utf-8 sha-256 rfc-822") == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Revert: abcdef1", "reverts"),
        ("It reverts commit abcdef1", "reverts"),
        ("Backport of ABCDEF1", "picks"),
        ("cherry-picked from abcdef1", "picks"),
        ("Fixes: abcdef1", "mends"),
        ("Introduced in abcdef1", "mends"),
        ("broken by commit abcdef1", "mends"),
        ("Caused by abcdef1", "mends"),
    ],
)
def test_how_a_message_names_another_commit(line: str, kind: str) -> None:
    assert mentions("Something else", f"First\n{line}\nlast") == [Mention(kind, "abcdef1")]


def test_issues_are_found_on_any_line_in_order() -> None:
    assert issues("One #3\nno number\nfixes gh-1,\nPROJ-2\n#3 again") == ["3", "1", "PROJ-2"]


MAILMAP = """# comment
Proper Name <proper@x.example> <old@x.example>
<new@x.example> <older@x.example>
Only Name <someone@x.example>
Two <two@x.example> Nick <shared@x.example>
Three <three@x.example> Other <SHARED@x.example>
"""


@pytest.mark.parametrize(
    "signed",
    [
        ("Anybody", "old@x.example"),
        ("Anybody", "older@x.example"),
        ("Anybody", "SOMEONE@x.example"),
        ("nick", "shared@x.example"),
        ("Other", "shared@x.example"),
        ("Third", "shared@x.example"),
        ("Unknown", "u@x.example"),
    ],
)
def test_a_mailmap_is_read_as_git_reads_it(repo: Workspace, signed: tuple[str, str]) -> None:
    repo.write(".mailmap", MAILMAP)
    asked = f"{signed[0]} <{signed[1]}>"
    said = subprocess.run(["git", "check-mailmap", asked], cwd=repo.root, capture_output=True, text=True, check=True)
    name, email = parse_mailmap(MAILMAP).person(*signed)
    assert f"{name} <{email}>" == said.stdout.strip()


def test_the_first_release_that_has_a_commit() -> None:
    parents = {"e": ["d"], "d": ["c"], "c": ["b"], "b": ["a"], "a": [], "x": ["b"]}
    tags = [Tag("v1.0rc1", "b", 1), Tag("v1.0", "c", 2), Tag("v1.0.1", "x", 3), Tag("v2.0b1", "d", 4)]
    first = first_releases(tags, parents)
    assert first == {"a": "v1.0", "b": "v1.0", "c": "v1.0", "x": "v1.0.1", "d": "v2.0b1"}


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("git@host.example:me/it.git", "https://host.example/me/it"),
        ("https://me:secret@host.example/me/it.git", "https://host.example/me/it"),
        ("ssh://git@host.example:2222/me/it", "https://host.example/me/it"),
        ("https://host.example/group/sub/it/", "https://host.example/group/sub/it"),
        ("/srv/git/it.git", ""),
        ("../it", ""),
    ],
)
def test_the_page_of_a_remote(repo: Workspace, remote: str, page: str) -> None:
    repo.git("remote", "add", "origin", remote)
    assert web_address(repo.root) == page
