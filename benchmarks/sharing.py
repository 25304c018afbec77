"""One index, two would-be workers and twenty readers, over a tree that changes all the time.

The tree is made up (synthetic.py), of 100,000 passages in a repository. A mutator edits, adds, renames and deletes
files, commits and switches branches, more in these minutes than a person does in an hour; at first the workers are
ended in turn, half of the times by SIGKILL, and started again soon, so that there are two that want the lock. The
same readers run before that over the same tree at rest: what a wait costs besides the processor's being busy.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from desk import Desk, eventually, git
from measuring import percentile, table, write_result
from synthetic import Words, make_tree

from postil_indexers.files import scan
from postil_indexers.seen import Skip
from postil_indexers.store.index import open_index

_READERS = 20
_PAUSE_S = 1.5  # between two searches of one reader
_REST_S = 40.0  # over the tree at rest
_EDIT_S = 0.4  # between two changes of the tree
_END_WORKER_S = 25.0  # between two ends of the worker at work, in the first part of the time
_ENDED_SHARE = 0.4  # that part; the last worker has the rest, in which its memory is to stay as it is
_HIRED_AGAIN_S = 5.0  # after which one that ended is started again: starting costs half a second of a processor
_BUSY = 4  # the status of a command that finds the index being written
_MEGABYTE = 1 << 20
_BOUNDS = {"wait": 0.050, "wal": 64, "worker": 700, "reader": 300}  # seconds, megabytes
_FLAT = 1.10  # the median of the last third against that of the first

Row = tuple[str, str, str, str]


class Held(NamedTuple):
    """Memory of one process, in megabytes."""

    process: int
    whole: float  # resident
    own: float  # of it, what no file stands behind


@dataclass
class Samples:
    """Megabytes, as they were again and again."""

    wal: list[float] = field(default_factory=list)
    worker: list[Held] = field(default_factory=list)
    reader: list[Held] = field(default_factory=list)


def run(mirror: Path, work: Path, out: Path, command: str, seconds: float = 600.0, chunks: int = 100_000) -> bool:
    desk = Desk(work / f"sharing-desk-{chunks}", _tree(work, chunks))
    samples = Samples()
    crew = Crew(desk)
    try:
        with _sampled(desk, crew, samples, []):
            began = time.monotonic()
            crew.hire()
            built = time.monotonic() - began
        first = Samples(samples.wal[:], samples.worker[:])
        rest = _read(desk, crew, Samples(), _REST_S)
        motion_samples = Samples()
        with Mutator(desk.root) as mutator, crew.ended_in_turn(_ENDED_SHARE * seconds):
            motion = _read(desk, crew, motion_samples, seconds)
        desk.idle()
        time.sleep(2.0)
        desk.idle()
        wrong = _wrong(desk)
    finally:
        crew.dismiss()
        desk.end()
    rows = [*_waits(rest, motion), *_memory(first, motion_samples), *_work(crew, wrong)]
    with open_index(desk.index_path) as index:
        files, passages = index.documents.count()
    said = (
        f"{files:,} files in {passages:,} passages; {_READERS} readers for {seconds:.0f} s, each with a search every "
        f"{_PAUSE_S} s. The tree: {mutator.said()}. The first index (or the look for changes, where it was there) took "
        f"{built:.0f} s. A wait is what a reader spends on opening its snapshot and its first read neither on a "
        "processor nor in the queue for one."
    )
    header = ("what", "measured", "bound", "verdict")
    write_result(out, "Sharing", command, [said, table(header, rows)], {})
    return all(row[3] != "not met" for row in rows)


def _tree(work: Path, chunks: int) -> Path:
    """The made-up tree as a repository, as it was when it was made."""
    tree = work / f"sharing-tree-{chunks}"
    if not tree.is_dir():
        part = make_tree(tree.with_name(tree.name + ".made"), chunks)
        git(part, "init", "-q", "--initial-branch=main")
        git(part, "config", "gc.auto", "0")
        git(part, "add", "-A")
        git(part, "commit", "-q", "-m", "All of it")
        git(part, "tag", "base")
        part.rename(tree)
    git(tree, "checkout", "-q", "-f", "main")
    git(tree, "reset", "-q", "--hard", "base")
    git(tree, "clean", "-fdq")
    return tree


class Crew:
    """Two processes that want to be the worker: one is, the other tries again and again."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._over = threading.Event()
        self._chance = random.Random(8)
        self.ended: Counter[str] = Counter()
        self.hired = 0
        self._places: list[subprocess.Popen[bytes] | None] = [None, None]
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def hire(self) -> None:
        self._thread.start()
        eventually(self.worker)
        self._desk.idle()

    def worker(self) -> psutil.Process | None:
        """The one at work."""
        try:
            contact = json.loads(next(self._desk.folder.glob("worker-*.json")).read_text(encoding="utf-8"))
            return psutil.Process(contact["pid"])
        except (StopIteration, OSError, ValueError, psutil.Error):
            return None

    def _keep(self) -> None:
        while not self._over.is_set():
            for place, process in enumerate(self._places):
                if process is None or process.poll() is not None:
                    if process is not None:
                        self.ended[_how(process.returncode)] += 1
                        self._desk.started.remove(process)
                    if not self._over.is_set():
                        self._places[place] = self._desk.start()
                        self.hired += 1
            self._over.wait(_HIRED_AGAIN_S)

    @contextmanager
    def ended_in_turn(self, seconds: float) -> Iterator[None]:
        stop, until = threading.Event(), time.monotonic() + seconds

        def end() -> None:
            while not stop.wait(self._chance.uniform(0.5, 1.5) * _END_WORKER_S):
                worker = self.worker()
                if worker is not None and time.monotonic() < until:
                    worker.send_signal(self._chance.choice((signal.SIGTERM, signal.SIGKILL)))

        thread = threading.Thread(target=end, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def dismiss(self) -> None:
        self._over.set()
        self._thread.join()


def _how(status: int) -> str:
    if status == _BUSY:
        return "found the other at work"
    return {0: "told to", -signal.SIGKILL: "killed"}.get(status, f"status {status}")


class Mutator:
    """Changes the tree in a thread, from `with` to its end."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._chance = random.Random(9)
        self._words = Words(10)
        self._over = threading.Event()
        self._done: Counter[str] = Counter()
        self._thread = threading.Thread(target=self._change, daemon=True)

    def __enter__(self) -> Mutator:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def said(self) -> str:
        return ", ".join(f"{count:,} {what}" for what, count in self._done.items())

    def _change(self) -> None:
        what = (
            ["edits"] * 60 + ["new files"] * 10 + ["renames"] * 10 + ["deletions"] * 8 + ["commits"] * 4 + ["branches"]
        )
        steps = {
            "edits": self._edit, "new files": self._add, "renames": self._rename, "deletions": self._delete,
            "commits": self._commit, "branches": self._branch,
        }  # fmt: skip
        while not self._over.wait(self._chance.uniform(0.2, 1.8) * _EDIT_S):
            chosen = self._chance.choice(what)
            steps[chosen]()
            self._done[chosen] += 1

    def _file(self) -> Path:
        while True:
            folder = self._root / f"area{self._chance.randrange(2)}" / f"topic{self._chance.randrange(40)}"
            files = sorted(folder.glob("*.*")) if folder.is_dir() else []
            if files:
                return self._chance.choice(files)

    def _edit(self) -> None:
        file = self._file()
        lines = file.read_text(encoding="utf-8").split("\n")
        lines.insert(self._chance.randrange(len(lines)), f"    # {' '.join(self._words.draw(8))} {self._words.rare()}")
        file.write_text("\n".join(lines), encoding="utf-8")

    def _add(self) -> None:
        file = self._file()
        shutil.copyfile(file, file.with_stem(f"{file.stem}x{self._chance.randrange(10**6)}"))

    def _rename(self) -> None:
        file = self._file()
        file.rename(file.with_stem(f"moved{self._chance.randrange(10**6)}"))

    def _delete(self) -> None:
        self._file().unlink()

    def _commit(self) -> None:
        git(self._root, "add", "-A")
        git(self._root, "commit", "-q", "--allow-empty", "-m", f"{' '.join(self._words.draw(5))} {self._words.rare()}")

    def _branch(self) -> None:
        self._commit()
        back = min(3, int(git(self._root, "rev-list", "--count", "HEAD")) - 1)
        git(self._root, "checkout", "-q", "-B", f"branch{self._chance.randrange(10**6)}", f"HEAD~{back}")


def _read(desk: Desk, crew: Crew, samples: Samples, seconds: float) -> list[dict[str, Any]]:
    """What each reader says after so many seconds."""
    line = [sys.executable, str(Path(__file__).with_name("sharing_reader.py")), str(desk.root), str(desk.index_path)]
    readers = [
        subprocess.Popen(
            [*line, str(seed), str(_PAUSE_S)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=desk.environment(), text=True,
        )
        for seed in range(_READERS)
    ]  # fmt: skip
    with _sampled(desk, crew, samples, [reader.pid for reader in readers]):
        time.sleep(seconds)
    return [json.loads(reader.communicate()[0]) for reader in readers]


@contextmanager
def _sampled(desk: Desk, crew: Crew, samples: Samples, readers: Sequence[int]) -> Iterator[None]:
    over = threading.Event()
    log = desk.index_path.with_name(desk.index_path.name + "-wal")

    def sample() -> None:
        number = 0
        while not over.wait(0.05):
            number += 1
            if log.exists():
                samples.wal.append(log.stat().st_size / _MEGABYTE)
            if number % 20 == 0:
                worker = crew.worker()
                samples.worker += _held([worker.pid] if worker else [])
                samples.reader += _held(readers[:1])

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _held(processes: Iterable[int]) -> Iterator[Held]:
    for process in processes:
        try:
            memory = psutil.Process(process).memory_info()
        except psutil.Error:
            continue  # it was just ended
        yield Held(process, memory.rss / _MEGABYTE, (memory.rss - getattr(memory, "shared", 0)) / _MEGABYTE)


def _wrong(desk: Desk) -> list[str]:
    """What is not as it should be: the file, documents that are twice there, missing or old."""
    with open_index(desk.index_path) as index:
        said = index.check()
        rows = index.connection.execute("SELECT path, size, mtime_ns FROM documents").fetchall()
        twice = index.connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM chunks GROUP BY document_id, start_line, end_line, name, text "
            "HAVING count(*) > 1)"
        ).fetchone()[0]
        skipped = {row.path for row in index.ledger.not_indexed()}
    held = {os.fsdecode(path): (size, mtime) for path, size, mtime in rows}
    there = {e.path: (e.size, e.mtime_ns) for e in scan(str(desk.root)) if not isinstance(e, Skip)}
    said += [f"{len(rows) - len(held)} documents twice"] if len(rows) != len(held) else []
    said += [f"{twice} passages twice"] if twice else []
    wrong = [path for path in held.keys() | there.keys() if held.get(path) != there.get(path) and path not in skipped]
    return [*said, *([f"{len(wrong)} files missing, gone or old, as {wrong[0]}"] if wrong else [])]


def _row(what: str, measured: str, bound: str, met: bool) -> Row:
    return (what, measured, bound, "met" if met else "not met")


def _waits(rest: Sequence[dict[str, Any]], motion: Sequence[dict[str, Any]]) -> Iterator[Row]:
    errors = sum((Counter(reader["errors"]) for reader in motion), Counter[str]())
    said = "; ".join(f"{count} times {text}" for text, count in errors.most_common(3)) or "none"
    searches = sum(len(reader["searches"]) for reader in motion)
    yield _row(f"errors in {searches:,} searches", said, "none", not errors)
    for name, readers in (("at rest", rest), ("changing", motion)):
        waits = [wait for reader in readers for wait in reader["waits"]]
        walls = [wall for reader in readers for wall in reader["walls"]]
        took = [one for reader in readers for one in reader["searches"]]
        p99 = percentile(waits, 0.99)
        measured = (
            f"p99 {p99 * 1e3:.1f} ms, longest {max(waits) * 1e3:.0f} ms (with the processor's queue p99 "
            f"{percentile(walls, 0.99) * 1e3:.0f} ms; whole searches p50 {percentile(took, 0.5) * 1e3:.0f} ms, "
            f"p99 {percentile(took, 0.99) * 1e3:.0f} ms)"
        )
        yield _row(
            f"a reader's wait, the tree {name}", measured, f"p99 {_BOUNDS['wait'] * 1e3:.0f} ms", p99 <= _BOUNDS["wait"]
        )


def _memory(first: Samples, motion: Samples) -> Iterator[Row]:
    wal = max(first.wal + motion.wal, default=0.0)
    yield _row("write-ahead log, the largest", f"{wal:.0f} MB", f"{_BOUNDS['wal']} MB", wal <= _BOUNDS["wal"])
    for who, held in (("the worker", first.worker + motion.worker), ("a reader", motion.reader)):
        bound = _BOUNDS[who.rpartition(" ")[2]]
        whole, own = max(one.whole for one in held), max(one.own for one in held)
        measured = f"{own:.0f} MB of its own, {whole:.0f} MB with what is mapped of files"
        yield _row(f"memory of {who}, the largest", measured, f"{bound} MB", own <= bound)
    for who, held in (("the worker", motion.worker), ("a reader", motion.reader)):
        (longest, _), *_ = Counter(one.process for one in held).most_common(1)
        owns = [one.own for one in held if one.process == longest]
        third = max(1, len(owns) // 3)
        before, after = (percentile(part, 0.5) for part in (owns[:third], owns[-third:]))
        yield _row(
            f"memory of {who}, median of the last third of its time against the first",
            f"{after:.0f} against {before:.0f} MB",
            f"{_FLAT:.2f} times",
            after <= _FLAT * before,
        )


def _work(crew: Crew, wrong: Sequence[str]) -> Iterator[Row]:
    ended = ", ".join(f"{count} {how}" for how, count in crew.ended.most_common())
    odd = [how for how in crew.ended if how.startswith("status")]
    yield _row(f"{crew.hired} started as workers", f"ended: {ended}", "one at work, no other end", not odd)
    yield _row("the index at the end", "; ".join(wrong) or "sound; each file once, as on disk", "the same", not wrong)
