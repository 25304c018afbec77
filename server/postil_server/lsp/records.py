"""Our types as the JSON of our own requests: a `uri` and an LSP `range` in place of path and lines."""

from __future__ import annotations

import os
from typing import Any

from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server import records
from postil_server.lsp.uris import uri_of
from postil_server.records import hit_fields
from postil_server.types import FoundCommit, Hit, Related


def place(root: str, path: str, span: Span) -> dict[str, Any]:
    return {"uri": uri_of(os.path.join(root, path)), "root": shown(root), "range": line_range(span)}


def line_range(span: Span) -> dict[str, dict[str, int]]:
    """Whole lines: from the first one's start to where the line after the last one starts."""
    end = max(span.end_line, span.start_line + 1)
    return {"start": {"line": span.start_line, "character": 0}, "end": {"line": end, "character": 0}}


def hit_record(hit: Hit) -> dict[str, Any]:
    return {**place(hit.root, hit.path, hit.span), **hit_fields(hit)}


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
    return records.commit_record(
        found, lambda path: uri_of(os.path.join(root, path)), lambda path, span: place(root, path, span)
    )
