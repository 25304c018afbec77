"""Whether what the index says of a file still holds: asked of the disk when an answer is given."""

from __future__ import annotations

import os

from postil_indexers.store.index import Index


class Freshness:
    """Looks each document up once. Costs one stat a file."""

    def __init__(self, index: Index, root: str) -> None:
        self._index = index
        self._root = root
        self._seen: dict[int, bool | None] = {}

    def of(self, document_id: int, path: str) -> bool | None:
        """False: unchanged. True: changed since it was indexed. None: deleted."""
        if document_id not in self._seen:
            self._seen[document_id] = self._look(document_id, path)
        return self._seen[document_id]

    def _look(self, document_id: int, path: str) -> bool | None:
        try:
            found = os.lstat(os.path.join(self._root, path))
        except OSError:
            return None
        known = self._index.content.documents([document_id]).get(document_id)
        return known is None or (known.size, known.mtime_ns) != (found.st_size, found.st_mtime_ns)
