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
_SEARCHED = ("content_fts", "content_terms", "content_vectors", "embeddings", "sqlite_autoindex_embeddings")
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
    rows, details, whole, met = [], [], [], True
    for repository, what in TREES.items():
        tree = check_out(mirror, repository, work / "trees")
        postil = Postil(work)
        stats = postil.index(tree, fresh=True)
        index = _with_prose(postil.index_file(tree), work / "with-prose" / tree.name / "index.db")
        with sqlite3.connect(index) as connection:
            (text,) = connection.execute("SELECT sum(size) FROM documents").fetchone()
            (prose,) = connection.execute("SELECT count(*) FROM chunks WHERE kind='note'").fetchone()
        disk, sizes = index.stat().st_size, _table_sizes(index)
        searched = sum(size for name, size in sizes if name.startswith(_SEARCHED))
        met = met and searched <= _BOUND * text
        rows.append(
            (
                repository, what, f"{stats['chunks']:,}", f"{prose:,}", f"{text / 1e6:.1f}",
                f"{disk / 1e6:.1f}", f"{disk / text:.2f}", f"{searched / text:.2f}",
                "met" if searched <= _BOUND * text else "not met",
            )
        )  # fmt: skip
        whole.append((disk, text))
        details.append(f"{repository}:\n\n{_largest(sizes, text)}")
        print(*rows[-1], flush=True)
    disk, text = (sum(column) for column in zip(*whole, strict=True))
    said = (
        f"The bound is {_BOUND:.0f} times the text for the full-text and vector tables together, prose included. "
        f"The whole file, with the text itself, links, names and the ledger, is {disk / text:.2f} times the text of "
        "all five trees; notes of a few hundred bytes each are the dearest."
    )
    header = (
        "tree",
        "what",
        "passages",
        "of notes",
        "text MB",
        "index MB",
        "index / text",
        "words and vectors / text",
        "bound",
    )
    write_result(out, "Size", command, [said, table(header, rows), *details], {})
    return met


def _with_prose(index: Path, copy: Path) -> Path:
    shutil.rmtree(copy.parent, ignore_errors=True)
    copy.parent.mkdir(parents=True)
    shutil.copyfile(index, copy)
    with write_index(copy) as opened:
        embed_missing(opened, "prose", RoleModel(StandIn(), ""), [Kind.NOTE], unheard)
    return copy


def _table_sizes(index: Path) -> list[tuple[str, int]]:
    """Bytes of each table and index, the largest first."""
    connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC").fetchall()
    finally:
        connection.close()


def _largest(sizes: Sequence[tuple[str, int]], text: int) -> str:
    rows = ((name, f"{size / 1e6:.2f}", f"{size / text:.3f}") for name, size in sizes[:_ROWS])
    return table(("table or index", "MB", "for each byte of text"), rows)
