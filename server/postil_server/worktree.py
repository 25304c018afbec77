"""Which files of the tree are not as they were committed last."""

from __future__ import annotations

from postil_indexers.store.index import Index
from postil_server.filepast import file_past, newest_sources
from postil_server.gitblobs import blob_starts, blobs_on_disk


def is_changed(index: Index, root: str, path: str, text: bytes | None = None) -> bool:
    """Whether a committed file differs from what the newest commit of the index has; one that is deleted does.

    `text`: what stands in an editor in place of what is on disk. Never of a file that no commit has.
    """
    graph = index.history.graph()
    past = file_past(index, graph, path)
    blobs = {past.content(graph.ids[place]) for place in newest_sources(past, graph)}
    committed = {blob for blob in blobs if any(blob)}  # an id of zeros: deleted
    return bool(committed) and committed.isdisjoint(blobs_on_disk(root, path) if text is None else blob_starts(text))
