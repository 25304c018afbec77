"""history: commits that answer a question, or that changed some lines."""

from __future__ import annotations

import os
import re
import time
from itertools import islice
from typing import Annotated, Any

import typer

from postil_indexers.errors import PostilError
from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server.cli.asking import Batch, Json, Limit, Root, elapsed_ms
from postil_server.cli.opened import Opened, opened_roots
from postil_server.cli.output import print_json, shown_errors, warn
from postil_server.cli.records import commit_record
from postil_server.cli.requests import requests, workspace_path
from postil_server.cli.showing import show_commits
from postil_server.explain import Explanation
from postil_server.explain import explain as explained
from postil_server.history.filters import as_object
from postil_server.roots import merged_commits
from postil_server.spanhistory import line_history
from postil_server.timeline import HistoryAnswer, history

_LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")


def register(app: typer.Typer) -> None:
    app.command("history")(history_command)


def history_command(
    root: Root,
    query: Annotated[str | None, typer.Argument(help="A question in words, with filters or without.")] = None,
    batch: Batch = None,
    path: Annotated[
        str | None, typer.Option(metavar="PATH[:START-END]", help="Only what changed this file, folder or lines.")
    ] = None,
    limit: Limit = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Why each was made, and what came of it.")] = False,
    as_json: Json = False,
) -> None:
    """Find commits by their message, names, files and changed lines, or by the lines of a file.

    Filters: author: committer: file: symbol: message: change: kind: after: before: release: merge: #123 sha:, each
    with - in front for the reverse. Dates may be in words ("last spring", 上周).
    """
    with shown_errors(as_json), opened_roots(root) as opened:
        asked = requests(batch, {"query": query}, "query") if batch or query or path is None else [{"query": ""}]
        for request in asked:
            started = time.perf_counter()
            place, lines = _place(opened[0].root, request.get("path", path))
            record, found = _answer(opened, str(request["query"]).strip(), place, lines, limit)
            told = _explanations(opened, found) if explain else {}
            elapsed = elapsed_ms(started)
            if as_json or batch:
                commits = [{"root": shown(at), **commit_record(commit, told.get(commit.sha))} for at, commit in found]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, **record, "commits": commits})
                continue
            warn(record["notes"])
            read_as = record["typed"] if record["filters"] else ""
            show_commits([commit for _, commit in found], record["words"], read_as, told)


def _explanations(opened: list[Opened], found: list[tuple[str, Any]]) -> dict[str, Explanation]:
    indexes = {each.root: each.index for each in opened}
    told = {commit.sha: explained(indexes[root], commit.sha) for root, commit in found}
    return {sha: each for sha, each in told.items() if each is not None}


def _place(root: str, given: str | None) -> tuple[str | None, Span | None]:
    """(path, lines) of `--path`; a file that is called `a:1` is itself."""
    if given is None:
        return None, None
    match = None if os.path.lexists(os.path.join(root, given)) else _LINES.fullmatch(given)
    if match is None:
        return workspace_path(root, given), None
    start, end = int(match[2]), int(match[3] or match[2])
    if not 1 <= start <= end:
        raise PostilError(f"{given} names no lines", "write PATH:START-END, lines from 1 on")
    return workspace_path(root, match[1]), Span(start - 1, end)


def _answer(
    opened: list[Opened], query: str, path: str | None, lines: Span | None, limit: int
) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    if path is not None and lines is not None:
        own = opened[0]
        with own.index.snapshot():
            commits = [(own.root, commit) for commit in islice(line_history(own.index, path, lines), limit)]
        shown_lines = f"{path}:{lines.start_line + 1}-{lines.end_line}"
        return {"filters": {"path": shown_lines}, "words": "", "typed": "", "notes": []}, commits
    answers: list[tuple[str, HistoryAnswer]] = [
        (each.root, history(each.index, query, each.embedders, limit, path)) for each in opened
    ]
    first = answers[0][1]
    found = merged_commits(((at, commit) for at, answer in answers for commit in answer.commits), limit)
    filters = {**({"path": path} if path else {}), **as_object(first.filters)}
    return {"filters": filters, "words": first.words, "typed": first.typed, "notes": list(first.notes)}, found
