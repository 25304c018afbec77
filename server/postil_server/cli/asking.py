"""search, related, history: reading the index."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from postil_indexers.embedding.base import Embedder
from postil_indexers.errors import PostilError, SettingsError
from postil_indexers.store.index import Index
from postil_indexers.types import Kind
from postil_server.app import App, open_app
from postil_server.cli.output import print_json, shown_errors, warn
from postil_server.cli.records import commit_record, hit_record, related_record
from postil_server.cli.requests import line_of, place_request, requests
from postil_server.cli.showing import show_commits, show_hits, show_related
from postil_server.related import Passage, passage_at, related
from postil_server.search import search
from postil_server.termvectors import TermVectors
from postil_server.timeline import history
from postil_server.types import Query

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
    app.command("history")(history_command)


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
        with _opened(root) as (app, index, embedders):
            for request in requests(batch, {"query": query}, "query"):
                started = time.perf_counter()
                found = search(index, app.root, Query(request["query"], _KINDS[kind], limit), embedders)
                elapsed = _elapsed_ms(started)
                if as_json or batch:
                    hits = [hit_record(hit, explain) for hit in found.hits]
                    print_json(
                        {
                            "id": request.get("id"),
                            "elapsed_ms": elapsed,
                            "share_embedded": found.share_embedded,
                            "hits": hits,
                        }
                    )
                else:
                    show_hits(found.hits, request["query"], explain)


def related_command(
    root: Root,
    place: Annotated[str | None, typer.Argument(metavar="PATH[:LINE]", help="A note, or a line of it.")] = None,
    batch: Batch = None,
    limit: Limit = 10,
    hover: Annotated[bool, typer.Option("--hover", help="Just what the hover would show.")] = False,
    as_json: Json = False,
) -> None:
    """Find the notes related to a note or to one of its passages, each with the reason."""
    with shown_errors(as_json), _opened(root) as (app, index, embedders):
        vectors = TermVectors(index)
        for request in requests(batch, place_request(app.root, place), "path", "text"):
            started = time.perf_counter()
            passage = _passage(index, request)
            found = related(index, app.root, passage, embedders, vectors, limit, hover=hover) if passage else []
            elapsed = _elapsed_ms(started)
            if as_json or batch:
                records = [related_record(item) for item in found]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, "related": records})
                continue
            if passage is None:
                raise PostilError(f"{request['path']} is not indexed", f"postil why {root} {request['path']} says why")
            show_related(found, passage.text)


def history_command(
    root: Root,
    query: Annotated[str | None, typer.Argument(help="What happened, in words.")] = None,
    batch: Batch = None,
    path: Annotated[str | None, typer.Option(help="Only commits that touched this file or folder.")] = None,
    limit: Limit = 10,
    as_json: Json = False,
) -> None:
    """Find commits by their message, names, files and changed lines."""
    with shown_errors(as_json), _opened(root) as (_, index, embedders):
        for request in requests(batch, {"query": query}, "query"):
            started = time.perf_counter()
            found = history(index, request["query"], embedders, limit, request.get("path", path))
            elapsed = _elapsed_ms(started)
            if as_json or batch:
                filters = {"path": path} if path else {}
                commits = [commit_record(item) for item in found]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, "filters": filters, "commits": commits})
                continue
            show_commits(found, request["query"])


@contextmanager
def _opened(root: str) -> Iterator[tuple[App, Index, dict[str, Embedder]]]:
    app = open_app(root)
    warn(app.warnings)
    with app.open_reader() as index:
        embedders, missing = app.query_embedders(index)
        warn(missing)
        pending = int(index.get("pending_files") or 0)
        if pending:
            warn([f"still indexing: {pending:,} file{'s'[: pending != 1]} are not searched yet"])
        yield app, index, embedders


def _passage(index: Index, request: Mapping[str, Any]) -> Passage | None:
    if "text" in request:
        return Passage(str(request["text"]))
    return passage_at(index, str(request["path"]), line_of(request))


def _elapsed_ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 2)
