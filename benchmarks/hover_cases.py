"""What the hover is measured on: lines of public notes where a link was cut out, and paragraphs of other collections.

The list of collections, the lines and the paragraphs are those of the quality scripts (see README.md); the answers come
from the product's own functions, in this process, because the evidence behind them is not in the command line's JSON.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calibration_cases import Scripts
from measuring import Postil

from postil_indexers.chunking.repeated import distinct_text
from postil_indexers.embedding.base import Embedder
from postil_indexers.store.index import open_index
from postil_indexers.text import index_terms
from postil_server.beside import LOOKED_AT
from postil_server.related import GLANCE, Passage, passage_at, ranked
from postil_server.runs import are_unspaced
from postil_server.termvectors import TermVectors
from postil_server.types import Evidence

# Without links between its notes: only its paragraphs are asked, of the other Chinese collection
_UNLINKED = {"name": "cs-notes-zh", "repository": "CyC2018/CS-Notes", "revision": None, "root": "."}
_ASKED = 300  # cut links, and foreign paragraphs, of each collection
_LEAST_CHARS = 60  # of a line, once its link is gone


@dataclass(frozen=True)
class Collection:
    """Notes with all links cut out, and what was linked."""

    name: str
    root: Path
    cut: tuple[tuple[str, int, str], ...]  # (path, 1-based line, path of what was linked there)
    paragraphs: tuple[str, ...]

    @property
    def chinese(self) -> bool:
        return self.name.endswith("-zh")


@dataclass(frozen=True)
class Asked:
    """One paragraph, and the notes that were found for it, best first."""

    collection: str
    number: int
    kind: str  # "cut"; "foreign", of any other collection; "alike", of one in the same unspaced script
    target: str  # what the cut link led to
    found: tuple[tuple[str, Evidence], ...]


def collections(scripts: Scripts, work: Path) -> list[Collection]:
    notes_of = scripts.notes
    every = []
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
        links = sorted(set(notes_of.links(notes)))
        cut = [link for link in links if len(lines[link[0]][link[1] - 1].strip()) >= _LEAST_CHARS]
        random.Random(1).shuffle(cut)
        paragraphs = {p for text in texts.values() for p in text.split("\n\n") if _is_prose(p)}
        every.append(Collection(spec["name"], root, tuple(cut[:_ASKED]), tuple(sorted(paragraphs))))
    return every


def _is_prose(paragraph: str) -> bool:
    return 120 <= len(paragraph.strip()) <= 1200 and "```" not in paragraph


def asked(
    collection: Collection, others: Sequence[Collection], postil: Postil, embedders: Mapping[str, Embedder]
) -> Iterator[Asked]:
    """Every question to a collection, as the hover asks them."""
    chance = random.Random(1)
    pool = sorted({p for other in others if other.name != _UNLINKED["name"] for p in other.paragraphs})
    alike = sorted(
        {p for other in others if collection.chinese and other.chinese for p in other.paragraphs if _is_han(p)}
    )
    foreign = [("foreign", p) for p in chance.sample(pool, min(_ASKED, len(pool)))]
    foreign += [("alike", p) for p in chance.sample(alike, min(_ASKED, len(alike)))]
    postil.index(collection.root)
    with open_index(postil.index_file(collection.root)) as index:
        vectors = TermVectors(index)

        def found(passage: Passage) -> tuple[tuple[str, Evidence], ...]:
            with index.snapshot():
                passage = replace(passage, text=distinct_text(passage.text, index.documents.applied_lines()))
                notes = ranked(index, passage, embedders, vectors, LOOKED_AT, GLANCE)
            return tuple((note.row.path, note.evidence) for note in notes)

        for number, (path, line, target) in enumerate(collection.cut):
            passage = passage_at(index, path, line - 1)
            yield Asked(collection.name, number, "cut", target, found(passage) if passage else ())
        for number, (kind, text) in enumerate(foreign):
            yield Asked(collection.name, number, kind, "", found(Passage(text)))
    print(collection.name, len(collection.cut) + len(foreign), "paragraphs", flush=True)


def _is_han(text: str) -> bool:
    return are_unspaced(index_terms(text).split())
