"""What each signal of the ranking is worth: every one switched off in turn, on every benchmark of quality.

Judged queries and held-out links are those of the quality scripts (see README.md); answers come from the product's own
functions, in this process, with the static vectors. Halves of the repositories (every other one by name) stand apart,
because the weights of search were fitted on either and confirmed on the other.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from calibration_cases import Scripts
from measuring import Postil, table, write_result
from trees import clone

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.store.index import Index, open_index
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.related import MIX, Mix, passage_at, related
from postil_server.search import search
from postil_server.termvectors import TermVectors
from postil_server.timeline import found_commits
from postil_server.types import Query

_HITS = 10
_NOTES = 100  # asked of each collection: what is switched off moves more than a smaller sample errs
_SAID = (
    "The first row of each table is with all signals, the others what is gained (+) or lost (-) without one of them. "
    "Static vectors alone. Halves are every other repository by name: the weights of search were fitted on either, "
    "confirmed on the other, and lie between. What each signal is stands in docs/architecture.md."
)
_COMMAND = "python benchmarks/run.py --mirror DIR --scripts DIR ablation"
_CATEGORIES = ("architecture", "semantic", "symbol")
_STATIC: Mapping[str, Embedder] = {"static": load_static()}


@dataclass(frozen=True)
class Judged:
    """One query of a repository and how well it was answered."""

    repository: str
    category: str
    ndcg: float


def run(mirror: Path, work: Path, out: Path, scripts_folder: Path) -> bool:
    scripts, work = Scripts(scripts_folder, mirror), work / "ablation"
    work.mkdir(parents=True, exist_ok=True)
    parts = [
        _SAID,
        "## Search in code",
        table(("without", "all", "first half", "second half", *_CATEGORIES), _code_rows(scripts, work)),
        "## Related notes",
        *_notes(scripts, work),
        "## Commits by the titles of issues",
        *_commits(scripts, mirror, work),
    ]
    write_result(out, "Ablation", _COMMAND, parts, {})
    return True


def without(signal: str) -> ranking.Model:
    words, symbol = ranking.MODEL.words, ranking.MODEL.symbol
    return ranking.Model(replace(words, **{signal: 0.0}), replace(symbol, **{signal: 0.0}))


def _code_rows(scripts: Scripts, work: Path) -> Iterator[tuple[str, ...]]:
    trees = list(_trees(scripts, work))
    asks: dict[str, tuple[ranking.Model, Mapping[str, Embedder]]] = {"": (ranking.MODEL, _STATIC)}
    asks |= {field.name: (without(field.name), _STATIC) for field in fields(ranking.Weights)}
    asks["all vectors"] = (ranking.MODEL, {})
    full: list[float] | None = None
    for name, (model, embedders) in asks.items():
        figures = _figures([each for tree in trees for each in _judged(scripts, tree, model, embedders)])
        print(name or "(nothing)", *(f"{figure:.4f}" for figure in figures), flush=True)
        yield name, *_shown(figures, full)
        full = full or figures


@dataclass(frozen=True)
class _Tree:
    name: str
    root: Path
    index: Path
    tasks: Sequence[Mapping[str, Any]]


def _trees(scripts: Scripts, work: Path) -> Iterator[_Tree]:
    for spec in json.loads((scripts.folder / "code" / "repos.json").read_text()):
        root = scripts.checkout(spec, work / "code")
        if root is not None:
            tasks = json.loads((scripts.folder / "code" / "annotations" / f"{spec['name']}.json").read_text())
            yield _Tree(spec["name"], root, _indexed(work / "code-index" / spec["name"], root), tasks)


def _indexed(work: Path, root: Path, *, only_history: bool = False) -> Path:
    work.mkdir(parents=True, exist_ok=True)
    postil = Postil(work)
    postil.index(root, only_history=only_history)
    return postil.index_file(root)


def _judged(scripts: Scripts, tree: _Tree, model: ranking.Model, embedders: Mapping[str, Embedder]) -> Iterator[Judged]:
    with open_index(tree.index) as index:
        for task in tree.tasks:
            query = Query(task["query"], (Kind.CODE, Kind.NOTE), _HITS)
            hits = [
                {"path": hit.path, "start_line": hit.span.start_line + 1, "end_line": hit.span.end_line}
                for hit in search(index, str(tree.root), query, embedders, model).hits
            ]
            yield Judged(tree.name, scripts.category(task), scripts.ndcg(task, hits))


def _figures(judged: Sequence[Judged]) -> list[float]:
    """Means over repositories: all, the first half, the second; then over queries: each category."""
    names = sorted({each.repository for each in judged})
    halves = (names, names[::2], names[1::2])
    of = {name: statistics.mean(each.ndcg for each in judged if each.repository == name) for name in names}
    categories = ([each.ndcg for each in judged if each.category == category] for category in _CATEGORIES)
    means = [statistics.mean(of[name] for name in half) if half else 0.0 for half in halves]
    return [*means, *(statistics.mean(found) if found else 0.0 for found in categories)]


def _notes(scripts: Scripts, work: Path) -> Iterator[str]:
    mixes = {"": MIX, **{field.name: replace(MIX, **{field.name: 0.0}) for field in fields(Mix)}}
    names, columns = [], []
    for spec in json.loads((scripts.folder / "notes" / "collections.json").read_text()):
        source = scripts.checkout(spec, work / "notes")
        if source is None:
            continue
        notes = scripts.notes.read_notes(source)
        graph, root = scripts.notes.link_graph(notes), work / "stripped" / spec["name"]
        texts = {path: scripts.notes.strip_links(text) for path, text in notes.items()}
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        linked = [path for path in sorted(graph) if 1 <= len(graph[path]) <= 50 and len(texts[path]) > 200]
        random.Random(0).shuffle(linked)  # as the script that this follows
        with _open(_indexed(work / "notes-index", root)) as (index, vectors):
            ask = _asker(scripts, index, vectors, str(root), graph, linked[:_NOTES])
            columns.append([ask(mix) for mix in mixes.values()])
        names.append(spec["name"])
        print(spec["name"], *(f"{figure:.4f}" for figure in columns[-1]), flush=True)
    rows = list(zip(*columns, strict=True))
    shown = ((name, *_shown(row, rows[0] if name else None)) for name, row in zip(mixes, rows, strict=True))
    yield table(("without", *names), shown)
    yield "The notes have neither links, which are cut out, nor always tags: there those two can't show."


@contextmanager
def _open(file: Path) -> Iterator[tuple[Index, TermVectors]]:
    with open_index(file) as index:
        yield index, TermVectors(index)


def _asker(
    scripts: Scripts,
    index: Index,
    vectors: TermVectors,
    root: str,
    graph: Mapping[str, set[str]],
    asked: Sequence[str],
) -> Callable[[Mix], float]:
    def ask(mix: Mix) -> float:
        scores = []
        for path in asked:
            passage = passage_at(index, path, None)
            found = related(index, root, passage, _STATIC, vectors, _HITS, mix) if passage else []
            ranks = [n for n, item in enumerate(found, 1) if item.path in graph[path]]
            scores.append(scripts.notes.ndcg(ranks, len(graph[path])))
        return statistics.mean(scores)

    return ask


def _commits(scripts: Scripts, mirror: Path, work: Path) -> Iterator[str]:
    pairs = json.loads((scripts.folder / "commits" / "pairs.json").read_text())
    found: dict[str, list[float]] = {"": [], "vectors": []}
    for repository in sorted({pair["repository"] for pair in pairs}):
        if not (mirror / repository.replace("/", "+")).is_dir():
            print(f"{repository} is not in the mirror, left out")
            continue
        tree = clone(mirror, repository, work / "clones")
        with open_index(_indexed(work / "history-index", tree, only_history=True)) as index, index.snapshot():
            for pair in pairs:
                if pair["repository"] != repository:
                    continue
                for name, embedders in (("", _STATIC), ("vectors", {})):
                    shas = [commit.sha for commit in found_commits(index, pair["query"], embedders, _HITS)]
                    found[name].append(1.0 / (shas.index(pair["sha"]) + 1) if pair["sha"] in shas else 0.0)
    if found[""]:
        full = [statistics.mean(found[""])]
        yield table(
            ("without", "MRR@10"),
            ((name, *_shown([statistics.mean(each)], full if name else None)) for name, each in found.items()),
        )


def _shown(figures: Sequence[float], full: Sequence[float] | None) -> tuple[str, ...]:
    if full is None:
        return tuple(f"{figure:.4f}" for figure in figures)
    return tuple(f"{figure - whole:+.4f}" for figure, whole in zip(figures, full, strict=True))
