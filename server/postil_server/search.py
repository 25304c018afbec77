"""Search: words, vectors and names of the index, fused and ranked."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding_run import KINDS_OF_ROLE
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkPlace, ChunkRow
from postil_indexers.store.vectors import Model
from postil_indexers.text import index_terms, path_terms, query_terms
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.commit_hits import commit_hits
from postil_server.confidence import SEARCH, confidence, evidence, nearness, term_weights
from postil_server.freshness import Freshness
from postil_server.timeline import names_commit
from postil_server.types import Answers, Evidence, Hit, Query

_LIST_LENGTH = 100  # candidates of each list: many passages say together which file is meant
_WORDS_VECTORS, _SYMBOL_VECTORS = 0.5, 0.3  # what vectors weigh beside words where a file's passages are summed
_NAMED = 40  # chunks taken in for being the definition of a queried name; a name with more is no name to go by
_SNIPPET_CHARS = 1_500

# role of an embedding model -> the model that is at hand for queries
Embedders = Mapping[str, Embedder]


def search(
    index: Index, root: str, query: Query, embedders: Embedders, model: ranking.Model = ranking.MODEL
) -> Answers:
    """The best hits for a query: a commit that it names, then passages, then commits where there is room for them.

    All of it is read from one snapshot. `model`: what ranks the passages.
    """
    with index.snapshot():
        return _answers(index, root, query, embedders, model)


def _answers(index: Index, root: str, query: Query, embedders: Embedders, model: ranking.Model) -> Answers:
    content = tuple(kind for kind in query.kinds if kind is not Kind.COMMIT)
    passages = _passages(index, root, replace(query, kinds=content), embedders, model) if content else []
    share = share_embedded(index, query.kinds)
    named = names_commit(query.text)
    if Kind.COMMIT not in query.kinds or (len(passages) == query.limit and not named):
        return Answers(tuple(passages), share)
    commits = commit_hits(index, root, query.text, embedders, query.limit)
    first = [hit for hit in commits if named and names_commit(query.text, hit.sha)]
    rest = [hit for hit in commits if hit not in first]
    return Answers((*first, *passages, *rest)[: query.limit], share)


def _passages(index: Index, root: str, query: Query, embedders: Embedders, model: ranking.Model) -> list[Hit]:
    """The best passages of notes and code."""
    terms = query_terms(query.text)
    asked = term_weights(terms, sum(index.content.counts().values()), index.content.frequency(terms))
    found = _lists(index, query, terms, embedders)
    defined = _defined(index, query.text)
    candidates = _candidates(index, query, found, defined)
    weights = model.of(query.text)
    _weigh(index, candidates, found, defined, query.text, asked, weights)
    best = ranking.spread(candidates, 3 * query.limit, weights)
    rows = index.content.chunks(candidate.id for candidate in best)
    fresh = Freshness(index, root)
    hits = []
    for candidate in best:
        row = rows[candidate.id]
        state = fresh.of(row.document_id, row.path)
        if state is None:  # deleted since: never served
            continue
        nearest = found.near.get(row.id, 0.0) if len(found.lists) > 1 else None
        speaks = evidence(matched_terms(row), asked, nearest, defines=row.id in defined)
        hits.append(_hit(row, root, candidate, speaks, stale=state))
        if len(hits) == query.limit:
            break
    return hits


@dataclass(frozen=True, slots=True)
class _Found:
    """What the words and each model found."""

    lists: dict[str, list[int]]  # chunk ids, best first
    bm25: dict[int, float]
    near: dict[int, float]  # how near each chunk with a vector is (standard deviations), by the nearest model
    unread: set[int]  # those by words of which no model that was asked has a vector


def _lists(index: Index, query: Query, terms: Sequence[str], embedders: Embedders) -> _Found:
    only = query.kinds[0] if len(query.kinds) == 1 else None
    matches = index.content.match(terms, only, _LIST_LENGTH)
    found = _Found({"words": [m.rowid for m in matches]}, {m.rowid: m.bm25 for m in matches}, {}, set())
    asked: list[Model] = []
    counts = index.content.counts()
    for role, embedder in embedders.items():
        model = index.vectors.serving(role)
        kinds = [kind for kind in query.kinds if kind in KINDS_OF_ROLE[role] and counts.get(kind)]
        if not kinds or model is None or model.fingerprint != embedder.fingerprint or not embedder.knows(query.text):
            continue
        vector = embedder.embed([query.text], query=True)[0]
        if not np.any(vector):
            continue
        asked.append(model)
        near = index.vectors.nearest(model, vector, kinds[0] if len(kinds) == 1 else None, _LIST_LENGTH)
        found.lists[role] = [n.rowid for n in near]
        for n, how_near in zip(near, nearness(index, model, [n.cosine for n in near]), strict=True):
            found.near[n.rowid] = max(how_near, found.near.get(n.rowid, 0.0))
    beyond = [chunk_id for chunk_id in found.bm25 if chunk_id not in found.near]
    if asked:
        found.unread.update(beyond)
    for model in asked:
        found.unread.difference_update(index.vectors.having(model, beyond, Kind.NOTE))
    return found


def _candidates(index: Index, query: Query, found: _Found, defined: Iterable[int]) -> list[ranking.Candidate]:
    ranks: dict[int, dict[str, float]] = {chunk_id: {} for chunk_id in defined}
    for name, ids in found.lists.items():
        for rank, chunk_id in enumerate(ids, 1):
            ranks.setdefault(chunk_id, {})[name] = rank
    return [
        ranking.Candidate(
            place.id,
            os.fsencode(place.path).decode("utf-8", "replace"),
            _names(place),
            is_note=place.kind is Kind.NOTE,
            ranks=ranks[place.id],
        )
        for place in index.content.places(ranks)
        if place.kind in query.kinds
    ]


def _names(place: ChunkPlace) -> tuple[str, ...]:
    """What a passage defines; a section is to its note what a definition is to its file."""
    heading = place.name.rpartition(" > ")[2] if place.kind is Kind.NOTE else ""
    return (heading,) if heading else place.names


def _defined(index: Index, query: str) -> dict[int, float]:
    """Chunks where a queried name is defined: chunk -> how much (0-1) it is the definition that is meant."""
    names = ranking.queried_names(query) if ranking.is_symbol(query) else ranking.mentioned_names(query)
    meant: dict[int, float] = {}
    for name in sorted(names):
        found = index.content.definitions([name])
        exact = [definition for definition in found if definition.name == name]
        found = sorted(exact or found, key=lambda definition: -ranking.kind_weight(definition.kind))
        files = len({definition.document_id for definition in found})
        for definition in found[:_NAMED]:
            for chunk_id in index.content.chunks_over(definition.document_id, definition.span)[:1]:
                weight = ranking.kind_weight(definition.kind) / math.sqrt(files)
                meant[chunk_id] = max(weight, meant.get(chunk_id, 0.0))
    return meant


def _weigh(
    index: Index,
    candidates: Sequence[ranking.Candidate],
    found: _Found,
    defined: Mapping[int, float],
    query: str,
    asked: Mapping[str, float],
    weights: ranking.Weights,
) -> None:
    share = _SYMBOL_VECTORS if ranking.is_symbol(query) else _WORDS_VECTORS
    shares = {name: 1.0 - share if name == "words" else share for name in found.lists}
    counts = index.content.counts()
    ranking.weigh_files(candidates, shares, weights)
    ranking.weigh_lists(candidates, found.bm25, found.unread, weights)
    ranking.weigh_definitions(candidates, defined, weights)
    ranking.weigh_names(candidates, asked, weights)
    ranking.weigh_places(candidates, query, weights)
    ranking.weigh_notes(candidates, ranking.note_factor(counts.get(Kind.NOTE, 0), sum(counts.values())), weights)


def matched_terms(row: ChunkRow) -> set[str]:
    """All terms of a chunk, its headings and its path."""
    return {
        *index_terms(row.text).split(),
        *index_terms(f"{row.name} {row.context}").split(),
        *path_terms(row.path).split(),
    }


def share_embedded(index: Index, kinds: Sequence[Kind]) -> float:
    """The share of passages of these kinds that have a vector, or are known to get none."""
    from_meta = [index.get(f"share_embedded:{kind.value}") for kind in kinds]
    shares = [float(value) for value in from_meta if value is not None]
    return round(sum(shares) / len(shares), 4) if shares else 0.0


def _hit(row: ChunkRow, root: str, candidate: ranking.Candidate, speaks: Evidence, *, stale: bool) -> Hit:
    return Hit(
        path=row.path,
        root=root,
        span=row.span,
        kind=row.kind,
        name=row.name or row.title,
        snippet=row.text[:_SNIPPET_CHARS].strip("\r\n"),
        score=candidate.score,
        confidence=confidence(speaks, SEARCH),
        stale=stale,
        ranks=dict(candidate.ranks),
        evidence=speaks,
    )
