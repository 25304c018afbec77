"""Kills at random moments, and other mishaps: the index is whole afterwards, and what a clean run makes of the tree.

SIGKILL goes to the worker, to one of the processes that it started, or to both, while it makes a first index, follows
a change of the tree, makes a damaged index anew, or changes to another model. Each time: the file passes SQLite's
integrity check at once, nothing is left running, the next `postil index` succeeds, and then the index holds exactly
what one does that was never disturbed (every row, term, link and vector). The mishaps are in mishaps.py.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import mishaps
import psutil
from desk import Desk, git
from killing import PLAIN, Clean, Dump, copy_tree, differences, dump, make_tree, stand_in_models, states
from measuring import table, write_result

from postil_indexers.errors import PostilError
from postil_indexers.store.index import open_index
from postil_indexers.worker.client import call_worker

KILLS = 300
_AT_ONCE = 2
_SHARES = {"first index": 0.25, "update": 0.35, "rebuild": 0.15, "model change": 0.25}
_VICTIMS = ("worker", "worker", "worker", "reader", "both")
_NUMBERED = ("background:", "known_share:")
_LEFT_S = 5.0  # in which what a worker started is to be gone
_NO_READER_S = 3.0


@dataclass
class Tally:
    """Of one kind of kill."""

    victims: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)


class Track:
    """One workspace and one index, killed again and again."""

    def __init__(self, number: int, tree: Path, work: Path, clean: Clean, models: dict[str, str]) -> None:
        self._chance = random.Random(number)
        self._clean = clean
        self._models = models
        self._model = "one"
        self._damaged = 0  # number of the file that a rebuild begins with
        root = copy_tree(tree, work / f"kills-tree-{number}")
        self._plain = self._desk = Desk(work / f"kills-desk-{number}", root, PLAIN)
        self._with_models = Desk(work / f"kills-models-desk-{number}", root, models[self._model])
        self._state = states()[0]
        git(root, "checkout", "-q", "-f", self._state)
        self._spans = dict.fromkeys(_SHARES, 2.0)  # seconds that this work takes: kills are spread over them
        self._tallies: dict[str, Tally] = {kind: Tally() for kind in _SHARES}

    def run(self, rounds: Sequence[str], done: Callable[[], None]) -> dict[str, Tally]:
        for desk in (self._plain, self._with_models):
            desk.postil("index", "--json")  # what is made once for a machine is made
        for kind in _SHARES:
            self._begin(kind)
            began = time.monotonic()
            self._desk.idle()
            self._spans[kind] = max(0.3, time.monotonic() - began)
            self._desk.end()
        for kind in rounds:
            self._round(kind, self._tallies[kind])
            done()
        return self._tallies

    def _begin(self, kind: str) -> subprocess.Popen[bytes]:
        """Start that kind of work; the worker answers by now."""
        self._desk = desk = self._with_models if kind == "model change" else self._plain
        if kind == "first index":
            shutil.rmtree(desk.folder, ignore_errors=True)
        elif kind == "rebuild":
            with desk.index_path.open("r+b") as file:
                file.write(os.urandom(4096))
            self._damaged = desk.index_path.stat().st_ino
        elif kind == "model change":
            self._model = "two" if self._model == "one" else "one"
            desk.set(self._models[self._model])
        worker = desk.start()
        with desk.client() as client:
            if kind == "update":
                client.request("wait")
        if kind == "update":
            self._state = self._chance.choice([state for state in states() if state != self._state])
            git(desk.root, "checkout", "-q", "-f", self._state)
        return worker

    def _round(self, kind: str, tally: Tally) -> None:
        worker = self._begin(kind)
        victim = self._chance.choice(_VICTIMS)
        family = psutil.Process(worker.pid)
        time.sleep(self._chance.uniform(0.0, self._spans[kind]))
        hit = self._kill(family, victim)
        tally.victims[hit] += 1
        if hit == "reader":
            try:
                self._desk.idle()
            except PostilError as error:  # as the user would be told
                tally.found["failed"] += 1
                tally.said.append(f"{kind}: the worker, when a reader was killed: {error}")
        else:
            worker.wait()
        self._look(kind, tally, hit)
        self._desk.end()

    def _kill(self, worker: psutil.Process, victim: str) -> str:
        """Who was killed in the end: where nobody reads for a while, the worker itself is."""
        if victim != "worker":
            deadline = time.monotonic() + _NO_READER_S
            while not (children := worker.children(recursive=True)) and time.monotonic() < deadline:
                time.sleep(0.005)
            if children:
                time.sleep(self._chance.uniform(0.0, 0.2))
                children = worker.children(recursive=True) or children
                _kill(self._chance.choice(children))
            else:
                victim = "worker"
        self._children = worker.children(recursive=True)
        if victim != "reader":
            _kill(worker)
        return victim

    def _look(self, kind: str, tally: Tally, hit: str) -> None:
        desk = self._desk
        found, said = tally.found, tally.said
        path = desk.index_path
        found["kills"] += 1
        found["at work"] += not _is_settled(path)
        if hit != "reader":
            alive = [each for each in psutil.wait_procs(self._children, timeout=_LEFT_S)[1] if not _has_ended(each)]
            found["left running"] += bool(alive)
            said += [f"{kind}, {hit}: left running: {process}" for process in alive]
            for process in alive:
                _kill(process)
        # where the worker was killed before it set the damaged file aside, that is what lies there, as we made it
        is_ours = kind == "rebuild" and path.is_file() and path.stat().st_ino == self._damaged
        problems = integrity(path) if path.is_file() and not is_ours else []
        found["unsound"] += bool(problems)
        said += [f"{kind}, {hit}: {problem}" for problem in problems[:2]]
        if hit == "reader" and call_worker(desk.folder) is None:
            found["worker ended"] += 1
            said.append(f"{kind}: the worker ended with a reader")
        done = desk.postil("index", "--json")
        if done.status or done.has_traceback:
            found["next run failed"] += 1
            said.append(f"{kind}, {hit}: the next run: {done.out[-300:]} {done.err[-600:]}")
            return
        wanted = _comparable(self._clean.dump(self._state, desk.settings))
        with open_index(path) as index:
            held = _comparable(dump(index))
        paths, whole = Counter(row[0] for row in held["documents"]), Counter(row[0] for row in wanted["documents"])
        found["missing"] += bool(whole - paths)
        found["doubled"] += bool(paths - whole)
        different = "" if held == wanted else differences(held, wanted)
        found["different"] += bool(different)
        if different:
            said.append(f"{kind}, {hit}, {self._state}: {different[:600]}")


def _comparable(held: Dump) -> Dump:
    """Without what is kept under a model's number, which says how many models there were before."""
    return {**held, "meta": [row for row in held["meta"] if not str(row[0]).startswith(_NUMBERED)]}


def _kill(process: psutil.Process) -> None:
    try:
        os.kill(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def integrity(path: Path) -> list[str]:
    """SQLite's own check, with nothing of ours; empty where all is well."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)")]
    except apsw.Error as error:
        said = [str(error)]
    finally:
        connection.close()
    return [] if said == ["ok"] else said


def _has_ended(process: psutil.Process) -> bool:
    """Also of one that ended and that the system's first process has not taken note of yet."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _is_settled(path: Path) -> bool:
    try:
        with open_index(path) as index:
            return index.get("settled") is not None
    except PostilError:  # not there, or half made: what it is is looked at below
        return False


def run(mirror: Path, work: Path, out: Path, command: str, kills: int = KILLS) -> bool:
    tree = make_tree(mirror, work)
    clean = Clean(tree, work)
    rounds = [kind for kind, share in _SHARES.items() for _ in range(round(share * kills))]
    random.Random(7).shuffle(rounds)
    counted, lock = Counter[str](), threading.Lock()

    def done() -> None:
        with lock:
            counted["done"] += 1
            if counted["done"] % 20 == 0:
                print(f"{counted['done']} of {len(rounds)} kills", flush=True)

    with stand_in_models() as models, ThreadPoolExecutor(_AT_ONCE) as threads:
        tracks = [Track(number, tree, work, clean, models) for number in range(_AT_ONCE)]
        results = list(threads.map(lambda pair: pair[1].run(rounds[pair[0] :: _AT_ONCE], done), enumerate(tracks)))
    rows, said = _rows(results)
    bad = sum(row_bad for _, row_bad in rows)
    happened = mishaps.run(tree, work, clean)
    header = (
        "while", "kills", "of worker", "of a reader", "of both", "at work", "unsound", "next run failed", "missing",
        "doubled", "different", "left running", "worker ended", "worker failed",
    )  # fmt: skip
    parts = [
        f"{len(rounds)} kills; the bound is that none leaves anything behind: "
        f'{"met" if not bad else "not met"}. "At work": the index was not yet up to its tree. "Different": from '
        "what an undisturbed index of the same tree holds, row by row, after the next run.",
        table(header, [row for row, _ in rows]),
        *(["\n".join(f"- {line}" for line in said[:20])] if said else []),
        *happened.parts,
    ]
    write_result(out, "Kills", command, parts, {})
    return not bad and happened.met


def _rows(results: Sequence[dict[str, Tally]]) -> tuple[list[tuple[tuple[object, ...], int]], list[str]]:
    rows, said = [], []
    for kind in _SHARES:
        tallies = [result[kind] for result in results]
        victims = sum((tally.victims for tally in tallies), Counter[str]())
        found = sum((tally.found for tally in tallies), Counter[str]())
        bad = [found[name] for name in _BAD]
        rows.append(
            (
                (kind, found["kills"], victims["worker"], victims["reader"], victims["both"], found["at work"], *bad),
                sum(bad),
            )
        )
        said += [line for tally in tallies for line in tally.said]
    return rows, said


_BAD = ("unsound", "next run failed", "missing", "doubled", "different", "left running", "worker ended", "failed")
