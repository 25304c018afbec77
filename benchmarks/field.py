"""Quality against time: Postil beside semble, SQLite's FTS5 alone, ripgrep and git grep, on the same trees and queries.

Each query is put to all tools in turn, in one process, so that whatever else the machine does is shared out evenly.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration_cases import Scripts
from field_tools import GIT_GREP, RIPGREP, Ask, Semble, Tool, Workplace, fts5, grep, postil
from indexing import SEMBLE, semble_python
from measuring import Postil, percentile, table, write_result
from svgplot import Axes, Point, write_plot

_CATEGORIES = ("architecture", "semantic", "symbol")
_COMMAND = "python benchmarks/run.py --mirror DIR --scripts DIR field"
_SAID = """NDCG@10 is the mean over repositories, that of a category the mean over its queries; ten places are judged a
query, by the same function for each tool. Each query is put to all tools in turn, in one process.

- **Postil**: `search` as the server calls it, static vectors, no prose model; its index is a file, and each hit's file
  is looked at for changes. Seconds are its own count of a whole first index.
- **semble**: its own chunks, words, vectors and rules as a library, all in memory, its default content (code), without
  the statistics that its command writes. Lexical: vectors weigh nothing, and its model gives zeros at once. Hybrid: its
  model is the static table of Postil, given the texts of its chunks. Its own table is not at hand.
- **FTS5 alone**: the text of Postil's passages, unicode61, any of the query's words, by bm25. Seconds are those of the
  table alone.
- **ripgrep, git grep**: words of three characters and more as fixed strings, ignoring case. Files by how many different
  words they hold, then by how often. A hit is a whole file, so that ten hits are ten files and any line of one counts.
  **Each starts a process a query**, which the others do not; milliseconds have that and the counting in them."""
_STEPS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)  # ms
_PUBLISHED = (
    "Published for these repositories and queries, not measured here: semble with its own table 0.864, CodeRankEmbed "
    "(a transformer of 137 million parameters), hybrid, 0.870."
)


@dataclass(frozen=True)
class Answered:
    """One query of a repository, and what a tool made of it."""

    repository: str
    category: str
    ndcg: float
    ms: float


@dataclass(frozen=True)
class Measured:
    """A tool on all trees."""

    answered: list[Answered] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # to index each tree; none of a tool that keeps no index

    def quality(self) -> float:
        """Mean over repositories, as the script has it."""
        of: dict[str, list[float]] = {}
        for each in self.answered:
            of.setdefault(each.repository, []).append(each.ndcg)
        return statistics.mean(map(statistics.mean, of.values()))

    def category(self, name: str) -> float:
        found = [each.ndcg for each in self.answered if each.category == name]
        return statistics.mean(found) if found else 0.0

    def ms(self, share: float) -> float:
        return percentile((each.ms for each in self.answered), share)


def run(mirror: Path, work: Path, out: Path, scripts_folder: Path) -> bool:
    scripts, tools, work = Scripts(scripts_folder, mirror), _tools(work), work / "field"
    measured = {name: Measured() for name in tools}
    for spec in json.loads((scripts.folder / "code" / "repos.json").read_text()):
        root = scripts.checkout(spec, work / "code")
        if root is None:
            continue
        tasks = json.loads((scripts.folder / "code" / "annotations" / f"{spec['name']}.json").read_text())
        own_work = work / "code-index" / spec["name"]  # many roots are named "src"
        own_work.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            place = Workplace(root.resolve(), Postil(own_work), stack)
            ready = {name: tool(place) for name, tool in tools.items()}
            for name, each in ready.items():
                measured[name].seconds.extend([] if each.seconds is None else [each.seconds])
            for task in tasks:
                for name, each in ready.items():
                    measured[name].answered.append(_answered(scripts, spec["name"], task, each.ask))
        print(spec["name"], *(f"{name} {one.quality():.3f}" for name, one in measured.items()), flush=True)
    write_result(out, "Field", _COMMAND, _parts(measured), {"semble": SEMBLE.split("==")[1]})
    points = [Point(name, (one.ms(0.5), one.quality())) for name, one in measured.items()]
    write_plot(out / "field.svg", axes(points), points=points)
    return True


def _tools(work: Path) -> dict[str, Tool]:
    """In the order in which they are made ready: FTS5 takes Postil's passages."""
    folder = work / "semble"
    semble_python(folder)
    semble = Semble(Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})))
    greps = {"ripgrep": RIPGREP, "git grep": GIT_GREP}
    return {
        "Postil": postil,
        "semble, hybrid, our table": semble.hybrid,
        "semble, lexical": semble.lexical,
        "FTS5 alone": fts5,
        **{name: grep(command) for name, command in greps.items() if shutil.which(command[0])},
    }


def _answered(scripts: Scripts, repository: str, task: Mapping[str, Any], ask: Ask) -> Answered:
    started = time.perf_counter()
    hits = ask(task["query"])
    ms = (time.perf_counter() - started) * 1e3
    return Answered(repository, scripts.category(task), scripts.ndcg(task, hits), ms)


def _parts(measured: Mapping[str, Measured]) -> Iterator[str]:
    answered = next(iter(measured.values())).answered
    repositories = len({each.repository for each in answered})
    counts = ", ".join(f"{sum(each.category == name for each in answered)} {name}" for name in _CATEGORIES)
    yield f"{repositories} repositories, {len(answered)} queries ({counts}).\n\n{_SAID}"
    header = ("tool", "NDCG@10", *_CATEGORIES, "p50 ms", "p95 ms", "s to index all")
    yield table(header, (_row(name, one) for name, one in measured.items()))
    yield "![Quality against time](field.svg)"
    yield _PUBLISHED


def _row(name: str, one: Measured) -> tuple[str, ...]:
    quality = (one.quality(), *(one.category(category) for category in _CATEGORIES))
    seconds = f"{sum(one.seconds):.1f}" if one.seconds else ""
    return name, *(f"{figure:.3f}" for figure in quality), f"{one.ms(0.5):.1f}", f"{one.ms(0.95):.1f}", seconds


def axes(points: Sequence[Point]) -> Axes:
    """With room for all points: milliseconds by the logarithm."""
    fastest, slowest = min(point.at[0] for point in points), max(point.at[0] for point in points)
    steps = [step for step in _STEPS if fastest / 2.5 < step < slowest * 2.5]
    return Axes(
        title="Code search on public repositories: quality against time",
        x="milliseconds a query (median)",
        y="NDCG@10",
        x_range=(min(steps[0], fastest), max(steps[-1], slowest)),
        y_range=(0.5 if min(point.at[1] for point in points) > 0.5 else 0.0, 1.0),
        x_steps=steps,
    )
