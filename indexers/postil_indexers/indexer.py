"""Keeping an index up to its workspace: find what changed, read it, embed what is new, write it."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from postil_indexers.batches import timed_batches, working_time
from postil_indexers.embedding_run import KINDS_OF_ROLE, Item, embed_missing, finish_models
from postil_indexers.errors import PostilError
from postil_indexers.files import Walk
from postil_indexers.history import new_commits, no_roots_any_more, reachable_shas
from postil_indexers.linking import resolve_links
from postil_indexers.planning import Plan, is_note, plan_folders, plan_workspace
from postil_indexers.platform import ignores_case
from postil_indexers.pool import Pool, cool_down, warm_up
from postil_indexers.progress import Listener, Progress, unheard
from postil_indexers.reading import ReadTask, read_file, read_one
from postil_indexers.secrets import compile_rules, is_compiled
from postil_indexers.store.index import Index
from postil_indexers.surrounding import update_surroundings
from postil_indexers.tasks import Tasks
from postil_indexers.types import FileState, IndexStats, Kind
from postil_indexers.writing import Models, Outcome, forget, place, redo_repeated_lines, write

_BATCH_S = 0.2  # a batch is committed after this time: what was read is searchable, and a kill loses no more than it
_PLACED_TOGETHER = 128  # passages that are embedded at a time
_POOL_BYTES = 1_500_000  # below it, starting a second process takes longer than reading the files in one
_PROCESSES = 2  # readers beside the writing process, which more of them would only wait for; 0: it reads itself
_QUOTA_BYTES = 4 << 30


class Updater:
    """Each method is one run, cut into transactions between which it may be killed. One thread; PostilError from all.

    `listener` is called between transactions. It may raise to end the run, or call `folders` for what can't wait.
    """

    def __init__(
        self,
        index: Index,
        root: str,
        models: Models,
        *,
        exclude: Sequence[str] = (),
        processes: int = _PROCESSES,
        quota_bytes: int = _QUOTA_BYTES,
        listener: Listener = unheard,
    ) -> None:
        self.index = index
        self._root = root
        self._models = models
        self._exclude = tuple(exclude)
        self._processes = processes
        self._quota_bytes = quota_bytes
        self._listener = listener
        self._fold_case = ignores_case(root)
        self._walk: Walk | None = None
        self._tasks = Tasks(())
        self._overtaken: set[str] = set()  # paths that `folders` took care of while a run was under way
        self._changed = False  # since `settle` began
        self._embedded = 0  # vectors computed since the last `stats`
        self._started = time.monotonic()
        self._reader: Pool[tuple[frozenset[int], ReadTask], Outcome] | None = None  # kept for the next small change

    # runs

    def workspace(self, *, asked_for: bool = True) -> None:
        """Make the index hold the files that the root holds now.

        Raises WorkspaceError where the root can't be read, or where all of it is gone and nobody asked for this run.
        """
        self._walk = None  # git may track other files now
        self._overtaken.clear()
        plan = plan_workspace(self.index, self._root, self._exclude, self._listener, asked_for=asked_for)
        self._keep_warnings(plan.warnings)
        self._carry_out(plan)

    def folders(self, folders: Collection[str]) -> None:
        """Make the index hold what lies directly in these folders now."""
        if self._walk is None:
            self._walk = Walk(self._root, None, self._exclude)
        plan = plan_folders(self.index, self._walk, folders)
        self._overtaken.update(task.entry.path for task in plan.changed)
        self._overtaken.update(plan.gone)
        self._carry_out(plan)

    def history(self) -> None:
        """Make the index hold the commits that HEAD reaches now; none where there is no repository."""
        index, reachable = self.index, reachable_shas(self._root)
        stored = index.history.shas()
        known = stored.intersection(reachable)
        if len(known) < len(reachable):
            known -= no_roots_any_more(self._root, sorted(known & index.history.roots()))
        if known != stored or len(known) < len(reachable):
            with self._changing():
                index.vectors.displace(index.history.remove(stored - known), Kind.COMMIT)
            self._write_commits(known, reachable)
        update_surroundings(index, self._root, sum(sha not in known for sha in reachable))

    def settle(self) -> None:
        """What follows from the changes of other runs: links, repeated lines, vectors of prose, upkeep."""
        index, models = self.index, self._models
        wanted = " ".join(sorted(f"{role}:{model.embedder.fingerprint}" for role, model in models.items()))
        if index.get("settled") == wanted:
            return
        self._changed = False
        with index.transaction():
            index.unset("settled")  # of other models, it may be
            self._embedded += redo_repeated_lines(index, models)
            resolve_links(index)
        for role, model in models.items():
            self._embedded += embed_missing(index, role, model, KINDS_OF_ROLE[role], self._listener)
        finish_models(index, models)
        index.upkeep.mend_vectors()
        index.upkeep.keep_within(self._quota_bytes)
        index.upkeep.shrink()
        index.upkeep.checkpoint()
        if not self._changed:  # by what the listener did meanwhile: that is settled next
            with index.transaction():
                index.set("settled", wanted)

    def stats(self) -> IndexStats:
        """What the index holds, and what was embedded and how long it took since the last call."""
        embedded, self._embedded = self._embedded, 0
        started, self._started = self._started, time.monotonic()
        documents, chunks = self.index.documents.count()
        by_state = self.index.ledger.counts()
        return IndexStats(
            files=documents,
            chunks=chunks,
            commits=self.index.history.count(),
            embedded=embedded,
            skipped=sum(n for (state, _), n in by_state.items() if state is FileState.SKIPPED),
            failed=sum(n for (state, _), n in by_state.items() if state is FileState.FAILED),
            seconds=round(self._started - started, 3),
            warnings=tuple(json.loads(self.index.get("warnings") or "[]")),
        )

    # for whoever runs it

    def prefer(self, paths: tuple[str, ...]) -> None:
        """Read these next, in this order, and then what lies beside them."""
        self._tasks.prefer(paths)

    def make_ready(self) -> None:
        """Start what the next change will need, so that it need not wait. Where that can't be, the change says so."""
        if self._processes:
            try:
                self._small_reader().start()
            except PostilError:
                self._close_reader()

    def drop_caches(self) -> None:
        """Give up memory that can be had again."""
        self._close_reader()
        self._walk = None
        self.index.connection.execute("PRAGMA shrink_memory").fetchall()

    def close(self) -> None:
        """End all processes that read, and close the index."""
        with self.readers():
            self.index.close()

    @contextmanager
    def readers(self) -> Iterator[None]:
        """The processes that read files end with it."""
        try:
            yield
        finally:
            self._close_reader()
            cool_down()

    # steps

    def _keep_warnings(self, warnings: Sequence[str]) -> None:
        """What the last look at the whole tree could not learn from git, for `status` to say until it is mended."""
        said = json.dumps(sorted(set(warnings)))
        if said != (self.index.get("warnings") or "[]"):
            with self.index.transaction():
                self.index.set("warnings", said)

    def _carry_out(self, plan: Plan) -> None:
        if plan.gone or plan.skipped or plan.folders is not None:
            with self.index.transaction():
                forget(self.index, plan)
                if plan.gone:
                    self._unsettle()
                if plan.folders is None:
                    self._say_pending(len(plan.changed))
        if not plan.changed:
            return
        if not is_compiled():  # once, before several processes would, each on the clock of its first file
            self._listener(Progress("preparing", 0, 0))
            compile_rules()
        self._write_changed(plan)

    def _write_changed(self, plan: Plan) -> None:
        done, total = 0, len(plan.changed)
        small = plan.folders is not None
        for batch in timed_batches(self._read(plan.changed), _BATCH_S):
            with self._changing():
                items: list[Item] = []
                for task, result in batch:  # written as they come, so that those who read need not wait
                    done += 1
                    if not small and task.entry.path in self._overtaken:
                        continue
                    items += write(self.index, task, result, self._fold_case)
                    if len(items) >= _PLACED_TOGETHER:
                        self._embedded += place(self.index, items, self._models)
                        items = []
                self._embedded += place(self.index, items, self._models)
                if not small:
                    self._say_pending(total - done)
            self.index.upkeep.checkpoint()
            self._listener(Progress("reading", done, total))

    def _say_pending(self, files: int) -> None:
        """For readers: how many files wait to be read, so that an answer can say that it may be partial."""
        if files:
            self.index.set("pending_files", str(files))
        else:
            self.index.unset("pending_files")

    def _read(self, tasks: Sequence[ReadTask]) -> Iterator[tuple[ReadTask, Outcome]]:
        """Each task with what became of it. A grammar may crash or hang, so code is only read by another process."""
        repeated = frozenset(self.index.documents.applied_lines())
        read = functools.partial(read_file, self._root, repeated)
        few = sum(task.entry.size for task in tasks) < _POOL_BYTES
        here: list[ReadTask] = []
        others: list[ReadTask] = []
        for task in tasks:
            (here if self._processes < 1 or (few and is_note(task.entry.path)) else others).append(task)
        for task in here:
            yield task, read(task)
        if not others:
            return
        if few:
            for (_, task), outcome in self._small_reader().run((repeated, task) for task in others):
                yield task, outcome
            return
        outer, self._tasks = self._tasks, Tasks(others)  # `folders` may have been called in the middle of a run
        try:
            with Pool[ReadTask, Outcome](read, self._processes) as pool:
                yield from pool.run(self._tasks)
        finally:
            self._tasks = outer

    def _small_reader(self) -> Pool[tuple[frozenset[int], ReadTask], Outcome]:
        if self._reader is None:
            self._reader = Pool(functools.partial(read_one, self._root), 1)
        return self._reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _write_commits(self, known: Collection[str], reachable: Sequence[str]) -> None:
        done = 0
        total = sum(sha not in known for sha in reachable)
        for batch in timed_batches(new_commits(self._root, known, reachable), _BATCH_S, working_time):
            with self._changing():
                items: list[Item] = []
                for commit in batch:
                    commit_id, text, digest = self.index.history.write(commit)
                    items.append((commit_id, Kind.COMMIT, text, digest))
                self._embedded += place(self.index, items, self._models)
            done += len(items)
            self._listener(Progress("history", done, total))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction after which `settle` has something to do, even if we are killed before it."""
        with self.index.transaction():
            self._unsettle()
            yield

    def _unsettle(self) -> None:
        self._changed = True
        self.index.unset("settled")


def index_workspace(
    index: Index,
    root: str,
    models: Models,
    *,
    exclude: Sequence[str] = (),
    listener: Listener = unheard,
    processes: int = _PROCESSES,
) -> IndexStats:
    """One whole run over the files, on an index that stays open. Raises PostilError."""
    updater = Updater(index, root, models, exclude=exclude, processes=processes, listener=listener)
    with updater.readers():
        updater.workspace()
        updater.settle()
    return updater.stats()


def index_history(index: Index, root: str, models: Models, *, listener: Listener = unheard) -> IndexStats:
    """One whole run over the commits, on an index that stays open. Raises PostilError."""
    updater = Updater(index, root, models, listener=listener)
    updater.history()
    updater.settle()
    return updater.stats()


def warm_up_readers() -> None:
    """Begin to load what reading many files needs; of no use where there are few."""
    warm_up(["postil_indexers.preload"])
