"""Our own requests: the command line's objects with `uri` and `range`, and arguments that are wrong."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from fixtures.editor import Editor
from postil_server.lsp.virtual_uris import commit_uri


def as_asked(record: dict[str, Any]) -> dict[str, Any]:
    """A record of the command line as the server gives it."""
    record = {**record}
    record.pop("path")
    start, end = record.pop("start_line") - 1, record.pop("end_line")
    if "sha" in record:
        record["document"] = commit_uri(record["root"], record["sha"])
    return {**record, "range": {"start": {"line": start, "character": 0}, "end": {"line": end, "character": 0}}}


def test_search_gives_what_the_command_gives(editor: Editor, desk: Any) -> None:
    printed = desk.machine.here("search", desk.workspace.root, "how long is a lease", "--limit", "5", "--json").record
    answer = editor.ask("postil/search", {"query": "how long is a lease", "limit": 5})
    assert answer["hits"] == [as_asked(hit) for hit in printed["hits"]]
    assert set(answer) == {"elapsed_ms", "share_embedded", "hits"}
    only = editor.ask("postil/search", {"query": "lease", "filters": {"kind": "code"}})
    assert {hit["kind"] for hit in only["hits"]} == {"code"}


def test_history_gives_what_the_command_gives(editor: Editor, desk: Any) -> None:
    printed = desk.machine.here("history", desk.workspace.root, "full jitter", "--path", "millrace", "--json").record
    answer = editor.ask("postil/history", {"query": "full jitter", "filters": {"path": "millrace"}})
    assert [commit["sha"] for commit in answer["commits"]] == [commit["sha"] for commit in printed["commits"]]
    first, wanted = answer["commits"][0], printed["commits"][0]
    assert first["files"] == [(desk.root / path).as_uri() for path in wanted["files"]]
    places = [(hunk.pop("was"), hunk.pop("now")) for hunk in first["hunks"]]
    asked = [(hunk.pop("was"), hunk.pop("now")) for hunk in wanted["hunks"]]
    assert first["hunks"] == [
        {**as_asked(hunk), "uri": (desk.root / hunk["path"]).as_uri(), "root": str(desk.root)}
        for hunk in wanted["hunks"]
    ]
    for (was, now), (was_printed, now_printed) in zip(places, asked, strict=True):
        assert was["uri"] == was_printed["uri"]
        assert now["range"]["start"]["line"] == now_printed["start_line"] - 1
    assert first["document"] == commit_uri(str(desk.root), wanted["sha"])
    assert answer["filters"] == {"path": "millrace"}


def test_related_takes_the_text_of_the_editor(editor: Editor, desk: Any) -> None:
    text = "# New\n\nAn entry with many deliveries poisons the queue.\n\nRedis memory fragmentation and eviction.\n"
    uri = editor.open("untitled:Untitled-9", text)
    at = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}}
    one = editor.ask("postil/related", {"textDocument": {"uri": uri}, "range": at, "limit": 3})["related"]
    assert unquote(one[0]["uri"]).endswith("notes/Redis内存碎片整理.md")
    asked = editor.ask("postil/related", {"query": "Redis memory fragmentation and eviction.", "limit": 3})["related"]
    assert [item["uri"] for item in asked] == [item["uri"] for item in one]
    editor.close(uri)


def test_related_of_a_document_on_disk_is_the_commands(editor: Editor, desk: Any) -> None:
    printed = desk.machine.here("related", desk.workspace.root, "docs/retries.md", "--limit", "4", "--json").record
    uri = (desk.root / "docs/retries.md").as_uri()
    answer = editor.ask("postil/related", {"textDocument": {"uri": uri}, "limit": 4})
    assert answer["related"] == [as_asked(item) for item in printed["related"]]


def test_status_names_each_folder(editor: Editor, desk: Any) -> None:
    status = editor.ask("postil/status")
    assert status["log"].endswith("server.log")
    (folder,) = status["folders"]
    printed = desk.machine.here("status", desk.workspace.root, "--json").record
    assert folder["uri"] == desk.root.as_uri()
    same = ("files", "pending", "chunks", "passages", "commits", "share_embedded")
    assert {name: folder[name] for name in same} == {name: printed[name] for name in same}


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("search", None, "query must be a string that is not empty"),
        ("search", ["lease"], "params must be an object"),
        ("search", {"query": " "}, "query must be a string that is not empty"),
        ("search", {"query": "x", "limit": 0}, "limit must be a whole number from 1 to 200"),
        ("search", {"query": "x", "limit": True}, "limit must be a whole number from 1 to 200"),
        ("search", {"query": "x", "filters": {"kind": "image"}}, "filters.kind must be one of any, code, note, commit"),
        ("search", {"query": "x", "filters": 3}, "filters must be an object"),
        ("related", {}, "textDocument is missing, and so is query"),
        ("related", {"textDocument": {}}, "textDocument.uri must be a string that is not empty"),
        ("related", {"textDocument": {"uri": "git:/a"}}, "textDocument.uri is no open document and in no open folder"),
        ("related", {"query": "x", "range": {"start": {}}}, "range.start.line is missing"),
        ("history", {"query": "x", "filters": {"path": 1}}, "filters.path must be a string that is not empty"),
    ],
)
def test_a_wrong_argument_is_named(editor: Editor, method: str, params: Any, said: str) -> None:
    with pytest.raises(JsonRpcInvalidParams) as caught:
        editor.ask(f"postil/{method}", params)
    assert caught.value.message.startswith(f"{said} (request ")


def test_orders_reach_the_worker_and_are_answered(editor: Editor, desk: Any) -> None:
    uri = desk.root.as_uri()
    for what, states in (("pause", {"paused"}), ("status", {"paused"}), ("resume", {"idle", "indexing"})):
        (folder,) = editor.command(f"postil.server.{what}", {"uri": uri})["folders"]
        assert (folder["uri"], folder["worker"]["state"] in states) == (uri, True), (what, folder)
    (folder,) = editor.command("postil.server.index")["folders"]
    assert folder["worker"]["state"] in {"idle", "indexing"}
    with pytest.raises(JsonRpcException, match=r"arguments\[0\] must be the URI of an open folder"):
        editor.command("postil.server.pause", "file:///nowhere")
