"""Files that wait to be read, in an order that may change while they are read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from postil_indexers.reading import ReadTask


class Tasks:
    """Hands out each task once. Open files go first, then what lies in their folders."""

    def __init__(self, tasks: Iterable[ReadTask]) -> None:
        self._waiting = deque(tasks)
        self._preferred: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[ReadTask]:
        while self._waiting:
            yield self._waiting.popleft()

    def prefer(self, paths: tuple[str, ...]) -> None:
        """`paths` as FileEntry.path, the most wanted first."""
        if paths == self._preferred:
            return
        self._preferred = paths
        rank = {path: number for number, path in enumerate(paths)}
        folders = {path.rpartition("/")[0] for path in paths}

        def place(task: ReadTask) -> int:
            path = task.entry.path
            if path in rank:
                return rank[path] - len(rank)
            return 0 if path.rpartition("/")[0] in folders else 1

        self._waiting = deque(sorted(self._waiting, key=place))  # stable: the rest keeps its order
