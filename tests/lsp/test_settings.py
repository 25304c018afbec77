"""Settings as they reach a running server: from the editor, the user's file and the workspace's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor, eventually
from fixtures.machine import Machine
from fixtures.repository import Workspace

NOTE = "docs/design.md"
LINK = "[[glossary]] and the lease protocol of the queue, which keeps a job with one worker.\n"
PROSE = 14  # a character of it that is in no link


@pytest.fixture
def beside(desk: Any, machine: Machine) -> Machine:
    """A machine with settings of its own and the desk's indexes."""
    machine.folder.mkdir()
    (machine.folder / "index").symlink_to(desk.machine.folder / "index")
    return machine


def hovers(editor: Editor, uri: str) -> tuple[bool, bool]:
    """Whether there is one on a link, and one on prose."""
    return editor.hover(uri, 0, 4) is not None, editor.hover(uri, 0, PROSE + 10) is not None


def warnings_in(editor: Editor) -> list[str]:
    assert all(message.type is lsp.MessageType.Warning for message in editor.client.messages)
    return [message.message for message in editor.client.messages]


def told(editor: Editor, **settings: Any) -> None:
    """The client's settings have changed, and it says so."""
    editor.client.set_configuration(settings, section="postil")
    editor.soon(editor.client.workspace_did_change_configuration, lsp.DidChangeConfigurationParams(None))


def test_initialization_options_hold_and_what_is_wrong_with_them_is_told_once(beside: Machine, desk: Any) -> None:
    options = {
        "hover": {"links": False, "nots": True},
        "settings": {"lens": {"code": "never"}},
        "userSettings": {"colour": 1},
        "embedding": {"endpoint": "http://203.0.113.1"},
    }
    with Editor(beside, [str(desk.root)], "neovim", initialization_options=options) as editor:
        uri = editor.open_file(desk.root / NOTE, text=LINK)
        assert hovers(editor, uri) == (False, True)
        (said,) = eventually(lambda: warnings_in(editor))
        told(editor, hover={"links": True, "nots": True}, lens={"code": "never"})
        eventually(lambda: hovers(editor, uri) == (True, True))
        assert warnings_in(editor) == [said]
    for named in ("hover.nots is not a setting", "lens.code must be a switch", "colour is", "embedding.endpoint is"):
        assert named in said
    (file,) = (beside.folder / "home").rglob("server.log")
    logged = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert sum(line["event"] == "warning" for line in logged) == 4


@pytest.mark.parametrize("client", ["visual_studio_code", "emacs"])
def test_a_switch_turned_off_hides_its_feature_at_once(beside: Machine, desk: Any, client: str) -> None:
    editor = Editor(beside, [str(desk.root)], client)
    editor.client.set_configuration({"hover": {"notes": False}, "index": {"exclude": []}}, section="postil")
    registered: list[Any] = []
    editor.client.feature("client/registerCapability")(lambda params: registered.extend(params.registrations))
    with editor:
        uri = editor.open_file(desk.root / NOTE, text=LINK)
        eventually(lambda: hovers(editor, uri) == (True, False))
        told(editor, hover={"links": False})
        eventually(lambda: hovers(editor, uri) == (False, True))
        if client == "visual_studio_code":
            (wanted,) = eventually(lambda: registered)
            assert wanted.method == "workspace/didChangeConfiguration"
        for broken in (7, ["hover"], "off", {"hover": "off"}):
            editor.client.set_configuration(broken, section="postil")
            editor.soon(editor.client.workspace_did_change_configuration, lsp.DidChangeConfigurationParams(None))
        eventually(lambda: hovers(editor, uri) == (True, True))
        assert registered == [] or client == "visual_studio_code"


def test_a_client_that_cannot_be_asked_sends_its_settings(beside: Machine, desk: Any) -> None:
    editor = Editor(beside, [str(desk.root)], "emacs", initialization_options={"hover": {"links": False}})
    workspace = editor._params.capabilities.workspace
    assert workspace is not None
    workspace.configuration = False
    with editor:
        uri = editor.open_file(desk.root / NOTE, text=LINK)
        assert hovers(editor, uri) == (False, True)
        for sent, shown in (
            ({"postil": {"hover": {"notes": False}}, "python": {"path": "x"}}, (False, False)),
            ({"hover": {"links": True}}, (True, True)),
            ({"python": {"path": "x"}, "userSettings": {"hover": {"notes": False}}}, (False, True)),
            (None, (False, True)),
        ):
            params = lsp.DidChangeConfigurationParams(sent)
            editor.soon(editor.client.workspace_did_change_configuration, params)
            assert hovers(editor, uri) == shown, sent
        assert warnings_in(editor) == []


def test_settings_files_are_read_again_when_they_change(machine: Machine, workspace: Workspace) -> None:
    root = Path(workspace.root)
    user, own = machine.folder / "config.toml", root / ".postil.toml"
    with Editor(machine, [workspace.root]) as editor:
        uri = editor.open_file(root / NOTE, text=LINK)
        eventually(lambda: hovers(editor, uri) == (True, True))
        own.write_text("[hover]\nnotes = false\n")
        assert hovers(editor, uri) == (True, False)
        user.write_text("[hover]\nlinks = false\n")
        assert hovers(editor, uri) == (False, False)
        own.write_text('[hover]\nnotes = true\nlinks = true\n[embedding]\nendpoint = "http://203.0.113.1"\n')
        assert hovers(editor, uri) == (False, True)
        user.write_text("[hover\n")
        assert hovers(editor, uri) == (True, True)
        own.write_text("nonsense\n")
        assert hovers(editor, uri) == (True, True)
        eventually(lambda: f"{own} can't be read" in "".join(warnings_in(editor)))
        said = "\n".join(warnings_in(editor))
        assert said.count(f"{user} can't be read") == said.count(f"{own} can't be read") == 1
        assert "embedding.endpoint is passed over: it is user-level" in said
        assert "hover.links is passed over: a workspace can only switch it off" in said

        def folders_found() -> set[str]:
            hits = editor.ask("postil/search", {"query": "lease protocol", "limit": 50})["hits"]
            return {Path(hit["uri"][len("file://") :]).relative_to(root).parts[0] for hit in hits if "sha" not in hit}

        assert "docs" in folders_found()
        own.write_text('[index]\nexclude = ["docs/"]\n')
        user.write_text("[hover]\n")  # the worker stays with what it had while a file can't be used
        eventually(lambda: "docs" not in folders_found())
        assert "notes" in folders_found()


def test_a_broken_user_file_does_not_keep_the_server_from_starting(beside: Machine, desk: Any) -> None:
    broken = replace(beside, settings="[hover]\nlinks = 1\n")
    with Editor(broken, [str(desk.root)]) as editor:
        uri = editor.open_file(desk.root / NOTE, text=LINK)
        assert hovers(editor, uri) == (True, True)
        (said,) = eventually(lambda: warnings_in(editor))
        assert "hover.links must be a switch (true or false), not 1" in said


@pytest.mark.parametrize("options", ["settings", {"settings": [], "userSettings": 1, "postil": None}])
def test_options_of_any_kind_start_a_server(machine: Machine, options: Any) -> None:
    with Editor(machine, None, initialization_options=options) as editor:
        assert editor.ask("postil/status")["folders"] == []
