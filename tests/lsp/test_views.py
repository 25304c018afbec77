"""Requests that only a client with views of its own asks: why, change, past."""

from __future__ import annotations

from typing import Any

import pytest
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from fixtures.editor import Editor


def sha_of(desk: Any, subject: str) -> str:
    found: str = desk.workspace.git("log", "--format=%H", f"--grep={subject}", "--fixed-strings", "main").strip()
    return found


def content(editor: Editor, uri: str) -> str:
    text: str = editor.ask("postil/content", {"uri": uri})["text"]
    return text


def test_why_says_what_the_command_says(editor: Editor, desk: Any) -> None:
    for path in ("docs/retries.md", ".git/config", "docs/gone.md"):
        printed = desk.machine.here("why", desk.workspace.root, path, "--json").record
        asked = editor.ask("postil/why", {"textDocument": {"uri": (desk.root / path).as_uri()}})
        assert (asked["state"], asked["sentence"]) == (printed["state"], printed["sentence"])
    with pytest.raises(JsonRpcInvalidParams, match=r"textDocument\.uri is in no open folder"):
        editor.ask("postil/why", {"textDocument": {"uri": "file:///etc/passwd"}})


def test_a_change_has_the_file_before_and_after_under_both_names(editor: Editor, desk: Any) -> None:
    sha = sha_of(desk, "Rename backoff_policy to retry and add full jitter")
    uri = (desk.root / "millrace/retry.py").as_uri()
    change = editor.ask("postil/change", {"sha": sha, "textDocument": {"uri": uri}})
    before, after = content(editor, change["before"]), content(editor, change["after"])
    assert change["before"].endswith("/millrace/backoff_policy.py")
    assert ("import random" in before, "import random" in after) == (False, True)
    assert content(editor, change["commit"]).startswith(f"commit {sha}\n")


def test_a_file_that_a_commit_added_was_nothing_before(editor: Editor, desk: Any) -> None:
    sha = sha_of(desk, "Add a glossary")
    change = editor.ask(
        "postil/change", {"sha": sha, "textDocument": {"uri": (desk.root / "docs/glossary.md").as_uri()}}
    )
    assert change["before"] is None
    assert content(editor, change["after"]).startswith("---\ntitle: Glossary\n---\n")


def test_a_change_that_is_none_says_so(editor: Editor, desk: Any) -> None:
    params = {"sha": sha_of(desk, "Add a glossary"), "textDocument": {"uri": (desk.root / "README.md").as_uri()}}
    with pytest.raises(JsonRpcException, match=r"that changed README\.md is in the index"):
        editor.ask("postil/change", params)


def test_past_answers_come_back_as_they_were_given(editor: Editor) -> None:
    question = "how long is a lease before it runs out?"
    given = editor.ask("postil/ask", {"question": question})
    newest = editor.ask("postil/past", {"limit": 1})["answers"][0]
    assert newest["question"] == question
    same = ("id", "text", "citations", "sentences", "nearest", "finish", "model")
    assert {name: newest["answer"][name] for name in same} == {name: given[name] for name in same}


def test_past_summaries_are_among_the_answers_of_any_kind(editor: Editor, desk: Any) -> None:
    uri = (desk.root / "docs/retries.md").as_uri()
    given = editor.ask("postil/summarise", {"textDocument": {"uri": uri}})
    newest = editor.ask("postil/past", {"kind": "any"})["answers"]
    assert ("summarise", given["id"]) in [(each["kind"], each["answer"]["id"]) for each in newest]
    assert {each["kind"] for each in editor.ask("postil/past", {})["answers"]} <= {"ask"}
