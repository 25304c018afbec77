"""Query latency: hybrid search through `postil search --batch`, beside SQLite's FTS5 alone and ripgrep, in one run.

At some 50,000 passages of real code and notes, and at 100,000 and 1,000,000 of made-up trees (synthetic.py). All times
are of one process that answers one query after the other; the first of them loads the model and is in the figures.
Memory is what the processes of a command have of their own, together, at the most: looked at ten times a second.
"""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from measuring import Postil, percentile, sample_passages, table, write_result
from synthetic import make_tree
from synthetic import queries as made_up
from trees import check_out, together

from postil_indexers.store.packing import unpack_text

REPOSITORIES = ("redis/redis", "abseil/abseil-cpp", "pallets/click", "rack/rack", "spf13/cobra")
_QUERIES = 150
_SLOW_TOOL_QUERIES = 30  # of the same ones, for a tool that reads the whole tree each time
_REAL, _MIDDLE, _LARGE = "real", "made up", "made up, large"
_MADE_UP = {_MIDDLE: 100_000, _LARGE: 1_000_000}  # passages
_BOUNDS = {_REAL: (15.0, 40.0), _MIDDLE: (None, 25.0), _LARGE: (None, 120.0)}  # p50, p95 in ms
_MEMORY_MB = 1_500  # of whoever asks and whoever indexes the largest tree, together
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_LIMIT = 50


@dataclass
class Peak:
    """The most memory that this process's children have had of their own, in MB."""

    mb: float = 0.0


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    real = together([check_out(mirror, name, work / "trees") for name in REPOSITORIES], work / "fifty-thousand")
    trees = {_REAL: real, **{name: make_tree(work / f"synthetic-{size}", size) for name, size in _MADE_UP.items()}}
    rows, memory, verdicts = [], [], []
    for name, tree in trees.items():
        postil = Postil(work)
        with _memory() as writing:
            indexed = postil.index(tree, fresh=True)
        index = postil.index_file(tree)
        asked = list(_real_queries(index)) if name == _REAL else list(made_up(2, _QUERIES))
        with _memory() as reading:
            answers = [answer["elapsed_ms"] for answer in postil.search(tree, asked)]
        chunks = _count(index)
        for tool, times in (
            ("Postil, hybrid", answers),
            ("FTS5 alone", _fts5(index, work / f"{tree.name}-fts5.db", asked)),
            (_grep_name(), _grep(tree, asked[:_SLOW_TOOL_QUERIES])),
        ):
            p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
            rows.append((name, f"{chunks:,}", tool, len(times), f"{p50:.1f}", f"{p95:.1f}", f"{times[0]:.1f}"))
            print(*rows[-1], flush=True)
        gigabytes = f"{index.stat().st_size / 1e9:.2f}"
        memory.append(
            (name, f"{chunks:,}", f"{indexed['wall']:.0f}", gigabytes, f"{writing.mb:.0f}", f"{reading.mb:.0f}")
        )
        print(*memory[-1], flush=True)
        verdicts += list(_verdicts(name, chunks, answers, writing.mb + reading.mb))
    said = (
        f"Real: {', '.join(REPOSITORIES)} in one tree; queries are names of definitions, words of passages and "
        "questions, in turn. Made up: words by Zipf's law, `synthetic.py`. FTS5 alone: the passages' text in a table "
        f"of its own with the unicode61 tokenizer, any of the query's words, best {_LIMIT} by BM25. The searching tool "
        "gets the query's words as fixed strings, ignoring case, lists files, starts a process a query, and answers "
        f"the first {_SLOW_TOOL_QUERIES} queries."
    )
    header = ("tree", "passages", "tool", "queries", "p50 ms", "p95 ms", "first ms")
    held = ("tree", "passages", "s to index", "index GB", "MB while indexed from nothing", "MB while asked")
    parts = [said, table(header, rows), table(held, memory), "\n".join(text for _, text in verdicts)]
    write_result(out, "Queries", command, parts, {})
    return all(met for met, _ in verdicts)


def _verdicts(name: str, chunks: int, answers: Sequence[float], held_mb: float) -> Iterator[tuple[bool, str]]:
    middle, tail = _BOUNDS[name]
    p50, p95 = percentile(answers, 0.5), percentile(answers, 0.95)
    met = p95 <= tail and (middle is None or p50 <= middle)
    bounds = f"p95 {tail:.0f} ms" if middle is None else f"p50 {middle:.0f} ms, p95 {tail:.0f} ms"
    yield met, f"- {name}, {chunks:,} passages: bound {bounds}: {_judged(met)}"
    if name == _LARGE:
        met = held_mb <= _MEMORY_MB
        yield met, f"- {name}: bound {_MEMORY_MB:,} MB for both together: {held_mb:,.0f} MB, {_judged(met)}"


def _judged(met: bool) -> str:
    return "met" if met else "not met"


@contextmanager
def _memory() -> Iterator[Peak]:
    """Of all processes started in it."""
    peak, over = Peak(), threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            peak.mb = max(peak.mb, sum(map(_own_mb, psutil.Process().children(recursive=True))))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def _own_mb(process: psutil.Process) -> float:
    """Without the pages of files that it maps, which the system can drop."""
    try:
        memory = process.memory_info()
    except psutil.Error:  # it has ended
        return 0.0
    return float(memory.rss - getattr(memory, "shared", 0)) / 1e6


def _real_queries(index: Path) -> Iterator[str]:
    chance = random.Random(3)
    with sqlite3.connect(index) as rows:
        names = [
            row[0] for row in rows.execute("SELECT DISTINCT name FROM definitions WHERE length(name) > 4 ORDER BY name")
        ]
    texts = sample_passages(index, 2_000)
    for number in range(_QUERIES):
        words = _WORD.findall(chance.choice(texts)) or ["error"]
        if number % 3 == 0:
            yield chance.choice(names)
        elif number % 3 == 1:
            yield " ".join(chance.choices(words, k=4))
        else:
            one, two, three = chance.choices(words, k=3)
            yield f"how does {one} handle {two} when the {three} is set"


def _count(index: Path) -> int:
    with sqlite3.connect(index) as rows:
        return int(rows.execute("SELECT count(*) FROM chunks").fetchone()[0])


def _fts5(index: Path, file: Path, asked: Sequence[str]) -> list[float]:
    file.unlink(missing_ok=True)
    with sqlite3.connect(file) as plain:
        plain.execute("CREATE VIRTUAL TABLE texts USING fts5(text, content='')")
        with sqlite3.connect(index) as rows:
            texts = ((i, unpack_text(packed)) for i, packed in rows.execute("SELECT id, text FROM chunks"))
            plain.executemany("INSERT INTO texts(rowid, text) VALUES(?,?)", texts)
        plain.commit()
        times = []
        for query in asked:
            started = time.perf_counter()
            expression = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
            plain.execute(
                f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT {_LIMIT}", (expression,)
            ).fetchall()
            times.append((time.perf_counter() - started) * 1e3)
    file.unlink()
    return times


def _grep_name() -> str:
    return "ripgrep" if shutil.which("rg") else "git grep"


def _grep(tree: Path, asked: Sequence[str]) -> list[float]:
    times = []
    for query in asked:
        words = [argument for word in re.findall(r"\w+", query) for argument in ("-e", word)]
        if _grep_name() == "ripgrep":
            line = ["rg", "-i", "-l", "-F", "--hidden", *words, str(tree)]
        else:
            line = ["git", "grep", "--no-index", "-i", "-l", "-F", *words, "--", str(tree)]
        started = time.perf_counter()
        subprocess.run(line, capture_output=True, check=False)
        times.append((time.perf_counter() - started) * 1e3)
    return times
