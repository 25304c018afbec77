"""The tools that search the same trees side by side: each is made ready for a tree, then asked in this process.

What a tool answers with are places as the quality scripts judge them: a path below the root, lines from 1, inclusive.
"""

from __future__ import annotations

import importlib
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Postil
from numpy.typing import NDArray

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import StaticEmbedder, load_static
from postil_indexers.store.index import open_index
from postil_indexers.store.packing import unpack_text
from postil_indexers.types import Kind
from postil_server.search import search
from postil_server.types import Query

HITS = 10
_STATIC: Mapping[str, Embedder] = {"static": load_static()}
_SHORTEST = 3  # characters of a word that is grepped for, where a query has such words: "a" and "is" are in each file
_WHOLE_FILE = (1, sys.maxsize)

Place = Mapping[str, Any]  # {"path", "start_line", "end_line"}
Ask = Callable[[str], Sequence[Place]]


@dataclass(frozen=True)
class Ready:
    """A tool that knows a tree."""

    ask: Ask
    seconds: float | None  # to index the tree; None where the tool keeps no index


@dataclass(frozen=True)
class Workplace:
    """A tree, Postil with the index folder that it gets, and what closes with it."""

    root: Path
    postil: Postil
    stack: ExitStack


Tool = Callable[[Workplace], Ready]


def postil(place: Workplace) -> Ready:
    """The server's own search, with static vectors. Seconds are its own count of a whole first index."""
    seconds = place.postil.index(place.root, fresh=True)["seconds"]
    index = place.stack.enter_context(open_index(place.postil.index_file(place.root)))

    def ask(query: str) -> Sequence[Place]:
        hits = search(index, str(place.root), Query(query, (Kind.CODE, Kind.NOTE), HITS), _STATIC).hits
        return [_place(hit.path, hit.span.start_line + 1, hit.span.end_line) for hit in hits]

    return Ready(ask, seconds)


def fts5(place: Workplace) -> Ready:
    """Postil's passages in a table of their own, any of a query's words, best by BM25. Needs Postil's index."""
    started = time.perf_counter()
    file = place.postil.work / "fts5.db"
    file.unlink(missing_ok=True)
    plain = place.stack.enter_context(closing(sqlite3.connect(file)))
    plain.execute("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='unicode61')")
    places = {}
    with closing(sqlite3.connect(place.postil.index_file(place.root))) as index:
        for rowid, path, start, end, packed in index.execute(
            "SELECT c.id, path, start_line, end_line, text FROM chunks c JOIN documents d ON d.id = document_id"
        ):
            places[rowid] = _place(path.decode("utf-8", "replace"), start + 1, end)
            plain.execute("INSERT INTO texts(rowid, text) VALUES(?,?)", (rowid, unpack_text(packed)))
    plain.commit()
    seconds = time.perf_counter() - started

    def ask(query: str) -> Sequence[Place]:
        expression = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        rows = plain.execute(
            f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT {HITS}", (expression,)
        ).fetchall()
        return [places[rowid] for (rowid,) in rows]

    return Ready(ask, seconds)


def grep(command: Sequence[str]) -> Tool:
    """A tool that prints `path NUL match` a line: files by how many of the words they hold, then by how often."""

    def ready(place: Workplace) -> Ready:
        def ask(query: str) -> Sequence[Place]:
            every = list(dict.fromkeys(re.findall(r"\w+", query.lower())))
            words = [word for word in every if len(word) >= _SHORTEST] or every
            patterns = [argument for word in words for argument in ("-e", word)]
            done = subprocess.run([*command, *patterns, "--", "."], cwd=place.root, capture_output=True, check=False)
            if done.returncode > 1:  # 1: nothing found
                done.check_returncode()
            return [_place(path, *_WHOLE_FILE) for path in _by_words(done.stdout.splitlines())]

        return Ready(ask, None)

    return ready


RIPGREP = ("rg", "--only-matching", "--null", "--with-filename", "--no-heading", "--no-line-number", "-i", "-F")
GIT_GREP = ("git", "grep", "--no-index", "--exclude-standard", "-I", "--only-matching", "--null", "-i", "-F")


def _by_words(lines: Iterable[bytes]) -> list[str]:
    words, times = Counter[bytes](), Counter[bytes]()
    for (path, _), count in _matches(lines).items():
        words[path] += 1
        times[path] += count
    ranked = sorted(words, key=lambda path: (-words[path], -times[path], path))
    return [path.decode("utf-8", "replace").removeprefix("./") for path in ranked[:HITS]]


def _matches(lines: Iterable[bytes]) -> Counter[tuple[bytes, bytes]]:
    """How often each file has each word."""
    found = Counter[tuple[bytes, bytes]]()
    for line, count in Counter(lines).items():
        path, _, match = line.partition(b"\0")
        found[path, match.lower()] += count
    return found


class Semble:
    """semble as a library, from an environment of its own: what both need is the version that Postil has."""

    def __init__(self, packages: Path) -> None:
        sys.path.append(str(packages))
        self._index = importlib.import_module("semble.index.create").create_index_from_path
        self._search = importlib.import_module("semble.search").search

    def lexical(self, place: Workplace) -> Ready:
        """BM25 and semble's rules; vectors are zeros, and weigh nothing."""
        return self._ready(place, _Vectors(None), 0.0)

    def hybrid(self, place: Workplace) -> Ready:
        return self._ready(place, _Vectors(load_static()), None)

    def _ready(self, place: Workplace, model: _Vectors, vectors_weigh: float | None) -> Ready:
        started = time.perf_counter()
        words, vectors, chunks, _ = self._index(place.root, model, display_root=place.root)
        seconds = time.perf_counter() - started

        def ask(query: str) -> Sequence[Place]:
            found = self._search(query, model, vectors, words, chunks, HITS, alpha=vectors_weigh)
            return [_place(hit.chunk.file_path, hit.chunk.start_line, hit.chunk.end_line) for hit in found]

        return Ready(ask, seconds)


class _Vectors:
    """A table as semble wants its model; without one, zeros at once."""

    def __init__(self, table: StaticEmbedder | None) -> None:
        self._table = table
        self.dim = table.dimensions if table else 1

    def encode(self, texts: Sequence[str], **_: object) -> NDArray[np.float32]:
        return self._table.embed(texts) if self._table else np.zeros((len(texts), self.dim), np.float32)


def _place(path: str, start_line: int, end_line: int) -> Place:
    return {"path": path, "start_line": start_line, "end_line": end_line}
