"""Folders that the user joins to every workspace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor, eventually
from fixtures.machine import Machine

NOTE = "# Crane\n\nHow the lease protocol of the queue keeps a job with one worker. [[glossary]]\n"


@pytest.fixture
def crane(tmp_path: Path) -> Path:
    """A small workspace beside the indexed one."""
    folder = tmp_path / "crane"
    folder.mkdir()
    (folder / "crane.md").write_text(NOTE, encoding="utf-8")
    return folder


@pytest.fixture
def joined(desk: Any, machine: Machine) -> Machine:
    """A machine whose user joins the indexed workspace to every other."""
    machine.folder.mkdir()
    (machine.folder / "index").symlink_to(desk.machine.folder / "index")
    return replace(machine, settings=f'folders = ["{desk.root}", "~/nowhere"]\n' + machine.settings)


def folders(editor: Editor) -> dict[str, bool]:
    """By root, whether each is an outside one."""
    return {Path(each["uri"][7:]).name: each["outside"] for each in editor.ask("postil/status")["folders"]}


def roots(editor: Editor, method: str, found: str, **params: Any) -> set[str]:
    answer = editor.ask(method, {"limit": 50, **params})[found]
    return {Path(item["root"]).name for item in answer}


def test_an_outside_folder_joins_what_is_found_and_links_stay_at_home(joined: Machine, crane: Path, desk: Any) -> None:
    with Editor(joined, [str(crane)]) as editor:
        assert folders(editor) == {"crane": False, "millrace": True}
        (said,) = eventually(lambda: editor.client.messages)
        assert "folders: ~/nowhere is not there" in said.message
        eventually(lambda: roots(editor, "postil/search", "hits", query="lease protocol") == {"crane", "millrace"})
        assert roots(editor, "postil/related", "related", query="lease protocol of the queue") == {"crane", "millrace"}
        assert editor.ask("postil/history", {"query": "lease"})["commits"]
        uri = editor.open_file(crane / "crane.md")
        shown = editor.hover_text(uri, 2, 10)
        assert shown is not None
        assert f"]({desk.root.as_uri()}/docs/" in shown
        assert editor.hover(uri, 2, NOTE.split("\n")[2].index("glossary")) is None
        there = editor.open_file(desk.root / "docs/design.md", text="[[glossary]]\n")
        assert (editor.hover_text(there, 0, 4) or "").startswith("[Glossary](")
        (joined.folder / "config.toml").write_text("folders = []\n")
        eventually(lambda: folders(editor) == {"crane": False})
        assert roots(editor, "postil/search", "hits", query="lease protocol") == {"crane"}


def test_what_is_open_is_not_joined_once_more(joined: Machine, crane: Path, desk: Any) -> None:
    with Editor(joined, [str(desk.root)]) as editor:
        assert folders(editor) == {"millrace": False}
        before = editor.ask("postil/search", {"query": "lease protocol", "limit": 20})["hits"]
        event = lsp.WorkspaceFoldersChangeEvent([Editor.folder(str(crane))], [Editor.folder(str(desk.root))])
        params = lsp.DidChangeWorkspaceFoldersParams(event)
        editor.soon(editor.client.workspace_did_change_workspace_folders, params)
        assert folders(editor) == {"crane": False, "millrace": True}
        after = editor.ask("postil/search", {"query": "lease protocol", "limit": 20})["hits"]
        there = [hit for hit in after if hit["root"] == str(desk.root)]
        assert sorted(hit["uri"] for hit in there) == sorted(hit["uri"] for hit in before)


def test_a_folder_inside_an_outside_one_gives_its_hits_once(joined: Machine, desk: Any) -> None:
    with Editor(joined, [str(desk.root / "docs")]) as editor:
        assert folders(editor) == {"docs": False, "millrace": True}
        asked = {"query": "lease protocol", "limit": 100, "filters": {"kind": "note"}}

        def hits() -> list[Any]:
            return list(editor.ask("postil/search", asked)["hits"])

        eventually(lambda: any(hit["root"] == str(desk.root / "docs") for hit in hits()))
        places = [(hit["uri"], hit["range"]["start"]["line"]) for hit in hits()]
        assert len(places) == len(set(places))
        assert not any("/docs/" in hit["uri"] for hit in hits() if hit["root"] == str(desk.root))
        assert any("/notes/" in hit["uri"] for hit in hits())


@pytest.mark.parametrize("marked", [True, False])
def test_a_client_names_outside_folders_only_as_the_users_own(
    joined: Machine, crane: Path, desk: Any, marked: bool
) -> None:
    plain = replace(joined, settings=joined.settings.split("\n", 1)[1])
    name = "userSettings" if marked else "settings"
    with Editor(plain, [str(crane)], initialization_options={name: {"folders": [str(desk.root)]}}) as editor:
        assert folders(editor) == ({"crane": False, "millrace": True} if marked else {"crane": False})
        if not marked:
            (said,) = eventually(lambda: editor.client.messages)
            assert "folders is passed over: it is user-level" in said.message
