"""Related notes for a note or a passage of it, each with the reason why it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from postil_indexers.chunking.repeated import distinct_text
from postil_indexers.embedding.base import Embedder, Vectors, mostly_latin, unit
from postil_indexers.store.expression import FAR, Reach
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_indexers.store.vectors import Model, Neighbour
from postil_indexers.text import index_terms
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.confidence import RELATED, RELATED_WHOLE, confidence, evidence, has_known_scale, nearness
from postil_server.freshness import Freshness
from postil_server.passages import Passage, passage_at
from postil_server.reasons import reason
from postil_server.runs import are_unspaced, characters_beyond_pairs
from postil_server.search import matched_terms
from postil_server.termvectors import TermVector, TermVectors
from postil_server.titles import add, speaking_of_each_other, spoken_of
from postil_server.types import Evidence, Related
from postil_server.versions import fold

__all__ = ["GLANCE", "WHOLE", "Effort", "Found", "Passage", "as_related", "passage_at", "ranked", "related"]

_KNOWN_SHARE = 0.5  # of a note's, and of all notes' passages; vectors of the few known ones would speak for the rest
_FURTHER_CHUNKS = 0.3  # what a note's other matching chunks add to its best one
_LOOKED_AT = 3  # times as many notes as are asked for: some are gone, and some say too little
_SNIPPET_CHARS = 240


@dataclass(frozen=True, slots=True)
class Effort:
    """What one answer may cost."""

    terms: int  # of a passage that are searched: its rarest words say what it is about, the rest only cost time
    reach: Reach
    chunks: int  # candidates of each list; several chunks of one note gather its evidence
    compared: int  # documents of each list whose whole text is compared with the passage
    embedded: int  # characters of the passage that a model is given


WHOLE = Effort(terms=40, reach=FAR, chunks=200, compared=100, embedded=1_000_000)
# Beside a paragraph it finds as many of the notes that had been linked as WHOLE does (0.30 among the first three), at a
# fifth of the cost of full text. What costs most is to compare a note for the first time, a millisecond each, and the
# transformer: 7 ms for each hundred characters.
GLANCE = Effort(terms=16, reach=Reach(1_500, 3_000), chunks=64, compared=4, embedded=300)


@dataclass(frozen=True, slots=True)
class Mix:
    """What each signal is worth: weights of ranked lists, and boosts as shares of the best score."""

    words: float = 0.5  # the best chunks by BM25; the whole notes, compared by TF-IDF, tell more
    documents: float = 3.0
    vectors: float = 0.7  # the vector lists together: on notes words alone are ahead of vectors alone
    links: float = 0.3  # for a note joined by a link
    tags: float = 0.2  # over the root of how many notes carry the rarest tag in common
    titles: float = 1.0  # times what titles.py says


MIX = Mix()


@dataclass(frozen=True, slots=True)
class Found:
    """A note on its way to an answer, with the chunk that speaks for it."""

    row: ChunkRow
    score: float
    evidence: Evidence
    link: str | None  # "in", "out" or "both"


@dataclass(frozen=True, slots=True)
class _Space:
    """A passage as one model sees it, and the chunks that are nearest to it there."""

    role: str
    model: Model
    query: Vectors
    weight: float  # the share of all notes' passages that the model knows
    nearest: list[Neighbour]
    known_scale: bool


def related(
    index: Index,
    root: str,
    passage: Passage,
    embedders: Mapping[str, Embedder],
    vectors: TermVectors,
    limit: int,
    mix: Mix = MIX,
) -> list[Related]:
    """Notes related to a passage, best first."""
    with index.snapshot():
        passage = replace(passage, text=distinct_text(passage.text, index.documents.applied_lines()))
        fresh = Freshness(index, root)
        answer: list[Related] = []
        for found in ranked(index, passage, embedders, vectors, _LOOKED_AT * limit, WHOLE, mix):
            if len(answer) == limit:
                break
            if fresh.of(found.row.document_id, found.row.path) is not None:
                answer.append(as_related(found, root, passage, vectors))
        return answer


def ranked(
    index: Index,
    passage: Passage,
    embedders: Mapping[str, Embedder],
    vectors: TermVectors,
    limit: int,
    effort: Effort,
    mix: Mix = MIX,
) -> list[Found]:
    """The notes related to a passage without its repeated lines, best first. Reads within the caller's snapshot."""
    query = vectors.of_text(passage.text) if passage.chunk_ids else vectors.of_paragraph(passage.text)
    weights = heaviest(query.weights, effort.terms)
    if not weights:
        return []
    spaces = list(_spaces(index, passage, embedders, effort))
    words = [(m.rowid, m.bm25) for m in index.content.match(list(weights), Kind.NOTE, effort.chunks, effort.reach)]
    lists = {"words": (mix.words, words)}
    for space in spaces:
        lists[space.role] = (mix.vectors * space.weight / len(spaces), [(n.rowid, n.cosine) for n in space.nearest])
    own = index.content.document(passage.path) if passage.path else None
    listed, best_chunk = _by_document(index, lists, skip=own.id if own else None)
    listed["document"] = (mix.documents, _alike(query, listed, vectors, effort.compared))
    documents = {i: score for i, (score, _) in ranking.fuse(listed).items()}
    links = index.content.linked(own.id) if own else {}
    _boost(index, documents, own.id if own else None, links, mix)
    asked = heaviest(vectors.weights(passage.text), WHOLE.terms)
    unspaced = are_unspaced(asked)
    if own and passage.chunk_ids:
        compared = listed["document"][1]
        if not unspaced:  # pairs of an unspaced script are shared by chance
            add(documents, speaking_of_each_other(index, own, compared, query, vectors), mix.titles)
        fold(documents, index, own, compared, vectors)
    order = sorted(documents, key=lambda i: -documents[i])[:limit]
    rows = index.content.chunks(best_chunk[i] for i in order)
    if not passage.chunk_ids:
        add(documents, spoken_of({i: rows[best_chunk[i]] for i in order}, query, vectors), mix.titles)
        order.sort(key=lambda i: -documents[i])
    near, meaning = _nearness(index, spaces, rows, whole=bool(passage.chunk_ids))
    found = []
    for i in order:
        row = rows[best_chunk[i]]
        how_near = near.get(row.id, 0.0) if spaces else None
        runs = characters_beyond_pairs(passage.text, f"{row.title}\n{row.name}\n{row.text}") if unspaced else None
        speaks = evidence(matched_terms(row), asked, how_near, meaning=meaning.get(row.id), runs=runs)
        found.append(Found(row, documents[i], speaks, links.get(i)))
    return found


def as_related(found: Found, root: str, passage: Passage, vectors: TermVectors) -> Related:
    weights = heaviest(vectors.of_text(passage.text).weights, WHOLE.terms)
    row = found.row
    return Related(
        path=row.path,
        root=root,
        title=row.title,
        heading=row.name,
        span=row.span,
        snippet=telling_line(row.text, weights)[:_SNIPPET_CHARS],
        score=found.score,
        confidence=confidence(found.evidence, RELATED_WHOLE if passage.chunk_ids else RELATED),
        reason=reason(passage.text, row, weights, found.link, found.evidence.near),
        evidence=found.evidence,
    )


def heaviest(weights: Mapping[str, float], terms: int) -> dict[str, float]:
    """The terms that tell a passage apart, the heaviest first. A pair of Han characters is half a word."""
    chosen: dict[str, float] = {}
    room = float(terms)
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        room -= 1.0 if term.isascii() else 0.5
        if room < 0:
            break
        chosen[term] = weights[term]
    return chosen


def telling_line(text: str, weights: Mapping[str, float]) -> str:
    """The line of a chunk that holds most of the passage's weight; of several, the first."""

    def held(line: str) -> float:
        return sum(weights.get(term, 0.0) for term in set(index_terms(line).split()))

    return max((line.strip() for line in text.split("\n")), key=held)


def _spaces(index: Index, passage: Passage, embedders: Mapping[str, Embedder], effort: Effort) -> Iterator[_Space]:
    for role, embedder in embedders.items():
        model = index.vectors.serving(role)
        if model is None or model.fingerprint != embedder.fingerprint:
            continue
        if role == "static" and not mostly_latin(passage.text):  # beside Chinese notes, words alone are ahead of it
            continue
        _, own = index.vectors.exact(model, passage.chunk_ids, Kind.NOTE)
        query = _query_vector(own, passage, embedder, effort.embedded)
        share = index.vectors.known_share(model)
        if query is None or share < _KNOWN_SHARE:
            continue
        near = index.vectors.nearest(model, query, Kind.NOTE, effort.chunks)
        yield _Space(role, model, query, share, near, has_known_scale(model))


def _query_vector(vectors: Vectors, passage: Passage, embedder: Embedder, most: int) -> Vectors | None:
    if passage.chunk_ids and len(vectors) < _KNOWN_SHARE * len(passage.chunk_ids):
        return None
    if len(vectors):
        return unit(vectors.mean(axis=0, keepdims=True))[0]  # type: ignore[no-any-return]
    if passage.chunk_ids or not embedder.knows(passage.text):
        return None
    vector: Vectors = embedder.embed([passage.text[:most]], query=True)[0]
    return vector if np.any(vector) else None


def _alike(
    query: TermVector, listed: Mapping[str, tuple[float, Sequence[int]]], vectors: TermVectors, compared: int
) -> list[int]:
    """The first documents of each list, by how like the whole of each is to the passage."""
    nearby = list(dict.fromkeys(i for _, ids in listed.values() for i in ids[:compared]))
    alike = {i: query.cosine(vector) for i, vector in vectors.of_documents(nearby).items()}
    return sorted(alike, key=lambda i: -alike[i])


def _by_document(
    index: Index, lists: Mapping[str, tuple[float, Sequence[tuple[int, float]]]], skip: int | None
) -> tuple[dict[str, tuple[float, list[int]]], dict[int, int]]:
    """The lists by document, and document -> the chunk that speaks for it."""
    ids = {chunk_id for _, scored in lists.values() for chunk_id, _ in scored}
    document_of = {i: row.document_id for i, row in index.content.chunks(ids).items()}
    listed: dict[str, tuple[float, list[int]]] = {}
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
        listed[name] = (weight, sorted(gathered, key=lambda d: -gathered[d]))
    return listed, {d: chunk for d, (_, chunk) in first.items()}


def _boost(index: Index, documents: dict[int, float], own: int | None, links: Mapping[int, str], mix: Mix) -> None:
    """Raise what a link or a rare tag joins with the note."""
    top = max(documents.values(), default=0.0)
    for document in documents.keys() & links.keys():
        documents[document] += mix.links * top
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
            documents[document] += mix.tags * top / math.sqrt(rarest)


def _nearness(
    index: Index, spaces: Sequence[_Space], ids: Iterable[int], *, whole: bool
) -> tuple[dict[int, float], dict[int, float]]:
    """How near chunks are: in standard deviations above the background, and where a model's scale is known, the cosine.

    A whole note's mean vector is nearer to everything: its cosines mean something else than a paragraph's.
    """
    near: dict[int, float] = {}
    meaning: dict[int, float] = {}
    for space in spaces:
        found, chunks = index.vectors.exact(space.model, list(ids), Kind.NOTE)
        cosines = (chunks @ space.query).tolist()
        for chunk_id, cosine, how_near in zip(found, cosines, nearness(index, space.model, cosines), strict=True):
            near[chunk_id] = max(how_near, near.get(chunk_id, 0.0))
            if space.known_scale and not whole:
                meaning[chunk_id] = cosine
    return near, meaning
