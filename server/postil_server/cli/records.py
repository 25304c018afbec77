"""Our types as the JSON of the command line: paths shown workspace-relative, lines 1-based and inclusive."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server import records
from postil_server.cochange import SymbolTogether
from postil_server.explain import Explanation
from postil_server.lsp.virtual_uris import commit_uri, file_uri
from postil_server.records import hit_fields, related_fields
from postil_server.tracing import LinesThen, TracedHunk
from postil_server.types import Answer, Evidence, FoundCommit, Hit, Related


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
    if related.sha:
        where = {"path": "", "root": shown(related.root), "uri": commit_uri(related.root, related.sha)}
        return {**where, **related_fields(related)}
    return {**place(related.root, related.path), **lines(related.span), **related_fields(related)}


def commit_record(
    root: str, found: FoundCommit, hunks: Iterable[TracedHunk], told: Explanation | None = None
) -> dict[str, Any]:
    def lie(path: str, span: Span) -> dict[str, Any]:
        return {"path": shown(path), **lines(span)}

    def lay(then: LinesThen) -> dict[str, Any]:
        return {"uri": file_uri(root, then.sha, then.path), **lines(then.span)}

    record = records.commit_record(found, hunks, shown, lie, lay)
    return {**record, "explanation": records.explanation_record(told, lie)} if told is not None else record


def symbol_record(told: SymbolTogether) -> dict[str, Any]:
    return records.symbol_record(told, lambda path, span: {"path": shown(path), **lines(span)})


def answer_record(answer: Answer) -> dict[str, Any]:
    return records.answer_record(
        answer,
        lambda source: {**place(source.root, source.path), **lines(source.span)},
        lambda hit: hit_record(hit, explain=False),
    )
