"""history: commits that answer a question, or that changed some lines."""

from __future__ import annotations

import os
import re
import time
from itertools import islice
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from postil_indexers.errors import PostilError
from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server.cli.asking import Batch, Json, Limit, Root, elapsed_ms
from postil_server.cli.opened import Opened, opened_roots
from postil_server.cli.output import print_json, shown_errors, warn
from postil_server.cli.records import commit_record, symbol_record
from postil_server.cli.requests import requests, workspace_path
from postil_server.cli.showing import show_commits, show_together
from postil_server.cochange import SymbolTogether
from postil_server.explain import Explanation, changed_beside, last_blamed
from postil_server.explain import explain as explained
from postil_server.history.filters import as_object, typed_filters
from postil_server.history.missing import missing_of_lines
from postil_server.linesnow import LineTracer
from postil_server.roots import merged_commits
from postil_server.spanhistory import line_history
from postil_server.timeline import HistoryAnswer, history
from postil_server.tracing import TracedHunk, traced_hunks
from postil_server.types import FoundCommit

_LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")


class _Question(TyperCommand):
    """A question that begins with a negated filter, as `-author:Anna`, is a question and no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        asked = [each for each in args if each.startswith("-") and typed_filters(each)[0]]
        if asked and "--" not in args:
            args = [*(each for each in args if each not in asked), "--", *asked]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    app.command("history", cls=_Question)(history_command)


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
            traced = _traced(opened, found)
            together = _together(opened[0], place, lines) if explain and place is not None and lines is not None else []
            elapsed = elapsed_ms(started)
            if as_json or batch:
                if explain and lines is not None:
                    record["together"] = [symbol_record(each) for each in together]
                commits = [
                    {"root": shown(at), **commit_record(at, commit, traced[commit.sha], told.get(commit.sha))}
                    for at, commit in found
                ]
                print_json({"id": request.get("id"), "elapsed_ms": elapsed, **record, "commits": commits})
                continue
            warn(record["notes"])
            read_as = record["typed"] if record["filters"] else ""
            show_commits([commit for _, commit in found], record["words"], traced, read_as, told)
            show_together(together)


def _explanations(opened: list[Opened], found: list[tuple[str, FoundCommit]]) -> dict[str, Explanation]:
    indexes = {each.root: each.index for each in opened}
    told = {commit.sha: explained(indexes[root], commit.sha) for root, commit in found}
    return {sha: each for sha, each in told.items() if each is not None}


def _traced(opened: list[Opened], found: list[tuple[str, FoundCommit]]) -> dict[str, list[TracedHunk]]:
    traced: dict[str, list[TracedHunk]] = {}
    for own in opened:
        tracer = LineTracer(own.index, own.root)
        with own.index.snapshot():
            traced |= {c.sha: traced_hunks(own.index, tracer, c) for root, c in found if root == own.root}
    return traced


def _together(own: Opened, path: str, lines: Span) -> list[SymbolTogether]:
    with own.index.snapshot():
        return changed_beside(own.index, own.root, path, lines)


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
) -> tuple[dict[str, Any], list[tuple[str, FoundCommit]]]:
    if path is not None and lines is not None:
        own = opened[0]
        with own.index.snapshot():
            commits = list(islice(line_history(own.index, own.root, path, lines), limit))
            notes, blame = missing_of_lines(own.index, path, commits), last_blamed(own.index, commits)
        shown_lines = f"{path}:{lines.start_line + 1}-{lines.end_line}"
        record = {"filters": {"path": shown_lines}, "words": "", "typed": "", "notes": notes, "blame": blame}
        return record, [(own.root, commit) for commit in commits]
    answers: list[tuple[str, HistoryAnswer]] = [
        (each.root, history(each.index, query, each.embedders, limit, path)) for each in opened
    ]
    first = answers[0][1]
    found = merged_commits(((at, commit) for at, answer in answers for commit in answer.commits), limit)
    filters = {**({"path": path} if path else {}), **as_object(first.filters)}
    return {"filters": filters, "words": first.words, "typed": first.typed, "notes": list(first.notes)}, found
