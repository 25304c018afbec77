"""The commits that changed a function: replayed from the index, beside `git log -L` in the same run.

Functions are drawn by chance from the definitions of each repository. Both give sets of commits; where they differ, the
kind of the difference is told. Times are of one process with an index that is open, git's of a process each.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from measuring import Postil, percentile, table, write_result
from trees import clone

from postil_indexers.store.index import Index, open_index
from postil_indexers.types import Span
from postil_server.spanhistory import span_changes

REPOSITORIES = (
    ("pallets/flask", "Python"),
    ("spf13/cobra", "Go"),
    ("expressjs/express", "JavaScript"),
    ("rack/rack", "Ruby"),
)
_FUNCTIONS = 50  # of each
_LEAST_LINES = 3
_LEAST_EQUAL, _MOST_MS = 0.9, 50.0
_KINDS = ("function", "method")


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    rows, kinds = [], Counter[str]()
    times: list[float] = []
    equal = drawn = 0
    for name, language in REPOSITORIES:
        tree = clone(mirror, name, work / "clones")
        postil = Postil(work, history=True)
        postil.index(tree)
        with open_index(postil.index_file(tree)) as index:
            mine, gits, same = [], [], 0
            functions = list(_functions(index, tree))
            for path, span in functions:
                started = time.perf_counter()
                with index.snapshot():
                    ids = [commit_id for commit_id, _ in span_changes(index, str(tree), path, span)]
                    found = [row.sha for row in index.history.rows(ids).values()]
                mine.append((time.perf_counter() - started) * 1e3)
                started = time.perf_counter()
                wanted = _git(tree, path, span)
                gits.append((time.perf_counter() - started) * 1e3)
                same += set(found) == set(wanted)
                kinds.update(_differences(index, set(found), set(wanted)))
        times += mine
        equal, drawn = equal + same, drawn + len(functions)
        rows.append(
            (
                *(name, language, len(functions), f"{same / max(len(functions), 1):.2f}"),
                *(f"{percentile(mine, 0.5):.1f}", f"{percentile(mine, 0.95):.1f}"),
                *(f"{percentile(gits, 0.5):.0f}", f"{percentile(gits, 0.95):.0f}"),
            )
        )
        print(*rows[-1], flush=True)
    p95 = percentile(times, 0.95)
    met = equal >= _LEAST_EQUAL * drawn and p95 <= _MOST_MS
    header = ("repository", "language", "functions", "equal", "p50 ms", "p95 ms", "git p50 ms", "git p95 ms")
    told = table(("difference", "functions"), kinds.most_common()) if kinds else "No difference."
    bounds = f"bounds {_LEAST_EQUAL:.0%} and {_MOST_MS:.0f} ms: {'met' if met else 'not met'}"
    verdict = f"{equal} of {drawn} equal, p95 {p95:.1f} ms; {bounds}"
    write_result(out, "Line history", command, [table(header, rows), told, verdict], {"git": _version()})
    return met


def _functions(index: Index, tree: Path) -> Iterator[tuple[str, Span]]:
    """Some functions, by chance and yet the same ones each time; the lines are those of HEAD, which is checked out."""
    rows = index.connection.execute(
        "SELECT d.path, f.line, f.end_line FROM definitions AS f JOIN documents AS d ON d.id = f.document_id "
        f"WHERE f.kind IN ({', '.join('?' * len(_KINDS))}) AND f.end_line - f.line >= ? ORDER BY d.path, f.line",
        (*_KINDS, _LEAST_LINES),
    ).fetchall()
    tracked = set(_out(tree, "ls-files", "-z").split("\0"))
    known = [(path.decode(), Span(line, end)) for path, line, end in rows if path.decode() in tracked]
    random.Random(7).shuffle(known)
    yield from known[:_FUNCTIONS]


def _git(tree: Path, path: str, span: Span) -> list[str]:
    return _out(tree, "log", "-s", "--format=%H", f"-L{span.start_line + 1},{span.end_line}:{path}").split()


def _differences(index: Index, found: set[str], wanted: set[str]) -> Iterator[str]:
    """One kind a function."""
    if found == wanted:
        return
    missing, more = wanted - found, found - wanted
    rows = list(index.history.rows(i for sha in wanted ^ found for i in index.history.by_sha(sha)).values())
    subjects = {row.subject for row in rows}
    if len(subjects) < len(rows):
        yield "the same change was made on two branches; each tells of the other one"
    elif more and not missing and any(row.kind == "revert" for row in rows):
        yield "a change and its revert on a branch, which git leaves out where the first parent has the same content"
    elif not found:
        yield "a merge gave the file another name than one of its parents had"
    elif any(change.status in "AR" for row in rows if row.sha in more for change in index.history.files(row.id)):
        yield "the file came out of another one, whose lines git follows"
    else:
        yield "others: git compares whole files at a merge, and takes the side whose lines are the same"


def _out(tree: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=tree, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "surrogateescape")


def _version() -> str:
    return subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
