"""The demo's indexing: what it prints, and that what fails is said and ends it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def indexing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type]:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.setenv("POSTIL_INDEX_DIR", str(tmp_path / "index"))
    config = tmp_path / "config.toml"
    config.write_text('[embedding]\nprose = ""\n', encoding="utf-8")
    monkeypatch.setenv("POSTIL_CONFIG", str(config))
    from demo_index import Indexing

    yield Indexing
    sys.modules.pop("demo_index")


def test_a_folder_is_indexed_and_counted(indexing: type, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tide.md").write_text("# Tide\n\nIt comes twice a day.\n", encoding="utf-8")
    run = indexing(str(Path(sys.executable).with_name("postil")), str(tmp_path / "notes"))
    status, said = run.until_done()
    assert (status, said.split(";")[0]) == (0, "1 file in 1 passage, 0 commits")
    assert run.found().startswith("1 file, 1 passage, 0 commits; ")
    assert not run.is_searchable()  # it has ended: there is nothing left to wait for
    assert capfd.readouterr().err == ""


def test_a_folder_that_is_not_there_is_said(indexing: type, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = indexing(str(Path(sys.executable).with_name("postil")), str(tmp_path / "none"))
    assert run.until_done() == (1, "")
    assert str(tmp_path / "none") in capfd.readouterr().err.replace("\n", "")
