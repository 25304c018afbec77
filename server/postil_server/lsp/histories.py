"""Answers of postil/history, made in a reading thread."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postil_indexers.types import Span
from postil_server.explain import explain as explained
from postil_server.history.filters import as_object, from_object
from postil_server.lsp.desk import Desk
from postil_server.lsp.records import commit_record, line_range, place
from postil_server.lsp.streams import Tell
from postil_server.records import explanation_record
from postil_server.roots import merged_commits
from postil_server.spanhistory import line_history
from postil_server.timeline import HistoryAnswer, history
from postil_server.types import FoundCommit


@dataclass(frozen=True, slots=True)
class Asked:
    query: str
    filters: Mapping[str, Any]  # as the client sends them
    path: str | None  # in the root
    lines: Span | None
    limit: int
    explain: bool


def history_all(desk: Desk, roots: list[str], asked: Asked, tell: Tell) -> dict[str, Any]:
    started = time.perf_counter()
    answer = _of_lines(desk, roots, asked, tell) if asked.lines is not None else _of_words(desk, roots, asked, tell)
    return {"elapsed_ms": round((time.perf_counter() - started) * 1e3, 2), **answer}


def _of_words(desk: Desk, roots: list[str], asked: Asked, tell: Tell) -> dict[str, Any]:
    given = from_object({name: value for name, value in asked.filters.items() if name != "path"})
    answers: list[tuple[str, HistoryAnswer]] = []
    for opened in desk.indexed(roots):
        embedders = opened.embedders(local=False)
        answers.append((opened.root, history(opened.index, asked.query, embedders, asked.limit, asked.path, given)))
    found = merged_commits(((root, commit) for root, answer in answers for commit in answer.commits), asked.limit)
    commits = [_record(desk, root, commit, explain=asked.explain) for root, commit in found]
    tell({"kind": "commits", "commits": commits})
    first = answers[0][1]
    filters = {**({"path": asked.path} if asked.path else {}), **as_object(first.filters)}
    said = {"filters": filters, "words": first.words, "typed": first.typed, "notes": list(first.notes)}
    return {**said, "commits": commits}


def _of_lines(desk: Desk, roots: list[str], asked: Asked, tell: Tell) -> dict[str, Any]:
    assert asked.path is not None
    assert asked.lines is not None
    commits: list[dict[str, Any]] = []
    opened = desk.indexed(roots)[0]
    with opened.index.snapshot():
        for found in line_history(opened.index, asked.path, asked.lines):
            commits.append(_record(desk, opened.root, found, explain=asked.explain))
            tell({"kind": "commits", "commits": commits[-1:]})
            if len(commits) == asked.limit:
                break
    return {
        "filters": {"path": asked.path, "range": line_range(asked.lines)},
        "words": "",
        "typed": "",
        "notes": [],
        "commits": commits,
    }


def _record(desk: Desk, root: str, found: FoundCommit, *, explain: bool) -> dict[str, Any]:
    record = commit_record(root, found)
    told = explained(desk.at(root).index, found.sha) if explain else None
    if told is not None:
        record["explanation"] = explanation_record(told, lambda path, span: place(root, path, span))
    return record
