"""postil/ask: events, cancelling, arguments, the text of the editor; and the commands for editors without a plugin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from fixtures.editor import Editor, plain


@pytest.fixture
def told(editor: Editor) -> Iterator[list[dict[str, Any]]]:
    """The events that the server tells from now on."""
    events: list[dict[str, Any]] = []
    features = editor.client.protocol.fm.features
    features["postil/answer"] = lambda params: events.append(plain(params))
    yield events
    del features["postil/answer"]


def test_an_answer_is_the_commands_with_uri_and_range(editor: Editor, desk: Any) -> None:
    question = "How do I requeue dead letters?"
    printed = desk.machine.here("ask", desk.workspace.root, question, "--json").record
    answer = editor.ask("postil/ask", {"question": question})
    assert answer["text"] == printed["text"]
    assert answer["sentences"] == printed["sentences"]
    assert (answer["model"], answer["nearest"], answer["finish"]) == ("", [], "complete")
    for cited, wanted in zip(answer["citations"], printed["citations"], strict=True):
        start, end = wanted["start_line"] - 1, wanted["end_line"]
        assert cited["range"] == {"start": {"line": start, "character": 0}, "end": {"line": end, "character": 0}}
        assert Path(unquote(cited["uri"].removeprefix("file://"))) == desk.root / wanted["path"]
        assert (cited["number"], cited["title"], cited["stale"]) == (wanted["number"], wanted["title"], False)


def test_a_document_that_is_not_known_here_is_no_hindrance_to_a_question(editor: Editor) -> None:
    beside, range_ = {"textDocument": {"uri": "file:///elsewhere/a.log"}}, {"start": {"line": 0, "character": 0}}
    question = {"question": "How do I requeue dead letters?"}
    assert editor.ask("postil/ask", {**question, **beside})["text"] == editor.ask("postil/ask", question)["text"]
    with pytest.raises(JsonRpcException, match="no open document and in no open folder"):
        editor.ask("postil/ask", {**question, **beside, "range": {**range_, "end": range_["start"]}})


def test_half_a_character_in_a_question_is_answered_all_the_same(editor: Editor) -> None:
    answer = editor.ask("postil/ask", {"question": "How do I requeue dead letters \ud83d?"})
    assert answer["citations"]


def test_the_events_come_in_order_and_add_up_to_the_answer(editor: Editor, told: list[dict[str, Any]]) -> None:
    answer = editor.ask("postil/ask", {"question": "租约默认多久？", "stream": "s1"})
    assert [event["seq"] for event in told] == list(range(len(told)))
    assert {event["stream"] for event in told} == {"s1"}
    assert told[0]["kind"] == "sources"
    assert "".join(event["text"] for event in told if event["kind"] == "text") == answer["text"]
    assert [event["sentence"] for event in told if event["kind"] == "sentence"] == answer["sentences"]
    numbers = {citation["number"] for citation in answer["citations"]}
    assert numbers <= {citation["number"] for citation in told[0]["citations"]}
    assert "默认三十秒" in answer["text"]


def test_what_the_workspace_does_not_have_is_refused(editor: Editor, told: list[dict[str, Any]]) -> None:
    answer = editor.ask("postil/ask", {"question": "Where is the login page rendered?", "stream": 7})
    assert (answer["text"], answer["citations"], answer["finish"]) == (
        "The workspace does not have this.",
        [],
        "not_found",
    )
    assert answer["nearest"]
    assert [event["kind"] for event in told] == ["sources", "text"]


def test_nothing_is_told_without_the_name_of_a_stream(editor: Editor, told: list[dict[str, Any]]) -> None:
    assert editor.ask("postil/ask", {"question": "How long is a lease?"})["citations"]
    assert told == []


def test_text_in_the_editor_is_what_is_quoted(editor: Editor, desk: Any) -> None:
    path = desk.root / "docs/retries.md"
    changed = path.read_text(encoding="utf-8").replace("is to be", "is").replace("Nothing leaves", "A spell moves")
    uri = editor.open_file(path, text="Above all.\n\n" + changed)
    answer = editor.ask("postil/ask", {"question": "What leaves the dead letter list by itself?"})
    editor.close(uri)
    (cited,) = [each for each in answer["citations"] if each["uri"].endswith("docs/retries.md")]
    assert "A spell moves that list by itself" in answer["text"]
    assert "Nothing leaves" not in answer["text"]
    assert (cited["stale"], cited["range"]["start"]["line"]) == (False, 23)
    again = editor.ask("postil/ask", {"question": "What leaves the dead letter list by itself?"})
    assert "Nothing leaves that list by itself" in again["text"]


def test_a_selection_comes_first_also_in_an_unnamed_document(editor: Editor) -> None:
    uri = editor.open("untitled:Untitled-3", "# Plan\n\nThe walrus sleeps at noon.\nIt wakes at four.\n")
    at = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 26}}
    answer = editor.ask(
        "postil/ask", {"question": "When does the walrus sleep?", "textDocument": {"uri": uri}, "range": at}
    )
    page = editor.ask("postil/content", {"uri": answer["document"]})["text"]
    editor.close(uri)
    assert f"\n[1]: <{uri}>\n" in page
    assert answer["citations"][0]["uri"] == uri
    assert answer["citations"][0]["range"]["start"]["line"] == 2
    assert answer["sentences"][0] == {
        "text": "The walrus sleeps at noon.",
        "citations": [1],
        "support": "supported",
    }


def test_a_follow_up_is_about_what_was_asked_before(editor: Editor) -> None:
    previous = {"question": "How are dead letters requeued?", "text": "…"}
    answer = editor.ask("postil/ask", {"question": "And why not all at once?", "previous": previous})
    assert "Never requeue everything at once" in answer["text"]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": 3}, "question"),
        ({"question": "x", "limit": 0}, "limit"),
        ({"question": "x", "stream": True}, "stream"),
        ({"question": "x", "previous": {"text": "y"}}, "previous.question"),
        ({"question": "x", "range": {}}, "range"),
        ({"question": "x", "textDocument": {}}, "textDocument.uri"),
    ],
)
def test_a_wrong_argument_is_named(editor: Editor, params: dict[str, Any], field: str) -> None:
    with pytest.raises(JsonRpcInvalidParams, match=f"^{field}|{field} "):
        editor.ask("postil/ask", params)


def test_the_commands_ask_and_stop(editor: Editor) -> None:
    answer = editor.command("postil.server.ask", {"question": "How long is a lease?"})
    assert answer["citations"]
    assert editor.command("postil.server.cancel", {"stream": "nobody"}) == {"cancelled": False}
    with pytest.raises(JsonRpcInvalidParams, match=r"arguments\[0\]\.stream"):
        editor.command("postil.server.cancel", {})


def test_answers_commits_and_files_are_documents(editor: Editor, desk: Any) -> None:
    answer = editor.ask("postil/ask", {"question": "Who fixed the off-by-one in counting attempts?"})
    page = editor.ask("postil/content", {"uri": answer["document"]})["text"]
    assert page.startswith("# Who fixed the off-by-one in counting attempts?\n")
    commit = answer["citations"][0]
    assert f"\n[1]: <{commit['document']}>\n" in page
    diff = editor.ask("postil/content", {"uri": commit["document"]})["text"]
    assert diff.startswith(f"commit {commit['sha']}\nAuthor: Maya Okafor\n")
    assert "\n-        return attempt > self.max_attempts\n+        return attempt >= self.max_attempts\n" in diff
    assert "\ndiff --git a/millrace/retry.py b/millrace/retry.py\n--- a/millrace/retry.py\n" in diff


def test_a_document_that_is_not_kept_or_not_ours_is_refused(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="not kept"):
        editor.ask("postil/content", {"uri": "postil:/answer/0123456789abcdef.md"})
    with pytest.raises(JsonRpcInvalidParams, match="uri"):
        editor.ask("postil/content", {"uri": "file:///etc/passwd"})


def test_a_summary_is_the_commands_and_is_told_as_an_answer_is(
    editor: Editor, desk: Any, told: list[dict[str, Any]]
) -> None:
    uri = (desk.root / "docs/design.md").as_uri()
    answer = editor.ask("postil/summarise", {"textDocument": {"uri": uri}, "stream": "sum"})
    printed = desk.machine.here("summarise", desk.workspace.root, "docs/design.md", "--json").record
    assert (answer["text"], answer["sentences"]) == (printed["text"], printed["sentences"])
    assert told[0]["kind"] == "sources"
    assert "".join(event["text"] for event in told if event["kind"] == "text") == answer["text"]
    selection = {"start": {"line": 31, "character": 0}, "end": {"line": 35, "character": 0}}
    part = editor.command("postil.server.summarise", {"textDocument": {"uri": uri}, "range": selection})
    assert "A claimed job belongs to one consumer until its lease runs out." in part["text"]
    assert {cited["range"]["start"]["line"] for cited in part["citations"]} == {31}


def test_a_folder_and_what_changed_since_are_summed_up(editor: Editor, desk: Any) -> None:
    folder = editor.ask("postil/summarise", {"textDocument": {"uri": (desk.root / "millrace").as_uri()}})
    assert "`retry.py`: How long to wait before a failed job is tried again." in folder["text"]
    whole = editor.ask("postil/summarise", {"textDocument": {"uri": desk.root.as_uri()}})
    assert "`README.md`: A small job queue on Redis streams" in whole["text"]
    since = editor.ask("postil/summarise", {"since": "ea5ff50"})
    assert {cited["kind"] for cited in since["citations"]} == {"commit"}
    assert all(cited["document"].startswith("postil:/commit/") for cited in since["citations"])


def test_what_can_not_be_summed_up_is_said(editor: Editor, desk: Any) -> None:
    with pytest.raises(JsonRpcInvalidParams, match="textDocument is missing, and so is since"):
        editor.ask("postil/summarise", {})
    with pytest.raises(JsonRpcException, match="there is no text to summarise"):
        editor.ask("postil/summarise", {"textDocument": {"uri": (desk.root / "docs/none.md").as_uri()}})
    with pytest.raises(JsonRpcException, match="is no date, commit, tag or branch"):
        editor.ask("postil/summarise", {"since": "no such thing"})


def test_a_hit_in_an_open_document_stands_where_the_editor_has_it(editor: Editor, desk: Any) -> None:
    path = desk.root / "docs/retries.md"

    def hit() -> dict[str, Any]:
        hits = editor.ask("postil/search", {"query": "dead letter list by itself", "filters": {"kind": "note"}})["hits"]
        return next(each for each in hits if each["uri"] == path.as_uri())

    before = hit()
    uri = editor.open_file(path, text="Above.\n\n" + path.read_text(encoding="utf-8"))
    moved = hit()
    editor.close(uri)
    assert (before["stale"], moved["stale"]) == (False, False)
    assert moved["range"]["start"]["line"] == before["range"]["start"]["line"] + 2
    editor.open_file(path, text="Nothing of it is left.\n")
    gone = hit()
    editor.close(uri)
    assert (gone["stale"], gone["range"]) == (True, before["range"])
