"""One file from disk to what is stored of it: read, decode, mask, parse. Runs in any process."""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import dataclass, fields, replace
from multiprocessing.reduction import ForkingPickler
from operator import attrgetter
from typing import Any

from postil_indexers.dialects import dialect_of
from postil_indexers.files import read_text
from postil_indexers.languages import language_of
from postil_indexers.pool import Lost
from postil_indexers.prepare import Prepared, PreparedChunk, prepare
from postil_indexers.secrets import mask
from postil_indexers.seen import FileEntry, Skip
from postil_indexers.store.packing import pack_text
from postil_indexers.types import Chunk, Definition, Document, Heading, Link


@dataclass(frozen=True, slots=True)
class ReadTask:
    entry: FileEntry
    known_hash: bytes  # of the bytes that are indexed; b"" for a new file


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The times of a file changed and its bytes did not."""

    entry: FileEntry
    read_at_ns: int


@dataclass(frozen=True, slots=True)
class ReadFile:
    entry: FileEntry  # as it stood when it was opened
    read_at_ns: int  # before the first byte was read
    prepared: Prepared  # without its texts
    packed: tuple[bytes, ...]  # those, as they are stored
    took_ms: float


def read_file(root: str, repeated: Container[int], task: ReadTask) -> ReadFile | Skip | Unchanged | Lost:
    """All that the index stores of a file, or why it is left out. `repeated`: lines that many notes share."""
    try:
        return _read_file(root, repeated, task)
    except Exception as error:  # whatever a file does to us, it costs itself alone, and the ledger says so
        return Lost("error", f"{type(error).__name__}: {error}")


def read_one(root: str, asked: tuple[frozenset[int], ReadTask]) -> ReadFile | Skip | Unchanged | Lost:
    """`read_file` for a process that outlives the set of repeated lines."""
    return read_file(root, *asked)


def _read_file(root: str, repeated: Container[int], task: ReadTask) -> ReadFile | Skip | Unchanged:
    read_at_ns = time.time_ns()
    started = time.perf_counter()
    read = read_text(root, task.entry.path)
    if isinstance(read, Skip):
        return read
    if bytes.fromhex(read.content_hash) == task.known_hash:
        return Unchanged(read.entry, read_at_ns)
    masked = mask(read.text)
    language = language_of(task.entry.path, read.text[:_FIRST_LINE].split("\n", 1)[0])
    language = dialect_of(language, task.entry.path, masked.text)
    document = Document(task.entry.path, masked.text, language, read.encoding, read.guessed, masked.count)
    prepared = prepare(document, bytes.fromhex(read.content_hash), repeated)
    packed = tuple(map(pack_text, prepared.texts))
    took_ms = (time.perf_counter() - started) * 1e3
    return ReadFile(read.entry, read_at_ns, replace(prepared, texts=()), packed, took_ms)


_FIRST_LINE = 200  # characters of a first line that may name an interpreter


def _by_call(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, values(value))


# What a document has many of goes from process to process as a call of its class: the pickling that frozen dataclasses
# have of their own looks every field up by name, and was a seventh of all the writing process's time.
for _kind in (Chunk, Definition, Heading, Link, PreparedChunk):
    ForkingPickler.register(_kind, _by_call(_kind))
