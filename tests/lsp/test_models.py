"""The models that are set, those to choose from, and going over to another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from fixtures.editor import Editor, eventually
from fixtures.machine import Machine
from fixtures.ollama_server import OllamaServer, serving
from fixtures.repository import Workspace
from fixtures.workspace import copy


@pytest.fixture(scope="module")
def ollama() -> Iterator[OllamaServer]:
    with serving(embedders=("tiny-embed:latest",)) as server:
        yield server


@pytest.fixture(scope="module")
def window(
    ollama: OllamaServer, built_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Machine, Editor]]:
    folder = tmp_path_factory.mktemp("models")
    endpoint = f'endpoint = "{ollama.address}"'
    settings = f'# mine\n[embedding]\nprose = ""  # none\n{endpoint}\n[llm]\n{endpoint}\n'
    machine = Machine(folder / "machine", settings)
    workspace = copy(built_workspace, folder / "millrace")
    assert machine.postil("index", workspace.root, "--no-history").status == 0
    with Editor(machine, [workspace.root]) as editor:
        yield machine, editor


def test_the_models_that_are_set_say_whether_they_can_be_used(window: Any, ollama: OllamaServer) -> None:
    _, editor = window
    found = editor.ask("postil/model")
    assert (found["language"]["name"], found["language"]["state"]) == ("qwen2.5:7b", "ready")
    assert found["language"]["endpoint"] == ollama.address
    assert found["prose"]["state"] == "none"
    ollama.model = "llama3:8b"
    lost = editor.ask("postil/model")["language"]
    assert (lost["state"], lost["hint"]) == ("missing", "run: ollama pull qwen2.5:7b")
    assert lost["problem"] == f"no model named qwen2.5:7b on the Ollama server at {ollama.address}"
    ollama.model = "qwen2.5:7b"


def test_what_there_is_to_choose_from(window: Any, ollama: OllamaServer) -> None:
    _, editor = window
    found = editor.ask("postil/models", {})
    (server,) = found["servers"]
    assert server["endpoint"] == ollama.address
    assert [(each["name"], each["embeds"]) for each in server["models"]] == [
        ("qwen2.5:7b", False),
        ("tiny-embed:latest", True),
    ]
    rows = {each["setting"]: each for each in found["embedding"]}
    assert (rows["postil-static"]["here"], rows["postil-static"]["passages_per_second"]) == (True, None)
    assert (rows["ollama:nomic-embed-text"]["here"], rows["ollama:nomic-embed-text"]["dimensions"]) == (False, 768)
    assert (rows["ollama:tiny-embed:latest"]["here"], rows["ollama:tiny-embed:latest"]["megabytes"]) == (True, 274)
    assert [name for name, each in rows.items() if each["recommended"]] == ["packaged-minilm"]
    (folder,) = found["folders"]
    assert (folder["name"], folder["serving"], folder["coming"]) == ("millrace", None, None)


def test_a_model_that_is_taken_is_set_and_its_vectors_are_made(window: Any) -> None:
    machine, editor = window
    taken = editor.ask("postil/takeModel", {"setting": "ollama:tiny-embed:latest", "workDoneToken": "taking"})
    assert taken == {"setting": "ollama:tiny-embed:latest"}
    written = (machine.folder / "config.toml").read_text("utf-8")
    assert written == machine.settings.replace('prose = ""', 'prose = "ollama:tiny-embed:latest"')
    said = [each.message for each in editor.client.progress_reports["taking"][1:-1]]
    assert said == ["trying it with a text", "set"]

    def serving_now() -> bool:
        (folder,) = editor.ask("postil/models", {})["folders"]
        return (folder["serving"], folder["coming"]) == ("ollama:tiny-embed:latest", None)

    eventually(serving_now)


def test_a_model_that_can_not_be_fetched_changes_nothing_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing answers there
    planted = tmp_path / "planted/postil_server"
    planted.mkdir(parents=True)
    (planted / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(planted.parent)  # where an editor would start the server
    machine = Machine(tmp_path / "machine")
    setting = "fastembed:BAAI/bge-small-en-v1.5"
    with Editor(machine, []) as editor:
        with pytest.raises(JsonRpcException) as caught:
            editor.ask("postil/takeModel", {"setting": setting})
        assert caught.value.message.startswith("BAAI/bge-small-en-v1.5 is not on this machine and could not be downl")
        assert "set embedding.prose to folder:PATH" in caught.value.data["hint"]
        with pytest.raises(JsonRpcException, match="'nonsense' names no embedding model"):
            editor.ask("postil/takeModel", {"setting": "nonsense"})
    assert (machine.folder / "config.toml").read_text("utf-8") == machine.settings
    assert not (tmp_path / "ran").exists()
