"""What a run does after a change: no more than the change asks for, and nothing that is left over."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.embedders import HashedWordsEmbedder
from fixtures.index_dump import differences, dump
from fixtures.repository import Workspace, run_git
from postil_indexers.embedding_run import RoleModel
from postil_indexers.errors import PostilError
from postil_indexers.files import scan
from postil_indexers.indexer import Updater, index_history, index_workspace
from postil_indexers.pool import Lost
from postil_indexers.progress import Progress
from postil_indexers.reading import ReadTask
from postil_indexers.seen import FileEntry, Skip, SkipReason
from postil_indexers.store.index import Index, write_index
from postil_indexers.types import FileState, IndexStats, Kind
from postil_indexers.writing import write

Update = Callable[[], IndexStats]
Models = dict[str, RoleModel]

# Sections long enough not to be put together.
DESIGN = "# Design\n\n" + "\n\n".join(
    [
        "One stream a queue, one consumer group a stream. " * 20,
        "## Storage\n\n" + "Jobs live in a stream whose key has braces. " * 20,
        "## Leases\n\n" + "A lease runs out by itself, a lock does not. " * 20,
    ]
)


def paths(index: Index) -> set[str]:
    return set(index.documents.known())


def embedded_by(models: Models) -> list[str]:
    texts = []
    for model in models.values():
        assert isinstance(model.embedder, HashedWordsEmbedder)
        texts += model.embedder.embedded
        model.embedder.embedded.clear()
    return texts


def test_nothing_unchanged_is_read_or_embedded_again(folder: Workspace, update: Update, models: Models) -> None:
    folder.write("design.md", DESIGN)
    folder.write("lease.py", "def renew():\n    pass\n")
    folder.commit("Begin")
    assert update().embedded == 3 + 3 + 1 + 2  # sections by both models, the code by one, the commit by both
    embedded_by(models)
    assert update().embedded == 0
    assert embedded_by(models) == []


def test_a_renamed_heading_keeps_the_vectors_of_its_siblings(folder: Workspace, update: Update, models: Models) -> None:
    folder.write("design.md", DESIGN)
    update()
    embedded_by(models)
    folder.replace("design.md", "## Storage", "## Where rows live")
    assert update().embedded == 2  # one passage, two models
    assert all("Where rows live" in text for text in embedded_by(models))


def test_a_save_costs_its_own_file(folder: Workspace, update: Update, models: Models, index: Index) -> None:
    for number in range(30):
        folder.write(f"{number}.md", f"# Note {number}\n\nWords of note number{number} alone.\n")
    update()
    before = {path: known.id for path, known in index.documents.known().items()}
    embedded_by(models)
    folder.replace("7.md", "alone", "together")
    assert update().embedded == 2
    after = {path: known.id for path, known in index.documents.known().items()}
    assert {path for path in before if before[path] != after[path]} <= {"7.md"}


@pytest.mark.parametrize("verb", ["move", "copy", "case", "folder"])
def test_text_that_moves_is_not_embedded_again(
    folder: Workspace, update: Update, models: Models, index: Index, verb: str
) -> None:
    folder.write("notes/design.md", DESIGN)
    folder.write("notes/lease.py", "def renew():\n    pass\n")
    update()
    embedded_by(models)
    if verb == "move":
        folder.rename("notes/design.md", "archive/design.md")
    elif verb == "copy":
        folder.write("copies/design.md", DESIGN)
    elif verb == "case":
        folder.rename("notes/design.md", "notes/Design.md")
    else:
        folder.rename("notes", "archive")
    stats = update()
    assert (stats.embedded, embedded_by(models)) == (0, [])
    for model in index.vectors.models():
        share = 1.0 if model.role == "static" else index.vectors.share(model, Kind.NOTE)
        assert share == 1.0
        current = index.connection.execute(f"SELECT count(*) FROM content_vectors_{model.id}").fetchone()
        chunks = index.connection.execute(
            "SELECT count(*) FROM chunks WHERE kind='note' OR ?", (model.role == "static",)
        ).fetchone()
        assert current == chunks


def test_a_branch_that_comes_back_is_not_embedded_again(folder: Workspace, update: Update, models: Models) -> None:
    folder.write("design.md", DESIGN)
    folder.commit("Begin")
    update()
    folder.git("checkout", "-q", "-b", "other")
    folder.write("design.md", DESIGN.replace("runs out", "expires"))
    folder.commit("Say it otherwise")
    update()
    folder.git("checkout", "-q", "main")
    folder.write("again.md", DESIGN)
    embedded_by(models)
    update()
    folder.git("checkout", "-q", "other")
    assert [text for text in embedded_by(models) if "lease" in text] == []


def test_touched_files_are_read_and_nothing_else(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("design.md", DESIGN)
    update()
    before = index.documents.known()["design.md"]
    os.utime(folder.path("design.md"), (1_700_000_000, 1_700_000_000))
    assert update().embedded == 0
    after = index.documents.known()["design.md"]
    assert (after.id, after.content_hash) == (before.id, before.content_hash)
    assert after.mtime_ns == 1_700_000_000 * 10**9


def test_a_rewrite_of_equal_length_with_the_old_times_is_seen(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("a.md", "# A\n\nlease\n")
    os.utime(folder.path("a.md"), (1_700_000_000, 1_700_000_000))
    update()
    folder.write("a.md", "# A\n\nretry\n")
    os.utime(folder.path("a.md"), (1_700_000_000, 1_700_000_000))
    update()
    assert index.content.frequency(["retri", "leas"]) == {"retri": 1, "leas": 0}


# the ledger


def test_a_file_that_comes_to_be_ignored_leaves_the_index_and_says_why(
    folder: Workspace, update: Update, index: Index
) -> None:
    folder.write("a.md", "# A\n")
    folder.write("b/c.md", "# C\n")
    update()
    folder.write(".gitignore", "a.md\nb/\n")
    stats = update()
    assert paths(index) == {".gitignore"}
    row = index.ledger.find("a.md")
    assert row is not None
    assert (row.state, row.reason) == (FileState.SKIPPED, "ignored")
    assert index.ledger.find("b/c.md") is None  # the row of its folder stands for it
    folder_row = index.ledger.find("b")
    assert folder_row is not None
    assert folder_row.is_directory
    assert stats.skipped == 3
    folder.delete(".gitignore")
    update()
    assert paths(index) == {"a.md", "b/c.md"}
    assert index.ledger.find("b") is None


def test_rows_of_vanished_files_go(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("a.md", "# A\n")
    folder.write("picture.md", b"\x00\x01\x02binary")
    update()
    assert {row.path for row in index.ledger.not_indexed()} == {".git", "picture.md"}
    folder.delete("a.md")
    folder.delete("picture.md")
    stats = update()
    assert {row.path for row in index.ledger.not_indexed()} == {".git"}
    assert index.ledger.find("a.md") is None
    assert (stats.files, stats.chunks, stats.skipped) == (0, 0, 1)


def test_a_file_without_permission_is_counted_as_failed(folder: Workspace, update: Update, index: Index) -> None:
    if os.geteuid() == 0:
        pytest.skip("the superuser may read everything")
    folder.write("a.md", "# A\n")
    folder.path("a.md").chmod(0)
    assert update().failed == 1


def test_a_file_that_could_not_be_read_is_read_once_it_may_be(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("a.md", "# A\n")
    (entry,) = (item for item in scan(folder.root) if isinstance(item, FileEntry))
    with index.transaction():
        write(index, ReadTask(entry, b""), Skip("a.md", SkipReason.UNREADABLE, "Permission denied"), False)
    assert index.ledger.counts()[FileState.FAILED, "unreadable"] == 1
    stats = update()  # neither its size nor its time is another
    assert (stats.files, stats.failed) == (1, 0)


def test_what_the_ledger_says_of_an_indexed_file(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("guessed.md", "# Köln\n\nStraße, Gebäude, Größe: schöne Grüße aus Köln\n".encode("latin-1"))
    folder.write("broken.md", "---\ntags: [a\n---\n# Broken\n")
    folder.write("secret.toml", 'token = "ghp' + '_x7Kp2mQ9vL4tR8wN3cZ6bY1hJ5fD0gSaUeTi"\n')
    update()
    details = {path: row.detail for path in paths(index) if (row := index.ledger.find(path))}
    assert details["guessed.md"].endswith("which is a guess")
    assert "front matter" in details["broken.md"]
    assert details["secret.toml"] == "1 secret masked"


def test_a_file_that_ended_its_process_is_failed_until_it_changes(
    folder: Workspace, update: Update, index: Index, models: Models
) -> None:
    folder.write("a.py", "x = 1\n")
    folder.write("b.py", "y = 1\n")
    update()
    folder.write("a.py", "x = 2\n")
    (entry,) = (item for item in scan(folder.root) if isinstance(item, FileEntry) and item.path == "a.py")
    with index.transaction():
        assert write(index, ReadTask(entry, b""), Lost("timed out", "not done after 10 s"), False) == []
    row = index.ledger.find("a.py")
    assert row is not None
    assert (row.state, row.reason, row.detail) == (FileState.FAILED, "timed out", "not done after 10 s")
    stats = update()
    assert (stats.failed, paths(index)) == (1, {"b.py"})
    folder.write("a.py", "x = 30\n")
    assert (update().failed, paths(index)) == (0, {"a.py", "b.py"})


# commits


def test_commits_that_are_not_reachable_any_more_are_gone(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("a.md", "# A\n")
    folder.commit("First")
    folder.write("b.md", "# B\n")
    folder.commit("Second about zebras")
    assert update().commits == 2
    folder.git("reset", "-q", "--hard", "HEAD~1")
    assert update().commits == 1
    assert index.history.frequency(["zebra"]) == {"zebra": 0}
    folder.git("checkout", "-q", "--orphan", "empty")
    assert update().commits == 0
    folder.git("checkout", "-q", "-f", "main")
    assert update().commits == 1
    folder.delete(".git")
    assert update().commits == 0


def test_an_amended_commit_takes_the_place_of_the_old_one(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("a.md", "# A\n")
    folder.commit("Wrong words")
    update()
    folder.git("commit", "-q", "--amend", "-m", "Right words")
    update()
    assert index.history.shas() == {folder.head()}


def test_a_shallow_clone_that_is_deepened(tmp_path: Path, folder: Workspace, models: Models) -> None:
    for number in range(3):
        folder.write(f"{number}.md", f"# Note {number}\n")
        folder.commit(f"Add note {number}")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder.root}", "clone")
    clone = Workspace(tmp_path / "clone")
    with write_index(tmp_path / "index.db") as index:
        assert index_history(index, clone.root, models).commits == 1
        edge = index.history.commit(clone.head())
        assert edge is not None
        assert (edge.parents, len(edge.files)) == ((), 3)
        clone.git("fetch", "-q", "--unshallow")
        assert index_history(index, clone.root, models).commits == 3
        whole = index.history.commit(clone.head())
        assert whole is not None
        assert (len(whole.parents), [change.path for change in whole.files]) == (1, ["2.md"])


# models


def make_fresh(tmp_path: Path, folder: Workspace, models: Models) -> str:
    with write_index(tmp_path / "fresh.db") as fresh:
        index_workspace(fresh, folder.root, models, processes=0)
        index_history(fresh, folder.root, models)
        return repr({name: rows for name, rows in dump(fresh).items() if name not in ("meta", "ledger")})


def stop_embedding(progress: Progress) -> None:
    if progress.stage == "embedding":
        raise PostilError("enough")


def test_old_vectors_serve_until_the_new_are_complete(
    folder: Workspace, update: Update, index: Index, models: Models
) -> None:
    folder.write("design.md", DESIGN)
    folder.commit("Begin")
    update()
    former = index.vectors.serving("prose")
    assert former is not None

    wider = RoleModel(HashedWordsEmbedder(128, name="wider"), "{}")
    changed = {"static": models["static"], "prose": wider}
    with pytest.raises(PostilError, match="enough"):  # four of five texts have a vector of the new one
        index_workspace(index, folder.root, changed, processes=0, listener=stop_embedding)
    assert index.vectors.serving("prose") == former
    assert index.vectors.share(former, Kind.NOTE) == 1.0

    index_history(index, folder.root, changed)
    serving = index.vectors.serving("prose")
    assert serving is not None
    assert (serving.fingerprint, serving.dimensions) == ("wider:128", 128)
    assert [model.role for model in index.vectors.models()] == ["static", "prose"]  # nothing is left of the former
    assert index.connection.execute(
        "SELECT count(*) FROM embeddings WHERE model_id NOT IN (SELECT id FROM models)"
    ).fetchone() == (0,)
    assert {row[0] for row in index.connection.execute("SELECT DISTINCT length(vector) FROM embeddings")} == {64, 128}
    told = {row[0] for row in index.connection.execute("SELECT key FROM meta WHERE key GLOB '*:[0-9]*'")}
    serving = {str(model.id) for model in index.vectors.models()}
    assert {key.rpartition(":")[2] for key in told} == serving


def test_a_switch_that_is_taken_back_leaves_the_former_model(
    folder: Workspace, update: Update, index: Index, models: Models
) -> None:
    folder.write("design.md", DESIGN)
    folder.commit("Begin")
    update()
    half = {"static": models["static"], "prose": RoleModel(HashedWordsEmbedder(128, name="wider"), "{}")}
    with pytest.raises(PostilError, match="enough"):
        index_workspace(index, folder.root, half, processes=0, listener=stop_embedding)
    embedded_by(models)
    assert update().embedded == 0
    assert [(model.fingerprint, model.serving) for model in index.vectors.models()] == [
        ("static:64", True),
        ("prose:64", True),
    ]


def test_one_model_may_have_both_roles(folder: Workspace, index: Index) -> None:
    both = RoleModel(HashedWordsEmbedder(), "{}")
    models = {"static": both, "prose": both}
    folder.write("design.md", DESIGN)
    index_workspace(index, folder.root, models, processes=0)
    folder.rename("design.md", "moved.md")
    index_workspace(index, folder.root, models, processes=0)
    for model in index.vectors.models():
        assert index.connection.execute(f"SELECT count(*) FROM content_vectors_{model.id}").fetchone() == (3,)


def test_texts_in_characters_a_model_does_not_know_get_no_vector(
    folder: Workspace, update: Update, index: Index, models: Models
) -> None:
    folder.write("a.md", "# 内存碎片\n\n碎片率过高时的处理步骤。\n")
    update()
    assert embedded_by(models) == []
    assert update().embedded == 0
    assert index.get("share_embedded:note") == "0.0000"


# templates


def test_a_line_that_comes_to_be_repeated_is_discounted_everywhere(
    tmp_path: Path, folder: Workspace, update: Update, index: Index, models: Models
) -> None:
    for number in range(4):
        folder.write(f"{number}.md", f"# Day\n\nGrateful for the family\n\nWords of day{number}.\n")
    update()
    (column,) = index.connection.execute("SELECT count(*) FROM content_fts WHERE content_fts MATCH 'body: famili'")
    assert column == (4,)
    folder.write("5.md", "# Day\n\nGrateful for the family\n\nWords of day5.\n")
    update()
    found = [
        index.connection.execute(
            "SELECT count(*) FROM content_fts WHERE content_fts MATCH ?", (f"{name}: famili",)
        ).fetchone()
        for name in ("body", "faint")
    ]
    assert found == [(0,), (5,)]
    of_no_text = "SELECT count(*) FROM embeddings WHERE hash NOT IN (SELECT hash FROM chunks)"
    assert index.connection.execute(of_no_text).fetchone() == (0,)
    folder.delete("5.md")
    update()
    ours = repr({name: rows for name, rows in dump(index).items() if name not in ("meta", "ledger")})
    assert ours == make_fresh(tmp_path, folder, models)


# files that harm


def test_a_link_may_come_to_mean_a_note_that_is_added_later(folder: Workspace, update: Update, index: Index) -> None:
    folder.write("notes/a.md", "See [[Café]] and [[Caf\u00e9#Ideas]].\n")
    update()
    folder.write("deep/Cafe\u0301.md", "# Ideas\n")
    update()
    a, cafe = index.documents.known()["notes/a.md"], index.documents.known()["deep/Cafe\u0301.md"]
    assert index.content.linked(a.id) == {cafe.id: "out"}
    folder.delete("deep/Cafe\u0301.md")
    update()
    assert index.content.linked(a.id) == {}


def test_the_reading_processes_give_the_same_index(tmp_path: Path, workspace: Workspace, models: Models) -> None:
    dumps = []
    for processes in (0, 2):
        with write_index(tmp_path / f"{processes}.db") as index:
            index_workspace(index, workspace.root, models, processes=processes)
            dumps.append(dump(index))
    assert differences(*dumps) == ""


def test_one_look_into_a_folder_takes_in_its_notes_and_its_code(
    folder: Workspace, index: Index, models: Models
) -> None:
    updater = Updater(index, folder.root, models)
    with updater.readers():
        updater.workspace()
        folder.write("src/a.py", "def lease():\n    pass\n")
        folder.write("src/b.md", DESIGN)
        folder.write("src/c.py", "def renew():\n    pass\n")
        folder.write("src/deep/d.md", "# Not looked at\n")
        updater.folders({"src"})
        assert paths(index) == {"src/a.py", "src/b.md", "src/c.py"}
        folder.delete("src/b.md")
        folder.write("src/a.py", "def lease():\n    return 1\n")
        folder.write(".postilignore", "c.py\n")
        updater.drop_caches()  # the rules are other ones
        updater.folders({"", "src", "nowhere"})
        assert paths(index) == {".postilignore", "src/a.py"}
        updater.workspace()
        updater.settle()
        assert paths(index) == {".postilignore", "src/a.py", "src/deep/d.md"}
    with write_index(index.path.with_name("whole.db")) as whole:
        index_workspace(whole, folder.root, models, processes=0)
        assert differences(dump(index), dump(whole)) == ""
