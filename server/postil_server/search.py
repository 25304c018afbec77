"""Search: words, vectors and names of the index, fused and ranked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding_run import KINDS_OF_ROLE
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms, path_terms, query_terms
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.commit_hits import commit_hits
from postil_server.confidence import SEARCH, confidence, evidence, nearness, term_weights
from postil_server.freshness import Freshness
from postil_server.termvectors import file_stem
from postil_server.timeline import names_commit
from postil_server.types import Answers, Evidence, Hit, Query

_LIST_LENGTH = 50  # candidates of each list: the tenth result has always come from the first fifty
_NAMED = 40  # chunks taken in for being the definition of a queried name; a name with more is no name to go by
_SNIPPET_CHARS = 1_500

# role of an embedding model -> the model that is at hand for queries
Embedders = Mapping[str, Embedder]


def search(index: Index, root: str, query: Query, embedders: Embedders) -> Answers:
    """The best hits for a query: a commit that it names, then passages, then commits where there is room for them.

    All of it is read from one snapshot.
    """
    with index.snapshot():
        return _answers(index, root, query, embedders)


def _answers(index: Index, root: str, query: Query, embedders: Embedders) -> Answers:
    content = tuple(kind for kind in query.kinds if kind is not Kind.COMMIT)
    passages = _passages(index, root, replace(query, kinds=content), embedders) if content else []
    share = share_embedded(index, query.kinds)
    named = names_commit(query.text)
    if Kind.COMMIT not in query.kinds or (len(passages) == query.limit and not named):
        return Answers(tuple(passages), share)
    commits = commit_hits(index, root, query.text, embedders, query.limit)
    first = [hit for hit in commits if named and names_commit(query.text, hit.sha)]
    rest = [hit for hit in commits if hit not in first]
    return Answers((*first, *passages, *rest)[: query.limit], share)


def _passages(index: Index, root: str, query: Query, embedders: Embedders) -> list[Hit]:
    """The best passages of notes and code."""
    terms = query_terms(query.text)
    symbol = ranking.is_symbol(query.text)
    lists, near = _lists(index, query, terms, symbol, embedders)
    defined = _defined(index, query.text, symbol)
    candidates, rows = _candidates(index, query, lists, defined)
    _rank(candidates, query.text, terms, defined, ranking.definition_strength(symbol))
    _lower_notes(index, candidates, rows)
    weights = term_weights(terms, sum(index.content.counts().values()), index.content.frequency(terms))
    fresh = Freshness(index, root)
    hits = []
    for candidate in ranking.spread(candidates, 3 * query.limit):
        row = rows[candidate.id]
        state = fresh.of(row.document_id, row.path)
        if state is None:  # deleted since: never served
            continue
        nearest = near.get(row.id, 0.0) if len(lists) > 1 else None
        speaks = evidence(matched_terms(row), weights, nearest, defines=row.id in defined)
        hits.append(_hit(row, root, candidate, speaks, stale=state))
        if len(hits) == query.limit:
            break
    return hits


def _lists(
    index: Index, query: Query, terms: Sequence[str], symbol: bool, embedders: Embedders
) -> tuple[dict[str, tuple[float, list[int]]], dict[int, float]]:
    """Ranked lists of chunk ids with their weights, and how near each chunk with a vector is (standard deviations)."""
    weight = ranking.SYMBOL_VECTOR_WEIGHT if symbol else ranking.WORDS_VECTOR_WEIGHT
    only = query.kinds[0] if len(query.kinds) == 1 else None
    matches = index.content.match(terms, only, _LIST_LENGTH)
    lists = {"words": (1.0 - weight, [m.rowid for m in matches])}
    nearest: dict[int, float] = {}
    counts = index.content.counts()
    for role, embedder in embedders.items():
        model = index.vectors.serving(role)
        kinds = [kind for kind in query.kinds if kind in KINDS_OF_ROLE[role] and counts.get(kind)]
        if not kinds or model is None or model.fingerprint != embedder.fingerprint or not embedder.knows(query.text):
            continue
        vector = embedder.embed([query.text], query=True)[0]
        if not np.any(vector):
            continue
        near = index.vectors.nearest(model, vector, kinds[0] if len(kinds) == 1 else None, _LIST_LENGTH)
        lists[role] = (weight, [n.rowid for n in near])
        for n, how_near in zip(near, nearness(index, model, [n.cosine for n in near]), strict=True):
            nearest[n.rowid] = max(how_near, nearest.get(n.rowid, 0.0))
    return lists, nearest


def _candidates(
    index: Index, query: Query, lists: Mapping[str, tuple[float, Sequence[int]]], defined: Iterable[int]
) -> tuple[list[ranking.Candidate], dict[int, ChunkRow]]:
    fused = ranking.fuse(lists)
    for chunk_id in defined:
        fused.setdefault(chunk_id, (0.0, {}))
    rows = {i: row for i, row in index.content.chunks(fused).items() if row.kind in query.kinds}
    candidates = [
        ranking.Candidate(i, os.fsencode(row.path).decode("utf-8", "replace"), row.names, *fused[i])
        for i, row in rows.items()
    ]
    return candidates, rows


def _defined(index: Index, query: str, symbol: bool) -> dict[int, tuple[str, str]]:
    """Chunks where a queried name is defined: chunk -> (name, kind of definition)."""
    names = ranking.queried_names(query) if symbol else ranking.mentioned_names(query)
    found = index.content.definitions(names) if names else []
    found.sort(key=lambda definition: -ranking.kind_weight(definition.kind))  # stable: then by path
    defined: dict[int, tuple[str, str]] = {}
    for definition in found[:_NAMED]:
        for chunk_id in index.content.chunks_over(definition.document_id, definition.span)[:1]:
            defined.setdefault(chunk_id, (definition.name, definition.kind))
    return defined


def _rank(
    candidates: Sequence[ranking.Candidate],
    query: str,
    terms: Sequence[str],
    defined: Mapping[int, tuple[str, str]],
    strength: float,
) -> None:
    words = {path: set(path_terms(path).split()) for path in {c.path for c in candidates}}
    stems = {path: file_stem(path).casefold() for path in words}
    ranking.raise_files(candidates)
    ranking.raise_definitions(candidates, defined, strength, stems)
    ranking.raise_paths(candidates, set(terms), words)
    ranking.lower_places(candidates, query)


def _lower_notes(index: Index, candidates: Iterable[ranking.Candidate], rows: Mapping[int, ChunkRow]) -> None:
    """Among much code a note explains the code, and comes behind it; among notes it is what is looked for."""
    counts = index.content.counts()
    factor = ranking.note_factor(counts.get(Kind.NOTE, 0), sum(counts.values()))
    for candidate in candidates:
        if rows[candidate.id].kind is Kind.NOTE and factor < 1.0:
            candidate.score *= factor
            candidate.ranks["note"] = factor


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
