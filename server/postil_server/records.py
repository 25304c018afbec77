"""What the JSON of the command line and of the language server say alike; where something lies, each says its way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from postil_indexers.types import Span
from postil_server.types import FoundCommit, Hit

_HUNKS = 50  # of a commit in an answer; its files are all named


def hit_fields(hit: Hit) -> dict[str, Any]:
    """All of a hit but its place."""
    fields = {
        "kind": hit.kind.value,
        "name": hit.name,
        "snippet": hit.snippet,
        "score": round(hit.score, 6),
        "confidence": hit.confidence,
        "stale": hit.stale,
    }
    return {**fields, "sha": hit.sha} if hit.sha else fields


def commit_record(
    found: FoundCommit, name: Callable[[str], str], place: Callable[[str, Span], Mapping[str, Any]]
) -> dict[str, Any]:
    """`name` says which file a path is, `place` which lines of it."""
    hunks = [
        {
            **place(change.path, Span(hunk.new_start, hunk.new_start + hunk.new_lines)),
            "symbol": hunk.symbol,
            "text": hunk.text,
            "truncated": hunk.truncated,
        }
        for change in found.files
        for hunk in change.hunks
    ]
    return {
        "sha": found.sha,
        "committed_at": found.committed_at,
        "author": found.author,
        "subject": found.subject,
        "score": round(found.score, 6),
        "files": [name(change.path) for change in found.files],
        "hunks": hunks[:_HUNKS],
        "hunks_total": len(hunks),
    }
