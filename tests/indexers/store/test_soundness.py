"""A damaged index is noticed by whoever writes it next, wherever the damage lies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from fixtures.repository import Workspace, init
from postil_indexers.embedding_run import RoleModel
from postil_indexers.errors import IndexDamagedError
from postil_indexers.indexer import index_workspace
from postil_indexers.store.index import open_index, write_index
from postil_indexers.store.packing import pack_text
from postil_indexers.store.schema import vector_table
from postil_indexers.store.seal import Seal, break_seal, doubt, seal
from postil_indexers.store.version import SCHEMA
from postil_indexers.types import Kind

Models = dict[str, RoleModel]
VECTORS = vector_table(1, Kind.CODE)
NOTE = "# Leases\n\nA lease is renewed by its worker.\n"


@pytest.fixture
def path(tmp_path: Path, folder: Workspace, models: Models) -> Path:
    """Of an index with a note and a module, closed by its writer."""
    path = tmp_path / f"index-{SCHEMA}.db"
    folder.write("note.md", NOTE)
    folder.write("module.py", "def renew(lease):\n    return lease.renew()\n")
    with write_index(path) as index:
        index_workspace(index, folder.root, models, processes=0)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Workspace:
    return init(tmp_path / "folder")


def alter(path: Path, statement: str, *values: object) -> None:
    """As noise would: without the index's own writer."""
    connection = apsw.Connection(str(path))
    connection.execute(statement, values)
    connection.close()


def was_set_aside(path: Path) -> bool:
    with write_index(path) as index:
        return path.with_suffix(".damaged").exists() and index.documents.count() == (0, 0)


def test_what_its_writer_closed_is_taken_as_it_is(path: Path) -> None:
    for _ in range(3):
        assert not was_set_aside(path)
        with open_index(path) as index:
            assert index.documents.count()[0] == 2


DAMAGES: dict[str, Callable[[Path], None]] = {
    "text that can't be unpacked": lambda path: alter(path, "UPDATE chunks SET text=x'ffffff'"),
    "other text": lambda path: alter(path, "UPDATE chunks SET text=? WHERE kind='note'", pack_text(NOTE[::-1])),
    "no UTF-8": lambda path: alter(path, "UPDATE documents SET title=CAST(x'ff' AS TEXT)"),
    "a word of no UTF-8": lambda path: alter(
        path, "UPDATE content_terms SET term=CAST(x'ff' AS TEXT) WHERE term=(SELECT max(term) FROM content_terms)"
    ),
    "a place of no UTF-8": lambda path: alter(
        path, "INSERT INTO ledger VALUES(x'00', CAST(x'ff' AS TEXT), '', '', 0, 0, 0, 0, 0)"
    ),
    "uses of names": lambda path: alter(path, "UPDATE name_uses SET uses=x'00ff' WHERE uses<>x''"),
    "vectors": lambda path: alter(path, f"DELETE FROM {VECTORS}_vector_chunks00"),
    "bits of a vector": lambda path: alter(
        path, f"UPDATE {VECTORS}_vector_chunks00 SET vectors=zeroblob(length(vectors))"
    ),
    "a vector": lambda path: alter(path, "UPDATE embeddings SET vector=zeroblob(length(vector)) WHERE vector NOT NULL"),
    "the width of a vector": lambda path: alter(path, "UPDATE embeddings SET vector=x'01' WHERE vector NOT NULL"),
    "lengths of passages": lambda path: alter(path, "UPDATE content_fts_docsize SET sz=x''"),
    "lengths that are a text": lambda path: alter(path, "UPDATE content_fts_docsize SET sz=CAST(x'a5' AS TEXT)"),
    "a length less": lambda path: alter(path, "UPDATE content_fts_docsize SET sz=substr(sz, 2)"),
    "a passage without lengths": lambda path: alter(path, "DELETE FROM content_fts_docsize WHERE id=1"),
    "a page": lambda path: overwrite(path, path.stat().st_size // 4096 // 2 * 4096, 8192),
    "the end": lambda path: os.truncate(path, path.stat().st_size // 2),
}


def overwrite(path: Path, at: int, length: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"\xa5" * length)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_noticed_before_anything_is_written(path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    assert was_set_aside(path)


def test_an_index_whose_writer_was_killed_is_looked_through_and_kept(path: Path) -> None:
    first = break_seal(path)
    assert first.holds
    assert break_seal(path) == first._replace(holds=False, closed=False)
    assert not was_set_aside(path)


def test_a_file_that_never_got_its_tables_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / f"index-{SCHEMA}.db"
    apsw.Connection(str(path)).execute("PRAGMA journal_mode=wal; CREATE TABLE half(made); DROP TABLE half")
    with write_index(path) as index:
        assert index.check() == []
    assert not path.with_suffix(".damaged").exists()


def test_a_writer_that_met_damage_does_not_vouch_for_the_file(path: Path) -> None:
    with write_index(path) as index, pytest.raises(IndexDamagedError), index.transaction():
        raise apsw.CorruptError("malformed")
    assert not break_seal(path).holds


def test_a_word_that_is_said_to_stand_elsewhere_is_noticed_where_the_file_was_touched(path: Path) -> None:
    """SQLite finds nothing amiss with it."""
    connection = apsw.Connection(str(path))
    (number, block) = connection.execute("SELECT id, block FROM content_fts_data ORDER BY id DESC LIMIT 1").fetchone()
    for at in range(len(block)):
        changed = block[:at] + bytes([block[at] ^ 1]) + block[at + 1 :]
        connection.execute("UPDATE content_fts_data SET block=? WHERE id=?", (changed, number))
        with open_index(path) as index:
            try:
                found = index.check()
            except IndexDamagedError as error:
                found = [str(error)]
        if not found:
            break
    connection.close()
    assert found == []
    doubt(path)  # as a reader that met a damage elsewhere does
    assert was_set_aside(path)


def test_a_writer_that_changed_nothing_leaves_the_file_as_vouched_for(path: Path) -> None:
    before = break_seal(path)
    assert before.fulltext is not None
    seal(path, before.fulltext)
    with write_index(path):
        pass
    assert break_seal(path) == before


def noise_in_places(path: Path) -> None:
    """Of a word: no check of SQLite's notices, nor does a search."""
    noise = "CAST(substr(block, 1, 30) || x'07' || substr(block, 32) AS BLOB)"
    alter(path, f"UPDATE content_fts_data SET block={noise} WHERE id > 10")


def test_noise_in_the_full_text_while_a_writer_is_at_it_is_seen_by_the_next_one(path: Path) -> None:
    with write_index(path) as index:
        with index.transaction():
            index.set("root", "another")
        noise_in_places(path)
    assert was_set_aside(path)


@pytest.mark.parametrize("again", [1, 3])
def test_noise_in_the_full_text_while_a_writer_is_at_it_that_is_killed_is_seen_by_the_next_one(
    path: Path, again: int
) -> None:
    for _ in range(again):
        break_seal(path)  # as writers do that never come to close it
    noise_in_places(path)
    assert was_set_aside(path)


def test_what_a_writer_wrote_to_the_full_text_before_it_was_killed_is_no_noise(
    path: Path, folder: Workspace, models: Models
) -> None:
    left = path.with_suffix(".seal").read_bytes()
    folder.write("more.md", NOTE)
    with write_index(path) as index:
        index_workspace(index, folder.root, models, processes=0)
    path.with_suffix(".seal").write_bytes(left)
    break_seal(path)  # nobody has closed it since
    assert not was_set_aside(path)


def test_averages_that_are_noise_in_a_closed_file_are_noticed(path: Path) -> None:
    """They are what tells that a writer wrote, and a closed file has no writer."""
    alter(path, "UPDATE content_fts_data SET block=x'02030405' WHERE id=1")
    assert was_set_aside(path)


def test_a_seal_that_nobody_can_read_is_none(path: Path) -> None:
    path.with_suffix(".seal").write_bytes(b"\xff")
    assert break_seal(path) == Seal()
    assert not was_set_aside(path)


def test_noise_on_the_disk_is_seen_past_what_a_writer_holds_in_memory(path: Path) -> None:
    with write_index(path) as index:
        (block,) = index.connection.execute("SELECT block FROM content_fts_data WHERE id > 10").fetchone() or (b"",)
        with index.transaction():
            index.set("root", "another")
        middle = block[len(block) // 2 - 20 : len(block) // 2]
        assert path.read_bytes().count(middle) == 1
        overwrite(path, path.read_bytes().index(middle) + 10, 1)
    assert was_set_aside(path)


def test_what_a_writer_writes_to_the_full_text_is_no_noise(path: Path, folder: Workspace, models: Models) -> None:
    folder.write("more.md", NOTE)
    with write_index(path) as index:
        index_workspace(index, folder.root, models, processes=0)
    assert break_seal(path).holds
    assert not was_set_aside(path)


def test_noise_in_a_row_is_no_traceback_for_readers(path: Path) -> None:
    alter(path, "UPDATE documents SET title=CAST(x'ff' AS TEXT)")
    with open_index(path) as index, pytest.raises(IndexDamagedError), index.snapshot():
        index.connection.execute("SELECT title FROM documents").fetchall()


def test_vectors_that_can_not_be_read_are_damage_for_readers(path: Path, models: Models) -> None:
    alter(path, f"DELETE FROM {VECTORS}_vector_chunks00")
    asked = models["static"].embedder.embed(["lease"])[0]
    with open_index(path) as index, pytest.raises(IndexDamagedError), index.snapshot():
        index.vectors.nearest(index.vectors.models()[0], asked, None, 5)


@pytest.mark.parametrize("noise", ["NULL", "x'00ff'"])
def test_vectors_that_can_not_be_copied_are_damage_for_readers(path: Path, models: Models, noise: str) -> None:
    asked = models["static"].embedder.embed(["lease"])[0]
    with open_index(path) as index:
        model = index.vectors.models()[0]
        assert index.vectors.nearest(model, asked, None, 5)
        alter(path, f"CREATE TABLE broken AS SELECT rowid, {noise} AS vectors FROM {VECTORS}_vector_chunks00")
        alter(path, f"DROP TABLE {VECTORS}_vector_chunks00")
        alter(path, f"ALTER TABLE broken RENAME TO {VECTORS}_vector_chunks00")
        with pytest.raises(IndexDamagedError), index.snapshot():
            index.vectors.nearest(model, asked, None, 5)
