"""A commit as a source of an answer: what it says, at the lines that have most to do with the question."""

from __future__ import annotations

from collections.abc import Collection

from postil_indexers.store.index import Index
from postil_indexers.text import index_terms, path_terms
from postil_indexers.types import Commit, Hunk, Kind, Span
from postil_server.days import day
from postil_server.elsewhere import also_elsewhere
from postil_server.types import Hit, Source

_LONGEST = 4_000  # characters of its message
_HUNKS = 50  # of a commit that are looked at for the one to show


def commit_source(index: Index, root: str, hit: Hit, terms: Collection[str]) -> Source | None:
    """A commit, at the lines that have most to do with the question; who made it and when is part of its text."""
    commit = index.history.commit(hit.sha)
    if commit is None:
        return None
    hunks = [(change.path, hunk) for change in commit.files for hunk in change.hunks][:_HUNKS]
    best = max(hunks, key=lambda each: _fits(each[0], each[1], terms), default=None)
    return Source(
        number=0,
        root=root,
        path=best[0] if best else hit.path,
        span=Span(best[1].new_start, best[1].new_start + best[1].new_lines) if best else hit.span,
        kind=Kind.COMMIT,
        title=commit.subject,
        name=commit.author_name,
        text=message_of(commit, hit.branch),
        confidence=hit.confidence,
        sha=commit.sha,
        branch=hit.branch,
    )


def message_of(commit: Commit, branch: str = "") -> str:
    """What a commit says; who made it and when is its last line, and the branch where HEAD does not reach it."""
    said = f"{commit.subject}\n\n{commit.body}".strip()[:_LONGEST]
    return f"{said}\n\n— {commit.author_name}, {day(commit.committed_at)}{also_elsewhere(branch)}"


def _fits(path: str, hunk: Hunk, terms: Collection[str]) -> int:
    held = {*index_terms(hunk.text).split(), *index_terms(hunk.symbol).split(), *path_terms(path).split()}
    return len(held.intersection(terms))
