"""git's pattern language, compared with git itself: the very rule that decides, for every path of real trees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil_indexers.ignore import IgnoreFile, Rule, parse_ignore

_NAMES = [
    b"a",
    b"b",
    b"ab",
    b"ba",
    b"aab",
    b"a b",
    b"a]",
    b"[a]",
    b"A",
    "é".encode(),
    b"\xe9",
    b"-",
    b"!a",
    b"#a",
    b"a\\b",
]
_NAMES += [b"^", b"a.b", b"x ", b"\tx", b"a*", b".a", b"a\nb", "雨".encode(), b"foo", b"foobar"]
_PIECES = [
    b"a",
    b"b",
    b"ab",
    b"*",
    b"*",
    b"**",
    b"***",
    b"?",
    b"/",
    b"/",
    b"[ab]",
    b"[!a]",
    b"[^b]",
    b"\\",
    b" ",
    b"!",
    b"#",
]
_PIECES += [
    b"-",
    b"]",
    b"[",
    b"[]a]",
    b"[a-b]",
    b"[[:alpha:]]",
    b"[[:upper:]]",
    b"[a\\]]",
    b"[!-]",
    b"\\a",
    b"**/",
    b"/**",
]
_PIECES += [
    "é".encode(),
    b"A",
    b".",
    b"[[:x:]]",
    b"[[:]",
    b"[--a]",
    b"\\*",
    b"\\ ",
    b"\\/",
    b"[/]",
    b"\t",
    b"\r",
    b"\0",
    b"foo",
]
_SEGMENTS = [b"a", b"b", b"ab", b"**", b"*", b"a*", b"*b", b"?", b"a**", b"**b", b"a**b", b"foo", b"f*o", b"*a*a*b"]

_free = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map(b"".join)
_paths = st.lists(st.sampled_from(_SEGMENTS + _NAMES), min_size=1, max_size=4).map(b"/".join)
_pattern = st.tuples(
    st.sampled_from([b"", b"", b"!"]),
    st.sampled_from([b"", b"", b"/"]),
    st.one_of(_free, _paths),
    st.sampled_from([b"", b"", b"/", b"  ", b"\r"]),
).map(b"".join)


class _Tree:
    """A work tree and its (path, is a folder), parents first."""

    def __init__(self, root: bytes, paths: list[tuple[bytes, bool]]) -> None:
        self.root = root
        self.paths = paths


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> _Tree:
    """A repository without commits that has folders and files of all the odd names, three deep, and its paths."""
    root = os.fsencode(tmp_path_factory.mktemp("tree"))
    subprocess.run(["git", "init", "-q", root], check=True)
    paths: list[tuple[bytes, bool]] = []

    def fill(folder: bytes, names: list[bytes], depth: int) -> None:
        for number, name in enumerate(names):
            path = folder + name
            is_folder = depth > 0 and number % 2 == 0
            paths.append((path, is_folder))
            if is_folder:
                os.mkdir(root + b"/" + path)
                fill(path + b"/", _NAMES[(number * 3) % 19 :][:6], depth - 1)
            else:
                Path(os.fsdecode(root + b"/" + path)).touch()

    fill(b"", _NAMES, 3)
    return _Tree(root, paths)


def _by_git(root: bytes, paths: list[tuple[bytes, bool]], *settings: str) -> dict[bytes, int]:
    """The line of the rule in .git/info/exclude that decides about each path, 0 for none."""
    out = subprocess.run(
        [
            *("git", "-C", root, "-c", "core.excludesFile=", *settings),
            *("check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"),
        ],
        input=b"".join(path + b"\0" for path, _ in paths),
        capture_output=True,
    ).stdout.split(b"\0")
    return {out[at + 3]: int(out[at + 1] or 0) for at in range(0, len(out) - 3, 4)}


def _by_us(rules: IgnoreFile, paths: list[tuple[bytes, bool]]) -> dict[bytes, int]:
    decided: dict[bytes, Rule | None] = {b"": None}
    for path, is_folder in paths:
        parent, _, name = path.rpartition(b"/")
        above = decided[parent]
        decided[path] = above if above and not above.negated else rules.last_match(name, path, 0, is_folder)
    return {path: rule.line if rule else 0 for path, rule in decided.items() if path}


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(patterns=st.lists(_pattern, min_size=1, max_size=6))
def test_generated_patterns_decide_as_git_decides(tree: _Tree, patterns: list[bytes]) -> None:
    root, paths = tree.root, tree.paths
    content = b"\n".join(patterns)
    Path(os.fsdecode(root + b"/.git/info/exclude")).write_bytes(content)
    assert _by_us(parse_ignore(content), paths) == _by_git(root, paths)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(patterns=st.lists(_pattern, min_size=1, max_size=4))
def test_generated_patterns_that_ignore_case_decide_as_git_decides(tree: _Tree, patterns: list[bytes]) -> None:
    root, paths = tree.root, tree.paths
    content = b"\n".join(patterns)
    Path(os.fsdecode(root + b"/.git/info/exclude")).write_bytes(content)
    ours = _by_us(parse_ignore(content, ignore_case=True), paths)
    assert ours == _by_git(root, paths, "-c", "core.ignoreCase=true")


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.log", ["x.log", "d/x.log", ".log"], ["x.log.md", "xlog"]),
        ("/a", ["a"], ["d/a"]),
        ("d/a", ["d/a"], ["e/d/a", "a"]),
        ("a/", ["a/"], ["a"]),
        ("d/**/a", ["d/a", "d/e/a", "d/e/f/a"], ["a", "e/d/a"]),
        ("**/d/a", ["d/a", "e/d/a"], ["d/e/a"]),
        ("d/**", ["d/a", "d/e/f"], ["d", "e/d"]),
        ("d/*", ["d/a"], ["d/e/f", "d"]),
        ("d/a**/b", ["d/ab", "d/axx/b", "d/a/x/y/b"], ["d/b"]),  # a quirk of git's: the stars count as at a start
        ("d/*a**/b", ["d/xa/b", "d/xay/b"], ["d/xab", "d/xa/y/b"]),
        ("?", ["a"], ["é", "ab"]),  # git compares bytes
        ("[!a]", ["b", "!"], ["a"]),
        ("[[:digit:]]x", ["1x"], ["ax"]),
        ("\\#a", ["#a"], ["a"]),
        ("\\!a", ["!a"], ["a"]),
        ("a\\ ", ["a "], ["a"]),
        ("a   ", ["a"], ["a "]),
        ("a\t", ["a\t"], ["a"]),
        ("#a", [], ["#a", "a"]),
        ("a\\", [], ["a", "a\\"]),
        ("[a", [], ["a", "[a"]),
        ("/", [], ["a", "d/a"]),
        ("a//", [], ["a", "a/"]),
    ],
)
def test_one_pattern(pattern: str, matching: list[str], others: list[str]) -> None:
    rules = parse_ignore(pattern.encode())

    def matches(path: str) -> bool:
        bare = path.rstrip("/").encode()
        return rules.last_match(bare.rpartition(b"/")[2], bare, 0, path.endswith("/")) is not None

    assert [path for path in matching + others if matches(path)] == matching


def test_line_ends_byte_order_mark_and_numbers() -> None:
    rules = parse_ignore(b"\xef\xbb\xbfa\r\n\r\n# no\r\n!b")
    assert [(rule.text, rule.line, rule.negated) for rule in rules.rules] == [("a", 1, False), ("!b", 4, True)]


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/a*" * 30 + "/b", "x/" + "*a" * 60 + "b", "[a-z]*" * 60 + "!"])
def test_a_hostile_pattern_takes_no_exponential_time(pattern: str) -> None:
    rules = parse_ignore(pattern.encode())
    path = b"x/" + b"a" * 255
    rules.last_match(b"a" * 255, path, 0, False)
    rules.last_match(b"a", b"/".join([b"aa"] * 200), 0, False)


@given(content=st.binary(max_size=200), path=st.binary(min_size=1, max_size=60))
def test_any_bytes_are_rules(content: bytes, path: bytes) -> None:
    for ignore_case in (False, True):
        parse_ignore(content, ignore_case=ignore_case).last_match(path.rpartition(b"/")[2], path, 0, True)


@pytest.mark.parametrize(
    ("pattern", "folder", "below", "named"),
    [
        ("!*.md", "build", True, False),
        ("!build/", "build", False, False),  # the folder itself, nothing below it
        ("!build/docs/*.md", "build", True, True),
        ("!build/docs/*.md", "build/docs", True, True),
        ("!build/docs/*.md", "build/docs/deep", False, False),
        ("!build/docs/**", "build/docs/deep", True, False),
        ("!build/docs/*.md", "other", False, False),
        ("!*/docs/x.md", "build", True, False),
        ("!/build/keep.md", "build", True, True),
        ("!buildings/keep.md", "build", False, False),
    ],
)
def test_where_a_rule_can_open_a_folder(pattern: str, folder: str, below: bool, named: bool) -> None:
    (rule,) = parse_ignore(pattern.encode()).rules
    assert rule.may_reach_below(folder.encode()) is below
    assert rule.names_something_below(folder.encode()) is named
