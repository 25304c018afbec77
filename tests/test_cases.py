"""What hurt people in tools like this one, each kind with the behaviour that is owed instead."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from fixtures.embedders import HashedWordsEmbedder
from fixtures.repository import Workspace, init
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import Index, write_index
from postil_indexers.types import FileState, Kind
from postil_server.search import search
from postil_server.timeline import history
from postil_server.types import Query

NOTES = 1_500


def models_of(embedder: HashedWordsEmbedder) -> dict[str, RoleModel]:
    return {"static": RoleModel(embedder, "{}")}


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def found(index: Index, root: str, query: str, *kinds: Kind) -> list[str]:
    roles: dict[str, Embedder] = {}
    hits = search(index, root, Query(query, kinds or (Kind.CODE, Kind.NOTE)), roles).hits
    return list(dict.fromkeys(hit.path for hit in hits))


# disk: an index grew to 50 GB: vectors as text, per branch and model, never pruned


def test_the_index_stays_small_through_branches_and_models(tmp_path: Path, built_workspace: Workspace) -> None:
    (tmp_path / "index").mkdir()
    with write_index(tmp_path / "index" / "index.db") as index:
        for round_number in range(3):  # each round is another model
            models = models_of(HashedWordsEmbedder(256, name=f"model {round_number}"))
            index_workspace(index, built_workspace.root, models, processes=0)
            index_history(index, built_workspace.root, models)
        assert len(index.vectors.models()) == 1
        texts = index.connection.execute(
            "SELECT count(DISTINCT hash) FROM (SELECT hash FROM chunks UNION ALL SELECT hash FROM commits)"
        )
        assert index.connection.execute("SELECT count(*) FROM embeddings").fetchone() == texts.fetchone()
        kinds = index.connection.execute("SELECT DISTINCT typeof(vector), length(vector) FROM embeddings")
        assert set(kinds.fetchall()) == {("blob", 256), ("null", None)}


# scale: hours for 16,000 notes, all embedded again at each start; a full reindex on each save


def test_many_notes_are_indexed_once_and_a_save_costs_its_own_file(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(NOTES):
        (root / f"{number}.md").write_text(
            f"# Note {number}\n\nWords of note{number} about [[{(number + 1) % NOTES}]].\n"
        )
    embedder = HashedWordsEmbedder(16)
    models = models_of(embedder)
    with write_index(tmp_path / "index.db") as index:
        assert index_workspace(index, str(root), models, processes=0).embedded == NOTES
        embedder.embedded.clear()

        assert index_workspace(index, str(root), models, processes=0).embedded == 0
        (root / "7.md").write_text("# Note 7\n\nOther words.\n")
        assert index_workspace(index, str(root), models, processes=0).embedded == 1
        assert len(embedder.embedded) == 1


def test_a_term_that_every_note_has_is_no_join_of_all_with_all(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(NOTES):
        (root / f"{number}.md").write_text(f"# Lease\n\nlease lease [[0]] #lease {number}\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, str(root), {}, processes=0)
        assert len(found(index, str(root), "lease lease")) == 10


# trust: an unreadable file was skipped in silence; deleted files were served


def test_every_file_that_is_left_out_has_a_row_with_its_reason(tmp_path: Path) -> None:
    root = init(tmp_path / "root")
    root.write("good.md", "# Good\n")
    root.write("binary.md", b"\x00\x01")
    with root.path("large.md").open("wb") as large:
        large.truncate(60_000_000)
    root.write(".env", "KEY=1\n")
    root.write("bundle.min.js", "var a=1;" * 20_000)
    root.path("link.md").symlink_to("good.md")
    root.path("away.md").symlink_to(tmp_path / "elsewhere.md")
    with write_index(tmp_path / "index.db") as index:
        stats = index_workspace(index, root.root, {}, processes=0)
        reasons = {row.path: row.reason for row in index.ledger.not_indexed()}
        assert reasons == {
            ".env": "secret",
            ".git": "version_control",
            "away.md": "symlink",
            "binary.md": "binary",
            "bundle.min.js": "minified",
            "large.md": "too_large",
            "link.md": "symlink",
        }
        assert all(row.detail and row.state is FileState.SKIPPED for row in index.ledger.not_indexed())
        assert (stats.files, stats.skipped) == (1, 7)


# words: a Chinese sentence was one term; one missing segment voided the query; templates dominated


@pytest.mark.parametrize("query", ["内存碎片", "碎片率", "Redis内存碎片整理的步骤在哪里", "内存碎片 完全不存在的词"])
def test_a_part_of_a_chinese_query_is_enough(tmp_path: Path, query: str) -> None:
    root = init(tmp_path / "root")
    root.write("a.md", "# 笔记\n\nRedis内存碎片率过高时，先看碎片率，再决定是否整理。\n")
    for number in range(5):
        root.write(f"other {number}.md", f"# 其他 {number}\n\n任务队列的可靠性与幂等处理。\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, root.root, {}, processes=0)
        assert found(index, root.root, query)[0] == "a.md"


def test_a_template_does_not_win_a_search(tmp_path: Path) -> None:
    root = init(tmp_path / "root")
    for number in range(12):
        root.write(
            f"daily/{number}.md",
            f"---\ntype: daily\n---\n# Day {number}\n\n## Grateful for\n\n## Weekly review\n\nWork {number}.\n",
        )
    root.write(
        "review.md", "# Reviewing\n\nA weekly review takes an hour: what was I grateful for, and what comes next.\n"
    )
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, root.root, {}, processes=0)
        assert found(index, root.root, "grateful weekly review")[0] == "review.md"


# ignore: nested ignore files and re-inclusion were not honoured


def test_nested_rules_and_submodules_are_those_of_git(tmp_path: Path) -> None:
    root = init(tmp_path / "root")
    root.write(".gitignore", "*.log\nbuild/\n!keep.log\n")
    root.write("sub/.gitignore", "!other.log\nprivate.md\n")
    for path in ("a.log", "keep.log", "sub/other.log", "sub/private.md", "sub/shared.md", "build/out.md"):
        root.write(path, "words\n")
    inner = init(tmp_path / "root" / "vendor")
    inner.write("inner.md", "words\n")
    inner.commit("Inner")
    root.write(".postilignore", "!build/\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, root.root, {}, processes=0)
        assert {path for path in index.documents.known() if not path.rpartition("/")[2].startswith(".")} == {
            "keep.log", "sub/other.log", "sub/shared.md", "build/out.md", "vendor/inner.md",
        }  # fmt: skip


# text: non-ASCII links, accents in NFC and NFD, colons: links did not resolve


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "link", ["[[Café: ideas]]", "[x](Caf%C3%A9:%20ideas.md)", "[x](<Café: ideas.md>)", "![[café: ideas#Über]]"]
)
def test_a_link_finds_its_note_in_any_form(tmp_path: Path, form: str, link: str) -> None:
    root = init(tmp_path / "root")
    name = unicodedata.normalize("NFD" if form == "NFC" else "NFC", "Café: ideas.md")
    root.write(name, "# Über\n")
    root.write("from.md", unicodedata.normalize(form, link) + "\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, root.root, {}, processes=0)
        known = index.documents.known()
        assert set(known) == {name, "from.md"}  # the original form is kept
        assert index.content.linked(known["from.md"].id) == {known[name].id: "out"}


# history: a huge commit stalled the view; a hook got an all-zero id


def test_a_huge_commit_is_capped_and_says_so(tmp_path: Path) -> None:
    root = init(tmp_path / "root")
    for number in range(300):
        root.write(f"generated/{number}.py", "".join(f"value_{number}_{line} = {line}\n" for line in range(300)))
    huge = root.commit("Add everything at once")
    root.write("small.py", "lease = 1\n")
    root.commit("Add a lease")
    with write_index(tmp_path / "index.db") as index:
        index_history(index, root.root, {})
        (commit,) = history(index, "everything at once", {}, 1).commits
        assert commit.sha == huge
        assert len(commit.files) == 300
        hunks = [hunk for change in commit.files for hunk in change.hunks]
        assert {hunk.new_lines for hunk in hunks} == {300}  # numbers are never cut
        assert sum(len(hunk.text) for hunk in hunks) <= 20_000
        assert all(hunk.truncated for hunk in hunks)
        assert index.history.newest(2)[0] != index.history.newest(2)[1]
        assert history(index, "lease", {}, 1).commits[0].subject == "Add a lease"


def test_an_id_of_zeros_is_tolerated(tmp_path: Path) -> None:
    root = init(tmp_path / "root")
    root.write("a.md", "# A\n")
    root.commit("Begin")
    with write_index(tmp_path / "index.db") as index:
        index_history(index, root.root, {})
        assert index.history.commit("0" * 40) is None
        assert index.history.by_sha("0" * 40) == []
        assert history(index, f"{'0' * 40} begin", {}, 5).commits[0].subject == "Begin"
        assert index.history.remove(["0" * 40]) == []


# code: one pathological source file pinned the parser for ever: see indexers/test_pool.py
# models: a switch made vectors vanish or mixed two spaces: see indexers/test_indexer.py
# branches: switching them gave UNIQUE failures: see indexers/test_properties.py
# models: an over-long prompt lost its front; a slow one was called not running: see server/test_llm_ollama.py
# models: a local adapter fell back to a cloud without a word: see server/test_writing.py
# models: the index is complete, and the model has no access to the notes: see server/test_prompts.py
# injection: a clipped page told the model to act: see server/test_injection.py
# editing: tags written to a note reformatted its front matter: see server/test_frontmatter.py
