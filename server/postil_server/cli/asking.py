"""search and related: reading the index."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from postil_indexers.errors import PostilError, SettingsError
from postil_indexers.store.index import Index
from postil_indexers.types import Kind
from postil_server.beside import beside, files_changed_with
from postil_server.cli.opened import Opened, opened_roots
from postil_server.cli.output import print_json, shown_errors
from postil_server.cli.records import hit_record, related_record
from postil_server.cli.requests import line_of, place_request, requests
from postil_server.cli.showing import show_hits, show_related
from postil_server.related import Passage, passage_at, related
from postil_server.roots import merged
from postil_server.search import search
from postil_server.types import Query, Related

Root = Annotated[str, typer.Argument(help="The indexed folder.")]
Batch = Annotated[str | None, typer.Option(help="A file with one JSON request a line.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="How many results.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a request.")]

_KINDS = {
    "any": (Kind.CODE, Kind.NOTE, Kind.COMMIT),
    "code": (Kind.CODE,),
    "note": (Kind.NOTE,),
    "commit": (Kind.COMMIT,),
}


def register(app: typer.Typer) -> None:
    app.command("search")(search_command)
    app.command("related")(related_command)


def search_command(
    root: Root,
    query: Annotated[str | None, typer.Argument(help="Words, a question, or a name.")] = None,
    batch: Batch = None,
    kind: Annotated[str, typer.Option(help="code, note, commit or any.")] = "any",
    limit: Limit = 10,
    explain: Annotated[bool, typer.Option(help="Each hit's rank in each list, and each boost.")] = False,
    as_json: Json = False,
) -> None:
    """Find passages by words and by meaning."""
    with shown_errors(as_json):
        if kind not in _KINDS:
            raise SettingsError(f"there is no kind {kind!r}", f"use one of {', '.join(_KINDS)}")
        with opened_roots(root) as opened:
            for request in requests(batch, {"query": query}, "query"):
                started = time.perf_counter()
                asked = Query(request["query"], _KINDS[kind], limit)
                answers = [search(each.index, each.root, asked, each.embedders) for each in opened]
                hits = merged((hit for answer in answers for hit in answer.hits), _roots(opened), limit)
                elapsed = elapsed_ms(started)
                if as_json or batch:
                    print_json(
                        {
                            "id": request.get("id"),
                            "elapsed_ms": elapsed,
                            "share_embedded": min(answer.share_embedded for answer in answers),
                            "hits": [hit_record(hit, explain) for hit in hits],
                        }
                    )
                else:
                    show_hits(hits, opened[0].root, request["query"], explain)


def related_command(
    root: Root,
    place: Annotated[str | None, typer.Argument(metavar="PATH[:LINE]", help="A note, or a line of it.")] = None,
    batch: Batch = None,
    limit: Limit = 10,
    hover: Annotated[bool, typer.Option("--hover", help="Just what the hover would show.")] = False,
    as_json: Json = False,
) -> None:
    """Find the notes related to a note or to one of its passages, each with the reason."""
    with shown_errors(as_json), opened_roots(root) as opened:
        own = opened[0]
        for request in requests(batch, place_request(own.root, place), "path", "text"):
            started = time.perf_counter()
            passage = _passage(own.index, request)
            found = _related(opened, passage, limit, hover=hover) if passage else []
            elapsed = elapsed_ms(started)
            if as_json or batch:
                records = [related_record(item) for item in found]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, "related": records})
                continue
            if passage is None:
                raise PostilError(f"{request['path']} is not indexed", f"postil why {root} {request['path']} says why")
            show_related(found, own.root, passage.text)


def _related(opened: list[Opened], passage: Passage, limit: int, *, hover: bool) -> list[Related]:
    """The path of the passage is one of the first root's; elsewhere only its text counts."""
    found: list[Related] = []
    for each in opened:
        here = passage if each is opened[0] else Passage(passage.text)
        if hover:
            together = files_changed_with(each.index, here.path)
            found += beside(each.index, each.root, here, each.embedders, each.vectors, together)
        else:
            found += related(each.index, each.root, here, each.embedders, each.vectors, limit)
    return merged(found, _roots(opened), limit)


def _roots(opened: list[Opened]) -> list[str]:
    return [each.root for each in opened]


def _passage(index: Index, request: Mapping[str, Any]) -> Passage | None:
    if "text" in request:
        return Passage(str(request["text"]))
    return passage_at(index, str(request["path"]), line_of(request))


def elapsed_ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 2)
