"""Outside folders and the workspace's own file, on the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fixtures.machine import Machine, Ran
from fixtures.repository import Workspace


def test_questions_are_asked_of_outside_folders_as_well(used: tuple[Machine, Workspace, Ran], tmp_path: Path) -> None:
    before, workspace, _ = used
    crane = tmp_path / "crane"
    crane.mkdir()
    text = "# Crane\n\nHow the lease protocol of the queue keeps a job with one worker.\n"
    (crane / "crane.md").write_text(text, encoding="utf-8")
    (tmp_path / "machine").mkdir()
    for name in ("index", "home"):
        (tmp_path / "machine" / name).symlink_to(before.folder / name)
    joined = f'folders = ["{workspace.root}"]\n' + before.settings
    machine = replace(before, folder=tmp_path / "machine", settings=joined)

    assert machine.here("search", str(crane), "lease", "--json").status == 3
    assert machine.here("index", str(crane)).status == 0

    def roots(found: list[dict[str, Any]]) -> set[str]:
        return {item["root"] for item in found}

    both = {str(crane), workspace.root}
    hits = machine.here("search", str(crane), "lease protocol", "--limit", "30", "--json").record["hits"]
    assert roots(hits) == both
    assert [hit["confidence"] for hit in hits] == sorted((hit["confidence"] for hit in hits), reverse=True)
    related = machine.here("related", str(crane), "crane.md:3", "--json").record["related"]
    assert roots(related) == {workspace.root}
    assert "docs/lease protocol.md" in {item["path"] for item in related}
    commits = machine.here("history", str(crane), "lease", "--json").record["commits"]
    assert roots(commits) == {workspace.root}
    assert f"{workspace.root}/docs/lease protocol.md:" in machine.here("search", str(crane), "lease protocol").out

    gone = replace(machine, settings=f'folders = ["{tmp_path}/none", "{tmp_path}"]\n' + before.settings)
    ran = gone.here("search", str(crane), "lease protocol", "--json")
    assert roots(ran.record["hits"]) == {str(crane)}
    assert f"{tmp_path}/none is not there" in ran.err
    assert f"run: postil index {tmp_path}" in ran.err


def test_what_a_workspace_leaves_out_is_not_indexed(used: tuple[Machine, Workspace, Ran], tmp_path: Path) -> None:
    machine, _, _ = used
    root = tmp_path / "vault"
    (root / "diary").mkdir(parents=True)
    for name in ("note.md", "diary/monday.md"):
        (root / name).write_text("# Lighthouse\n\nThe keeper trims the lamp.\n", encoding="utf-8")
    (root / ".postil.toml").write_text('[index]\nexclude = ["diary/"]\nprocesses = 64\n')
    ran = machine.here("index", str(root), "--json")
    assert (ran.status, ran.record["files"]) == (0, 2)  # itself among them
    assert "index.processes is passed over: it is user-level" in ran.err
    why = machine.here("why", str(root), "diary/monday.md", "--json").record
    assert (why["state"], "(excluded): settings:1: diary/" in why["sentence"]) == ("skipped", True)
    assert machine.here("index", str(root), "--dry-run", "--json").record["files"] == 2
    (root / ".postil.toml").write_text("[index]\nexclude = 'diary/'\n")
    ran = machine.here("index", str(root), "--json")
    assert (ran.status, ran.record["error"]["code"]) == (2, "settings")
    assert "index.exclude must be a list of strings" in ran.record["error"]["message"]
