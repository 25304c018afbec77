"""Our types as the JSON of our own requests: a `uri` and an LSP `range` in place of path and lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from lsprotocol import types as lsp

from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server import records
from postil_server.lsp.uris import uri_of
from postil_server.lsp.virtual_uris import commit_uri, file_uri
from postil_server.records import hit_fields, related_fields
from postil_server.tracing import TracedHunk
from postil_server.types import Answer, FoundCommit, Hit, Related, Source

_SCHEME = re.compile(r"untitled:|[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # what hardly any file's path begins with


def place(root: str, path: str, span: Span) -> dict[str, Any]:
    return {"uri": uri_of(os.path.join(root, path)), "root": shown(root), "range": line_range(span)}


def line_range(span: Span) -> dict[str, dict[str, int]]:
    """Whole lines: from the first one's start to where the line after the last one starts."""
    end = max(span.end_line, span.start_line + 1)
    return {"start": {"line": span.start_line, "character": 0}, "end": {"line": end, "character": 0}}


def plain_range(at: lsp.Range) -> dict[str, dict[str, int]]:
    """As JSON."""
    return {edge: {"line": p.line, "character": p.character} for edge, p in (("start", at.start), ("end", at.end))}


def hit_record(hit: Hit) -> dict[str, Any]:
    record = {**place(hit.root, hit.path, hit.span), **hit_fields(hit)}
    return {**record, "document": commit_uri(hit.root, hit.sha)} if hit.sha else record


def related_record(related: Related) -> dict[str, Any]:
    if related.sha:
        where = {"uri": commit_uri(related.root, related.sha), "root": shown(related.root)}
        return {**where, "range": line_range(Span(0, 1)), **related_fields(related)}
    return {**place(related.root, related.path, related.span), **related_fields(related)}


def commit_record(root: str, found: FoundCommit, hunks: Iterable[TracedHunk]) -> dict[str, Any]:
    record = records.commit_record(
        found,
        hunks,
        lambda path: uri_of(os.path.join(root, path)),
        lambda path, span: place(root, path, span),
        lambda then: {"uri": file_uri(root, then.sha, then.path), "range": line_range(then.span)},
    )
    return {**record, "document": commit_uri(root, found.sha)}


def citation(source: Source) -> dict[str, Any]:
    return records.citation_record(source, _cited(source))


def _is_uri(source: Source) -> bool:
    """Whether it was selected in a document that lies in no folder."""
    return _SCHEME.match(source.path) is not None


def link_of(source: Source) -> str:
    """Where a citation leads in an editor, as the target of a link."""
    if source.sha:
        return commit_uri(source.root, source.sha)
    if _is_uri(source):
        return quote(source.path, safe=":/?#&=%+@,;~")
    return uri_of(os.path.join(source.root, source.path), source.span.start_line)


def _cited(source: Source) -> dict[str, Any]:
    """A commit stands at the lines that it changed, and has a document of its own."""
    if _is_uri(source):
        return {"uri": source.path, "root": "", "range": line_range(source.span)}
    where = place(source.root, source.path, source.span)
    return {**where, "document": commit_uri(source.root, source.sha)} if source.sha else where


def answer_record(answer: Answer) -> dict[str, Any]:
    return records.answer_record(answer, _cited, hit_record)
