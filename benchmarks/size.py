"""Size on disk: the index against the text that it holds, and what takes the room.

The text is the bytes of the indexed files. Notes count with the vectors of the prose model: made by a stand-in of the
same width, since what a vector says takes no room, and the transformer would take hours.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
from measuring import Postil, table, write_result
from trees import check_out

from postil_indexers.embedding.base import Vectors, mostly_latin, unit
from postil_indexers.embedding_run import RoleModel, embed_missing
from postil_indexers.progress import unheard
from postil_indexers.store.index import write_index
from postil_indexers.types import Kind

TREES = {
    "redis/redis": "code",
    "trpc/trpc": "code, many small files",
    "MicrosoftDocs/PowerShell-Docs": "English notes",
    "MadisonEvans94/Zettelkasten": "English notes",
    "OI-wiki/OI-wiki": "Chinese notes",
}
_BOUND = 3.0
_ROWS = 10  # of the tables that take most


class StandIn:
    """Vectors as wide as those of the packaged prose model, for the texts that it would take."""

    fingerprint, dimensions, batch_size = "stand-in", 384, 256

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        noise = b"".join(hashlib.shake_128(text.encode("utf-8", "replace")).digest(self.dimensions) for text in texts)
        return unit(np.frombuffer(noise, np.uint8).reshape(len(texts), -1).astype(np.float32) - 127.5)

    def knows(self, text: str) -> bool:
        return mostly_latin(text)


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    rows, details, met = [], [], True
    for repository, what in TREES.items():
        tree = check_out(mirror, repository, work / "trees")
        postil = Postil(work)
        stats = postil.index(tree, fresh=True)
        index = _with_prose(postil.index_file(tree), work / "with-prose" / tree.name / "index.db")
        with sqlite3.connect(index) as connection:
            (text,) = connection.execute("SELECT sum(size) FROM documents").fetchone()
            (prose,) = connection.execute("SELECT count(*) FROM chunks WHERE kind='note'").fetchone()
        disk = index.stat().st_size
        met = met and disk <= _BOUND * text
        rows.append(
            (
                repository, what, f"{stats['chunks']:,}", f"{prose:,}", f"{text / 1e6:.1f}",
                f"{disk / 1e6:.1f}", f"{disk / text:.2f}", "met" if disk <= _BOUND * text else "not met",
            )
        )  # fmt: skip
        details.append(f"{repository}:\n\n{_by_table(index, text)}")
        print(*rows[-1], flush=True)
    said = f"The bound is {_BOUND:.0f} times the text, all tables together, vectors of prose included."
    header = ("tree", "what", "passages", "of notes", "text MB", "index MB", "index / text", "bound")
    write_result(out, "Size", command, [said, table(header, rows), *details], {})
    return met


def _with_prose(index: Path, copy: Path) -> Path:
    shutil.rmtree(copy.parent, ignore_errors=True)
    copy.parent.mkdir(parents=True)
    shutil.copyfile(index, copy)
    with write_index(copy) as opened:
        embed_missing(opened, "prose", RoleModel(StandIn(), ""), [Kind.NOTE], unheard)
    return copy


def _by_table(index: Path, text: int) -> str:
    connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        sizes = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC").fetchall()
    finally:
        connection.close()
    rows = ((name, f"{size / 1e6:.2f}", f"{size / text:.3f}") for name, size in sizes[:_ROWS])
    return table(("table or index", "MB", "for each byte of text"), rows)
