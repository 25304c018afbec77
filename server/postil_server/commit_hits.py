"""Commits among the hits of a search."""

from __future__ import annotations

from collections.abc import Mapping

from postil_indexers.embedding.base import Embedder
from postil_indexers.store.history import commit_terms
from postil_indexers.store.index import Index
from postil_indexers.store.terms import inverse_frequency
from postil_indexers.text import query_terms
from postil_indexers.types import Commit, Kind, Span
from postil_server.confidence import Evidence, confidence, weight_of
from postil_server.timeline import history, names_commit
from postil_server.types import Hit

_SNIPPET_CHARS = 1_500


def commit_hits(index: Index, root: str, query: str, embedders: Mapping[str, Embedder], limit: int) -> list[Hit]:
    """The commits that answer a query, best first; each stands at the first lines that it changed."""
    found = history(index, query, embedders, limit)
    terms = query_terms(query)
    frequency, count = index.history.frequency(terms), index.history.count()
    evidence = Evidence({term: inverse_frequency(count, frequency[term]) for term in terms})
    hits = []
    for item in found:
        commit = index.history.commit(item.sha)
        if commit is not None:
            held = {term for column in commit_terms(commit) for term in column.split()}
            sure = 1.0 if names_commit(query, item.sha) else confidence(weight_of(held, evidence), 0.0)
            hits.append(_hit(commit, root, item.score, sure))
    return hits


def _hit(commit: Commit, root: str, score: float, sure: float) -> Hit:
    first = commit.files[0] if commit.files else None
    hunk = first.hunks[0] if first is not None and first.hunks else None
    return Hit(
        path=first.path if first is not None else "",
        root=root,
        span=Span(hunk.new_start, hunk.new_start + hunk.new_lines) if hunk is not None else Span(0, 1),
        kind=Kind.COMMIT,
        name=commit.subject,
        snippet=f"{commit.subject}\n\n{commit.body}".strip()[:_SNIPPET_CHARS],
        score=score,
        confidence=sure,
        sha=commit.sha,
    )
