"""Mishaps other than kills: a full disk, a read-only folder, clocks set back, a database that is damaged on disk.

Each is to give a clear text (no traceback, a known status) and to leave nothing that the next run does not set right.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
from desk import Desk, Ran, eventually, git
from killing import PLAIN, Clean, copy_tree, differences, dump, states
from measuring import table

from postil_indexers.errors import PostilError
from postil_indexers.store.index import open_index

SEEDS = 50
_SMALL_DISK = "1m"
_LARGE_DISK = "200m"
_SEARCHES = ("lease", "command line option", "Context", "how are parameters parsed", "def invoke", "neural network")
_DAY_NS = 86_400 * 10**9
# What a person may be told: done, failed with a reason, not indexed, busy. Anything else is a bug.
_KNOWN_STATUS = {0, 1, 3, 4}

Row = tuple[str, str, str]  # what, what came of it, verdict


@dataclass(frozen=True)
class Happened:
    parts: list[str]
    met: bool


def run(tree: Path, work: Path, clean: Clean, seeds: int = SEEDS) -> Happened:
    """`tree` in its first state."""
    root = copy_tree(tree, work / "mishaps-tree")
    git(root, "checkout", "-q", "-f", states()[0])
    rows: list[Row] = []
    for case in (_full_disk, _full_disk_under_a_worker, _read_only, _clocks):
        rows += _tried(case, root, work, clean)
    with ThreadPoolExecutor() as threads:
        damaged = [
            threads.submit(_damaged, root, work, clean, seeds, with_worker=with_worker) for with_worker in (False, True)
        ]
    for each in damaged:
        rows.append(each.result())
    parts = ["Other mishaps:", table(("what", "what came of it", "verdict"), rows)]
    return Happened(parts, all(row[-1] != "not met" for row in rows))


def _tried(case: Callable[[Path, Path, Clean], Row], root: Path, work: Path, clean: Clean) -> list[Row]:
    try:
        row = case(root, work, clean)
    except _SkippedError as reason:
        row = (_name(case), str(reason), "left out")
    except TimeoutError as error:
        row = (_name(case), str(error), "not met")
    what, came, verdict = row
    came = came.replace(str(work), "…")  # where it ran is of no interest to a reader
    print(what, came, verdict, flush=True)
    return [(what, came, verdict)]


def _name(case: Callable[[Path, Path, Clean], Row]) -> str:
    return case.__name__.strip("_").replace("_", " ")


class _SkippedError(Exception):
    """This machine does not allow the case."""


@contextmanager
def _small_disk(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    line = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(line, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise _SkippedError("a small file system can't be mounted here (needs Linux and root)") from error
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True, capture_output=True)


def _full_disk(root: Path, work: Path, clean: Clean) -> Row:
    desk = _fresh(Desk(work / "mishaps-full", root))
    with _small_disk(desk.index_dir, _SMALL_DISK):
        full = desk.postil("index", "--json")
        searched = desk.postil("search", "lease", "--json")
        _remount(desk.index_dir, f"size={_LARGE_DISK}")
        again = desk.postil("index", "--json")
        good = full.status == 1 and "full" in full.error and _is_clear(full, searched) and again.status == 0
        return "the disk full", f"{full.error!r}; with room: {_compared(desk, clean)}", _verdict(good, desk, clean)


def _full_disk_under_a_worker(root: Path, work: Path, clean: Clean) -> Row:
    desk = _fresh(Desk(work / "mishaps-full-worker", root))
    try:
        with _small_disk(desk.index_dir, _SMALL_DISK):
            worker = desk.start()
            with desk.client() as client:
                failure = eventually(lambda: client.request("status")["failure"])
            asked = desk.postil("index", "--json")
            status = desk.postil("status")
            _remount(desk.index_dir, f"size={_LARGE_DISK}")
            again = desk.postil("index", "--json")
            good = "full" in failure and worker.poll() is None and again.status == 0 and _is_clear(asked, status)
            good = good and "Traceback" not in desk.log.read_text(encoding="utf-8")
            came = f"the worker goes on and says {failure!r}; with room: {_compared(desk, clean)}"
            return "the disk full while a worker runs", came, _verdict(good, desk, clean)
    finally:
        desk.end()


def _read_only(root: Path, work: Path, clean: Clean) -> Row:
    desk = _fresh(Desk(work / "mishaps-read-only", root))
    with _small_disk(desk.index_dir, _LARGE_DISK):
        desk.postil("index", "--json")
        _remount(desk.index_dir, "ro")
        index, searched = desk.postil("index", "--json"), desk.postil("search", "lease", "--json")
        _remount(desk.index_dir, "rw")
        again = desk.postil("index", "--json")
        good = index.status == 1 and bool(index.error) and _is_clear(index, searched) and again.status == 0
        said = "answers" if searched.status == 0 else repr(searched.error)
        came = f"index: {index.error!r}; search: {said}; writable again: {_compared(desk, clean)}"
        return "the index folder read-only", came, _verdict(good, desk, clean)


def _clocks(root: Path, work: Path, clean: Clean) -> Row:
    """The clock was a day ahead when files were read, and is right again: changes after that must be seen, whatever
    the times of the files say."""
    desk = _fresh(Desk(work / "mishaps-clock", copy_tree(root, work / "mishaps-clock-tree")))
    git(desk.root, "checkout", "-q", "-f", states()[0])
    desk.postil("index", "--json")
    connection = apsw.Connection(str(desk.index_path))
    connection.execute("UPDATE documents SET read_at_ns = read_at_ns + ?", (_DAY_NS,))
    connection.close()
    files = [desk.root / path for path in git(desk.root, "ls-files", "-z").split("\0") if path.endswith(".md")]
    files = [file for file in files if file.stat().st_size > 100][:3]
    texts = [file.read_bytes() for file in files]
    now = time.time_ns()
    for file, text, at in zip(files, texts, (now, now - 10 * _DAY_NS, now + 10 * _DAY_NS), strict=True):
        before = file.stat()
        file.write_bytes(bytes([text[0] ^ 1]) + text[1:])  # as long as before
        os.utime(file, ns=(at, at if at != now else before.st_mtime_ns))
    changed = desk.postil("index", "--json")
    seen = [_holds_file(desk, file) for file in files]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text)
        os.utime(file, ns=(now - 20 * _DAY_NS, now - 20 * _DAY_NS))
    back = desk.postil("index", "--json")
    good = all(seen) and changed.status == back.status == 0
    came = f"{sum(seen)} of {len(seen)} changes of the same size seen, with times now, before and ahead"
    return "the clock set back, times of files in the past and ahead", came, _verdict(good, desk, clean)


def _holds_file(desk: Desk, file: Path) -> bool:
    with open_index(desk.index_path) as index:
        rows = index.connection.execute(
            "SELECT content_hash FROM documents WHERE path=?", (os.fsencode(file.relative_to(desk.root)),)
        ).fetchall()
    return [row[0] for row in rows] == [hashlib.blake2b(file.read_bytes(), digest_size=16).digest()]


def _damaged(root: Path, work: Path, clean: Clean, seeds: int, *, with_worker: bool) -> Row:
    """The file is cut off or overwritten with noise somewhere; then it is searched, indexed, and searched again."""
    desk = _fresh(Desk(work / f"mishaps-damage-{with_worker}", root))
    desk.postil("index", "--json")
    whole, seal = desk.index_path.read_bytes(), desk.index_path.with_suffix(".seal").read_bytes()
    batch = desk.work / "queries.jsonl"
    batch.write_text("".join(json.dumps({"id": query, "query": query}) + "\n" for query in _SEARCHES), encoding="utf-8")
    found: Counter[str] = Counter()
    lines = []
    for seed in range(seeds):
        for each in desk.folder.glob("index-*"):
            each.unlink()
        desk.index_path.write_bytes(whole)
        desk.index_path.with_suffix(".seal").write_bytes(seal)  # what its writer said of it is still there
        if with_worker:
            desk.start()
            desk.idle()
        _damage(desk.index_path, random.Random(seed))
        runs = [desk.postil(*what) for what in (("search", "--batch", str(batch), "--json"), ("index", "--json")) * 2]
        found["noticed by the first search"] += bool(runs[0].error)
        found["set aside and made anew"] += desk.index_path.with_suffix(".damaged").exists()
        unclear = [f"{ran.status} {ran.out[-200:]} {ran.err[-500:]}" for ran in runs if not _is_clear(ran)]
        failed = any(ran.status for ran in runs[1:])
        same = "it was not recovered" if failed else _compared(desk, clean)
        if not failed and same != _SAME and with_worker:  # nobody read that place: the next worker looks for itself
            desk.end()
            failed = desk.postil("index", "--json").status != 0
            same = _compared(desk, clean)
            found["found by the next worker"] += same == _SAME
        found["unclear"] += bool(unclear)
        found["not recovered"] += failed
        found["as a clean one"] += same == _SAME
        lines += [f"seed {seed}: {text}" for text in unclear[:1]]
        if same != _SAME:
            lines.append(f"seed {seed}: {[ran.error for ran in runs]}: {same[:300]}")
        desk.end()
    log = desk.log.read_text(encoding="utf-8") if desk.log.exists() else ""
    good = not found["unclear"] and found["as a clean one"] == seeds and "Traceback" not in log
    came = ", ".join(f"{name}: {count}" for name, count in sorted(found.items()))
    where = "while a worker runs" if with_worker else "with no worker"
    row = (f"{seeds} times cut off or noise at a random place, {where}", came, "met" if good else "not met")
    print(*row, *lines, sep="\n", flush=True)
    return row


def _damage(path: Path, chance: random.Random) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        if chance.random() < 0.4:
            file.truncate(chance.randrange(1, size))
            return
        length = chance.choice((16, 4_096, 100_000))
        file.seek(chance.randrange(max(1, size - length)))
        file.write(chance.randbytes(length))


def _fresh(desk: Desk) -> Desk:
    shutil.rmtree(desk.index_dir, ignore_errors=True)
    return desk


_SAME = "as a clean one"


def _compared(desk: Desk, clean: Clean) -> str:
    try:
        with open_index(desk.index_path) as index:
            problems, held = index.check(), dump(index)
    except (PostilError, apsw.Error, UnicodeDecodeError, zlib.error) as error:
        return f"damaged: {error}"
    return "; ".join(problems) or differences(held, clean.dump(states()[0], PLAIN)) or _SAME


def _is_clear(*runs: Ran) -> bool:
    return all(ran.status in _KNOWN_STATUS and not ran.has_traceback for ran in runs)


def _verdict(good: bool, desk: Desk, clean: Clean) -> str:
    return "met" if good and _compared(desk, clean) == _SAME else "not met"
