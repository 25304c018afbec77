"""Our types as the JSON of the command line: paths shown workspace-relative, lines 1-based and inclusive."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server import records
from postil_server.records import hit_fields
from postil_server.types import Evidence, FoundCommit, Hit, Related


def lines(span: Span) -> dict[str, int]:
    return {"start_line": span.start_line + 1, "end_line": max(span.end_line, span.start_line + 1)}


def place(root: str, path: str) -> dict[str, str]:
    full = os.path.join(root, path)
    return {"path": shown(path), "root": shown(root), "uri": Path(full).as_uri()}


def hit_record(hit: Hit, explain: bool) -> dict[str, Any]:
    record: dict[str, Any] = {**place(hit.root, hit.path), **lines(hit.span), **hit_fields(hit)}
    if explain:
        record["ranks"] = {name: round(value, 6) for name, value in hit.ranks.items()}
        record["evidence"] = evidence_record(hit.evidence) if hit.evidence else None
    return record


def evidence_record(evidence: Evidence) -> dict[str, Any]:
    return {
        "words": round(evidence.words, 4),
        "shared": evidence.shared,
        "near": None if evidence.near is None else round(evidence.near, 2),
        "defines": evidence.defines,
    }


def related_record(related: Related) -> dict[str, Any]:
    return {
        **place(related.root, related.path),
        "title": related.title,
        "heading": related.heading,
        **lines(related.span),
        "snippet": related.snippet,
        "score": round(related.score, 6),
        "confidence": related.confidence,
        "reason": related.reason,
    }


def commit_record(found: FoundCommit) -> dict[str, Any]:
    return records.commit_record(found, shown, lambda path, span: {"path": shown(path), **lines(span)})
