"""What the files of a folder are called, for links that are being written; and the shortest name of each."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from postil_indexers.chunking.notes import NOTE_EXTENSIONS, file_stem
from postil_indexers.links import name_key
from postil_indexers.store.index import Index


@dataclass(frozen=True, slots=True)
class NoteName:
    """One of the names of a file."""

    name: str  # by which it is found: file name, title, alias
    kind: str  # "note", "title", "alias", or "file" for what is no note
    path: str
    document_id: int  # 0 for a file that is not indexed
    title: str = ""  # of a note


def note_names_of(index: Index, ids: list[int]) -> Iterator[NoteName]:
    documents = {row.id: row for row in index.names.documents(ids)}
    for row in documents.values():
        if row.kind != "note":
            yield NoteName(posixpath.basename(row.path), "file", row.path, row.id)
            continue
        stem = file_stem(row.path)
        yield NoteName(stem, "note", row.path, row.id, row.title)
        if name_key(row.title) != name_key(stem):
            yield NoteName(row.title, "title", row.path, row.id, row.title)
    for place in index.names.aliases(ids):
        row = documents[place.document_id]
        yield NoteName(place.name, "alias", row.path, row.id, row.title)


def left_out(index: Index) -> list[NoteName]:
    """Pictures, for most."""
    return [NoteName(posixpath.basename(path), "file", path, 0) for path in index.names.left_out_names()]


def shortest(path: str, same: Iterable[NoteName], *, extension: bool) -> str:
    """The shortest end of a path that is no other file's. `same`: the files that are called like it, itself too."""
    others = [each.path for each in same if each.kind in ("note", "file") and each.path != path]
    for written in (path,) if extension else (_bare(path), path):
        parts = written.split("/")
        for at in range(len(parts) - 1, -1, -1):
            end = "/".join(parts[at:])
            if not any(_ends_in(other, end) for other in others):
                return end
    return f"/{path}"


def _ends_in(path: str, end: str) -> bool:
    key, wanted = f"/{name_key(path)}", f"/{name_key(end)}"
    return key.endswith(wanted) or f"/{name_key(_bare(path))}".endswith(wanted)


def _bare(path: str) -> str:
    stem, extension = posixpath.splitext(path)
    return stem if extension.lower() in NOTE_EXTENSIONS else path
