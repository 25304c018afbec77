"""What a hover shows beside a paragraph: the notes, the code and the commits related to it, or nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import islice

from postil_indexers.chunking.repeated import distinct_text
from postil_indexers.embedding.base import Embedder
from postil_indexers.store.index import Index
from postil_server.cochange import changed_together
from postil_server.confidence import RELATED, confidence
from postil_server.freshness import Freshness
from postil_server.named import named_code, named_commits, told_commits
from postil_server.related import GLANCE, Found, Passage, as_related, heaviest, ranked
from postil_server.termvectors import TermVectors
from postil_server.types import Related

# Chosen on half of the public collections and confirmed on the others: benchmarks/results/hover.md
SPEAKS = 0.6  # confidence of the best note, below which there is none
SHOWN = 0.3  # of each note beside it: where one is sure, the next ones are worth a look
NAMED = 0.9  # of code and of commits, which are in the way where they are wrong
MOST = 5
LOOKED_AT = 15  # notes; some are linked already, gone, or say too little
_ROOM = 2  # places among the notes that code and commits may take together
_TOGETHER = 20  # files that change with a note


def beside(
    index: Index,
    root: str,
    passage: Passage,
    embedders: Mapping[str, Embedder],
    vectors: TermVectors,
    together: Collection[str] = (),
) -> list[Related]:
    """At most five, notes first; none below the floors, none that the note links to already.

    `together`: the files that change with the note, of which the reason says so.
    """
    with index.snapshot():
        passage = replace(passage, text=distinct_text(passage.text, index.documents.applied_lines()))
        if not passage.text.strip():
            return []
        fresh = Freshness(index, root)
        there = (
            note
            for note in _notes(index, passage, embedders, vectors)
            if fresh.of(note.row.document_id, note.row.path) is not None
        )
        notes = list(islice(there, MOST))
        others = _named(index, root, passage, vectors, fresh)[: _ROOM if notes else MOST]
        shown = [as_related(note, root, passage, vectors) for note in notes[: MOST - len(others)]] + others
        return [_with_changes(item) if item.path in together else item for item in shown]


def files_changed_with(index: Index, path: str | None) -> frozenset[str]:
    """What `beside` is given as `together` for a note: the files that were changed in the same commits."""
    if path is None:
        return frozenset()
    with index.snapshot():
        return frozenset(item.path for item in changed_together(index, path, _TOGETHER))


def _notes(index: Index, passage: Passage, embedders: Mapping[str, Embedder], vectors: TermVectors) -> list[Found]:
    found = ranked(index, passage, embedders, vectors, LOOKED_AT, GLANCE)
    notes = [(confidence(note.evidence, RELATED), note) for note in found if note.link not in ("out", "both")]
    if max((sure for sure, _ in notes), default=0.0) < SPEAKS:
        return []
    return [note for sure, note in notes if sure >= SHOWN]


def _named(index: Index, root: str, passage: Passage, vectors: TermVectors, fresh: Freshness) -> list[Related]:
    own = index.content.document(passage.path) if passage.path else None
    linked = index.content.documents(index.content.linked(own.id)).values() if own else ()
    known = {passage.path, *(document.path for document in linked)}
    weights = heaviest(vectors.of_text(passage.text).weights, GLANCE.terms)
    told = [
        *(item for item in named_code(index, root, passage.text, fresh) if item.path not in known),
        *named_commits(index, root, passage.text, weights),
    ]
    by_name = told_commits(index, root, passage.text)
    known = {item.sha for item in by_name}
    sure = [item for item in told if item.confidence >= NAMED and (not item.sha or item.sha not in known)]
    return [*by_name, *sorted(sure, key=lambda item: -item.confidence)]


def _with_changes(item: Related) -> Related:
    return replace(item, reason=f"{item.reason}; changed together")
