"""One file from disk to what is stored of it: read, decode, mask, parse. Runs in any process."""

from __future__ import annotations

import time
from collections.abc import Container
from dataclasses import dataclass

from postil_indexers.files import read_text
from postil_indexers.languages import language_of
from postil_indexers.prepare import Prepared, prepare
from postil_indexers.secrets import mask
from postil_indexers.seen import FileEntry, Skip
from postil_indexers.types import Document


@dataclass(frozen=True, slots=True)
class ReadTask:
    entry: FileEntry
    known_hash: bytes  # of the bytes that are indexed; b"" for a new file


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The times of a file changed and its bytes did not."""

    entry: FileEntry


@dataclass(frozen=True, slots=True)
class ReadFile:
    entry: FileEntry  # as it stood when it was opened
    prepared: Prepared
    took_ms: float


def read_file(root: str, repeated: Container[int], task: ReadTask) -> ReadFile | Skip | Unchanged:
    """All that the index stores of a file, or why it is left out. `repeated`: lines that many notes share."""
    started = time.perf_counter()
    read = read_text(root, task.entry.path)
    if isinstance(read, Skip):
        return read
    if bytes.fromhex(read.content_hash) == task.known_hash:
        return Unchanged(read.entry)
    masked = mask(read.text)
    language = language_of(task.entry.path, read.text[:_FIRST_LINE].split("\n", 1)[0])
    document = Document(task.entry.path, masked.text, language, read.encoding, read.guessed, masked.count)
    prepared = prepare(document, bytes.fromhex(read.content_hash), repeated)
    return ReadFile(read.entry, prepared, (time.perf_counter() - started) * 1e3)


_FIRST_LINE = 200  # characters of a first line that may name an interpreter
