"""How soon the index is right again: after nothing, a save, a branch switch, a commit; and what idleness costs.

The tree is some 10,000 files of public repositories, copied, with commits of our own. A worker runs; what is asked goes
through a connection that stays open, as an editor's does. Polling for the answer is part of the time.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import psutil
from desk import Desk, eventually, git
from measuring import percentile, table, write_result
from trees import check_out

from postil_indexers.store.index import Index, open_index
from postil_indexers.types import Kind
from postil_server.search import search
from postil_server.timeline import history
from postil_server.types import Query

REPOSITORIES = ("trpc/trpc", "ocaml/dune")
_COMMITS = 60  # that the tree's files come in
_TIMES = 7  # of each command; the median counts
_SAVES = 50
_LINES = 300  # of a saved file
_PAUSE_S = 0.9  # after a save: the worker is idle again
_SETTLED_S = 70.0  # after which it has nothing left to do
_SWITCHED = 0.05  # share of the files that differ between the branches
_SWITCHES = 6
_NEW_COMMITS = 10
_POLL_S = 0.003
_MOVED = ".moved.md"
_BOUNDS = {"nothing": 1.0, "save": 0.150, "switch": 5.0, "commit": 2.0, "idle": 0.01}
_GIT_STATUS_TIMES = 3.0
_WORDS = ("lease", "queue", "retry", "worker", "channel", "parser", "cache", "token", "schema", "bridge", "margin")

Row = tuple[str, str, str, str]  # what, measured, beside or bound, verdict


def run(mirror: Path, work: Path, out: Path, command: str, idle_s: float = 600.0) -> bool:
    tree = _tree(mirror, work)
    desk = Desk(work / "freshness-desk", tree)
    rows: list[Row] = []
    try:
        desk.start()
        desk.idle()
        files = len(git(tree, "ls-files").splitlines())
        for part in (
            lambda: _nothing_changed(desk),
            lambda: _saves(desk),
            lambda: _switches(desk),
            lambda: _commits(desk),
            lambda: _idle(desk, idle_s),
        ):
            for row in part():
                rows.append(row)
                print(*row, flush=True)
    finally:
        desk.end()
    said = (
        f"{', '.join(REPOSITORIES)} in one tree: {files:,} files in git. Times of saves run from the end of the write "
        "to the first answer that has it, through an open connection; of a branch switch from the end of git's command "
        "(from its start in brackets) until every file of the index is the one on disk; of a commit from its end until "
        "`history` finds it."
    )
    header = ("what", "measured", "bound", "verdict")
    write_result(out, "Freshness", command, [said, table(header, rows)], {})
    return all(row[3] != "not met" for row in rows)


def _tree(mirror: Path, work: Path) -> Path:
    """The repositories' files as copies, with commits of our own; as it was when it was made."""
    tree = work / "freshness-tree"
    if tree.is_dir():
        git(tree, "checkout", "-q", "-f", "main")
        git(tree, "reset", "-q", "--hard", "base")
        git(tree, "clean", "-fdq")
        return tree
    part = tree.with_name(tree.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    for name in REPOSITORIES:
        whole = check_out(mirror, name, work / "trees")
        shutil.copytree(whole, part / whole.name, symlinks=True)
    git(part, "init", "-q", "--initial-branch=main")
    git(part, "config", "gc.auto", "0")
    paths = sorted(os.path.relpath(os.path.join(at, name), part) for at, name in _files(part))
    step = -(-len(paths) // _COMMITS)
    for number, start in enumerate(range(0, len(paths), step)):
        listed = part / ".git" / "listed"
        listed.write_text("\0".join(paths[start : start + step]), encoding="utf-8")
        git(part, "add", "-f", f"--pathspec-from-file={listed}", "--pathspec-file-nul")
        git(part, "commit", "-q", "-m", f"Part {number} of the tree")
    git(part, "tag", "base")
    _branch(part)
    part.rename(tree)
    return tree


def _files(tree: Path) -> Iterable[tuple[str, str]]:
    for at, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name != ".git"]
        yield from ((at, name) for name in names)


def _branch(tree: Path) -> None:
    """A branch on which a share of the files has another line, by chance, and some are renamed or gone."""
    git(tree, "checkout", "-q", "-b", "other")
    chance = random.Random(4)
    paths = [path for path in git(tree, "ls-files", "-z").split("\0") if path and not (tree / path).is_symlink()]
    chosen = chance.sample(paths, int(_SWITCHED * len(paths)))
    for number, path in enumerate(chosen):
        if number % 20 == 0:
            (tree / path).rename(tree / f"{path}{_MOVED}")
        elif number % 20 == 1:
            (tree / path).unlink()
        else:
            with (tree / path).open("a", encoding="utf-8") as file:
                file.write(f"\n{' '.join(chance.sample(_WORDS, 4))} {number}\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "The other branch")
    git(tree, "checkout", "-q", "main")


def _row(what: str, measured: str, bound: str, met: bool) -> Row:
    return (what, measured, bound, "met" if met else "not met")


def _nothing_changed(desk: Desk) -> Iterable[Row]:
    """`postil index` with a worker and without, beside `git status`."""
    git(desk.root, "status", "--porcelain")  # its own cache
    status = _median(lambda: git(desk.root, "status", "--porcelain"))
    with_worker = _median(lambda: desk.postil("index", "--json"))
    desk.end()
    alone = _median(lambda: desk.postil("index", "--json"))
    desk.start()
    desk.idle()
    bound = max(_BOUNDS["nothing"], _GIT_STATUS_TIMES * status)
    told = f"{bound:.1f} s: 1 s, or {_GIT_STATUS_TIMES:.0f} times git status ({status * 1e3:.0f} ms)"
    for what, seconds in (("asking the worker", with_worker), ("without a worker", alone)):
        yield _row(f"nothing changed, `postil index` {what}", f"{seconds * 1e3:.0f} ms", told, seconds <= bound)


def _median(what: Callable[[], object]) -> float:
    times = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        what()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _saves(desk: Desk) -> Iterable[Row]:
    words: dict[str, list[float]] = {"note": [], "code": []}
    vectors: dict[str, list[float]] = {"note": [], "code": []}
    with open_index(desk.index_path) as index:
        for number in range(_SAVES + 2):
            kind = ("note", "code")[number % 2]
            path, text = _file(kind, number)
            target = desk.root / path
            target.parent.mkdir(exist_ok=True)
            time.sleep(_PAUSE_S)
            with target.open("w", encoding="utf-8") as file:
                file.write(text)
            began = time.perf_counter()
            by_words = _found_by_words(index, desk, _word(number), path)
            eventually(by_words, pause_s=_POLL_S)
            after = time.perf_counter() - began
            eventually(lambda: _found_by_vector(index, path), pause_s=_POLL_S)  # noqa: B023  # called at once
            if number >= 2:  # the first of each kind load what the next find loaded
                words[kind].append(after)
                vectors[kind].append(time.perf_counter() - began)
    for kind in ("note", "code"):
        for how, times in (("words", words[kind]), ("vector", vectors[kind])):
            p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
            yield _row(
                f"saving a {kind} of {_LINES} lines, by {how}",
                f"p50 {p50 * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms of {len(times)}",
                f"p95 {_BOUNDS['save'] * 1e3:.0f} ms",
                p95 <= _BOUNDS["save"],
            )


def _file(kind: str, number: int) -> tuple[str, str]:
    """The same file each time, with one word of its own in the middle."""
    chance = random.Random(5)
    word = _word(number)
    lines = []
    for line in range(_LINES):
        said = " ".join(chance.sample(_WORDS, 5)) + (f" {word}" if line == _LINES // 2 + 1 else "")
        if kind == "note":
            lines.append(f"## Section {line}" if line % 15 == 0 else f"The {said}.")
        else:
            lines.append(f"def part_{line}(value):" if line % 15 == 0 else f"    value = value + {line}  # {said}")
    return ("saved/note.md" if kind == "note" else "saved/module.py"), "\n".join(lines) + "\n"


def _word(number: int) -> str:
    """One that no file has, in letters alone: digits are terms of their own, and all over the tree."""
    return f"zanzi{chr(97 + number // 26)}{chr(97 + number % 26)}barine"


def _found_by_words(index: Index, desk: Desk, word: str, path: str) -> Callable[[], bool]:
    def found() -> bool:
        hits = search(index, str(desk.root), Query(word, (Kind.CODE, Kind.NOTE), 5), {}).hits
        return any(hit.path == path and word in hit.snippet and not hit.stale for hit in hits)

    return found


def _found_by_vector(index: Index, path: str) -> bool:
    """Whether the nearest to a passage of the file, by the table of vectors alone, is that passage itself."""
    with index.snapshot():
        model = index.vectors.serving("static")
        rows = index.connection.execute(
            "SELECT c.id, c.kind, e.vector FROM chunks AS c JOIN documents AS d ON d.id = c.document_id "
            "JOIN embeddings AS e ON e.hash = c.hash AND e.model_id=? WHERE d.path=?",
            (model.id if model else 0, os.fsencode(path)),
        ).fetchall()
        if model is None or not rows:
            return False
        chunk, kind, stored = rows[len(rows) // 2]
        vector = np.frombuffer(stored, np.int8).astype(np.float32)
        near = index.vectors.nearest(model, vector / np.linalg.norm(vector), Kind(kind), 10)
        return chunk in [neighbour.rowid for neighbour in near]


def _switches(desk: Desk) -> Iterable[Row]:
    named = git(desk.root, "diff", "--name-only", "--no-renames", "-z", "main", "other")
    changed = [path for path in named.split("\0") if path]
    with open_index(desk.index_path) as index:
        indexed = {path for path, _ in _documents(index)}
        expected = {"main": _digests(desk.root, changed, indexed)}
        git(desk.root, "checkout", "-q", "other")
        expected["other"] = _digests(desk.root, changed, indexed)
        eventually(lambda: _holds(index, expected["other"]))
        ends, starts = [], []
        for number in range(_SWITCHES):
            branch = ("main", "other")[number % 2]
            time.sleep(_PAUSE_S * 3)
            began = time.perf_counter()
            git(desk.root, "checkout", "-q", branch)
            ended = time.perf_counter()
            eventually(lambda: _holds(index, expected[branch]), pause_s=0.03)  # noqa: B023  # called at once
            ends.append(time.perf_counter() - ended)
            starts.append(time.perf_counter() - began)
        git(desk.root, "checkout", "-q", "main")
        eventually(lambda: _holds(index, expected["main"]))
    yield _row(
        f"a branch switch that changes {len(changed):,} files",
        f"median {statistics.median(ends):.2f} s ({statistics.median(starts):.2f} s), "
        f"longest {max(ends):.2f} s ({max(starts):.2f} s) of {len(ends)}",
        f"{_BOUNDS['switch']:.0f} s",
        max(ends) <= _BOUNDS["switch"],
    )


def _documents(index: Index) -> list[tuple[str, bytes]]:
    rows = index.connection.execute("SELECT path, content_hash FROM documents").fetchall()
    return [(os.fsdecode(path), digest) for path, digest in rows]


def _digests(tree: Path, paths: Iterable[str], indexed: set[str]) -> dict[str, bytes | None]:
    """What the index is to say of these files: the hash of each that is there, None of one that is not."""
    found: dict[str, bytes | None] = {}
    for path in paths:
        if path.removesuffix(_MOVED) in indexed:
            file = tree / path
            found[path] = hashlib.blake2b(file.read_bytes(), digest_size=16).digest() if file.exists() else None
    return found


def _holds(index: Index, expected: dict[str, bytes | None]) -> bool:
    held = dict(_documents(index))
    return all(held.get(path) == digest for path, digest in expected.items())


def _commits(desk: Desk) -> Iterable[Row]:
    times = []
    with open_index(desk.index_path) as index:
        for number in range(_NEW_COMMITS):
            time.sleep(_PAUSE_S)
            subject = f"Flabbergast{number}ed by the scheduler"
            (desk.root / "saved" / f"commit{number}.md").write_text(f"# Commit {number}\n", encoding="utf-8")
            git(desk.root, "add", "saved")
            git(desk.root, "commit", "-q", "-m", subject)
            began = time.perf_counter()
            eventually(
                lambda: subject in [c.subject for c in history(index, subject, {}, 5).commits],  # noqa: B023
                pause_s=_POLL_S,
            )
            times.append(time.perf_counter() - began)
    yield _row(
        "a commit, by `history`",
        f"median {statistics.median(times):.2f} s, longest {max(times):.2f} s of {len(times)}",
        f"{_BOUNDS['commit']:.0f} s",
        max(times) <= _BOUNDS["commit"],
    )


def _idle(desk: Desk, seconds: float) -> Iterable[Row]:
    """Processor time of the worker and what it started, and whether its files were written to."""
    desk.idle()
    time.sleep(_SETTLED_S)
    worker = psutil.Process(desk.started[-1].pid)
    before, written = _processor_s(worker), _stamps(desk.index_path)
    time.sleep(seconds)
    share = (_processor_s(worker) - before) / seconds
    same = _stamps(desk.index_path) == written
    yield _row(
        f"{seconds / 60:.0f} idle minutes",
        f"{share:.2%} of a core, {'no writes' if same else 'written to'}",
        f"{_BOUNDS['idle']:.0%} of a core, no writes",
        share < _BOUNDS["idle"] and same,
    )


def _processor_s(worker: psutil.Process) -> float:
    """Of all that live; those that ended are in their parents' times."""
    total = 0.0
    for process in (worker, *worker.children(recursive=True)):
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _stamps(index: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for path in (index, index.with_name(index.name + "-wal")):
        status = path.stat() if path.exists() else None
        found.append((status.st_mtime_ns, status.st_size) if status else None)
    return found
