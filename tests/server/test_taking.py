"""Writing the one setting that a button changes, in a file that is the user's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from postil_indexers.errors import SettingsError
from postil_server.settings import load_settings
from postil_server.taking import taken, write_setting

MINE = """# my models
[llm]
model = "qwen2.5:3b"  # small

[embedding]
# read on a train
static = "postil-static"
prose = "packaged-minilm"
"""


def test_one_key_changes_and_all_else_stays(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(MINE, encoding="utf-8")
    file.chmod(0o640)
    write_setting(file, {"prose": "ollama:bge-m3"})
    assert file.read_text("utf-8") == MINE.replace('"packaged-minilm"', '"ollama:bge-m3"')
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["config.toml"]


def test_a_link_to_the_file_stays_one_and_a_missing_file_is_made(tmp_path: Path) -> None:
    link, real = tmp_path / "config/postil.toml", tmp_path / "dotfiles/postil.toml"
    link.parent.mkdir()
    link.symlink_to(real)
    write_setting(link, {"prose": ""})
    assert link.is_symlink()
    assert load_settings(real)[0].embedding.prose == ""


def test_a_file_that_is_no_toml_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for broken in ("[embedding\n", "embedding = 3\n"):
        file.write_text(broken, encoding="utf-8")
        with pytest.raises(SettingsError, match=r"config\.toml can't be written"):
            write_setting(file, {"prose": ""})
        assert file.read_text("utf-8") == broken


def test_the_address_of_another_provider_is_not_asked_for_the_model(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[embedding]\nprose = "openai:e5"\nendpoint = "http://127.0.0.1:9/v1"\n', encoding="utf-8")
    settings, _ = load_settings(file)
    assert list(taken("postil-static", settings.embedding, file)) == ["trying it with a text", "set"]
    kept = load_settings(file)[0].embedding
    assert (kept.prose, kept.endpoint) == ("postil-static", "http://127.0.0.1:9/v1")
