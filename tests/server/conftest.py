"""An indexed copy of the fixture for tests that ask, and the `postil` command as a user runs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fixtures.machine import Machine, Ran
from fixtures.office import Office, opened
from fixtures.repository import Workspace
from fixtures.workspace import copy
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import Index, open_index, write_index

ROLES: dict[str, Embedder] = {"static": load_static()}


@dataclass(frozen=True)
class Indexed:
    """A workspace with the index that was made of it."""

    workspace: Workspace
    index: Index

    @property
    def root(self) -> str:
        return self.workspace.root


@pytest.fixture(scope="session")
def indexed_file(built_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("indexed") / "index.db"
    models = {"static": RoleModel(ROLES["static"], "{}")}
    with write_index(path) as index:
        index_workspace(index, built_workspace.root, models, processes=0)
        index_history(index, built_workspace.root, models)
    return path


@pytest.fixture(scope="session")
def indexed(built_workspace: Workspace, indexed_file: Path) -> Iterator[Indexed]:
    """The fixture and its index, for reading only."""
    with open_index(indexed_file) as index:
        yield Indexed(built_workspace, index)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


@pytest.fixture(scope="module")
def used(built_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> tuple[Machine, Workspace, Ran]:
    """A machine on which the fixture was indexed by the command, and what that printed. For reading only."""
    folder = tmp_path_factory.mktemp("used")
    workspace = copy(built_workspace, folder / "millrace")
    machine = Machine(folder / "machine")
    return machine, workspace, machine.postil("index", workspace.root, "--json")


@pytest.fixture
def office(machine: Machine, workspace: Workspace) -> Iterator[Office]:
    with opened(machine, workspace) as office:
        yield office
