"""Search and hover over one tree, with 50,000 commits and more in the index and without any.

Both indexes are open in one process and asked in turn, so that whatever else the machine does falls on both alike;
times are CPU time. A search is of notes and code. A hover is what the editor shows: in a note what is related to a
paragraph, in code what is known of a definition; with commits it has those to show as well.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measuring import Postil, percentile, sample_passages, table, write_result
from trees import clone

from postil_server.lsp.desk import Desk
from postil_server.lsp.documents import Buffer
from postil_server.lsp.hovering import hover_at
from postil_server.lsp.lane import Token
from postil_server.lsp.shown import Shown
from postil_server.lsp.where import Where
from postil_server.search import search
from postil_server.types import Query

REPOSITORY = "git/git"
_ASKED = 120  # of each kind
_ROUNDS = 3  # the fastest counts: what the machine does beside it only ever adds
_SEARCH_RATIO = 1.1  # of the median: nothing of the commits is read
_HOVER_MS = 5.0  # more at the median, of which the commits are shown; CPU time
_WORD = re.compile(r"[A-Za-z_]\w{2,}")


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    tree = clone(mirror, REPOSITORY, work / "clones")
    kinds = {"without": Postil(work), "with": Postil(work, history=True)}
    commits = 0
    for postil in kinds.values():
        commits = max(commits, int(postil.index(tree)["commits"]))
    file = kinds["without"].index_file(tree)
    sides = {name: _Side(tree, postil.index_file(tree).parents[1]) for name, postil in kinds.items()}
    rows, verdicts = [], []
    for name, tasks in (
        ("search", _searches(file)),
        ("hover in a note", _paragraphs(file)),
        ("hover in code", _names(file, tree)),
    ):
        times, same = _compared(sides, list(tasks))
        middle = {side: percentile(each, 0.5) for side, each in times.items()}
        tail = {side: percentile(each, 0.95) for side, each in times.items()}
        met = (
            middle["with"] <= _SEARCH_RATIO * middle["without"] and same == 1.0
            if name == "search"
            else middle["with"] - middle["without"] <= _HOVER_MS
        )
        verdicts.append(met)
        figures = (middle["without"], middle["with"], tail["without"], tail["with"])
        rows.append(
            (name, len(times["with"]), *(f"{each:.1f}" for each in figures), f"{same:.2f}", "met" if met else "not met")
        )
        print(*rows[-1], flush=True)
    header = ("", "asked", "p50 ms without", "p50 with", "p95 without", "p95 with", "same notes and code", "bound")
    said = (
        f"{REPOSITORY}, {commits:,} commits. Bounds: a search takes at most {_SEARCH_RATIO} times as long and finds "
        f"the same; a hover, which shows commits as well, at most {_HOVER_MS:.0f} ms more at the median. Where a hover "
        "differs in what it shows of notes and code, some of them give way to commits."
    )
    write_result(out, "Beside history", command, [said, table(header, rows)], {})
    return all(verdicts)


Task = Callable[[Any], Sequence[object]]  # of a side: what it shows of notes and code


class _Side:
    """One index of the tree, as a window has it open."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.root = str(tree)
        self._folder = str(folder)
        self._desk = Desk()
        self._token = Token()

    @contextmanager
    def open(self) -> Iterator[Desk]:
        os.environ["POSTIL_INDEX_DIR"] = self._folder
        with self._desk.serving(self._token, {self.root}):
            yield self._desk


def _compared(sides: dict[str, _Side], tasks: Sequence[Task]) -> tuple[dict[str, list[float]], float]:
    """CPU milliseconds of each task on each side, and the share of tasks that show the same."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    same = 0
    for task in tasks:
        best = dict.fromkeys(sides, float("inf"))
        shown: dict[str, Sequence[object]] = {}
        for _ in range(_ROUNDS):
            for name, side in sides.items():
                with side.open() as desk:
                    started = time.process_time()
                    shown[name] = task((desk, side.root))
                    best[name] = min(best[name], (time.process_time() - started) * 1e3)
        for name, took in best.items():
            times[name].append(took)
        same += shown["with"] == shown["without"]
    return times, same / len(tasks)


def _searches(index: Path) -> Iterator[Task]:
    chance, texts = random.Random(5), sample_passages(index, 2_000)
    for _ in range(_ASKED):
        words = " ".join(chance.choices(_WORD.findall(chance.choice(texts)) or ["error"], k=4))

        def ask(at: tuple[Desk, str], words: str = words) -> list[object]:
            opened = at[0].at(at[1])
            found = search(opened.index, at[1], Query(words), opened.embedders(local=True)).hits
            return [(hit.path, hit.span, hit.confidence) for hit in found]

        yield ask


def _paragraphs(index: Path) -> Iterator[Task]:
    for number, text in enumerate(sample_passages(index, _ASKED, "note")):
        paragraph = " ".join(text.split())[:600]

        def hover(at: tuple[Desk, str], number: int = number, paragraph: str = paragraph) -> list[object]:
            # other words each time: an editor keeps what it has asked before
            text = f"# A note\n\n{paragraph} {time.monotonic_ns()}\n"
            return _shown(hover_at(at[0], _where(at[1], f"note {number}.md", text), 2, 1))

        yield hover


def _names(index: Path, tree: Path) -> Iterator[Task]:
    with sqlite3.connect(index) as rows:
        found = rows.execute(
            "SELECT d.path, f.line, f.name FROM definitions AS f JOIN documents AS d ON d.id = f.document_id "
            "WHERE f.kind IN ('function', 'method') ORDER BY d.path, f.line"
        ).fetchall()
    random.Random(5).shuffle(found)
    for raw, line, name in found[:_ASKED]:
        path = os.fsdecode(raw)
        text = (tree / path).read_text(encoding="utf-8", errors="replace")
        lines = text.split("\n")
        column = lines[line].find(name) if line < len(lines) else -1
        if column < 0:
            continue

        def hover(
            at: tuple[Desk, str], path: str = path, text: str = text, line: int = line, column: int = column
        ) -> list[object]:
            return _shown(hover_at(at[0], _where(at[1], path, text), line, column))

        yield hover


def _where(root: str, path: str, text: str) -> Where:
    buffer = Buffer(f"file://{root}/{path}", f"{root}/{path}", "", 1, text)
    return Where(buffer, (root, path), (root,), "utf-16")


def _shown(shown: Shown | None) -> list[object]:
    """The lines of a hover that lead to files."""
    return [(line.path, line.line) for line in shown.lines if line.path] if shown else []
