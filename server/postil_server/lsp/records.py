"""Our types as the JSON of our own requests: a `uri` and an LSP `range` in place of path and lines."""

from __future__ import annotations

import os
from typing import Any

from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server.lsp.uris import uri_of
from postil_server.types import FoundCommit, Hit, Related

_HUNKS = 50  # of a commit in an answer; its files are all named


def place(root: str, path: str, span: Span) -> dict[str, Any]:
    return {"uri": uri_of(os.path.join(root, path)), "root": shown(root), "range": line_range(span)}


def line_range(span: Span) -> dict[str, dict[str, int]]:
    """Whole lines: from the first one's start to where the line after the last one starts."""
    end = max(span.end_line, span.start_line + 1)
    return {"start": {"line": span.start_line, "character": 0}, "end": {"line": end, "character": 0}}


def hit_record(hit: Hit) -> dict[str, Any]:
    record = {
        **place(hit.root, hit.path, hit.span),
        "kind": hit.kind.value,
        "name": hit.name,
        "snippet": hit.snippet,
        "score": round(hit.score, 6),
        "confidence": hit.confidence,
        "stale": hit.stale,
    }
    return {**record, "sha": hit.sha} if hit.sha else record


def related_record(related: Related) -> dict[str, Any]:
    return {
        **place(related.root, related.path, related.span),
        "title": related.title,
        "heading": related.heading,
        "snippet": related.snippet,
        "score": round(related.score, 6),
        "confidence": related.confidence,
        "reason": related.reason,
    }


def commit_record(root: str, found: FoundCommit) -> dict[str, Any]:
    hunks = [
        {
            **place(root, change.path, Span(hunk.new_start, hunk.new_start + hunk.new_lines)),
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
        "files": [uri_of(os.path.join(root, change.path)) for change in found.files],
        "hunks": hunks[:_HUNKS],
        "hunks_total": len(hunks),
    }
