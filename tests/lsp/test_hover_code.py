"""Hovers in code: the history of a definition and the notes that name it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fixtures.editor import Editor


def place(path: Path, before: str, offset: int = 0) -> tuple[int, int]:
    text = path.read_text("utf-8")
    at = text.index(before) + offset
    return text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1


def test_a_definition_shows_its_last_commits_and_the_notes_that_name_it(editor: Editor, desk: Any) -> None:
    file = desk.root / "millrace/retry.py"
    uri = editor.open_file(file, "python")
    shown = editor.hover_text(uri, *place(file, "class RetryPolicy", 6))
    assert shown is not None
    lines = shown.split("\n")
    uri_of_commit = re.compile(r"postil:/commit/[0-9a-f]{16}/([0-9a-f]{8})[0-9a-f]{32}\.diff")
    moved = "Move journal and minutes below notes, double quotes everywhere"
    assert [uri_of_commit.sub(r"\1", line) for line in lines[:3]] == [
        f"- [2024-04-08 {moved}](6ca0fa56) (Maya Okafor, 6ca0fa56)",
        "- [2024-04-03 Cap the backoff at five minutes](b1b8d6c7) (Jonas Brandt, b1b8d6c7)",
        "- [2024-03-20 Fix off-by-one in counting attempts (#42)](bdb2fef2) (Maya Okafor, bdb2fef2)",
    ]
    notes = [line for line in lines if "mentions" in line]
    assert notes[0] == (
        f"- [Design of Millrace › Retries]({(desk.root / 'docs/design.md').as_uri()}#L40) (mentions RetryPolicy)  "
    )
    assert len(notes) == 3


def test_a_use_shows_the_only_definition(editor: Editor, desk: Any) -> None:
    file = desk.root / "millrace/worker.py"
    uri = editor.open_file(file, "python")
    shown = editor.hover_text(uri, *place(file, "policy_for(job"))
    assert shown is not None
    head = shown.split("\n")[0]
    line = place(desk.root / "millrace/retry.py", "def policy_for")[0] + 1
    assert head == f"[policy_for]({(desk.root / 'millrace/retry.py').as_uri()}#L{line}) in millrace/retry.py"
    assert "(mentions policy_for)" in shown


def test_names_that_may_be_anybodys_are_silent(editor: Editor, desk: Any) -> None:
    file = desk.root / "millrace/worker.py"
    uri = editor.open_file(file, "python")
    for word in ("handlers.get(", "threading.Thread", "import signal"):
        name = word.replace(".", " ").split()[-1].rstrip("(")
        assert editor.hover(uri, *place(file, word, word.index(name))) is None, word


def test_a_definition_that_is_being_written_has_no_history(editor: Editor, desk: Any) -> None:
    uri = editor.open("untitled:Untitled-3", "def zzqx():\n    return 1\n", "python")
    assert editor.hover(uri, 0, 5) is None
    file = desk.root / "millrace/retry.py"
    again = editor.open_file(file, "python", text="def zzqx():\n    return 1\n\n\n" + file.read_text("utf-8"))
    assert editor.hover(again, 0, 5) is None
    line, column = place(file, "class RetryPolicy", 6)
    moved = editor.hover_text(again, line + 4, column)
    assert moved is not None
    assert "Cap the backoff at five minutes" in moved
