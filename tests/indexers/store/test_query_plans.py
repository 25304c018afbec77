"""No statement of a search or of a small update goes through a whole table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.embedders import HashedWordsEmbedder
from fixtures.repository import Workspace
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import Index, write_index
from postil_indexers.types import Kind, Span

EMBEDDER = HashedWordsEmbedder()
# Where a statement may go through a table as a whole, and why.
ALLOWED = {
    "models",  # two rows
    "json_each",  # the ids that were asked for
    "best",  # the candidates that were found
    "wanted",  # the paths that were asked for
    "sqlite_master",
}


@pytest.fixture(scope="module")
def index(built_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    models = {"static": RoleModel(EMBEDDER, "{}")}
    with write_index(tmp_path_factory.mktemp("plans") / "index.db") as opened:
        index_workspace(opened, built_workspace.root, models, processes=0)
        index_history(opened, built_workspace.root, models)
        yield opened


def statements_of(index: Index, call: Callable[[], Any]) -> list[str]:
    """The distinct statements that a call runs."""
    seen: dict[str, None] = {}

    def trace(cursor: Any, statement: str, bindings: Any) -> bool:
        seen.setdefault(statement)
        return True

    index.connection.exec_trace = trace  # type: ignore[attr-defined]
    try:
        call()
    finally:
        index.connection.exec_trace = None  # type: ignore[attr-defined]
    return [one for one in seen if one.lstrip().split(" ", 1)[0] in ("SELECT", "WITH", "DELETE", "UPDATE", "INSERT")]


def scanned(index: Index, statement: str) -> list[str]:
    """The tables that a statement goes through as a whole, by their names or aliases."""
    bindings = [None] * (statement.count("?") if "?1" not in statement else 3)
    plan = [row[3] for row in index.connection.execute(f"EXPLAIN QUERY PLAN {statement}", bindings)]
    tables = []
    for step in plan:
        # an index that holds a few values leads through nearly all rows
        found = re.match(r"SCAN (\S+)|SEARCH (\S+) USING (?:COVERING )?INDEX chunks_by_kind", step)
        if found and "VIRTUAL TABLE INDEX" not in step and "CONSTANT ROW" not in step:
            tables.append(found[1] or found[2])
    return tables


def asked(index: Index) -> dict[str, Callable[[], Any]]:
    model = index.vectors.serving("static")
    assert model is not None
    query = EMBEDDER.embed(["lease"], query=True)[0]
    design = index.content.document("docs/design.md")
    assert design is not None
    ids = [row.id for row in index.content.chunks_of(design.id)]
    return {
        "words": lambda: index.content.match(["leas", "queue"], None, 50),
        "words of a kind": lambda: index.content.match(["leas", "queue"], Kind.NOTE, 50),
        "who holds all words": lambda: index.content.paths_holding(["leas", "queue"], Kind.NOTE, 50),
        "term counts": lambda: index.content.frequency(["leas", "queue"]),
        "chunks": lambda: index.content.chunks(ids),
        "documents": lambda: index.content.documents([design.id]),
        "definitions": lambda: index.content.definitions(["extend", "RetryPolicy"]),
        "chunks over lines": lambda: index.content.chunks_over(design.id, Span(0, 5)),
        "chunk at a line": lambda: index.content.chunk_at(design.id, 5),
        "links": lambda: index.content.linked(design.id),
        "tags": lambda: index.content.tags_of([design.id]),
        "who links here": lambda: index.names.linking([design.id]),
        "who carries a tag": lambda: index.names.tagged(["design"]),
        "headings and blocks": lambda: index.names.outline(design.id),
        "names of documents": lambda: [
            read([design.id])
            for read in (index.names.documents, index.names.definitions, index.names.headings, index.names.aliases)
        ],
        "tag counts": lambda: index.content.tag_frequency(["design"]),
        "nearest": lambda: index.vectors.nearest(model, query, Kind.CODE, 10),
        "nearest commits": lambda: index.vectors.nearest(model, query, Kind.COMMIT, 10),
        "known share": lambda: index.vectors.known_share(model),
        "whose text it is": lambda: index.vectors.owners(b"", tuple(Kind)),
        "commit words": lambda: index.history.match(["leas"], 50),
        "commit counts": lambda: index.history.frequency(["leas"]),
        "commit by id": lambda: index.history.by_sha("0000000"),
        "commits of a path": lambda: index.history.touching("millrace"),
        "commit rows": lambda: index.history.rows([1, 2]),
        "commit files": lambda: index.history.files(1),
        "newest commits": lambda: index.history.newest(10),
        "ledger": lambda: index.ledger.find("docs/design.md"),
    }


def test_no_question_goes_through_a_whole_table(index: Index) -> None:
    wrong = {}
    for name, call in asked(index).items():
        statements = statements_of(index, call)
        assert statements, name
        for statement in statements:
            tables = [table for table in scanned(index, statement) if table not in ALLOWED]
            if tables and not statement.startswith("SELECT id FROM commits INDEXED BY commits_by_time"):
                wrong[name] = (tables, statement)
    assert wrong == {}


def test_the_newest_commits_are_read_in_the_order_of_an_index(index: Index) -> None:
    (statement,) = statements_of(index, lambda: index.history.newest(10))
    plan = [row[3] for row in index.connection.execute(f"EXPLAIN QUERY PLAN {statement}", (10,))]
    assert plan[0].startswith("SCAN commits USING")
    assert "commits_by_time" in plan[0]


def test_removing_a_file_and_a_commit_goes_through_no_whole_table(index: Index, tmp_path: Path) -> None:
    (sha, *_) = index.history.shas()

    def remove() -> None:
        with index.transaction():
            index.vectors.displace(index.documents.remove("docs/design.md"), Kind.CODE)
            index.vectors.displace(index.history.remove([sha]), Kind.COMMIT)

    wrong = []
    for statement in statements_of(index, remove):
        tables = [table for table in scanned(index, statement) if table not in ALLOWED]
        # the paths and people that no commit has any more are looked for once a run, by index for each
        if tables and not (tables in (["commit_paths"], ["people"]) and statement.startswith("DELETE FROM ")):
            wrong.append((tables, statement))
    assert wrong == []


def test_vectors_are_bytes(index: Index) -> None:
    types = index.connection.execute(
        "SELECT DISTINCT typeof(vector), length(vector) FROM embeddings WHERE vector NOT NULL"
    )
    assert types.fetchall() == [("blob", EMBEDDER.dimensions)]
    assert index.connection.execute("SELECT DISTINCT typeof(hash), length(hash) FROM chunks").fetchall() == [
        ("blob", 12)
    ]
