"""Answers of postil/history, made in a reading thread."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from postil_indexers.types import Span
from postil_server.explain import changed_beside, explain, last_blamed
from postil_server.history.filters import as_object, from_object
from postil_server.history.missing import missing_of_lines
from postil_server.linesnow import LineTracer
from postil_server.lsp.desk import Desk
from postil_server.lsp.records import commit_record, line_range, place
from postil_server.lsp.streams import Tell
from postil_server.records import explanation_record, symbol_record
from postil_server.roots import merged_commits
from postil_server.spanhistory import line_history
from postil_server.timeline import HistoryAnswer, history
from postil_server.tracing import traced_hunks
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
    telling = _Telling(desk, asked, tell)
    answer = (_of_words if asked.lines is None else _of_lines)(desk, roots, asked, telling)
    return {"elapsed_ms": round((time.perf_counter() - started) * 1e3, 2), **answer, "commits": telling.commits}


class _Telling:
    """Commits as records, each told as soon as it is found."""

    def __init__(self, desk: Desk, asked: Asked, tell: Tell) -> None:
        self._desk = desk
        self._explain = asked.explain
        self._tell = tell
        self._tracers: dict[str, LineTracer] = {}
        self.commits: list[dict[str, Any]] = []

    def found(self, root: str, commit: FoundCommit) -> None:
        """Within a snapshot of its root's index."""
        index = self._desk.at(root).index
        if root not in self._tracers:
            self._tracers[root] = LineTracer(index, root)
        record = commit_record(root, commit, traced_hunks(index, self._tracers[root], commit))
        told = explain(index, commit.sha) if self._explain else None
        if told is not None:
            record["explanation"] = explanation_record(told, lambda path, span: place(root, path, span))
        self.commits.append(record)
        self._tell({"kind": "commits", "commits": [record]})


def _of_words(desk: Desk, roots: list[str], asked: Asked, telling: _Telling) -> dict[str, Any]:
    given = from_object({name: value for name, value in asked.filters.items() if name != "path"})
    opened = desk.indexed(roots)
    answers: list[tuple[str, HistoryAnswer]] = []
    for each in opened:
        # the order of several folders' commits is known when the last one has answered
        tell = (lambda commit: telling.found(opened[0].root, commit)) if len(opened) == 1 else None
        answers.append(
            (
                each.root,
                history(
                    each.index, asked.query, each.embedders(local=False), asked.limit, asked.path, given, tell=tell
                ),
            )
        )
    if len(opened) > 1:
        every = ((root, commit) for root, answer in answers for commit in answer.commits)
        for root, commit in merged_commits(every, asked.limit):
            with desk.at(root).index.snapshot():
                telling.found(root, commit)
    first = answers[0][1]
    filters = {**({"path": asked.path} if asked.path else {}), **as_object(first.filters)}
    return {"filters": filters, "words": first.words, "typed": first.typed, "notes": list(first.notes)}


def _of_lines(desk: Desk, roots: list[str], asked: Asked, telling: _Telling) -> dict[str, Any]:
    assert asked.path is not None
    assert asked.lines is not None
    opened = desk.indexed(roots)[0]
    index, root = opened.index, opened.root
    with index.snapshot():
        found = []
        for commit in islice(line_history(index, root, asked.path, asked.lines), asked.limit):
            found.append(commit)
            telling.found(root, commit)
        answer: dict[str, Any] = {
            "filters": {"path": asked.path, "range": line_range(asked.lines)},
            "words": "",
            "typed": "",
            "notes": missing_of_lines(index, asked.path, found),
            "blame": last_blamed(index, found),
        }
        if asked.explain:
            together = changed_beside(index, root, asked.path, asked.lines)
            answer["together"] = [symbol_record(each, lambda path, span: place(root, path, span)) for each in together]
    return answer
