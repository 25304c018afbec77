"""What lies over the user's settings: what an editor says, and what a workspace's own file narrows."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from postil_indexers.errors import SettingsError
from postil_server.app import open_app
from postil_server.layers import ClientSettings, Layered, layered
from postil_server.settings import EmbeddingSettings, HoverSettings, Settings, settings_path


@pytest.fixture(autouse=True)
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POSTIL_CONFIG", str(tmp_path / "user.toml"))
    return tmp_path / "user.toml"


def in_workspace(tmp_path: Path, text: str | bytes) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / ".postil.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def plain(*tables: Any, own: Any = None) -> Layered:
    return layered(None, ClientSettings(own or {}, tables))


@pytest.mark.parametrize(
    "text",
    [
        '[embedding]\nendpoint = "http://203.0.113.1"',
        '[embedding]\nprose = "openai:x"',
        '[embedding]\nprose = "folder:/home/me/secret"',
        '[embedding]\napi_key_variable = "AWS_SECRET_ACCESS_KEY"',
        "[embedding]\ndownload = true",
        '[embedding]\nstatic = ""',
        'folders = ["/"]',
        "[index]\nprocesses = 64",
        "[index]\nquota_mb = 1",
        "[index]\nlow_priority = false",
        "[lens]\ndefinitions = true",
    ],
)
def test_a_workspace_can_set_nothing_of_the_users(tmp_path: Path, text: str) -> None:
    root = in_workspace(tmp_path, text)
    app = open_app(str(root))
    assert app.settings == Settings()
    (warning,) = app.warnings
    section, _, setting = text.rpartition("\n")
    assert f"{section.strip('[]')}.{setting.split(' =')[0]}".lstrip(".") in warning
    assert str(root / ".postil.toml") in warning
    assert "user-level" in warning or "only switch it off" in warning


def test_a_workspace_leaves_out_more_and_switches_features_off(tmp_path: Path, user_file: Path) -> None:
    user_file.write_text('[index]\nexclude = ["*.log"]\n[hover]\nnotes = true\nlinks = false\n')
    text = '[index]\nexclude = ["private/", "*.key.md"]\n[hover]\nnotes = false\nlinks = false\ncode = true\n'
    app = open_app(str(in_workspace(tmp_path, text)))
    assert app.settings.index.exclude == ("*.log", "private/", "*.key.md")
    assert app.settings.hover == HoverSettings(notes=False, links=False, code=True)
    assert app.warnings == ()


@pytest.mark.parametrize("pattern", ["!diary/", "a\\n!diary/", "\\uFEFF!diary/", "\\r!diary/"])
def test_a_workspace_brings_nothing_back(tmp_path: Path, user_file: Path, pattern: str) -> None:
    user_file.write_text('[index]\nexclude = ["diary/"]\n')
    app = open_app(str(in_workspace(tmp_path, f'[index]\nexclude = ["drafts/", "{pattern}"]\n')))
    assert app.settings.index.exclude == ("diary/", "drafts/")
    assert "index.exclude" in app.warnings[0]


@pytest.mark.parametrize(
    "content",
    [
        "[index\n",
        "[index]\nexclude = 'private/'\n",
        "hover = 1\n",
        "[hover]\nnotes = 'no'\n",
        b"\xff",
        b"a = " + b"[" * 20_000,
        b"# " + b"x" * (1 << 16),
    ],
)
def test_a_workspaces_file_that_cannot_be_used_says_so(tmp_path: Path, content: str | bytes) -> None:
    root = in_workspace(tmp_path, content)
    with pytest.raises(SettingsError, match=r"\.postil\.toml"):
        open_app(str(root))
    forgiven = open_app(str(root), forgiving=True)
    assert forgiven.settings == Settings()
    assert ".postil.toml" in forgiven.warnings[0]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_workspaces_file_that_is_no_file_is_not_read(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    outside = tmp_path / "outside.toml"
    outside.write_text("[hover]\nnotes = false\n")
    place = root / ".postil.toml"
    {"link": lambda: place.symlink_to(outside), "pipe": lambda: os.mkfifo(place), "folder": place.mkdir}[kind]()
    with pytest.raises(SettingsError, match="can't be used"):
        open_app(str(root))


def test_an_editor_switches_what_it_gets_in_either_case() -> None:
    found = plain({"features": {"searchInSymbols": False, "markdown_links": False}, "lens": {"definitions": True}})
    expected = Settings()
    assert found.settings == replace(
        expected,
        features=replace(expected.features, search_in_symbols=False, markdown_links=False),
        lens=replace(expected.lens, definitions=True),
    )
    assert (found.warnings, found.broken) == ((), ())


def test_what_comes_later_lies_over_what_came_before(user_file: Path) -> None:
    user_file.write_text("[hover]\nnotes = false\nlinks = false\ncode = false\n")
    found = plain({"hover": {"links": True, "code": True}}, {"hover": {"code": False}}, own={"hover": {"notes": True}})
    assert found.settings.hover == HoverSettings(notes=True, links=True, code=False)


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"hover": {"nots": True}}, "hover.nots is not a setting"),
        ({"colour": 1}, "colour is not a setting"),
        ({"hover": {"notes": "yes"}}, "hover.notes must be a switch"),
        ({"hover": 3}, "hover must be a table"),
        ({"folders": ["/home/me"]}, "folders is passed over: it is user-level"),
        ({"embedding": {"endpoint": "http://203.0.113.1"}}, "embedding.endpoint is passed over: it is user-level"),
        (
            {"embedding": {"apiKeyVariable": "AWS"}},
            "embedding.api_key_variable is passed over: it is user-level",
        ),
        ({"index": {"exclude": ["*.md"]}}, "index.exclude is passed over: it is user-level"),
    ],
)
def test_what_an_editor_may_not_say_or_says_wrong_is_named_and_nothing_else_changes(table: Any, named: str) -> None:
    found = plain({**table, "lens": {"code": False}})
    assert found.settings == replace(Settings(), lens=replace(Settings().lens, code=False))
    (warning,) = found.warnings
    assert named in warning


def test_an_editor_that_sends_all_it_knows_is_not_warned_of_what_holds_anyway(user_file: Path) -> None:
    user_file.write_text('folders = ["~/notes"]\n[embedding]\nprose = "ollama:x"\n')
    found = plain(
        {"folders": [], "embedding": {"prose": "ollama:x", "endpoint": ""}, "hover": None, "lens": []},
        {"folders": ["~/notes"], "embedding": {"prose": "packaged-minilm"}},
    )
    expected = Settings(folders=("~/notes",), embedding=EmbeddingSettings(prose="ollama:x"))
    assert (found.settings, found.warnings) == (expected, ())


def test_what_a_client_marks_as_the_users_own_names_outside_folders_and_shapes_no_index() -> None:
    found = plain(own={"folders": ["~/notes"], "index": {"quotaMb": 1}, "hover": {"notes": False}})
    assert (found.settings.folders, found.settings.hover.notes) == (("~/notes",), False)
    assert found.settings.index == Settings().index
    (warning,) = found.warnings
    assert "index.quota_mb" in warning
    assert str(settings_path()) in warning


def test_a_broken_user_file_is_told_and_the_rest_holds(user_file: Path) -> None:
    user_file.write_text("[hover\n")
    found = plain({"lens": {"code": False}})
    assert (found.settings.lens.code, found.settings.hover) == (False, HoverSettings())
    assert str(user_file) in found.broken[0].message


def test_a_message_shows_a_strange_key_on_one_line_and_cut() -> None:
    (warning,) = plain({"a\x1b[31m\n" + "b" * 500: 1}).warnings
    assert "\x1b" not in warning
    assert "\n" not in warning
    assert len(warning) < 150
