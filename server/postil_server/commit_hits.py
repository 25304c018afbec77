"""Commits among the hits of a search."""

from __future__ import annotations

from collections.abc import Mapping

from postil_indexers.embedding.base import Embedder
from postil_indexers.store.commit_text import commit_terms
from postil_indexers.store.index import Index
from postil_indexers.text import query_terms
from postil_indexers.types import Commit, Kind, Span
from postil_server.confidence import SEARCH, confidence, evidence, term_weights
from postil_server.timeline import found_commits, names_commit
from postil_server.types import Evidence, FoundCommit, Hit

_SNIPPET_CHARS = 1_500


def commit_hits(
    index: Index, root: str, query: str, embedders: Mapping[str, Embedder], limit: int, words: str | None = None
) -> list[Hit]:
    """The commits that answer a query, best first; each stands at the first lines that it changed.

    `words`: what of the query they are to hold, where the rest are filters. Reads within the snapshot of the caller.
    """
    terms = query_terms(query if words is None else words)
    weights = term_weights(terms, index.history.count(), index.history.frequency(terms))
    hits = []
    for item in found_commits(index, query, embedders, limit):
        commit = index.history.commit(item.sha)
        if commit is not None:
            held = commit_terms(commit).distinct()
            named = names_commit(query, item.sha)
            speaks = None if named else evidence(held, weights, None)
            hits.append(_hit(commit, root, item, speaks))
    return hits


def _hit(commit: Commit, root: str, found: FoundCommit, speaks: Evidence | None) -> Hit:
    first = commit.files[0] if commit.files else None
    hunk = first.hunks[0] if first is not None and first.hunks else None
    return Hit(
        path=first.path if first is not None else "",
        root=root,
        span=Span(hunk.new_start, hunk.new_start + hunk.new_lines) if hunk is not None else Span(0, 1),
        kind=Kind.COMMIT,
        name=commit.subject,
        snippet=f"{commit.subject}\n\n{commit.body}".strip()[:_SNIPPET_CHARS],
        score=found.score,
        confidence=1.0 if speaks is None else confidence(speaks, SEARCH),
        sha=commit.sha,
        branch=found.branch,
        evidence=speaks,
    )
