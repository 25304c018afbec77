"""An indexed workspace with an editor in front of it, for tests that only read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs
import pytest

from fixtures.editor import Editor
from fixtures.machine import Machine
from fixtures.repository import Workspace
from fixtures.workspace import copy


@dataclass(frozen=True)
class ReadyMachine(Machine):
    """One on which the rules that find secrets are compiled: each machine's own would take three seconds."""

    def environment(self, **more: str) -> dict[str, str]:
        compiled = Path(platformdirs.user_cache_dir("postil", appauthor=False)) / "secret-rules"
        return super().environment(POSTIL_SECRET_RULES=str(compiled), **more)


@dataclass(frozen=True)
class Desk:
    """A machine with an indexed workspace."""

    machine: Machine
    workspace: Workspace

    @property
    def root(self) -> Path:
        return Path(self.workspace.root)

    def with_notes(self, folder: Path, texts: Mapping[str, str]) -> Desk:
        """A folder of other texts, indexed, on a machine of its own; both below `folder`."""
        machine, root = replace(self.machine, folder=folder / "machine"), folder / "notes"
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        assert machine.postil("index", str(root)).status == 0
        return replace(self, machine=machine, workspace=Workspace(root))


@pytest.fixture(scope="session")
def desk(built_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    folder = tmp_path_factory.mktemp("desk")
    workspace = copy(built_workspace, folder / "millrace")
    machine = ReadyMachine(folder / "machine")
    assert machine.postil("index", workspace.root).status == 0
    return Desk(machine, workspace)


@pytest.fixture(scope="session", params=["visual_studio_code", "neovim"])
def editor(desk: Desk, request: pytest.FixtureRequest) -> Iterator[Editor]:
    with Editor(desk.machine, [desk.workspace.root], request.param) as editor:
        yield editor


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return ReadyMachine(tmp_path / "machine")
