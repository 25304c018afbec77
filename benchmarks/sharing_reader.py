"""One reader of sharing.py: searches through a connection of its own until its standard input is closed.

    sharing_reader.py ROOT INDEX SEED PAUSE

It then prints one JSON object: what went wrong by kind, the seconds of each search and of each first read, and how much
of the latter was spent neither on a processor nor in the queue for one: waiting for locks and for the disk.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import synthetic

from postil_indexers.embedding.static import load_static
from postil_indexers.store.connection import sqlite_errors
from postil_indexers.store.index import Index, open_index
from postil_indexers.types import Kind
from postil_server.search import search
from postil_server.types import Query

_SCHEDULER = Path("/proc/thread-self/schedstat")  # Linux: ns on a processor, ns in the queue for one, turns
_QUERIES = 200
_KINDS = (Kind.CODE, Kind.NOTE, Kind.COMMIT)


def main() -> None:
    root, path, seed, pause = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    chance, embedders = random.Random(seed), {"static": load_static()}
    asked = list(synthetic.queries(seed, _QUERIES))
    errors: Counter[str] = Counter()
    walls: list[float] = []
    waits: list[float] = []
    searches: list[float] = []
    with open_index(path) as index:
        while not over.wait(chance.uniform(0.5, 1.5) * pause):
            try:
                wall, wait = _first_read(index)
                walls.append(wall)
                waits.append(wait)
                began = time.perf_counter()
                search(index, root, Query(chance.choice(asked), _KINDS, 10), embedders)
                searches.append(time.perf_counter() - began)
            except Exception as error:  # all of it is counted: none may reach a user
                errors[f"{type(error).__name__}: {error}"] += 1
    print(json.dumps({"errors": errors, "walls": walls, "waits": waits, "searches": searches}))


def _first_read(index: Index) -> tuple[float, float]:
    """Seconds until a snapshot is open, and those of them that no processor explains."""
    queued, worked, began = _queued_s(), time.thread_time(), time.perf_counter()
    with sqlite_errors(index.path):
        index.connection.execute("BEGIN")
        index.connection.execute("SELECT count(*) FROM meta").fetchone()
        wall = time.perf_counter() - began
        worked = time.thread_time() - worked
        index.connection.execute("ROLLBACK")
    return wall, max(0.0, wall - worked - (_queued_s() - queued))


def _queued_s() -> float:
    try:
        return int(_SCHEDULER.read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0  # not Linux: then a wait includes that for a processor


if __name__ == "__main__":
    main()
