"""What a search finds in the fixture workspace, with the words people type."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from fixtures.repository import Workspace
from fixtures.workspace import CAFE_NOTE, FRAGMENTATION_NOTE, LAUNCH_NOTE
from postil_indexers.embedding.base import Embedder, Vectors
from postil_indexers.embedding.static import load_static
from postil_indexers.store.index import open_index, write_index
from postil_indexers.types import Kind
from postil_server.search import search
from postil_server.types import Hit, Query

ROLES: dict[str, Embedder] = {"static": load_static()}
TRADITIONAL_NOTE = "notes/Redis記憶體碎片與逐出策略.md"


@pytest.fixture
def find(built_workspace: Workspace, indexed_file: Path):  # type: ignore[no-untyped-def]
    with open_index(indexed_file) as index:

        def run(text: str, *kinds: Kind, limit: int = 10) -> list[str]:
            found = search(index, built_workspace.root, Query(text, kinds or (Kind.CODE, Kind.NOTE), limit), ROLES)
            return list(dict.fromkeys(hit.path for hit in found.hits))

        yield run


def of_root(indexed_file: Path, root: str, text: str, roles: dict[str, Embedder] | None = None) -> tuple[Hit, ...]:
    with open_index(indexed_file) as index:
        return search(index, root, Query(text), ROLES if roles is None else roles).hits


@pytest.mark.parametrize(
    ("query", "path"),
    [
        # Chinese, in either script, in words that run into others, and with one word that is nowhere
        ("内存碎片", FRAGMENTATION_NOTE),
        ("記憶體碎片", TRADITIONAL_NOTE),
        ("逐出策略", TRADITIONAL_NOTE),
        ("Redis内存碎片", FRAGMENTATION_NOTE),
        ("怎么处理redis内存碎片率过高的问题", FRAGMENTATION_NOTE),
        ("幂等 处理函数", "notes/任务队列的可靠性.md"),
        ("死信队列", "notes/任务队列的可靠性.md"),
        # identifiers, whole, split, and of other spellings
        ("RetryPolicy", "millrace/retry.py"),
        ("retry policy delay", "millrace/retry.py"),
        ("LeaseKeeper.extend", "millrace/lease.py"),
        ("mr_ring_quantile", "native/ring.c"),
        ("requeueDead", "web/src/client.ts"),
        ("XAUTOCLAIM", "docs/decisions/0001-redis-streams.md"),
        # names with dots, hyphens, slashes; versions; errors
        ("active-defrag-cycle-max", FRAGMENTATION_NOTE),
        ("mail.bounce.soft", "docs/retries.md"),
        ("Redis 7.2.4", FRAGMENTATION_NOTE),
        ("7.2.4", FRAGMENTATION_NOTE),
        ("v7.2.4", FRAGMENTATION_NOTE),
        ("scripts/backup.sh", "scripts/backup.sh"),
        ("OOM command not allowed when used memory > 'maxmemory'", "docs/runbooks/stuck-queue.md"),
        ("READONLY You can't write against a read only replica", "docs/runbooks/redis-failover.md"),
        # accents, composed or not or left out; full width; case
        ("café Köln", CAFE_NOTE),
        (unicodedata.normalize("NFD", "naïve café"), CAFE_NOTE),
        ("cafe koln naive", CAFE_NOTE),
        ("ＲｅｔｒｙＰｏｌｉｃｙ", "millrace/retry.py"),
        ("RETRYPOLICY", "millrace/retry.py"),
        ("launch checklist", LAUNCH_NOTE),
    ],
)
def test_words_find_their_file(find, query: str, path: str) -> None:  # type: ignore[no-untyped-def]
    assert path in find(query)[:3]


def test_one_script_of_chinese_finds_the_other(find) -> None:  # type: ignore[no-untyped-def]
    for query in ("碎片整理", "碎片整理的作法請參考"):
        assert {FRAGMENTATION_NOTE, TRADITIONAL_NOTE} <= set(find(query)[:3])


def test_a_query_without_a_word_finds_nothing(find) -> None:  # type: ignore[no-untyped-def]
    for query in ("", "   ", "!?", "\u0000", "\udcff"):
        assert isinstance(find(query), list)
    assert find("   ") == []


@pytest.mark.parametrize(
    "query", ['"', "'", "a AND", "NEAR(", "*", "body:", "-", "^x", "{", "x" * 20_000, "lease OR", "\n"]
)
def test_no_query_is_an_expression(find, query: str) -> None:  # type: ignore[no-untyped-def]
    find(query)


def test_a_kind_is_kept_to(find) -> None:  # type: ignore[no-untyped-def]
    assert all(not path.endswith(".md") for path in find("lease", Kind.CODE))
    assert all(path.endswith(".md") for path in find("lease", Kind.NOTE))


def test_a_deleted_file_is_not_served_and_an_edited_one_is_marked(workspace: Workspace, indexed_file: Path) -> None:
    # a copy has other times than the original: bring the one file in line that is to be fresh
    workspace.delete("millrace/lease.py")
    workspace.replace("docs/design.md", "## Leases", "## The leases")
    hits = of_root(indexed_file, workspace.root, "lease")
    assert hits
    assert "millrace/lease.py" not in {hit.path for hit in hits}
    assert {hit.stale for hit in hits if hit.path == "docs/design.md"} == {True}


def test_an_unchanged_file_is_not_stale(built_workspace: Workspace, indexed_file: Path) -> None:
    assert {hit.stale for hit in of_root(indexed_file, built_workspace.root, "lease")} == {False}


def test_words_alone_answer_where_no_model_is_at_hand(built_workspace: Workspace, indexed_file: Path) -> None:
    hits = of_root(indexed_file, built_workspace.root, "RetryPolicy", {})
    assert hits[0].path == "millrace/retry.py"


def test_confidence_tells_what_is_there_from_what_is_not(built_workspace: Workspace, indexed_file: Path) -> None:
    there = of_root(indexed_file, built_workspace.root, "lease runs out and the job is run twice")[0]
    absent = of_root(indexed_file, built_workspace.root, "sourdough bread fermentation temperature")
    assert there.confidence > 0.5
    assert all(hit.confidence < there.confidence for hit in absent)


class Meddling:
    """The static model, during whose use another process takes all commits out of the index."""

    def __init__(self, path: Path) -> None:
        self._path, self._model = path, load_static()
        self.fingerprint, self.dimensions = self._model.fingerprint, self._model.dimensions
        self.batch_size = self._model.batch_size

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        with write_index(self._path) as index, index.transaction():
            index.connection.execute("DELETE FROM commits")
        return self._model.embed(texts, query=query)

    def knows(self, text: str) -> bool:
        return self._model.knows(text)


def test_an_answer_of_notes_code_and_commits_is_of_one_state(
    built_workspace: Workspace, indexed_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "index.db"
    shutil.copy(indexed_file, path)
    every = (Kind.CODE, Kind.NOTE, Kind.COMMIT)
    sha = built_workspace.sha("Rename backoff_policy to retry")
    with open_index(path) as index:
        meddling = {"static": Meddling(path)}
        found = search(index, built_workspace.root, Query(sha[:9], every, 5), meddling)
        assert found.hits[0].sha == sha
        assert not index.history.count()
