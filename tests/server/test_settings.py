"""The user's own settings file."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil_indexers.embedding.spec import EmbedderSpec
from postil_indexers.errors import SettingsError
from postil_server.app import open_app
from postil_server.settings import EmbeddingSettings, Settings, embedder_spec, load_settings


def write(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / "config.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_without_a_file_all_is_as_by_default(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == (Settings(), [])


def test_values_are_taken(tmp_path: Path) -> None:
    text = (
        '[embedding]\nprose = "ollama:bge-m3"\ndownload = true\n[index]\nexclude = ["*.log", "build/"]\nprocesses = 1\n'
    )
    settings, warnings = load_settings(write(tmp_path, text))
    assert warnings == []
    assert (settings.embedding.prose, settings.embedding.static) == ("ollama:bge-m3", "postil-static")
    assert settings.embedding.download is True
    assert (settings.index.exclude, settings.index.processes) == (("*.log", "build/"), 1)


def test_an_unknown_key_warns_names_itself_and_keeps_the_default(tmp_path: Path) -> None:
    file = write(tmp_path, '[embedding]\nprosa = "x"\n[index]\nprocesses = 1\n[colour]\nred = 1\n')
    settings, warnings = load_settings(file)
    assert settings.embedding == EmbeddingSettings()
    assert settings.index.processes == 1
    assert len(warnings) == 2
    assert "embedding.prosa" in warnings[0]
    assert "colour is not a setting" in warnings[1]
    assert all(str(file) in warning for warning in warnings)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('[index]\nprocesses = "two"\n', "index.processes"),
        ("[index]\nprocesses = true\n", "index.processes"),
        ("[index]\nprocesses = 1.5\n", "index.processes"),
        ("[embedding]\ndownload = 1\n", "embedding.download"),
        ('[index]\nexclude = "*.log"\n', "index.exclude"),
        ("[index]\nexclude = [1]\n", "index.exclude"),
        ("embedding = 3\n", "embedding"),
        ("[embedding\n", "config.toml"),
        (b"\xff\xfe", "config.toml"),
    ],
)
def test_a_wrong_value_is_an_error_that_says_where(tmp_path: Path, text: str | bytes, names: str) -> None:
    with pytest.raises(SettingsError, match=names) as caught:
        load_settings(write(tmp_path, text))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("postil-static", EmbedderSpec("static")),
        ("packaged-minilm", EmbedderSpec("packaged")),
        ("fastembed:BAAI/bge-small-en-v1.5", EmbedderSpec("fastembed", "BAAI/bge-small-en-v1.5")),
        ("folder:/models/own", EmbedderSpec("fastembed", folder="/models/own")),
        ("ollama:qwen3-embedding:0.6b", EmbedderSpec("ollama", "qwen3-embedding:0.6b", endpoint="http://127.0.0.1:9")),
        ("openai:own", EmbedderSpec("openai", "own", endpoint="http://127.0.0.1:9", key_env="POSTIL_EMBEDDING_KEY")),
    ],
)
def test_what_a_name_of_a_model_means(name: str, spec: EmbedderSpec) -> None:
    assert embedder_spec(name, EmbeddingSettings(endpoint="http://127.0.0.1:9")) == spec


@pytest.mark.parametrize("name", ["", "nonsense", "ollama:", "ollama", "https://example.org"])
def test_what_names_no_model_is_an_error(name: str) -> None:
    with pytest.raises(SettingsError):
        embedder_spec(name, EmbeddingSettings())


def test_a_whole_number_serves_where_a_number_is_wanted(tmp_path: Path) -> None:
    settings, warnings = load_settings(write(tmp_path, '[llm]\ntemperature = 0\nmodel = "qwen3:4b"\n'))
    assert (settings.llm.temperature, settings.llm.model, warnings) == (0.0, "qwen3:4b", [])
    with pytest.raises(SettingsError, match=r"llm\.temperature must be a number"):
        load_settings(write(tmp_path, '[llm]\ntemperature = "cold"\n'))


@pytest.mark.parametrize("key", ["endpoint", "model", "provider", "api_key_variable"])
def test_a_workspace_sets_no_model_and_keeps_files_from_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("POSTIL_CONFIG", str(write(tmp_path, '[llm]\nnever_send = ["diary/"]\n')))
    root = tmp_path / "root"
    root.mkdir()
    (root / ".postil.toml").write_text(f'[llm]\n{key} = "evil"\nnever_send = ["*.key.md", "!diary/"]\n')
    app = open_app(str(root))
    assert getattr(app.settings.llm, key) == getattr(Settings().llm, key)
    assert app.settings.llm.never_send == ("diary/", "*.key.md")
    assert any(f"llm.{key}" in warning for warning in app.warnings)
