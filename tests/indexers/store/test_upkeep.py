"""What keeps an index small: dropped vectors, mended tables, deleted indexes, and what a new one takes over."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.embedders import HashedWordsEmbedder
from fixtures.index_dump import differences, dump
from fixtures.repository import Workspace, init
from postil_indexers.embedding_run import RoleModel
from postil_indexers.errors import NotIndexedError
from postil_indexers.indexer import Updater, index_workspace
from postil_indexers.store.index import Index, open_index, set_aside, write_index
from postil_indexers.store.lock import WriterLock
from postil_indexers.store.pruning import prune
from postil_indexers.store.version import SCHEMA
from postil_indexers.types import IndexStats, Kind

Update = Callable[[], IndexStats]
Models = dict[str, RoleModel]
MONTHS = 70 * 24 * 3600


def word(number: int) -> str:
    """A word of its own: lines that differ in digits alone count as one line that many notes repeat."""
    return "x" + "".join("abcdefghij"[int(digit)] for digit in str(number))


def note(number: int) -> str:
    return f"# About {word(number)}\n\n" + f"Lease {word(number)} runs out. " * 8


def vectors(index: Index) -> int:
    (count,) = index.connection.execute("SELECT count(*) FROM embeddings").fetchone()
    return int(count)


def test_vectors_that_no_text_needs_go_first_the_oldest_first(folder: Workspace, update: Update, index: Index) -> None:
    for number in range(6):
        folder.write(f"{number}.md", note(number))
    update()
    assert vectors(index) == 12
    for number in (3, 1):
        folder.delete(f"{number}.md")
        update()
        with index.transaction():
            index.connection.execute("UPDATE retired SET at = at - 1000")
    size = index.upkeep.bytes_used()
    assert index.upkeep.keep_within(size)
    assert vectors(index) == 12
    assert not index.upkeep.keep_within(1)  # what is needed stays, whatever the quota
    assert vectors(index) == 8
    assert index.vectors.share(index.vectors.models()[0], Kind.NOTE) == 1.0


def test_a_quota_that_can_not_be_kept_is_told_until_it_can(folder: Workspace, index: Index, models: Models) -> None:
    folder.write("a.md", note(1))

    def warnings(quota_bytes: int) -> tuple[str, ...]:
        updater = Updater(index, folder.root, models, processes=0, quota_bytes=quota_bytes)
        updater.workspace()
        updater.settle()
        return updater.stats().warnings

    (said,) = warnings(1_024)
    assert said.startswith("the index needs ")
    assert said.endswith(", its quota is 1.0 KiB: raise quota_mb, or leave folders out")
    assert warnings(1 << 30) == ()


def test_what_came_back_is_not_dropped(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("a.md", note(1))
    update()
    folder.delete("a.md")
    update()
    folder.write("b.md", note(1))
    assert update().embedded == 0
    index.upkeep.keep_within(1)
    assert vectors(index) == 2


def test_a_vector_table_with_many_holes_is_made_anew(folder: Workspace, update: Update, index: Index) -> None:
    for number in range(1_000):
        folder.write(f"{number // 100}/{number}.md", f"# About {word(number)}\n\nLease {word(number)}.\n")
    update()
    for number in range(2, 10):
        folder.delete(str(number))
    before = dump(index)
    assert index.upkeep.mend_vectors() == []  # not yet
    update()
    (chunks,) = index.connection.execute("SELECT count(*) FROM content_vectors_1_chunks").fetchone()
    assert chunks == 1
    model = index.vectors.models()[0]
    near = index.vectors.nearest(model, HashedWordsEmbedder(name="static").embed([word(7)])[0], Kind.NOTE, 3)
    assert index.content.chunks([near[0].rowid])[near[0].rowid].path == "0/7.md"
    assert before != dump(index)


@pytest.mark.parametrize("suffix", [".db", ".damaged"])
def test_a_new_index_takes_over_the_vectors_of_prose(tmp_path: Path, models: Models, suffix: str) -> None:
    folder = init(tmp_path / "folder")
    for number in range(5):
        folder.write(f"{number}.md", note(number))
    former, path = tmp_path / "index-1.db", tmp_path / f"index-{SCHEMA}.db"
    with write_index(former if suffix == ".db" else path) as index:
        index_workspace(index, folder.root, models, processes=0)
        whole = dump(index)
    if suffix == ".damaged":
        set_aside(path)
    prose = models["prose"].embedder
    assert isinstance(prose, HashedWordsEmbedder)
    prose.embedded.clear()
    with write_index(path) as index:
        index_workspace(index, folder.root, models, processes=0)
        assert prose.embedded == []
        found = differences(dump(index), whole).splitlines()
        assert all("background:" in line for line in found), found  # by a model's number, which is another now


def test_an_index_of_another_version_is_told_from_none(tmp_path: Path) -> None:
    path = tmp_path / f"index-{SCHEMA}.db"
    with pytest.raises(NotIndexedError, match="this folder is not indexed yet"), open_index(path):
        pass
    (tmp_path / "index-1.db").touch()
    with pytest.raises(NotIndexedError, match="this folder's index is of another version of Postil"), open_index(path):
        pass


def test_indexes_of_vanished_folders_are_deleted_after_a_month(tmp_path: Path) -> None:
    indexes = tmp_path / "index"
    for name, root, age in (
        ("gone", tmp_path / "gone", MONTHS),
        ("lately", tmp_path / "gone", 0),
        ("there", tmp_path, MONTHS),
        ("busy", tmp_path / "gone", MONTHS),
        ("ours", tmp_path, 0),
    ):
        folder = indexes / name
        folder.mkdir(parents=True)
        path = folder / f"index-{SCHEMA}.db"
        with write_index(path) as index, index.transaction():
            index.set("root", str(root))
        os.utime(path, (time.time() - age,) * 2)
    former = indexes / "ours" / "index-1.db"
    former.touch()
    os.utime(former, (time.time() - MONTHS,) * 2)
    with WriterLock(indexes / "busy"):
        assert prune(indexes / "ours") == [indexes / "gone", former]
    assert sorted(path.name for path in indexes.iterdir()) == ["busy", "lately", "ours", "there"]
    with open_index(indexes / "ours" / f"index-{SCHEMA}.db") as index:
        assert index.get("root") == str(tmp_path)
