"""What our own requests ask of the open folders, merged. Runs in a reading thread."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postil_indexers.errors import NotIndexedError
from postil_indexers.types import Kind
from postil_server.lsp import hovering
from postil_server.lsp.desk import Desk, Opened
from postil_server.lsp.paragraphs import paragraph_at
from postil_server.lsp.records import commit_record, hit_record, related_record
from postil_server.related import Passage, passage_at, related
from postil_server.search import search
from postil_server.timeline import history
from postil_server.types import Query, Related


def open_all(desk: Desk, roots: list[str]) -> None:
    hovering.prepare()
    for root in roots:
        try:
            opened = desk.at(root)
        except NotIndexedError:
            continue
        for embedder in opened.embedders(local=True).values():
            embedder.embed(["warm"], query=True)  # a model loads with its first text


def search_all(desk: Desk, roots: list[str], query: str, kinds: tuple[Kind, ...], limit: int) -> dict[str, Any]:
    started = time.perf_counter()
    answers = [
        search(opened.index, opened.root, Query(query, kinds, limit), opened.embedders(local=False))
        for opened in desk.indexed(roots)
    ]
    hits = [hit for answer in answers for hit in answer.hits]
    if len(answers) > 1:  # scores order one folder's answer; confidence compares across folders
        hits.sort(key=lambda hit: -hit.confidence)
    return {
        "elapsed_ms": _elapsed_ms(started),
        "share_embedded": min(answer.share_embedded for answer in answers),
        "hits": [hit_record(hit) for hit in hits[:limit]],
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """What related notes are sought for."""

    text: str | None  # as the editor has it; None where the document is not open
    place: tuple[str, str] | None  # (root, path in it) of the document
    line: int | None  # of the paragraph; None for the whole


def related_all(desk: Desk, roots: list[str], asked: Asked, limit: int) -> dict[str, Any]:
    started = time.perf_counter()
    found: list[Related] = []
    indexed = desk.indexed(roots)
    passage = _passage(desk, asked) or Passage("")
    for opened in indexed:
        here = passage if asked.place and asked.place[0] == opened.root else Passage(passage.text)
        found += related(opened.index, opened.root, here, opened.embedders(local=False), opened.vectors, limit)
    if len(indexed) > 1:
        found.sort(key=lambda item: -item.confidence)
    return {"elapsed_ms": _elapsed_ms(started), "related": [related_record(item) for item in found[:limit]]}


def _passage(desk: Desk, asked: Asked) -> Passage | None:
    path = asked.place[1] if asked.place else None
    if asked.text is not None:
        text = asked.text if asked.line is None else paragraph_at(asked.text, asked.line)
        return Passage(text, path)
    if asked.place is None:
        return None
    return passage_at(desk.at(asked.place[0]).index, asked.place[1], asked.line)


def history_all(desk: Desk, roots: list[str], query: str, limit: int, path: str | None) -> dict[str, Any]:
    started = time.perf_counter()
    found = [
        (opened.root, commit)
        for opened in desk.indexed(roots)
        for commit in history(opened.index, query, opened.embedders(local=False), limit, path)
    ]
    found.sort(key=lambda item: -item[1].score)  # ranks fused with the same weights everywhere
    return {
        "elapsed_ms": _elapsed_ms(started),
        "filters": {"path": path} if path else {},
        "commits": [commit_record(root, commit) for root, commit in found[:limit]],
    }


def folder_status(desk: Desk, name: str, uri: str, root: str, worker: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is known of one folder; without counts where it is not indexed yet."""
    try:
        opened: Opened | None = desk.at(root)
    except NotIndexedError:
        opened = None
    counts: dict[str, Any] = {}
    if opened is not None:
        index = opened.index
        files, chunks = index.documents.count()
        counts = {
            "files": files,
            "pending": int(index.get("pending_files") or 0),
            "chunks": chunks,
            "passages": {kind.value: count for kind, count in index.content.counts().items()},
            "commits": index.history.count(),
            "share_embedded": {kind.value: float(index.get(f"share_embedded:{kind.value}") or 0.0) for kind in Kind},
        }
    return {"name": name, "uri": uri, "indexed": opened is not None, **counts, "worker": worker}


def _elapsed_ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 2)
