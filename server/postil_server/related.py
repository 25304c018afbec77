"""Related notes for a note or a passage of it, each with the reason why it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from postil_indexers.chunking.repeated import distinct_text
from postil_indexers.embedding.base import Embedder, Vectors, unit
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.confidence import RELATED, confidence, evidence, nearness
from postil_server.freshness import Freshness
from postil_server.reasons import reason
from postil_server.search import matched_terms
from postil_server.termvectors import TermVector, TermVectors, file_stem
from postil_server.types import Evidence, Related

_TERMS = 40  # of a passage that are searched: its rarest words say what it is about, the rest only cost time
_CHUNKS = 200  # candidates of each list; several chunks of one note gather its evidence
_COMPARED = 100  # documents of each list whose whole text is compared with the passage
_WORDS_WEIGHT = 0.5  # of the best chunks by BM25; the whole notes, compared by TF-IDF, tell more
_DOCUMENT_WEIGHT = 3.0
_VECTOR_WEIGHT = 0.7  # of the vector lists together: on notes words alone are ahead of vectors alone
_KNOWN_SHARE = 0.5  # of a note's, and of all notes' passages; vectors of the few known ones would speak for the rest
_LINK_BOOST = 0.3  # of the best score, for a note joined by a link
_TAG_BOOST = 0.2  # of the best score, over the root of how many notes carry the rarest tag in common
_FURTHER_CHUNKS = 0.3  # what a note's other matching chunks add to its best one
# At most one in twenty foreign paragraphs has a note above it, over four collections. The half that was fitted asked
# for 0.80, which lets too much through on the other (benchmarks/results/calibration.md).
HOVER_FLOOR = 0.92
_HOVER_LIMIT = 5
_SNIPPET_CHARS = 240


@dataclass(frozen=True, slots=True)
class Passage:
    """What related notes are sought for."""

    text: str
    path: str | None = None  # the note it is from, left out of the answer
    chunk_ids: tuple[int, ...] = ()  # its chunks in the index, whose vectors are at hand


def passage_at(index: Index, path: str, line: int | None) -> Passage | None:
    """The whole document at `path`, or its passage at a 0-based line; None where it is not indexed."""
    document = index.content.document(path)
    if document is None:
        return None
    if line is None:
        rows = index.content.chunks_of(document.id)
        text = "\n".join([document.title, file_stem(path), *(row.text for row in rows if row.symbol != "front_matter")])
        return Passage(text, path, tuple(row.id for row in rows))
    row = index.content.chunk_at(document.id, line)
    if row is None or row.symbol == "front_matter":
        return Passage("", path)
    return Passage(_paragraph(row, line), path)


def _paragraph(row: ChunkRow, line: int) -> str:
    """The block of non-blank lines around a line of a chunk."""
    lines = row.text.split("\n")
    at = min(max(line - row.span.start_line, 0), len(lines) - 1)
    if not lines[at].strip():
        return ""
    start, end = at, at + 1
    while start > 0 and lines[start - 1].strip():
        start -= 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return "\n".join(lines[start:end])


def related(
    index: Index,
    root: str,
    passage: Passage,
    embedders: Mapping[str, Embedder],
    vectors: TermVectors,
    limit: int,
    *,
    hover: bool = False,
) -> list[Related]:
    """Notes related to a passage, best first. As a hover: at most five, none below the floor, none it links to."""
    with index.snapshot():
        passage = replace(passage, text=distinct_text(passage.text, index.documents.applied_lines()))
        query = vectors.of_text(passage.text)
        weights = _heaviest(query.weights)
        if not weights:
            return []
        lists, near = _lists(index, passage, weights, embedders)
        own = index.content.document(passage.path) if passage.path else None
        ranked, best_chunk = _by_document(index, lists, skip=own.id if own else None)
        ranked["document"] = (_DOCUMENT_WEIGHT, _alike(query, ranked, vectors))
        documents = {i: score for i, (score, _) in ranking.fuse(ranked).items()}
        links = index.content.linked(own.id) if own else {}
        if hover:
            documents = {i: score for i, score in documents.items() if links.get(i) not in ("out", "both")}
        _boost(index, documents, own.id if own else None, links)
        order = sorted(documents, key=lambda i: -documents[i])[: 3 * limit]
        rows = index.content.chunks(best_chunk[i] for i in order)
        asked, fresh = _heaviest(vectors.weights(passage.text)), Freshness(index, root)
        found: list[Related] = []
        for document_id in order:
            row = rows[best_chunk[document_id]]
            speaks = evidence(matched_terms(row), asked, near.get(row.id, 0.0) if len(lists) > 1 else None)
            if (hover and confidence(speaks, RELATED) < HOVER_FLOOR) or fresh.of(document_id, row.path) is None:
                continue
            why = reason(passage.text, row, weights, links.get(document_id), speaks.near)
            found.append(_related(row, root, documents[document_id], speaks, why, weights))
            if len(found) == (min(limit, _HOVER_LIMIT) if hover else limit):
                break
        return found


def _alike(query: TermVector, ranked: Mapping[str, tuple[float, Sequence[int]]], vectors: TermVectors) -> list[int]:
    """The first documents of each list, by how like the whole of each is to the passage."""
    nearby = list(dict.fromkeys(i for _, ids in ranked.values() for i in ids[:_COMPARED]))
    alike = {i: query.cosine(vector) for i, vector in vectors.of_documents(nearby).items()}
    return sorted(alike, key=lambda i: -alike[i])


def _heaviest(weights: Mapping[str, float]) -> dict[str, float]:
    """The terms that tell a passage apart, the heaviest first. A pair of Han characters is half a word."""
    chosen: dict[str, float] = {}
    room = float(_TERMS)
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        room -= 1.0 if term.isascii() else 0.5
        if room < 0:
            break
        chosen[term] = weights[term]
    return chosen


def _lists(
    index: Index, passage: Passage, weights: Mapping[str, float], embedders: Mapping[str, Embedder]
) -> tuple[dict[str, tuple[float, list[tuple[int, float]]]], dict[int, float]]:
    """Weighted lists of (chunk id, its own score) and how near each chunk with a vector is."""
    words = [(m.rowid, m.bm25) for m in index.content.match(list(weights), Kind.NOTE, _CHUNKS)]
    by_vectors: dict[str, tuple[float, list[tuple[int, float]]]] = {}
    nearest: dict[int, float] = {}
    for role, embedder in embedders.items():
        model = index.vectors.serving(role)
        if model is None or model.fingerprint != embedder.fingerprint:
            continue
        _, own = index.vectors.exact(model, passage.chunk_ids, Kind.NOTE)
        query = _query_vector(own, passage, embedder)
        share = index.vectors.known_share(model)
        if query is None or share < _KNOWN_SHARE:
            continue
        near = index.vectors.nearest(model, query, Kind.NOTE, _CHUNKS)
        by_vectors[role] = (_VECTOR_WEIGHT * share, [(n.rowid, n.cosine) for n in near])
        for n, how_near in zip(near, nearness(index, model, [n.cosine for n in near]), strict=True):
            nearest[n.rowid] = max(how_near, nearest.get(n.rowid, 0.0))
    shared = {role: (weight / len(by_vectors), found) for role, (weight, found) in by_vectors.items()}
    return {"words": (_WORDS_WEIGHT, words), **shared}, nearest


def _query_vector(vectors: Vectors, passage: Passage, embedder: Embedder) -> Vectors | None:
    if passage.chunk_ids and len(vectors) < _KNOWN_SHARE * len(passage.chunk_ids):
        return None
    if len(vectors):
        return unit(vectors.mean(axis=0, keepdims=True))[0]  # type: ignore[no-any-return]
    if passage.chunk_ids or not embedder.knows(passage.text):
        return None
    vector: Vectors = embedder.embed([passage.text], query=True)[0]
    return vector if np.any(vector) else None


def _by_document(
    index: Index, lists: Mapping[str, tuple[float, Sequence[tuple[int, float]]]], skip: int | None
) -> tuple[dict[str, tuple[float, list[int]]], dict[int, int]]:
    """The lists by document, and document -> the chunk that speaks for it."""
    ids = {chunk_id for _, scored in lists.values() for chunk_id, _ in scored}
    document_of = {i: row.document_id for i, row in index.content.chunks(ids).items()}
    ranked: dict[str, tuple[float, list[int]]] = {}
    first: dict[int, tuple[int, int]] = {}  # document -> (rank, chunk): the best-placed chunk of any list
    for name, (weight, scored) in lists.items():
        gathered: dict[int, float] = {}
        for rank, (chunk_id, score) in enumerate(scored):
            document = document_of[chunk_id]
            if document == skip:
                continue
            gathered[document] = gathered[document] + _FURTHER_CHUNKS * score if document in gathered else score
            if document not in first or rank < first[document][0]:
                first[document] = (rank, chunk_id)
        ranked[name] = (weight, sorted(gathered, key=lambda d: -gathered[d]))
    return ranked, {d: chunk for d, (_, chunk) in first.items()}


def _boost(index: Index, documents: dict[int, float], own: int | None, links: Mapping[int, str]) -> None:
    """Raise what a link or a rare tag joins with the note."""
    top = max(documents.values(), default=0.0)
    for document in documents.keys() & links.keys():
        documents[document] += _LINK_BOOST * top
    if own is None:
        return
    tags = index.content.tags_of([*documents, own])
    mine = tags.get(own, set())
    if not mine:
        return
    carried = index.content.tag_frequency(mine)
    for document in documents:
        rarest = min((carried[tag] for tag in mine & tags.get(document, set())), default=0)
        if rarest:
            documents[document] += _TAG_BOOST * top / math.sqrt(rarest)


def _related(
    row: ChunkRow, root: str, score: float, speaks: Evidence, why: str, weights: Mapping[str, float]
) -> Related:
    return Related(
        path=row.path,
        root=root,
        title=row.title,
        heading=row.name,
        span=row.span,
        snippet=_telling_line(row.text, weights)[:_SNIPPET_CHARS],
        score=score,
        confidence=confidence(speaks, RELATED),
        reason=why,
        evidence=speaks,
    )


def _telling_line(text: str, weights: Mapping[str, float]) -> str:
    """The line of a chunk that holds most of the passage's weight; of several, the first."""

    def held(line: str) -> float:
        return sum(weights.get(term, 0.0) for term in set(index_terms(line).split()))

    return max((line.strip() for line in text.split("\n")), key=held)
