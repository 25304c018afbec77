"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.repository import Workspace
from fixtures.workspace import build, copy

collect_ignore_glob = ["fixtures/workspace_files/*"]  # the project in there has tests of its own


@pytest.fixture(scope="session")
def built_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The fixture as built, once a session (and worker). Nobody may write to it: take `workspace`."""
    return build(tmp_path_factory.mktemp("built") / "millrace")


@pytest.fixture
def workspace(built_workspace: Workspace, tmp_path: Path) -> Workspace:
    """A fresh copy of the Millrace project, to read and to change."""
    return copy(built_workspace, tmp_path / "millrace")
