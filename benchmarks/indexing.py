"""Indexing speed: Postil (words and static vectors, files to disk) beside semble's chunking and BM25 in memory.

Both read the same files: those of a tree that both index, by hard links in a tree of their own. Runs alternate.
"""

from __future__ import annotations

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from measuring import Postil, table, write_result
from trees import check_out, only, size

REPOSITORIES = ("redis/redis", "trpc/trpc", "ocaml/dune", "pytest-dev/pytest", "abseil/abseil-cpp")
SEMBLE = "semble==0.7.0"
_RUNS = 3
_BOUND = 2.0  # times semble's seconds


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    python = semble_python(work / "semble")
    rows, ratios = [], []
    for repository in REPOSITORIES:
        tree = _common_tree(check_out(mirror, repository, work / "trees"), work, python)
        megabytes = size(tree, _files(tree)) / 1e6
        ours, theirs = [], []
        for _ in range(_RUNS):
            theirs.append(_semble(python, tree))
            ours.append(Postil(work).index(tree, fresh=True))
        postil, semble = _median(ours, "seconds"), _median(theirs, "seconds")
        ratios.append(postil / semble)
        rows.append(
            (
                repository, f"{megabytes:.1f}", len(_files(tree)), ours[0]["chunks"], theirs[0]["chunks"],
                f"{postil:.2f}", f"{semble:.2f}", f"{postil / megabytes:.2f}", f"{semble / megabytes:.2f}",
                f"{postil / semble:.2f}", f"{_median(ours, 'cpu') / _median(theirs, 'cpu'):.2f}",
            )
        )  # fmt: skip
        print(" ".join(map(str, rows[-1])), flush=True)
    mean = statistics.geometric_mean(ratios)
    met = mean <= _BOUND
    said = (
        f"Medians of {_RUNS} alternating runs, on the files that both index. Seconds of Postil are its own count of a "
        "whole first `postil index --no-history`, with the prose model switched off; those of semble its "
        "`create_index_from_path` with a model that returns zeros, after imports. CPU counts both processes whole, "
        "imports included.\n\n"
        f"Geometric mean of the ratios: **{mean:.2f}**; the bound is {_BOUND:.0f}: {'met' if met else 'not met'}."
    )
    header = (
        "tree", "MB", "files", "chunks", "semble's", "s", "semble's", "s/MB", "semble's", "ratio", "ratio of CPU",
    )  # fmt: skip
    write_result(out, "Indexing", command, [said, table(header, rows)], {"semble": SEMBLE.split("==")[1]})
    return met


def _median(runs: list[dict[str, Any]], name: str) -> float:
    return statistics.median(run[name] for run in runs)


def _files(tree: Path) -> list[str]:
    return [str(file.relative_to(tree)) for file in tree.rglob("*") if file.is_file()]


def _common_tree(tree: Path, work: Path, python: Path) -> Path:
    common = work / "common" / tree.name
    if not common.is_dir():
        postil = Postil(work)
        postil.index(tree)
        with sqlite3.connect(postil.index_file(tree)) as index:
            ours = {os.fsdecode(path) for (path,) in index.execute("SELECT path FROM documents")}
        only(tree, sorted(ours.intersection(_semble(python, tree)["files"])), common)
    return common


def _semble(python: Path, tree: Path) -> dict[str, Any]:
    before = os.times()
    script = Path(__file__).with_name("semble_indexing.py")
    done = subprocess.run([python, script, tree], capture_output=True, text=True, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {**json.loads(done.stdout), "cpu": cpu}


def semble_python(folder: Path) -> Path:
    """semble in an environment of its own: it needs other versions than Postil may."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", SEMBLE], check=True)
    return python
