"""postil/history: questions with filters, the history of lines, streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from fixtures.editor import Editor, plain


def subjects(answer: dict[str, Any]) -> list[str]:
    return [commit["subject"] for commit in answer["commits"]]


def test_a_sentence_shows_what_it_was_read_as(editor: Editor) -> None:
    answer = editor.ask("postil/history", {"query": "what did Jonas add in the scheduler module before April 2024"})
    assert answer["filters"] == {"before": "2024-04-01", "author": "Jonas", "file": "**/scheduler/**"}
    assert answer["words"] == "add"
    assert subjects(answer)[0] == "Add the scheduler that promotes delayed jobs"


def test_what_was_shown_can_be_changed_and_asked_again(editor: Editor) -> None:
    asked = {"query": "cache", "filters": {"author": "jonas", "before": "2024-04-01"}}
    answer = editor.ask("postil/history", asked)
    assert {commit["author"] for commit in answer["commits"]} == {"Jonas Brandt"}
    assert answer["filters"] == asked["filters"]
    only = editor.ask("postil/history", {"filters": {"file": "sweeper"}})
    assert subjects(only) == ["sweeper: reclaim jobs whose lease has run out"]


def test_nobody_of_that_name(editor: Editor) -> None:
    answer = editor.ask("postil/history", {"query": "author:mya lease"})
    assert (answer["commits"], answer["notes"]) == ([], ["nobody is called 'mya'; nearest: Maya Okafor"])


@pytest.fixture
def told(editor: Editor) -> Iterator[list[dict[str, Any]]]:
    """The events that the server tells from now on."""
    events: list[dict[str, Any]] = []
    features = editor.client.protocol.fm.features
    features["postil/answer"] = lambda params: events.append(plain(params))
    yield events
    del features["postil/answer"]


def test_the_history_of_lines_is_told_as_it_is_found(editor: Editor, desk: Any, told: list[dict[str, Any]]) -> None:
    path = "millrace/retry.py"
    text = (desk.root / path).read_text(encoding="utf-8").split("\n")
    start = next(number for number, line in enumerate(text) if "def delay" in line)
    lines = {"start": {"line": start, "character": 0}, "end": {"line": start + 4, "character": 0}}
    document = {"uri": (desk.root / path).as_uri()}
    answer = editor.ask("postil/history", {"textDocument": document, "range": lines, "stream": "lines"})
    wanted = desk.workspace.git("log", "-s", "--format=%H", f"-L{start + 1},{start + 4}:{path}").split()
    assert [commit["sha"] for commit in answer["commits"]] == wanted
    assert [event["seq"] for event in told] == list(range(len(wanted)))
    assert [commit["sha"] for event in told for commit in event["commits"]] == wanted


def test_a_commit_explained(editor: Editor) -> None:
    answer = editor.ask("postil/history", {"query": "off-by-one attempts", "limit": 1, "explain": True})
    told = answer["commits"][0]["explanation"]
    assert told["body"].startswith("`max_attempts` counts the first try")
    assert told["issues"] == [{"number": "42", "url": ""}]
    assert [note["uri"].rsplit("/", 1)[-1] for note in told["notes"] if note["names"] == "#42"] == ["retries.md"]
    assert "issue #42" in told["notes"][0]["snippet"]


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "query must be a string that is not empty"),
        ({"query": "x", "explain": 1}, "explain must be true or false"),
        ({"textDocument": {"uri": "file:///nowhere"}}, "textDocument.uri is in no open folder"),
    ],
)
def test_what_is_wrong_with_a_request(editor: Editor, params: Any, said: str) -> None:
    with pytest.raises(JsonRpcInvalidParams) as caught:
        editor.ask("postil/history", params)
    assert caught.value.message.startswith(f"{said} (request ")


def test_filters_of_a_client_are_checked(editor: Editor) -> None:
    answer = editor.ask("postil/history", {"query": "lease", "filters": {"kind": "修复", "since": "2024-02"}})
    assert answer["filters"] == {"kind": "fix", "after": "2024-02-01"}
    assert subjects(answer)[0] == "修复：续租失败后任务被重复执行"
    wrong = editor.ask("postil/history", {"query": "lease", "filters": {"kind": "nothing", "before": "2020"}})
    assert wrong["notes"][0].startswith("there is no kind 'nothing'")
