"""What the index knows of one file's past, and which commit gave another its content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from postil_indexers.store.commit_graph import NONE, CommitGraph, Sources
from postil_indexers.store.file_changes import Changed, FileChanges, Merged
from postil_indexers.store.index import Index
from postil_indexers.types import Hunk, Shift
from postil_server.gitblobs import blobs_on_disk

_FILES = 64  # of which this is kept with the graph: the functions of one file are asked about one after the other


class _Hunks(dict[int, Sequence[Hunk]]):
    """By the id of a file that a commit changed, without their texts; read as they are asked for."""

    def __init__(self, rows: FileChanges) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, file_id: int) -> Sequence[Hunk]:
        found = self[file_id] = self._rows.hunks(file_id)
        return found


@dataclass(frozen=True, slots=True)
class FilePast:
    """A file under one name."""

    changed: Mapping[int, Changed]  # by commit
    merged: Mapping[int, Merged]
    hunks: Mapping[int, Sequence[Hunk]]  # by file id of `changed`
    sources: Sources
    weights: dict[int, int] = field(default_factory=dict)  # how many commits made it what it is at a place, where asked

    def content(self, commit_id: int) -> bytes:
        """The first bytes of git's id of what the file was after a commit that changed it."""
        change = self.changed.get(commit_id)
        return change.new_blob if change is not None else self.merged[commit_id].new_blob


@dataclass(frozen=True, slots=True)
class Parent:
    """One that a commit took a file from: where it stands in the graph, and how its lines became the commit's."""

    place: int
    name: str
    blob: bytes
    hunks: Sequence[Hunk | Shift]


def file_past(index: Index, graph: CommitGraph, name: str) -> FilePast:
    """Kept with the graph, so that it is true for as long as that is."""
    known: FilePast | None = graph.reckoned.get(name)
    if known is None:
        if len(graph.reckoned) >= _FILES:
            graph.reckoned.clear()
        rows, places = index.file_changes, graph.places
        changed, merged = rows.of(name), rows.merged(name)
        changing = {places[i] for i in (*changed, *merged)}
        known = graph.reckoned[name] = FilePast(changed, merged, _Hunks(rows), graph.sources(changing))
    return known


def source_at(past: FilePast, graph: CommitGraph, place: int, blob: bytes = b"") -> int:
    """The place of the commit that gave a place the file, whose content there is `blob`; NONE where it has none."""
    sources = past.sources.at(place) if place != NONE else ()
    if len(sources) < 2:
        return sources[0] if sources else NONE
    same = [one for one in sources if blob and past.content(graph.ids[one]) == blob]
    # of two contents of which one went on, the one with more in it
    return same[0] if same else max(sources, key=lambda one: _weight(past, graph, one))


def newest_sources(past: FilePast, graph: CommitGraph) -> tuple[int, ...]:
    """The places of the commits that may have given the newest one the file; more than one only behind a merge."""
    return past.sources.at(0) if graph.ids else ()


def newest_source(past: FilePast, graph: CommitGraph, root: str, name: str) -> int:
    """As `source_at`, for the newest commit: where that is not sure, the file on disk tells."""
    if not graph.ids:
        return NONE
    on_disk = blobs_on_disk(root, name) if len(newest_sources(past, graph)) > 1 else ()
    return next(
        (one for one in newest_sources(past, graph) if past.content(graph.ids[one]) in on_disk),
        source_at(past, graph, 0),
    )


def parents_of(past: FilePast, graph: CommitGraph, place: int, name: str) -> Iterator[Parent]:
    """Of a commit that changed a file or merged it from both sides; none of one that brought it."""
    commit_id, parents = graph.ids[place], graph.parents(place)
    change = past.changed.get(commit_id)
    if change is None:
        merged = past.merged[commit_id]
        for parent, shifts, blob in zip(parents, merged.shifts, merged.old_blobs, strict=False):
            yield Parent(parent, name, blob, shifts)
    elif change.status != "A":
        for parent in parents[:1]:
            yield Parent(parent, change.old_path, change.old_blob, past.hunks[change.file_id])


def _weight(past: FilePast, graph: CommitGraph, place: int) -> int:
    if place in past.weights:
        return past.weights[place]
    known, waiting = {place}, [place]
    while waiting:
        for parent in graph.parents(waiting.pop()):
            new = set(past.sources.at(parent)) - known
            known |= new
            waiting += new
    past.weights[place] = len(known)
    return len(known)
