"""What confidence is calibrated on: passages that the product answers with, and whether they were meant.

The judged queries are those of the quality scripts (see README.md), so that both measure the same. Answers come from
the product's own functions, in this process, as fast as the product gives them.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import Postil

from postil_indexers.embedding.base import Embedder
from postil_indexers.store.index import open_index
from postil_indexers.types import Kind
from postil_server.search import search
from postil_server.types import Evidence, Query

_FOREIGN_QUERIES = 20  # of other repositories, asked of each
_HITS = 10  # of a search


@dataclass(frozen=True)
class Case:
    """One passage of an answer."""

    collection: str
    question: int  # its number in the collection
    outcome: str  # "meant"; "beside" what was meant, for all that is known; "foreign": nothing there was
    evidence: Evidence


class Scripts:
    """The quality scripts as modules."""

    def __init__(self, folder: Path, mirror: Path) -> None:
        sys.path.insert(0, str(folder))
        self._common = importlib.import_module("common")
        self.code = importlib.import_module("code_search")
        self.notes = importlib.import_module("related_notes")
        self.folder, self._mirror = folder, mirror

    def checkout(self, spec: Mapping[str, Any], into: Path) -> Path | None:
        """The root of a tree of the manifest, or None where the mirror lacks it."""
        target = into / spec["name"]
        done = self._common.checkout(self._mirror, spec["repository"], spec["revision"], [spec["root"]], target)
        if not done:
            print(f"{spec['name']} is not in the mirror, left out")
        return target / spec["root"] if done else None

    def ndcg(self, task: Mapping[str, Any], hits: Sequence[Mapping[str, Any]]) -> float:
        """NDCG@10 of an answer to a judged query: each target counts at its first rank, each rank once."""
        targets = task["relevant"] + task.get("secondary", [])
        firsts = (next((n for n, hit in enumerate(hits, 1) if self.code.covers(hit, each)), 0) for each in targets)
        return float(self.code.ndcg(sorted({rank for rank in firsts if rank}), len(targets)))

    def category(self, task: Mapping[str, Any]) -> str:
        return str(task.get("category") or self.code.infer_category(task["query"]))


def search_cases(scripts: Scripts, work: Path, embedders: Mapping[str, Embedder]) -> Iterator[Case]:
    """Hits of judged queries in their repository, and of as many other repositories' queries."""
    specs = json.loads((scripts.folder / "code" / "repos.json").read_text())
    judged = {s["name"]: json.loads((scripts.folder / f"code/annotations/{s['name']}.json").read_text()) for s in specs}
    for spec in specs:
        name, root = spec["name"], scripts.checkout(spec, work / "code")
        if root is None:
            continue
        chance = random.Random(name)
        others = [task for other, tasks in judged.items() if other != name for task in tasks]
        asked = [(True, task) for task in judged[name]] + [(False, t) for t in chance.sample(others, _FOREIGN_QUERIES)]
        own_work = work / "code-index" / name  # many roots are named "src"
        own_work.mkdir(parents=True, exist_ok=True)
        postil = Postil(own_work)
        postil.index(root)
        with open_index(postil.index_file(root)) as index:
            for number, (own, task) in enumerate(asked):
                query = Query(task["query"], (Kind.CODE, Kind.NOTE), _HITS)
                targets = [t if isinstance(t, str) else t["path"] for t in task["relevant"] + task.get("secondary", [])]
                for hit in search(index, str(root), query, embedders).hits:
                    meant = own and any(scripts.code.covers({"path": hit.path}, target) for target in targets)
                    outcome = "meant" if meant else "beside" if own else "foreign"
                    assert hit.evidence is not None
                    yield Case(name, number, outcome, hit.evidence)
        print(name, len(asked), "queries", flush=True)
