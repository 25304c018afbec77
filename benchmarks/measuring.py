"""What the benchmarks share: Postil run as a command, percentiles, and dated tables."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postil_indexers.store.packing import unpack_text

_VERSIONS = ("postil", "apsw", "sqlite-vec", "tree-sitter", "numpy")
_NO_PROSE = '[embedding]\nprose = ""\n'
_NO_VECTORS = '[embedding]\nprose = ""\nstatic = ""\n'


# A process that is started by a large one counts that one's memory as its own peak, so a small one stands between.
_PEAK = (
    "import resource, subprocess, sys; ended = subprocess.call(sys.argv[2:]); "
    "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)); sys.exit(ended)"
)


@dataclass(frozen=True)
class Postil:
    """The command, with an index folder and settings of its own."""

    work: Path
    prose: bool = False  # whether passages of notes get a transformer's vectors as well
    history: bool = False  # whether commits are indexed as well

    def index(
        self, tree: Path, *, fresh: bool = False, only_history: bool = False, only_words: bool = False
    ) -> dict[str, Any]:
        """Statistics as printed, with the seconds of the whole process as "wall", its CPU seconds as "cpu", and the
        largest memory that it or a process of its had as "peak_mb".

        An index that is already there is brought up to date, unless it is to be made afresh. With `only_words` nothing
        gets a vector, and the next run makes them.
        """
        if fresh:
            shutil.rmtree(self._folder(tree), ignore_errors=True)
        commits = ["--only-history"] if only_history else [] if self.history else ["--no-history"]
        before, started = os.times(), time.perf_counter()
        words = (_NO_VECTORS, "no-vectors.toml") if only_words else None
        peak = self.work / "peak"
        said = self._run("index", str(tree), *commits, "--yes", "--json", tree=tree, settings=words, peak=peak)
        wall, after = time.perf_counter() - started, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        peak_mb = int(peak.read_text()) / 1024
        return {**json.loads(said.splitlines()[-1]), "wall": wall, "cpu": cpu, "peak_mb": peak_mb}

    def search(self, tree: Path, queries: Sequence[str]) -> list[dict[str, Any]]:
        """An answer a query, in order, all from one process."""
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False, encoding="utf-8") as batch:
            for number, query in enumerate(queries):
                batch.write(json.dumps({"id": number, "query": query}) + "\n")
        try:
            done = self._run("search", str(tree), "--batch", batch.name, "--json", tree=tree)
        finally:
            Path(batch.name).unlink()
        return [json.loads(line) for line in done.splitlines()]

    def index_file(self, tree: Path) -> Path:
        (found,) = self._folder(tree).rglob("index-*.db")
        return found

    def index_bytes(self, tree: Path) -> int:
        """On disk, all of it."""
        return sum(file.stat().st_size for file in self._folder(tree).rglob("*") if file.is_file())

    def _folder(self, tree: Path) -> Path:
        return self.work / "index" / (tree.name + "+prose" * self.prose + "+history" * self.history)

    def _run(
        self, *arguments: str, tree: Path, settings: tuple[str, str] | None = None, peak: Path | None = None
    ) -> str:
        """`settings`: a text and the name of its file, other than those of all runs. `peak`: where to write KiB."""
        text, name = settings or (("", "prose.toml") if self.prose else (_NO_PROSE, "no-prose.toml"))
        config = self.work / name
        config.write_text(text, encoding="utf-8")
        environment = {
            **os.environ,
            "POSTIL_INDEX_DIR": str(self._folder(tree)),
            "POSTIL_CONFIG": str(config),
            # compiled once, as an installation is, whatever the environment says of it
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(self.work / "bytecode"),
        }
        through = () if peak is None else (sys.executable, "-c", _PEAK, str(peak))
        command = [*through, "postil", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            sys.exit(f"postil {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout


def sample_passages(index: Path, count: int, kind: str = "%", shortest: int = 200) -> list[str]:
    """Texts of passages by hash: chance, and yet the same ones for the same tree."""
    with sqlite3.connect(index) as rows:
        found = rows.execute(
            "SELECT text FROM chunks WHERE kind LIKE ? AND symbol <> 'front_matter' ORDER BY hash LIMIT ?",
            (kind, 2 * count),
        )
        texts = [unpack_text(packed) for (packed,) in found]
    return [text for text in texts if len(text) >= shortest][:count]


def percentile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_result(out: Path, title: str, command: str, parts: Iterable[str], versions: Mapping[str, str]) -> None:
    """A dated page: when, on what, by which command, then the parts."""
    own = {name: _version(name) for name in _VERSIONS}
    known = ", ".join(f"{name} {version}" for name, version in {**own, **versions}.items())
    head = (
        f"# {title}\n\n{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {os.cpu_count()} shared cores, "
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {known}. "
        f"Load average {os.getloadavg()[0]:.1f} at the end: with others at work, times grow and ratios count."
        f"\n\n    {command}\n"
    )
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{title.lower().replace(' ', '_')}.md"
    file.write_text("\n\n".join([head.rstrip(), *parts]) + "\n", encoding="utf-8")
    print(file.read_text(encoding="utf-8"))


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
