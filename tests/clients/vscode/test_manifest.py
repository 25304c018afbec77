"""What package.json says is what the server has, and every text is there in both languages."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

import postil_indexers
from postil_server.settings import Settings

CLIENT = Path(__file__).parents[3] / "clients/vscode"
MANIFEST = json.loads((CLIENT / "package.json").read_text("utf-8"))
CONTRIBUTES = MANIFEST["contributes"]
PROPERTIES: dict[str, dict[str, Any]] = {
    key.removeprefix("postil."): property
    for group in CONTRIBUTES["configuration"]
    for key, property in group["properties"].items()
}
OF_THE_CLIENT = re.compile(r"(server|trace|related|notes)\.")
# the editor's own Markdown support does these, so the client says so to the server
EDITOR_HAS = {"features.symbols": False, "features.markdownLinks": False}
# an index serves all editors and the command line: what it holds is said in one file
NOT_OF_AN_EDITOR = {"embedding", "index"}


def camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def server_defaults() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for section in dataclasses.fields(Settings):
        value = getattr(Settings(), section.name)
        if not dataclasses.is_dataclass(value):
            found[camel(section.name)] = list(value) if isinstance(value, tuple) else value
        elif section.name not in NOT_OF_AN_EDITOR:
            for key, inner in dataclasses.asdict(value).items():  # type: ignore[arg-type]
                found[f"{section.name}.{camel(key)}"] = list(inner) if isinstance(inner, tuple) else inner
    return found


def test_settings_and_their_defaults_are_the_servers() -> None:
    shown = {key: each["default"] for key, each in PROPERTIES.items() if not OF_THE_CLIENT.match(key)}
    assert shown == {**server_defaults(), **EDITOR_HAS}


def test_what_only_the_user_may_set_is_kept_from_workspaces() -> None:
    machine = {f"postil.{key}" for key, each in PROPERTIES.items() if each.get("scope") == "machine"}
    assert set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]) == machine
    assert {"postil.server.path", "postil.server.interpreter", "postil.folders"} <= machine
    assert {f"postil.llm.{name}" for name in ("model", "endpoint", "apiKeyVariable")} <= machine


def test_versions_are_one() -> None:
    lock = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))
    assert MANIFEST["version"] == postil_indexers.__version__
    assert lock["version"] == MANIFEST["version"]
    assert lock["packages"][""]["devDependencies"] == MANIFEST["devDependencies"]


def test_every_text_of_the_manifest_is_there_in_both_languages() -> None:
    named = set(re.findall(r'"%(\w+)%"', (CLIENT / "package.json").read_text("utf-8")))
    for name in ("package.nls.json", "package.nls.zh-cn.json"):
        texts = json.loads((CLIENT / name).read_text("utf-8"))
        assert set(texts) == named, name
        assert all(text.strip() for text in texts.values())


def test_every_text_of_the_code_is_translated_with_its_places() -> None:
    code = "\n".join(file.read_text("utf-8") for file in sorted((CLIENT / "src").rglob("*.ts")))
    said = {text.replace("\\'", "'") for text in re.findall(r"(?:l10n\.t|\bt)\(\s*'((?:[^'\\]|\\.)*)'", code)}
    assert len(re.findall(r"l10n\.t\((?!\s*['])", code)) == 0  # no text is put together from others
    chinese = json.loads((CLIENT / "l10n/bundle.l10n.zh-cn.json").read_text("utf-8"))
    assert set(chinese) == said
    for text, translated in chinese.items():
        assert sorted(re.findall(r"\{\d\}", text)) == sorted(re.findall(r"\{\d\}", translated)), text


def test_each_command_of_a_menu_a_key_or_a_view_exists() -> None:
    commands = {each["command"] for each in CONTRIBUTES["commands"]}
    used = {item["command"] for menu in CONTRIBUTES["menus"].values() for item in menu if "command" in item}
    used |= {key["command"] for key in CONTRIBUTES["keybindings"]}
    texts = (CLIENT / "package.nls.json").read_text("utf-8")
    used |= set(re.findall(r"\(command:(postil\.[\w.]+)\)", texts))
    assert used <= commands
    code = "\n".join(file.read_text("utf-8") for file in (CLIENT / "src").rglob("*.ts"))
    assert {each for each in commands if f"'{each}'" not in code} == set()


@pytest.mark.parametrize("step", CONTRIBUTES["walkthroughs"][0]["steps"], ids=lambda step: step["id"])
def test_the_walkthrough_has_real_pictures(step: dict[str, Any]) -> None:
    picture = CLIENT / step["media"]["image"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 200_000
