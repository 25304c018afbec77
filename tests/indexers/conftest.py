"""An index beside a workspace, with models that take no time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures.embedders import HashedWordsEmbedder
from fixtures.repository import Workspace, init
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import Index, write_index
from postil_indexers.types import IndexStats


@pytest.fixture
def folder(tmp_path: Path) -> Workspace:
    """An empty repository."""
    return init(tmp_path / "folder")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with write_index(tmp_path / "index.db") as opened:
        yield opened


@pytest.fixture
def models() -> dict[str, RoleModel]:
    return {
        "static": RoleModel(HashedWordsEmbedder(name="static"), "{}"),
        "prose": RoleModel(HashedWordsEmbedder(name="prose"), "{}"),
    }


Update = Callable[[], IndexStats]


@pytest.fixture
def update(folder: Workspace, index: Index, models: dict[str, RoleModel]) -> Update:
    """Index `folder` as it is now, files and commits; what both runs did, with the vectors of both."""

    def run() -> IndexStats:
        files = index_workspace(index, folder.root, models, processes=0)
        commits = index_history(index, folder.root, models)
        return IndexStats(
            commits.files,
            commits.chunks,
            commits.commits,
            files.embedded + commits.embedded,
            commits.skipped,
            commits.failed,
        )

    return run
