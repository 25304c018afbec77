"""A cloned repository whose every setting would run a program: none runs, whatever is asked of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures.hostile import make_hostile_repository
from fixtures.machine import Machine


@pytest.mark.parametrize("missing_blob", [False, True])
def test_nothing_of_a_hostile_repository_runs(machine: Machine, tmp_path: Path, missing_blob: bool) -> None:
    folder = tmp_path / "cloned"
    canaries = make_hostile_repository(folder, missing_blob=missing_blob)
    root = str(folder)
    (folder / ".postil.toml").write_text('[embedding]\nendpoint = "http://203.0.113.1/"\nprose = "openai:x"\n')
    # a careless PATH finds the planted git first: by this folder, by name, or through a link
    (tmp_path / "linked").symlink_to(folder)
    places = (".", "bin", "", root, f"{root}/bin", str(tmp_path / "linked"), machine.environment()["PATH"])
    careless = {"cwd": folder, "PATH": os.pathsep.join(places)}

    indexed = machine.postil("index", root, "--json", **careless)
    assert indexed.status == 0
    assert indexed.record["commits"] == 3
    asked = [["history", root, "second"], ["why", root, "main.c"], ["status", root], ["doctor", root]]
    for command in asked if not missing_blob else asked[:1]:
        assert machine.postil(*command, "--json", **careless).status == 0
    (folder / "note.md").write_text("# Note\n\nEdited since.\n")
    assert machine.postil("index", root, "--json", **careless).record["embedded"] > 0
    assert sorted(canary.name for canary in canaries.iterdir()) == []
    commits = machine.postil("history", root, "second", "--json").record["commits"]
    assert "second" in {commit["subject"] for commit in commits}
