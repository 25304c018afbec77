"""Questions to the commit history: words and meaning over messages, names, paths and changed lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from postil_indexers.embedding.base import Embedder
from postil_indexers.store.index import Index
from postil_indexers.text import is_function_word, query_terms
from postil_indexers.types import Kind
from postil_server import ranking
from postil_server.types import FoundCommit

_LIST_LENGTH = 100  # candidates of each list
_WORDS_WEIGHT = 1.0
_VECTOR_WEIGHT = 0.2  # of each vector list: the words of a change name it well, and 0.5 cost 0.014 of MRR
_MERGE_FACTOR = 0.7  # a merge repeats the words of what it merged
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")


def history(
    index: Index, query: str, embedders: Mapping[str, Embedder], limit: int, path: str | None = None
) -> list[FoundCommit]:
    """The commits that answer a query, best first; with `path`, those that touched it or a file below it."""
    with index.snapshot():
        return found_commits(index, query, embedders, limit, path)


def found_commits(
    index: Index, query: str, embedders: Mapping[str, Embedder], limit: int, path: str | None = None
) -> list[FoundCommit]:
    """`history`, within a snapshot that the caller holds."""
    scores = _scores(index, query, embedders)
    if path is not None:
        allowed = index.history.touching(path)
        scores = {i: score for i, score in scores.items() if i in allowed}
    rows = index.history.rows(scores)
    for commit_id, row in rows.items():
        if row.is_merge:
            scores[commit_id] *= _MERGE_FACTOR
    order = sorted(rows, key=lambda i: (-scores[i], -rows[i].committed_at, rows[i].sha))[:limit]
    return [
        FoundCommit(
            sha=rows[i].sha,
            committed_at=rows[i].committed_at,
            author=rows[i].author_name,
            subject=rows[i].subject,
            score=scores[i],
            files=tuple(index.history.files(i)),
        )
        for i in order
    ]


def names_commit(query: str, sha: str = "") -> bool:
    """Whether a query has the start of a commit's id in it: of `sha`, or of any."""
    return any(sha.startswith(start) or not sha for start in _SHA.findall(query.lower()))


def _scores(index: Index, query: str, embedders: Mapping[str, Embedder]) -> dict[int, float]:
    """Commit id -> fused score."""
    terms = query_terms(query)
    telling = [term for term in terms if not is_function_word(term)] or terms
    lists = {"words": (_WORDS_WEIGHT, [m.rowid for m in index.history.match(telling, _LIST_LENGTH)])}
    for role, embedder in embedders.items():
        model = index.vectors.serving(role)
        if model is None or model.fingerprint != embedder.fingerprint or not embedder.knows(query):
            continue
        vector = embedder.embed([query], query=True)[0]
        if np.any(vector):
            near = index.vectors.nearest(model, vector, Kind.COMMIT, _LIST_LENGTH)
            lists[role] = (_VECTOR_WEIGHT, [n.rowid for n in near])
    scores = {i: score for i, (score, _) in ranking.fuse(lists).items()}
    named = [i for sha in _SHA.findall(query.lower()) for i in index.history.by_sha(sha)]
    return {**scores, **dict.fromkeys(named, 1.0 + max(scores.values(), default=0.0))}
