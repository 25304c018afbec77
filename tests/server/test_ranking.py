"""What each signal of the ranking is worth, one apart from the others, and what a small tree makes of all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.repository import Workspace
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_workspace
from postil_indexers.store.index import write_index
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.places import place_cost
from postil_server.ranking import Candidate
from postil_server.search import search
from postil_server.types import Hit, Query
from server.conftest import ROLES

WORDS, SYMBOL = ranking.MODEL.words, ranking.MODEL.symbol
Find = Callable[..., list[Hit]]


@pytest.fixture
def find(tmp_path: Path) -> Callable[[dict[str, str]], Find]:
    """A search over files of one's own: texts by path -> query -> hits."""

    def of(files: dict[str, str]) -> Find:
        workspace = Workspace(tmp_path / "tree")
        for path, text in files.items():
            workspace.write(path, text)
        file = tmp_path / "index.db"
        with write_index(file) as index:
            index_workspace(index, workspace.root, {"static": RoleModel(ROLES["static"], "{}")}, processes=0)

        def run(text: str, limit: int = 10) -> list[Hit]:
            with write_index(file) as index:
                query = Query(text, (Kind.CODE, Kind.NOTE), limit)
                return list(search(index, workspace.root, query, ROLES).hits)

        return run

    return of


def scored(weigh: Callable[..., None], candidates: list[Candidate], *arguments: object) -> list[float]:
    weigh(candidates, *arguments)
    return [round(candidate.score, 3) for candidate in candidates]


def test_a_clear_lead_by_words_says_more_than_a_place() -> None:
    first, second = Candidate(1, "a.py", ranks={"words": 1, "static": 2}), Candidate(2, "b.py", ranks={"words": 2})
    got = scored(ranking.weigh_lists, [first, second], {1: 8.0, 2: 2.0}, set(), WORDS)
    assert got == [round(60 / 61 + 1.2 + 2.0 * 60 / 62, 3), round(60 / 62 + 1.2 / 4, 3)]
    assert first.ranks["words"] == 1  # the rank itself stays, for --explain
    assert {name: round(first.ranks[name], 2) for name in ("match", "meaning")} == {"match": 2.18, "meaning": 1.94}


def test_a_passage_that_no_model_can_read_is_not_held_to_mean_something_else() -> None:
    read, unread = Candidate(1, "a.md", ranks={"words": 2}), Candidate(2, "b.md", ranks={"words": 2})
    assert scored(ranking.weigh_lists, [read, unread], {1: 1.0, 2: 1.0}, {2}, WORDS) == [2.168, 3.168]


def test_vectors_count_a_quarter_for_one_name() -> None:
    assert [ranking.MODEL.of(query) for query in ("Session", "a session")] == [SYMBOL, WORDS]
    assert SYMBOL.vectors == WORDS.vectors / 4


def test_a_file_is_weighed_by_all_its_passages() -> None:
    candidates = [Candidate(n, path, ranks={"words": n}) for n, path in enumerate(("a.py", "b.py", "a.py"), 1)]
    a, b = 1 / 61 + 1 / 63, 1 / 62
    expected = [1.5, round(1.5 * b / a, 3), 1.5]
    assert scored(ranking.weigh_files, candidates, {"words": 0.5}, WORDS) == expected


@pytest.mark.parametrize(
    ("path", "names", "expected"),
    [
        # path 2 x its share of the query's weight; called 1.6 x the share of the file name's words that the query has
        ("log/logger.py", (), 2.0 * 3 / 4 + 1.6),
        ("log/error_logger.py", (), 2.0 * 3 / 4 + 1.6 / 2),
        ("src/other.py", (), 0.0),
        # a definition: 0.7; of what the file is called after: 0.7; a name of words that were all asked for: 0.6 x those
        ("src/other.py", ("unrelated",), 0.7),
        ("src/log_registry.py", ("LogRegistry",), 2.0 * 1 / 4 + 1.6 / 2 + 0.7 + 0.7),
        ("src/other.py", ("logger",), 0.7 + 0.6 * 3 / 4),
        ("src/other.py", ("add_logger",), 0.7),
    ],
)
def test_names_of_files_and_definitions(path: str, names: tuple[str, ...], expected: float) -> None:
    asked = {"logger": 3.0, "log": 1.0} if "log/" not in path else {"logger": 3.0, "handler": 1.0}
    assert scored(ranking.weigh_names, [Candidate(1, path, names)], asked, WORDS) == [round(expected, 3)]


def test_a_definition_counts_by_how_surely_it_is_meant() -> None:
    candidates = [Candidate(1, "a.py"), Candidate(2, "b.py"), Candidate(3, "c.py")]
    assert scored(ranking.weigh_definitions, candidates, {1: 1.0, 2: 0.2}, SYMBOL) == [3.0, 0.6, 0.0]
    assert scored(ranking.weigh_definitions, candidates[2:], {3: 1.0}, WORDS) == [1.6]
    assert [ranking.kind_weight(kind) for kind in ("class", "namespace", "impl")] == [1.0, 0.4, 0.2]


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ("src/app.py", 0.0),
        ("tests/test_app.py", 3.0),
        ("examples/app.py", 3.0),
        ("vendor/app.go", 3.0),
        ("config.yaml", 1.7),
        ("src/index.ts", 1.7),
        ("src/app.d.ts", 0.9),
        ("examples/config.yaml", 4.7),
    ],
)
def test_what_a_place_costs(path: str, cost: float) -> None:
    assert place_cost(path, "how are jobs retried", defines=False) == pytest.approx(cost)


def test_tests_cost_nothing_where_they_are_asked_for_nor_a_re_export_that_defines() -> None:
    assert place_cost("tests/test_app.py", "fixtures of the app", defines=False) == 0.0
    assert place_cost("src/index.ts", "app", defines=True) == 0.0


def test_further_passages_of_a_file_come_behind_others() -> None:
    candidates = [Candidate(1, "a.py", score=9.0), Candidate(2, "a.py", score=8.5), Candidate(3, "b.py", score=6.0)]
    assert [candidate.id for candidate in ranking.spread(candidates, 2, WORDS)] == [1, 3]
    assert [candidate.id for candidate in ranking.spread(candidates[:2], 2, WORDS)] == [1, 2]


def test_a_note_among_code_comes_behind_it() -> None:
    assert [ranking.note_factor(notes, 100) for notes in (1, 20, 50, 100)] == [0.3, 0.4, 1.0, 1.0]
    note, code = Candidate(1, "a.md", is_note=True), Candidate(2, "a.py")
    assert scored(ranking.weigh_notes, [note, code], 0.3, WORDS) == [-3.01, 0.0]


def test_a_name_in_its_own_capitals_is_meant_before_others(find: Callable[[dict[str, str]], Find]) -> None:
    found = find({
        "store/a.py": "def session():\n    return 1\n",
        "store/b.py": "class Session:\n    pass\n",
        "store/c.py": "import b\n\nb.Session()\n",
    })  # fmt: skip
    assert (found("Session")[0].path, found("session")[0].path) == ("store/b.py", "store/a.py")
    assert found("SESSION")[0].path in {"store/a.py", "store/b.py"}  # where none has these capitals, any is meant
    assert found("SESSION")[0].ranks["definition"] > 0


def test_a_name_that_many_files_define_says_little_of_each(find: Callable[[dict[str, str]], Find]) -> None:
    files = {f"part{n}.cs": f"namespace PackIt\n{{\n  class Part{n} {{ }}\n}}\n" for n in range(16)}
    files["Compression.cs"] = (
        "class Compression\n{\n  // Payloads of PackIt are compressed here.\n  void Run() { compress(payload); }\n}\n"
    )
    hits = find(files)("how payloads of PackIt are compressed")
    assert hits[0].path == "Compression.cs"
    assert max(hit.ranks.get("definition", 0.0) for hit in hits) <= 1.6 * 0.4 / 4


def test_the_file_of_several_weak_passages_comes_before_one_that_only_holds_a_word(
    find: Callable[[dict[str, str]], Find],
) -> None:
    body = "".join(f"def step_{n}(queue):\n    queue.retry({n})\n    return backoff({n})\n\n\n" for n in range(30))
    hits = find({"work/engine.py": body, "work/notes.py": "def other():\n    return backoff(1)\n"})(
        "where is backoff applied to the queue"
    )
    assert hits[0].path == "work/engine.py"
    assert hits[0].ranks["file"] == 1.5
