"""What our own requests ask of the open folders, merged. Runs in a reading thread."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from postil_indexers.errors import NotIndexedError
from postil_indexers.types import Kind
from postil_server.counting import counted
from postil_server.freshness import placed
from postil_server.lsp import hovering
from postil_server.lsp.desk import Desk, Opened
from postil_server.lsp.live import Buffers
from postil_server.lsp.paragraphs import paragraph_at
from postil_server.lsp.records import hit_record, related_record
from postil_server.related import Passage, passage_at, related
from postil_server.roots import merged
from postil_server.search import search
from postil_server.types import Hit, Query, Related


def open_all(desk: Desk, roots: list[str]) -> None:
    hovering.prepare()
    for root in roots:
        try:
            opened = desk.at(root)
        except NotIndexedError:
            continue
        for embedder in opened.at_hand().values():
            embedder.embed(["warm"], query=True)  # the static table; a transformer is opened when it is needed


def search_all(
    desk: Desk, roots: list[str], query: str, kinds: tuple[Kind, ...], limit: int, buffers: Buffers
) -> dict[str, Any]:
    """Hits in documents that are open stand where the editor has them, or are told to be stale."""
    started = time.perf_counter()
    indexed = desk.indexed(roots)
    answers = [
        search(opened.index, opened.root, Query(query, kinds, limit), opened.embedders(local=False))
        for opened in indexed
    ]
    hits = merged((hit for answer in answers for hit in answer.hits), [opened.root for opened in indexed], limit)
    return {
        "elapsed_ms": _elapsed_ms(started),
        "share_embedded": min(answer.share_embedded for answer in answers),
        "hits": [hit_record(_as_open(hit, buffers)) for hit in hits],
    }


def _as_open(hit: Hit, buffers: Buffers) -> Hit:
    buffer = buffers.get((hit.root, hit.path))
    if buffer is None or hit.sha:
        return hit
    span = placed(buffer.text, hit.snippet, hit.span)
    return replace(hit, stale=True) if span is None else replace(hit, span=span, stale=False)


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
    best = merged(found, [opened.root for opened in indexed], limit)
    return {"elapsed_ms": _elapsed_ms(started), "related": [related_record(item) for item in best]}


def _passage(desk: Desk, asked: Asked) -> Passage | None:
    path = asked.place[1] if asked.place else None
    if asked.text is not None:
        text = asked.text if asked.line is None else paragraph_at(asked.text, asked.line)
        return Passage(text, path)
    if asked.place is None:
        return None
    return passage_at(desk.at(asked.place[0]).index, asked.place[1], asked.line)


def folder_status(
    desk: Desk, name: str, uri: str, root: str, outside: bool, worker: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What is known of one folder; without counts where it is not indexed yet."""
    try:
        opened: Opened | None = desk.at(root)
    except NotIndexedError:
        opened = None
    counts = counted(opened.index) if opened is not None else {}
    told = {"name": name, "uri": uri, "outside": outside, "indexed": opened is not None}
    return {**told, **counts, "worker": worker}


def _elapsed_ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 2)
