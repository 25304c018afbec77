"""Real input, whole: repositories of thousands of files and folders of over a thousand notes, indexed completely."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from measuring import Postil, percentile, sample_passages, table, write_result
from trees import check_out

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder

REPOSITORIES = ("ocaml/dune", "JetBrains/Exposed", "MicrosoftDocs/PowerShell-Docs", "obsidianmd/obsidian-help")
_QUERIES = 100
_SAMPLE = 96  # passages that the transformer's rate is measured on


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    prose = load_embedder(EmbedderSpec("packaged"), str(work / "models"))
    rows, skips, rates, complete = [], [], [], True
    for repository in REPOSITORIES:
        tree = check_out(mirror, repository, work / "trees")
        postil = Postil(work)
        stats = postil.index(tree, fresh=True)
        index = postil.index_file(tree)
        text, notes, by_reason = _facts(index)
        times = [answer["elapsed_ms"] for answer in postil.search(tree, list(_queries(index)))]
        seen = sum(len(files) for _, _, files in os.walk(tree))
        disk = postil.index_bytes(tree)
        complete = complete and stats["failed"] == 0
        rows.append(
            (
                repository, f"{seen:,}", f"{stats['files']:,}", f"{notes:,}", f"{stats['chunks']:,}",
                f"{text / 1e6:.1f}", f"{stats['seconds']:.1f}", f"{text / 1e6 / stats['seconds']:.2f}",
                f"{disk / 1e6:.1f}", f"{disk / text:.2f}",
                f"{percentile(times, 0.5):.1f}", f"{percentile(times, 0.95):.1f}",
            )
        )  # fmt: skip
        print(*rows[-1], flush=True)
        skips += [(repository, state, reason or "-", f"{count:,}") for state, reason, count in by_reason]
        if prose is not None and notes > 100:
            rates.append((repository, *_rate(index, prose)))
    header = (
        "tree", "files", "indexed", "notes", "passages", "text MB", "s", "MB/s", "index MB", "index / text",
        "query p50 ms", "query p95 ms",
    )  # fmt: skip
    parts = [
        "Words and static vectors of everything, without commits, first run, files to disk. Queries are names and "
        "words from the tree itself; one process answers them all, the first loads the model.",
        table(header, rows),
        "What became of what is not indexed (a folder that is not entered counts once):",
        table(("tree", "state", "reason", "count"), skips),
        f"The transformer's vectors of notes follow behind; its rate on {_SAMPLE} passages of each collection, and "
        "what that makes for all of them:",
        table(("tree", "passages of notes", "passages/s", "minutes for all"), rates),
    ]
    write_result(out, "Real input", command, parts, {})
    return complete


def _facts(index: Path) -> tuple[int, int, Sequence[tuple[str, str, int]]]:
    """(bytes of the indexed files, notes, what was left out by state and reason)"""
    with sqlite3.connect(index) as rows:
        (text,) = rows.execute("SELECT sum(size) FROM documents").fetchone()
        (notes,) = rows.execute("SELECT count(*) FROM documents WHERE kind='note'").fetchone()
        left = rows.execute(
            "SELECT state, reason, count(*) FROM ledger WHERE state <> 'indexed' GROUP BY 1, 2 ORDER BY 3 DESC"
        ).fetchall()
    return text, notes, left


def _queries(index: Path) -> Iterator[str]:
    chance = random.Random(5)
    with sqlite3.connect(index) as rows:
        names = [r[0] for r in rows.execute("SELECT DISTINCT name FROM definitions ORDER BY name")] or ["install"]
    texts = sample_passages(index, 1_000)
    for number in range(_QUERIES):
        words = re.findall(r"[A-Za-z]\w{3,}", chance.choice(texts)) or ["settings"]
        yield chance.choice(names) if number % 3 == 0 else " ".join(chance.choices(words, k=3 + number % 3))


def _rate(index: Path, prose: Embedder) -> tuple[str, str, str]:
    with sqlite3.connect(index) as rows:
        (count,) = rows.execute("SELECT count(*) FROM chunks WHERE kind='note'").fetchone()
    texts = sample_passages(index, _SAMPLE, "note", shortest=1)
    prose.embed(texts[:4])
    started = time.perf_counter()
    prose.embed(texts)
    rate = len(texts) / (time.perf_counter() - started)
    return f"{count:,}", f"{rate:.1f}", f"{count / rate / 60:.0f}"
