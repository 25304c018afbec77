"""Whatever is written, renamed and deleted: the hunks of each commit turn the files before it into those after it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.repository import Workspace, init
from postil_indexers.history import read_history
from postil_indexers.types import Commit

NAMES = ["a.md", "b c.md", "sub/d.py", 'e"\n.py', "笔记.md"]
LINES = [
    "",
    "x",
    "def f():",
    "-- y",
    "++ y",
    "@@ -1 +1 @@",
    "diff --git a/a.md b/a.md",
    "\\ No newline at end of file",
    "\r",
]
content = st.builds(
    lambda lines, end: ("\n".join(lines) + ("\n" if end and lines else "")).encode(),
    st.lists(st.sampled_from([*LINES, "中文", "\x0c", "\0", "\u2028z"]), max_size=12),
    st.booleans(),
)
step = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), content),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.none()),
)
Files = dict[str, bytes]


def applied(files: Files, steps: list[tuple[str, str, bytes | str | None]]) -> Files:
    after = dict(files)
    for verb, name, value in steps:
        if verb == "write":
            assert isinstance(value, bytes)
            after[name] = value
        elif name in after:
            moved = after.pop(name)
            if isinstance(value, str):
                after[value] = moved
    return after


def imported(repo: Workspace, states: list[Files]) -> None:
    """One commit a state, by git's own importer: thousands of times faster than a command a step."""
    parts: list[bytes] = []
    for number, files in enumerate(states):
        parts.append(f"commit refs/heads/main\ncommitter A <a@b> {1_700_000_000 + number} +0000\ndata 1\nm\n".encode())
        parts.append(b"deleteall\n")
        for name, data in files.items():
            quoted = name.replace('"', '\\"').replace("\n", "\\n")
            parts.append(f'M 100644 inline "{quoted}"\ndata {len(data)}\n'.encode() + data + b"\n")
    repo.git("fast-import", "--quiet", stdin=b"".join(parts))


def lines(data: bytes) -> list[bytes]:
    return data.removesuffix(b"\n").split(b"\n") if data else []


def check(commit: Commit, before: Files, after: Files) -> None:
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert {file.path for file in commit.files} | {file.old_path for file in commit.files} == changed
    for file in commit.files:
        assert (file.status == "R") == (file.old_path != file.path)
        if file.binary:
            continue
        old = lines(before.get(file.old_path, b"") if file.status != "A" else b"")
        new = lines(after.get(file.path, b"") if file.status != "D" else b"")
        rebuilt: list[bytes] = []
        done = 0
        for hunk in file.hunks:
            rebuilt += old[done : hunk.old_start]
            assert len(rebuilt) == hunk.new_start
            rebuilt += new[hunk.new_start : hunk.new_start + hunk.new_lines]
            done = hunk.old_start + hunk.old_lines
            signed = [b"-" + line for line in old[hunk.old_start : done]] + [
                b"+" + line for line in rebuilt[hunk.new_start :]
            ]
            assert hunk.text.encode() == b"".join(line + b"\n" for line in signed).replace(b"\r\n", b"\n")
            assert not hunk.truncated
        assert rebuilt + old[done:] == new


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(step, max_size=4), min_size=1, max_size=6))
def test_hunks_turn_the_old_files_into_the_new(history: list[list[tuple[str, str, bytes | str | None]]]) -> None:
    states: list[Files] = [
        {".gitattributes": b"*.py diff\n"}
    ]  # a NUL makes the Markdown files binary, the Python ones not
    for steps in history:
        states.append(applied(states[-1], steps))
    with tempfile.TemporaryDirectory() as folder:
        repo = init(Path(folder))
        imported(repo, states)
        found = list(read_history(repo.root))[::-1]
    assert len(found) == len(states)
    for number, commit in enumerate(found[1:], 1):
        check(commit, states[number - 1], states[number])
