"""search, related, history: reading the index."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.text import Text

from postil_indexers.embedding.base import Embedder
from postil_indexers.errors import SettingsError
from postil_indexers.store.index import Index
from postil_indexers.types import Kind
from postil_server.app import App, open_app
from postil_server.cli.output import console, print_json, read_batch, shown_errors, warn
from postil_server.cli.records import commit_record, hit_record, related_record
from postil_server.related import Passage, passage_at, related
from postil_server.search import search
from postil_server.timeline import history
from postil_server.types import Hit, Query

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
            for request in _requests(batch, {"query": query}, "query"):
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
                    _show_hits(found.hits, explain)


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
        for request in _requests(batch, _place_request(app.root, place), "path", "text"):
            started = time.perf_counter()
            passage = _passage(index, request)
            found = related(index, app.root, passage, embedders, limit, hover=hover) if passage else []
            elapsed = _elapsed_ms(started)
            if as_json or batch:
                records = [related_record(item) for item in found]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, "related": records})
                continue
            if passage is None:
                warn([f"{request['path']} is not indexed; postil why says why"])
            for item in found:
                console.print(Text.assemble((item.title, "bold"), f"  {item.path}:{item.span.start_line + 1}"))
                console.print(Text(f"  {item.reason}", style="dim"))
                console.print(Text(f"  {item.snippet}"))


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
        for request in _requests(batch, {"query": query}, "query"):
            started = time.perf_counter()
            found = history(index, request["query"], embedders, limit, request.get("path", path))
            elapsed = _elapsed_ms(started)
            if as_json or batch:
                filters = {"path": path} if path else {}
                commits = [commit_record(item) for item in found]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, "filters": filters, "commits": commits})
                continue
            for item in found:
                day = datetime.fromtimestamp(item.committed_at).date().isoformat()
                console.print(
                    Text.assemble((item.sha[:10], "yellow"), f" {day} {item.author}  ", (item.subject, "bold"))
                )
                console.print(Text("  " + ", ".join(change.path for change in item.files[:4]), style="dim"))


@contextmanager
def _opened(root: str) -> Iterator[tuple[App, Index, dict[str, Embedder]]]:
    app = open_app(root)
    warn(app.warnings)
    with app.open_reader() as index:
        embedders, missing = app.query_embedders(index)
        warn(missing)
        yield app, index, embedders


def _requests(batch: str | None, single: Mapping[str, Any], *one_of: str) -> Iterable[Mapping[str, Any]]:
    """The requests of a batch file, or the single one; each has a text in one of the named fields. Raises SettingsError."""
    for request in read_batch(batch) if batch else [single]:
        if not any(isinstance(request.get(name), str) for name in one_of):
            raise SettingsError(f"a request needs {' or '.join(one_of)}", "give it as an argument, or use --batch FILE")
        yield request


def _place_request(root: str, place: str | None) -> dict[str, Any]:
    """ "notes/a.md:12" as a request; the path may be absolute, relative to here, or to the root."""
    if place is None:
        return {}
    path, _, line = place.rpartition(":")
    request: dict[str, Any] = {"path": path, "line": int(line)} if path and line.isdigit() else {"path": place}
    full = os.path.realpath(request["path"])
    if not os.path.exists(os.path.join(root, request["path"])) and full.startswith(root + os.sep):
        request["path"] = os.path.relpath(full, root).replace(os.sep, "/")
    return request


def _passage(index: Index, request: Mapping[str, Any]) -> Passage | None:
    if "text" in request:
        return Passage(str(request["text"]))
    line = request.get("line")
    return passage_at(index, str(request["path"]), int(line) - 1 if line is not None else None)


def _elapsed_ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 2)


def _show_hits(hits: Iterable[Hit], explain: bool) -> None:
    for hit in hits:
        where = f"{hit.path}:{hit.span.start_line + 1}" if not hit.sha else hit.sha[:10]
        stale = ("  changed since it was indexed", "yellow") if hit.stale else ""
        console.print(Text.assemble((where, "cyan"), "  ", (hit.name, "bold"), f"  {hit.confidence:.2f}", stale))
        if explain:
            console.print(Text("  " + "  ".join(f"{k} {v:g}" for k, v in hit.ranks.items()), style="dim"))
        first = [line for line in hit.snippet.splitlines() if line.strip()][:_SHOWN_LINES]
        console.print(Text("\n".join(f"  {line[:160]}" for line in first)))


_SHOWN_LINES = 3  # of a hit on a terminal
