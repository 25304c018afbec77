"""What confidence is calibrated on: passages that the product answers with, and whether they were meant.

The judged queries and the list of collections are those of the quality scripts (see README.md), which also read the
notes, so that both measure the same. Answers come from the product's own functions, in this process, because the
evidence behind a confidence is not in the command line's JSON of `related`.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import Postil

from postil_indexers.embedding.base import Embedder
from postil_indexers.store.index import open_index
from postil_indexers.types import Kind
from postil_server.related import Passage, passage_at, related
from postil_server.search import search
from postil_server.termvectors import TermVectors
from postil_server.types import Evidence, Query

# Without links between its notes: only its paragraphs are asked of the other Chinese collection
_UNLINKED = {"name": "cs-notes-zh", "repository": "CyC2018/CS-Notes", "revision": None, "root": "."}
_FOREIGN_QUERIES = 20  # of other repositories, asked of each
_ASKED = 200  # cut links, and foreign paragraphs, for each collection
_HITS = 10  # of a search
_NOTES = 5  # beside a paragraph, as many as a hover shows


@dataclass(frozen=True)
class Case:
    """One passage of an answer."""

    collection: str
    question: int  # its number in the collection
    outcome: str  # "meant"; "beside" what was meant, for all that is known; "foreign": nothing there was
    evidence: Evidence


@dataclass(frozen=True)
class Spoken:
    """What a hover did at one paragraph."""

    collection: str
    own: bool  # of the collection, a link cut out of it; or of another collection
    shown: int
    linked: bool  # whether one of those shown had been linked with its note
    with_vectors: bool  # whether a model knows its language


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


@dataclass(frozen=True)
class Collection:
    """Notes with all links cut out, as an index, and what was linked."""

    name: str
    root: Path
    postil: Postil
    cut: tuple[tuple[str, int], ...]  # (path, 1-based line) of a link that was
    linked: Mapping[str, set[str]]
    paragraphs: tuple[str, ...]

    @property
    def chinese(self) -> bool:
        return self.name.endswith("-zh")


def collections(scripts: Scripts, work: Path, *, prose: bool) -> Iterator[Collection]:
    notes_of = scripts.notes
    for spec in [*json.loads((scripts.folder / "notes" / "collections.json").read_text()), _UNLINKED]:
        source = scripts.checkout(spec, work / "notes")
        if source is None:
            continue
        notes = notes_of.read_notes(source)
        root = work / "stripped" / spec["name"]
        texts = {path: notes_of.strip_links(text) for path, text in notes.items()}
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        lines = {path: text.split("\n") for path, text in texts.items()}
        cut = sorted({(p, n) for p, n, _ in notes_of.links(notes) if len(lines[p][n - 1].strip()) >= 60})
        chance = random.Random(1)
        chance.shuffle(cut)
        paragraphs = {p for text in texts.values() for p in text.split("\n\n") if _is_prose(p)}
        yield Collection(
            name=spec["name"],
            root=root,
            postil=Postil(work, prose=prose and not spec["name"].endswith("-zh")),
            cut=tuple(cut[:_ASKED]),
            linked=notes_of.link_graph(notes),
            paragraphs=tuple(sorted(paragraphs)),
        )


def _is_prose(paragraph: str) -> bool:
    return 120 <= len(paragraph.strip()) <= 1200 and "```" not in paragraph


def related_cases(
    asked: Collection, others: list[Collection], embedders: Mapping[str, Embedder], spoken: list[Spoken]
) -> Iterator[Case]:
    """Notes beside paragraphs: those that had been linked are meant; of those that had not, nothing is known.

    Foreign paragraphs are of collections in the same language: in another one they are told apart too easily.
    `spoken` gets what the hover did.
    """
    pool = sorted({p for other in others if other.chinese == asked.chinese for p in other.paragraphs})
    foreign = random.Random(2).sample(pool, min(_ASKED, len(pool)))
    asked.postil.index(asked.root)
    with open_index(asked.postil.index_file(asked.root)) as index:
        vectors = TermVectors(index)
        passages = [(passage_at(index, path, line - 1), asked.linked[path]) for path, line in asked.cut]
        passages += [(Passage(text), set()) for text in foreign]
        for number, (passage, linked) in enumerate(passages):
            own = number < len(asked.cut)
            if passage is None or not passage.text.strip():
                continue
            for note in related(index, str(asked.root), passage, embedders, vectors, _NOTES):
                if not own or note.path in linked:
                    yield Case(asked.name, number, "meant" if own else "foreign", note.evidence)
            shown = related(index, str(asked.root), passage, embedders, vectors, _NOTES, hover=True)
            was_linked = any(note.path in linked for note in shown)
            spoken.append(Spoken(asked.name, own, len(shown), was_linked, bool(embedders) and not asked.chinese))
    print(asked.name, len(passages), "paragraphs", flush=True)
