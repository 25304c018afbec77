"""Who reads files: this process where they are notes and few, one process that is kept at hand, or several for many."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from postil_indexers.errors import PostilError
from postil_indexers.planning import is_note
from postil_indexers.pool import Pool, cool_down
from postil_indexers.reading import ReadTask, read_file, read_one
from postil_indexers.tasks import Tasks
from postil_indexers.writing import Outcome

_POOL_BYTES = 1_500_000  # below it, starting a second process takes longer than reading the files in one


class Readers:
    """`processes`: how many for many files; 0: this one reads all. Call `close` at the end."""

    def __init__(self, root: str, processes: int) -> None:
        self._root = root
        self._processes = processes
        self._tasks = Tasks(())
        self._kept: Pool[tuple[frozenset[int], ReadTask], Outcome] | None = None  # for the next small change

    def read(self, tasks: Sequence[ReadTask], repeated: frozenset[int]) -> Iterator[Iterator[tuple[ReadTask, Outcome]]]:
        """Each task with what became of it. A grammar may crash or hang, so code is only read by another process.

        In parts, each to be gone through before the next: what is read here is there before another process is started.
        `repeated`: lines that many notes share. It may be called again before one call is gone through.
        """
        read = functools.partial(read_file, self._root, repeated)
        few = sum(task.entry.size for task in tasks) < _POOL_BYTES
        here: list[ReadTask] = []
        others: list[ReadTask] = []
        for task in tasks:
            (here if self._processes < 1 or (few and is_note(task.entry.path)) else others).append(task)
        if here:
            yield ((task, read(task)) for task in here)
        if others and few:
            yield ((task, outcome) for (_, task), outcome in self._small().run((repeated, task) for task in others))
        elif others:
            yield self._by_several(others, read)

    def _by_several(
        self, tasks: Sequence[ReadTask], read: Callable[[ReadTask], Outcome]
    ) -> Iterator[tuple[ReadTask, Outcome]]:
        outer, self._tasks = self._tasks, Tasks(tasks)
        try:
            with Pool[ReadTask, Outcome](read, self._processes) as pool:
                yield from pool.run(self._tasks)
        finally:
            self._tasks = outer

    def prefer(self, paths: tuple[str, ...]) -> None:
        """Read these next, in this order, and then what lies beside them."""
        self._tasks.prefer(paths)

    def make_ready(self) -> None:
        """Start what the next change will need, so that it need not wait. Where that can't be, the change says so."""
        if self._processes:
            try:
                self._small().start()
            except PostilError:
                self.rest()

    def rest(self) -> None:
        """End the process that is kept at hand."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def close(self) -> None:
        """End all processes."""
        self.rest()
        cool_down()

    def _small(self) -> Pool[tuple[frozenset[int], ReadTask], Outcome]:
        if self._kept is None:
            self._kept = Pool(functools.partial(read_one, self._root), 1)
        return self._kept
