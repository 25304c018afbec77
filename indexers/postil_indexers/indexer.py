"""Keeping an index up to its workspace: find what changed, read it, embed what is new, write it."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

from postil_indexers.batches import timed_batches, working_time
from postil_indexers.embedding_run import KINDS_OF_ROLE, Item, embed_missing, finish_models
from postil_indexers.files import Walk
from postil_indexers.history import commits_elsewhere, new_commits, no_roots_any_more, reachable_shas
from postil_indexers.linking import resolve_links
from postil_indexers.planning import Plan, plan_folders, plan_workspace
from postil_indexers.platform import give_back_memory, ignores_case
from postil_indexers.progress import Listener, Progress, unheard
from postil_indexers.readers import Readers
from postil_indexers.secrets import compile_rules, is_compiled
from postil_indexers.seen import shown, shown_size
from postil_indexers.store.index import BRANCH_WARNINGS, GIT_WARNINGS, QUOTA_WARNINGS, Index
from postil_indexers.surrounding import note_written, update_surroundings
from postil_indexers.types import FileState, IndexStats, Kind
from postil_indexers.writing import Models, forget, place, redo_repeated_lines, write

_BATCH_S = 0.2  # a batch is committed after this time: what was read is searchable, and a kill loses no more than it
_SOON = 1_000  # of a history from nothing the newest commits, which are asked for most, are there first
_PLACED_TOGETHER = 128  # passages that are embedded at a time
_PROCESSES = 2  # readers beside the writing process, which more of them would only wait for; 0: it reads itself
_QUOTA_BYTES = 4 << 30


class Updater:
    """Each method is one run, cut into transactions between which it may be killed. One thread; PostilError from all.

    `branches`: patterns of the branches beside the current one whose commits are wanted, see branches.py.
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
        branches: Sequence[str] = (),
        listener: Listener = unheard,
    ) -> None:
        self.index = index
        self._root = root
        self._models = models
        self._exclude = tuple(exclude)
        self._readers = Readers(root, processes)
        self._quota_bytes = quota_bytes
        self._branches = tuple(branches)
        self._listener = listener
        self._fold_case = ignores_case(root)
        self._walk: Walk | None = None
        self._overtaken: set[str] = set()  # paths that `folders` took care of while a run was under way
        self._changed = False  # since `settle` began
        self._embedded = 0  # vectors computed since the last `stats`
        self._started = time.monotonic()

    # runs

    def workspace(self, *, asked_for: bool = True) -> None:
        """Make the index hold the files that the root holds now.

        Raises WorkspaceError where the root can't be read, or where all of it is gone and nobody asked for this run.
        """
        self._walk = None  # git may track other files now
        self._overtaken.clear()
        plan = plan_workspace(self.index, self._root, self._exclude, self._listener, asked_for=asked_for)
        self._keep_warnings(GIT_WARNINGS, plan.warnings)
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
        """Make the index hold the commits that HEAD and the wanted branches reach now; none in no repository."""
        index, before = self.index, self.index.history.shas()
        if not before:  # to list all of a long history takes git seconds, and what touches a folder minutes
            newest = reachable_shas(self._root, _SOON)
            self._write_commits((), newest, len(newest) if len(newest) < _SOON else 0, {})
        wanted, stored = reachable_shas(self._root), before or index.history.shas()
        elsewhere, unmatched = commits_elsewhere(self._root, self._branches, wanted)
        self._keep_warnings(BRANCH_WARNINGS, [f"no branch matches {shown(each)}" for each in unmatched])
        wanted += elsewhere
        known = stored.intersection(wanted)
        if len(known) < len(wanted):
            known -= no_roots_any_more(self._root, sorted(known & index.history.roots()))
        moved = index.branches.moved(elsewhere, known)
        if known != stored or moved or len(known) < len(wanted):
            with self._changing():  # together: after a switch no reader sees the commits of both branches as HEAD's
                index.vectors.displace(index.history.remove(stored - known), Kind.COMMIT)
                index.branches.mark(moved)
            self._write_commits(known, wanted, sum(sha not in known for sha in wanted), elsewhere)
        update_surroundings(index, self._root)

    def settle(self) -> None:
        """What follows from the changes of other runs: links, repeated lines, vectors of prose, upkeep."""
        index, models = self.index, self._models
        wanted = " ".join(sorted(f"{role}:{model.embedder.fingerprint}" for role, model in models.items()))
        wanted += f" quota:{self._quota_bytes}"
        if index.get("settled") == wanted:
            return
        self._changed = False
        with index.transaction():
            index.unset("settled")  # of other models or another quota, it may be
            self._embedded += redo_repeated_lines(index, models)
            resolve_links(index)
        for role, model in models.items():
            self._embedded += embed_missing(index, role, model, KINDS_OF_ROLE[role], self._listener)
        finish_models(index, models)
        index.upkeep.mend_vectors()
        self._keep_quota()
        index.upkeep.shrink()
        index.upkeep.checkpoint()
        self.shrink_memory()
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
            warnings=tuple(self.index.warnings()),
        )

    # for whoever runs it

    def prefer(self, paths: tuple[str, ...]) -> None:
        """Read these next, in this order, and then what lies beside them."""
        self._readers.prefer(paths)

    def make_ready(self) -> None:
        """Start what the next change will need, so that it need not wait."""
        self._readers.make_ready()

    def drop_caches(self) -> None:
        """Give up memory that can be had again."""
        self._readers.rest()
        self._walk = None
        self.shrink_memory()

    def shrink_memory(self) -> None:
        """The same in the middle of a run: the pages that the database keeps, and what is free but not given back."""
        self.index.connection.execute("PRAGMA shrink_memory").fetchall()
        give_back_memory()

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
            self._readers.close()

    # steps

    def _keep_warnings(self, key: str, warnings: Sequence[str]) -> None:
        """What `status` is to say until it is mended."""
        said = json.dumps(sorted(set(warnings)))
        if said != (self.index.get(key) or "[]"):
            with self.index.transaction():
                self.index.set(key, said)

    def _keep_quota(self) -> None:
        warnings = []
        if not self.index.upkeep.keep_within(self._quota_bytes):
            used, quota = shown_size(self.index.upkeep.bytes_used()), shown_size(self._quota_bytes)
            warnings = [f"the index needs {used}, its quota is {quota}: raise quota_mb, or leave folders out"]
        self._keep_warnings(QUOTA_WARNINGS, warnings)

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
        repeated = frozenset(self.index.documents.applied_lines())
        parts = self._readers.read(plan.changed, repeated)
        for batch in chain.from_iterable(timed_batches(part, _BATCH_S) for part in parts):
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

    def _write_commits(
        self, known: Collection[str], wanted: Sequence[str], total: int, elsewhere: Mapping[str, str]
    ) -> None:
        done = 0
        for batch in timed_batches(new_commits(self._root, known, wanted), _BATCH_S, working_time):
            with self._changing():
                items: list[Item] = []
                times = []
                for commit in batch:
                    commit_id, text, digest = self.index.history.write(commit, elsewhere.get(commit.sha, ""))
                    items.append((commit_id, Kind.COMMIT, text, digest))
                    times.append(commit.committed_at)
                note_written(self.index, times)
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


def index_history(
    index: Index, root: str, models: Models, *, branches: Sequence[str] = (), listener: Listener = unheard
) -> IndexStats:
    """One whole run over the commits, on an index that stays open. Raises PostilError."""
    updater = Updater(index, root, models, branches=branches, listener=listener)
    updater.history()
    updater.settle()
    return updater.stats()
