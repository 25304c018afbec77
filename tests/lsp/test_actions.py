"""Code actions: what is offered where, and the edits that they make."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from fixtures.actions import actions, raw
from fixtures.editor import Editor
from fixtures.hover_places import place


def at(line: int, start: int, end: int | None = None) -> lsp.Range:
    return lsp.Range(lsp.Position(line, start), lsp.Position(line, start if end is None else end))


def json_of(where: lsp.Range) -> dict[str, Any]:
    return {
        edge: {"line": p.line, "character": p.character} for edge, p in (("start", where.start), ("end", where.end))
    }


def resolved(editor: Editor, action: dict[str, Any]) -> list[Any]:
    """The changes of its edit, of documents and files."""
    edit = raw(editor, "codeAction/resolve", lsp.CodeAction(action["title"], data=action["data"]))["edit"]
    return edit.get("documentChanges") or [{"edits": edits} for edits in edit["changes"].values()]


def edits(editor: Editor, action: dict[str, Any]) -> list[tuple[Any, str]]:
    (change,) = resolved(editor, action)
    return [(each["range"], each["newText"]) for each in change["edits"]]


TEXT = "# New\n\nAn entry with many deliveries in XPENDING is poisoning the queue.\n\n"
TEXT += "See [[nothing yet]] and [x](../y.md).\n"


def test_a_related_note_is_linked_as_the_folder_links(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "notes/new.md", text=TEXT)
    found = actions(editor, uri, at(2, 3))
    link = found["Link to “Runbook: a queue is stuck”"]
    assert (link["kind"], "edit" in link) == ("refactor.rewrite", False)
    assert edits(editor, link) == [(json_of(at(2, 8)), " [[stuck-queue|Runbook: a queue is stuck]]")]  # past the word
    start = TEXT.split("\n")[2].index("XPENDING")
    where = at(2, start, start + len("XPENDING"))
    selected = actions(editor, uri, where)["Link to “Runbook: a queue is stuck”"]
    assert edits(editor, selected) == [(json_of(where), "[[stuck-queue|XPENDING]]")]
    editor.close(uri)


def test_a_look_that_nobody_asked_for_searches_nothing(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "notes/new.md", text=TEXT)
    assert actions(editor, uri, at(2, 3), asked_for=False) == {}
    found = list(actions(editor, uri, at(4, 8), asked_for=False))
    assert found == (["Create the note “notes/nothing yet.md”"] if makes_files(editor) else [])
    editor.close(uri)


def makes_files(editor: Editor) -> bool:
    workspace = editor._params.capabilities.workspace
    edit = workspace.workspace_edit if workspace else None
    return bool(edit and edit.document_changes and edit.resource_operations)


def test_the_note_that_a_link_lacks_is_made_with_its_title(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "notes/new.md", text=TEXT)
    if not makes_files(editor):
        assert actions(editor, uri, at(4, 8), ["quickfix"]) == {}
        return
    create = actions(editor, uri, at(4, 8), ["quickfix"])["Create the note “notes/nothing yet.md”"]
    made, text = resolved(editor, create)
    target = (desk.root / "notes/nothing yet.md").as_uri()
    assert (made["kind"], made["uri"], made["options"]["overwrite"]) == ("create", target, False)
    assert [each["newText"] for each in text["edits"]] == ["# nothing yet\n\n"]
    assert list(actions(editor, uri, at(4, 28), ["quickfix"])) == ["Create the note “y.md”"]
    editor.close(uri)


def test_no_note_is_made_outside_of_the_folder_or_in_a_hidden_one(editor: Editor, desk: Any) -> None:
    text = "[[../../../x]] [[.git/hooks/x]] [[a:b]] [[glossary]] [m](https://e.org) [p](x.png)\n"
    uri = editor.open_file(desk.root / "notes/new.md", text=text)
    for mark in ("[[..", "[[.git", "[[a:", "[[glossary", "[m]", "[p]"):
        assert actions(editor, uri, at(0, text.index(mark) + 3), ["quickfix"]) == {}, mark
    editor.close(uri)


def test_a_selection_can_be_asked_about_and_summarised(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "millrace/retry.py", "python")
    line, column = place(desk.root, "millrace/retry.py", "class RetryPolicy")
    assert actions(editor, uri, at(line + 1, 0), asked_for=False) == {}
    (why,) = actions(editor, uri, at(line + 1, 0)).values()
    assert (why["title"], why["command"]["arguments"][0]["range"]["start"]["line"]) == (
        "Why is this line here? Its commits",
        line + 1,
    )
    (history,) = actions(editor, uri, at(line, column + 8)).values()
    assert (history["title"], history["command"]["command"]) == ("History of RetryPolicy", "postil.server.history")
    assert history["command"]["arguments"][0]["range"]["start"]["line"] == line - 1  # with its decorator
    found = actions(editor, uri, lsp.Range(lsp.Position(line + 1, 0), lsp.Position(line + 3, 0)))
    assert list(found) == ["Ask about the selection", "Summarise the selection", "History of these lines"]
    (asked,) = found["Ask about the selection"]["command"]["arguments"]
    assert (asked["textDocument"], asked["question"]) == ({"uri": uri}, "What else is known about this?")
    commits = editor.command("postil.server.history", history["command"]["arguments"][0])["items"]
    assert commits[1]["label"] == "2024-04-03 Cap the backoff at five minutes (Jonas Brandt)"
    editor.close(uri)


def test_kinds_that_were_not_asked_for_are_left_out(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "notes/new.md", text=TEXT)
    found = actions(editor, uri, at(2, 3, 8), ["refactor"])
    assert found
    assert {each["kind"] for each in found.values()} == {"refactor.rewrite"}
    assert actions(editor, uri, at(2, 3, 8), ["source"]) == {}
    editor.close(uri)


def test_what_the_hover_shows_can_be_opened_without_a_plugin(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "notes/new.md", text=TEXT)
    opened = [each for title, each in actions(editor, uri, at(2, 3)).items() if title.startswith("Open “")]
    assert [each["command"]["command"] for each in opened] == ["postil.server.open"] * len(opened) != []
    told = opened[0]["command"]["arguments"][0]
    assert told["uri"].startswith(desk.root.as_uri())
    editor.close(uri)


def test_an_editor_that_fails_on_what_it_is_asked_to_do_is_no_failure_of_ours(desk: Any) -> None:
    editor = Editor(desk.machine, [desk.workspace.root])

    def show(_: lsp.ShowDocumentParams) -> lsp.ShowDocumentResult:
        raise RuntimeError("no window")

    editor.client.protocol.fm.features[lsp.WINDOW_SHOW_DOCUMENT] = show
    assert editor._params.capabilities.window is not None
    editor._params.capabilities.window.show_document = lsp.ShowDocumentClientCapabilities(support=True)
    with editor, pytest.raises(JsonRpcException, match="the editor failed on what it was asked to do") as refused:
        editor.command("postil.server.open", {"uri": (desk.root / "docs/glossary.md").as_uri()})
    assert refused.value.code == -32803


def test_they_can_be_switched_off(desk: Any) -> None:
    options = {"initialization_options": {"settings": {"features": {"actions": False}, "lens": {"notes": False}}}}
    with Editor(desk.machine, [desk.workspace.root], **options) as editor:
        uri = editor.open_file(desk.root / "notes/new.md", text=TEXT)
        assert actions(editor, uri, at(2, 3, 8)) == {}
        assert not editor.ask("textDocument/codeLens", lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri)))
