"""The commit history: speed of indexing beside git itself, what it takes on disk and in memory, latency of questions.

Over the same commits: `git log -p -U0` and `git log --name-only` into nothing, `postil index --only-history` from
nothing with words alone, a second run that makes the vectors, and our own reading of metadata alone. The share of git's
speed is told by the clock, which the bound is of, and by CPU seconds, which other work on the machine does not change;
as git and what reads it work side by side, the second is the smaller one. How soon the newest thousand commits can be
found is told by a reader that looks while the index is written.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from measuring import Postil, percentile, table, write_result
from trees import clone

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.history import read_history
from postil_indexers.store.index import Index, open_index
from postil_server.timeline import history

REPOSITORIES = ("git/git", "sphinx-doc/sphinx", "redis/redis")  # of the first, the largest, questions are asked
_SOON = 1_000
_QUESTIONS = 100
_WORDS_SHARE, _NAMES_SHARE = 0.2, 0.3  # of git's own speed
_SOON_S, _MEMORY_MB, _KIB = 5.0, 500.0, 15.0
_P50_MS, _P95_MS = 40.0, 120.0

T = TypeVar("T")


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    rows, met, latency = [], True, ""
    for name in REPOSITORIES:
        tree = clone(mirror, name, work / "clones")
        postil = Postil(work, history=True)
        watch = _Watch(postil, tree)
        first = postil.index(tree, fresh=True, only_history=True, only_words=True)
        words = first["cpu"]
        soon = watch.stop()
        second = postil.index(tree, only_history=True)
        vectors, memory = second["cpu"], max(first["peak_mb"], second["peak_mb"])
        commits, metadata, _ = _timed(lambda tree=tree: sum(1 for _ in read_history(str(tree), patches=False)))
        _, patches, patches_wall = _timed(lambda tree=tree: _git(tree, "-p", "-U0"))
        _, names, _ = _timed(lambda tree=tree: _git(tree, "--name-only"))
        size = postil.index_bytes(tree) / 1024 / max(commits, 1)
        speeds = patches_wall / first["wall"], names / metadata
        good = speeds[0] >= _WORDS_SHARE and speeds[1] >= _NAMES_SHARE and size <= _KIB and memory <= _MEMORY_MB
        met = met and good and soon is not None and soon <= _SOON_S
        rows.append(
            (
                *(name, f"{commits:,}", f"{patches:.1f}", f"{words:.1f}", f"{patches / words:.2f}"),
                f"{speeds[0]:.2f}",
                *(f"{vectors:.1f}", f"{patches / (words + vectors):.2f}"),
                *(f"{names:.1f}", f"{metadata:.1f}", f"{speeds[1]:.2f}"),
                *("-" if soon is None else f"{soon:.1f}", f"{memory:.0f}", f"{size:.1f}"),
            )
        )
        print(*rows[-1], flush=True)
        if not latency:
            with open_index(postil.index_file(tree)) as index:
                times = _asked(index)
            p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
            met = met and p50 <= _P50_MS and p95 <= _P95_MS
            latency = (
                f"{len(times)} questions to {commits:,} commits: p50 {p50:.1f} ms, p95 {p95:.1f} ms "
                f"(bounds {_P50_MS:.0f} and {_P95_MS:.0f})"
            )
    header = (
        "repository",
        "commits",
        "git log -p CPU s",
        "words CPU s",
        "share",
        "share by the clock",
        "vectors CPU s",
        "share with both",
        "git names CPU s",
        "names CPU s",
        "share",
    )
    header += (f"newest {_SOON:,} after s", "memory MB", "KiB a commit")
    bounds = (
        f"Bounds: {_WORDS_SHARE} and {_NAMES_SHARE} of git's speed, {_SOON_S:.0f} s, {_MEMORY_MB:.0f} MB, "
        f"{_KIB:.0f} KiB: {'met' if met else 'not met'}"
    )
    write_result(out, "History", command, [table(header, rows), latency, bounds], {})
    return met


def _git(tree: Path, *options: str) -> None:
    subprocess.run(["git", "log", *options], cwd=tree, stdout=subprocess.DEVNULL, check=False)


def _timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """What it gives, the CPU seconds of this process and its children, and those of the clock."""
    before = os.times()
    given = work()
    after = os.times()
    return given, sum(after[:4]) - sum(before[:4]), after.elapsed - before.elapsed


class _Watch:
    """Looks into an index from outside until it holds the first commits."""

    def __init__(self, postil: Postil, tree: Path) -> None:
        self._postil, self._tree = postil, tree
        self._found: float | None = None
        self._ended = threading.Event()
        self._started = time.perf_counter()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.2) and self._found is None:
            try:
                with sqlite3.connect(f"file:{self._postil.index_file(self._tree)}?mode=ro", uri=True) as rows:
                    (count,) = rows.execute("SELECT count(*) FROM commits").fetchone()
            except (ValueError, sqlite3.Error):  # there is none yet, or its tables are being made
                continue
            if count >= _SOON:
                self._found = time.perf_counter() - self._started

    def stop(self) -> float | None:
        """Seconds until they were there; None where they never were."""
        self._ended.set()
        self._thread.join()
        return self._found


def _asked(index: Index) -> list[float]:
    """Milliseconds of each question."""
    roles: dict[str, Embedder] = {"static": load_static()}
    times = []
    for question in islice(_questions(index), _QUESTIONS):
        started = time.perf_counter()
        history(index, question, roles, 10)
        times.append((time.perf_counter() - started) * 1e3)
    return times


def _questions(index: Index) -> Iterator[str]:
    """Words of subjects, by chance and yet the same ones; a third with filters."""
    chance = random.Random(5)
    rows = index.connection.execute(
        "SELECT subject FROM commits WHERE NOT is_merge ORDER BY hash LIMIT 4000"
    ).fetchall()
    people = [name for name, _ in index.surroundings.people()]
    while True:
        words = " ".join(
            chance.choices(chance.choice(rows)[0].split() + chance.choice(rows)[0].split() or ["lease"], k=4)
        )
        kind = chance.randrange(3)
        yield words if kind < 2 else f'author:"{chance.choice(people)}" after:2015 {words}'
