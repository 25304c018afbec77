"""Lenses and the commands behind them, as editors with and without a plugin get them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.actions import actions
from fixtures.editor import Editor, eventually, plain
from fixtures.hover_places import place
from postil_server.lsp.configuration import Configuration


def lenses(editor: Editor, uri: str) -> list[lsp.CodeLens]:
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
    return editor.wait(editor.client.text_document_code_lens_async(params)) or []


def resolved(editor: Editor, found: list[lsp.CodeLens]) -> dict[str, lsp.Command]:
    """Title -> command, of all of them."""
    told = [each if each.command else editor.wait(editor.client.code_lens_resolve_async(each)) for each in found]
    assert all(each.command for each in told)
    return {each.command.title: each.command for each in told if each.command}


def test_a_note_has_one_line_of_lenses_that_are_counted_when_they_are_shown(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/glossary.md")
    found = lenses(editor, uri)
    assert [each.range for each in found] == [lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))] * 3
    assert [each.command is None for each in found] == [True, True, False]
    commands = resolved(editor, found)
    assert [title.rstrip("0123456789+ ") for title in commands] == ["Related", "Backlinks", "Summarise"]
    assert "Backlinks 8" in commands
    assert {command.command for command in commands.values()} == {
        "postil.server.related", "postil.server.backlinks", "postil.server.summarise",
    }  # fmt: skip
    assert all(
        plain(list(command.arguments or [])) == [{"textDocument": {"uri": uri}}] for command in commands.values()
    )
    editor.close(uri)


def test_a_code_file_has_its_last_change_and_its_history(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "millrace/retry.py", "python")
    assert list(resolved(editor, lenses(editor, uri))) == ["Last change 2024-04-08, Maya Okafor", "History 5"]
    editor.close(uri)


def test_what_is_not_in_the_index_has_lenses_all_the_same(editor: Editor, desk: Any) -> None:
    uri = editor.open("untitled:Untitled-7", "# A new note\n\nThe lease runs out while the worker works.\n")
    assert [title.split(" ")[0] for title in resolved(editor, lenses(editor, uri))] == ["Related", "Summarise"]
    editor.close(uri)
    empty = editor.open_file(desk.root / "docs/glossary.md", text="\n")
    assert lenses(editor, empty) == []
    editor.close(empty)


@pytest.fixture(scope="module")
def plugin(desk: Any) -> Iterator[Editor]:
    """A client with commands of its own, and other lenses."""
    options = {"clientCommands": True, "settings": {"lens": {"definitions": True, "code": False}}}
    with Editor(desk.machine, [desk.workspace.root], initialization_options=options) as editor:
        yield editor


def test_lenses_are_asked_for_again_when_the_index_has_changed(desk: Any, tmp_path: Path) -> None:
    notes = desk.with_notes(tmp_path, {"one.md": "# One\n\nOf leases.\n"})
    root = notes.root
    editor = Editor(notes.machine, [str(root)])
    assert editor._params.capabilities.workspace is not None
    editor._params.capabilities.workspace.code_lens = lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    asked = []

    @editor.client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(_: None) -> None:
        asked.append(True)

    with editor:
        uri = editor.open_file(root / "one.md")
        eventually(lambda: "Backlinks 0" in resolved(editor, lenses(editor, uri)))
        before = len(asked)
        (root / "two.md").write_text("See [[one]].\n", encoding="utf-8")
        eventually(lambda: len(asked) > before)
        eventually(lambda: "Backlinks 1" in resolved(editor, lenses(editor, uri)))


def test_definitions_have_lenses_where_they_are_switched_on(plugin: Editor, desk: Any) -> None:
    uri = plugin.open_file(desk.root / "millrace/retry.py", "python")
    found = lenses(plugin, uri)
    line, _ = place(desk.root, "millrace/retry.py", "class RetryPolicy")
    assert found[0].range.start.line == line  # and none of the whole file
    ((title, command),) = resolved(plugin, found[:1]).items()
    assert title == "2024-04-08 Move journal and minutes below notes, double quotes everywh… (Maya Okafor)"
    assert command.command == "postil.history"
    plugin.close(uri)


def test_a_client_that_has_commands_of_its_own_gets_those(plugin: Editor, desk: Any) -> None:
    uri = plugin.open_file(desk.root / "docs/glossary.md")
    assert resolved(plugin, lenses(plugin, uri))["Backlinks 8"].command == "postil.backlinks"
    opened = actions(plugin, uri, lsp.Range(lsp.Position(4, 0), lsp.Position(4, 0)))
    assert not any(title.startswith("Open “") for title in opened)  # it follows the hover's links
    plugin.close(uri)


def test_a_client_may_name_the_commands_that_it_has() -> None:
    configuration = Configuration()
    assert not configuration.has_client_command("postil.history")
    configuration.options_given({"clientCommands": ["postil.history"]})
    assert configuration.has_client_command("postil.history")
    assert not configuration.has_client_command("postil.related")


def test_a_lens_that_is_not_ours_names_what_is_wrong_with_it(editor: Editor) -> None:
    with pytest.raises(Exception, match=r"data\.what must be one of"):
        editor.wait(editor.client.code_lens_resolve_async(lsp.CodeLens(_start(), data={"what": "evil"})))


def _start() -> lsp.Range:
    return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def test_the_servers_own_commands_answer_with_what_there_is_to_open(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/glossary.md")
    found = editor.command("postil.server.backlinks", {"textDocument": {"uri": uri}})["items"]
    assert {item["label"].partition(":")[0] for item in found} == {
        "docs/index.md",
        "docs/retries.md",
        "notes/daily/2024-03-05.md",
        "notes/daily/2024-03-06.md",
        "notes/daily/2024-04-15.md",
        "notes/daily/2024-04-16.md",
        "notes/templates/daily.md",
        "notes/任务队列的可靠性.md",
    }
    history = editor.command("postil.server.history", {"textDocument": {"uri": uri}})["items"]
    assert history[0]["label"].startswith("2024-")
    assert history[0]["uri"].startswith("postil:/commit/")
    assert editor.command("postil.server.related", {"textDocument": {"uri": uri}})["items"]
    editor.close(uri)
    with pytest.raises(Exception, match=r"textDocument\.uri is no open document"):
        editor.command("postil.server.related", {"textDocument": {"uri": "file:///no/such.md"}})


def test_what_is_chosen_of_it_is_shown(plugin: Editor, desk: Any) -> None:
    asked: list[lsp.ShowMessageRequestParams] = []

    @plugin.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def choose(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append(params)
        assert params.actions is not None
        return params.actions[1]

    uri = plugin.open_file(desk.root / "docs/glossary.md")
    found = plugin.command("postil.server.backlinks", {"textDocument": {"uri": uri}})["items"]
    eventually(lambda: plugin.client.shown_documents)
    (shown,) = plugin.client.shown_documents
    assert (shown.uri, shown.selection.start.line) == (found[1]["uri"], found[1]["range"]["start"]["line"])
    assert (asked[0].message, len(asked[0].actions or ())) == ("Links to this note", 8)
    plugin.close(uri)


def test_only_places_of_ours_are_opened(editor: Editor) -> None:
    for uri in ("file:///etc/passwd", "https://example.org/", "command:x"):
        with pytest.raises(Exception, match="is in no open folder"):
            editor.command("postil.server.open", {"uri": uri})
