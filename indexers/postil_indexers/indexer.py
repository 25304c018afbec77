"""Bringing an index up to its workspace: find what changed, read it, embed what is new, write it."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from postil_indexers.embedding_run import (
    KINDS_OF_ROLE,
    Item,
    RoleModel,
    embed_missing,
    embed_now,
    finish_models,
    place_known,
)
from postil_indexers.errors import WorkspaceError
from postil_indexers.files import scan
from postil_indexers.history import new_commits, no_roots_any_more, reachable_shas
from postil_indexers.linking import resolve_links
from postil_indexers.platform import comparison_key, ignores_case
from postil_indexers.pool import Lost, Pool
from postil_indexers.prepare import Prepared, PreparedChunk
from postil_indexers.progress import Listener, Progress, unheard
from postil_indexers.reading import ReadFile, ReadTask, Unchanged, read_file
from postil_indexers.secrets import compile_rules, is_compiled
from postil_indexers.seen import Skip, SkipReason
from postil_indexers.store.index import Index
from postil_indexers.store.ledger import LedgerRow
from postil_indexers.types import FileState, IndexStats, Kind

_BATCH_S = 0.2  # a batch is committed after this time: what was read is searchable, and a kill loses no more than it
_POOL_BYTES = 1_500_000  # below it, starting a second process takes longer than reading the files in one
_PROCESSES = 2  # readers beside the writing process, which more of them would only wait for; 0: it reads itself

Models = Mapping[str, RoleModel]  # role ("static", "prose") -> model


@dataclass(slots=True)
class _Plan:
    """What a scan found to do."""

    changed: list[ReadTask] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    seen: int = 0
    warnings: list[str] = field(default_factory=list)  # what went wrong with git, fit to show


def index_workspace(
    index: Index,
    root: str,
    models: Models,
    *,
    exclude: Sequence[str] = (),
    listener: Listener = unheard,
    processes: int = _PROCESSES,
) -> IndexStats:
    """Make the index hold the files that `root` holds now. Raises PostilError."""
    started = time.monotonic()
    plan = _plan(index, root, exclude, listener)
    with index.transaction():
        _forget(index, plan)
    if plan.changed:
        _prepare_masking(listener)
    embedded = _write_changed(index, root, plan, models, listener, processes)
    with index.transaction():
        embedded += _apply_repeated_lines(index, models)
        resolve_links(index)
    for role, model in models.items():
        kinds = [kind for kind in KINDS_OF_ROLE[role] if kind is not Kind.COMMIT]
        embedded += embed_missing(index, role, model, kinds, listener)
    finish_models(index, models)
    return stats(index, embedded, started)


def index_history(index: Index, root: str, models: Models, *, listener: Listener = unheard) -> IndexStats:
    """Make the index hold the commits that HEAD reaches now; none where there is no repository. Raises PostilError."""
    started = time.monotonic()
    embedded = 0
    reachable = reachable_shas(root)
    known = index.history.shas().intersection(reachable)
    if len(known) < len(reachable):
        known -= no_roots_any_more(root, sorted(known & index.history.roots()))
    with index.transaction():
        index.vectors.displace(index.history.remove(index.history.shas() - known), Kind.COMMIT)
    if reachable:
        embedded += _write_commits(index, root, known, reachable, models, listener)
    for role, model in models.items():
        embedded += embed_missing(index, role, model, [Kind.COMMIT], listener)
    finish_models(index, models)
    return stats(index, embedded, started)


def _prepare_masking(listener: Listener) -> None:
    """Compile the rules for secrets before several processes would, each on the clock of its first file."""
    if not is_compiled():
        listener(Progress("preparing", 0, 0))
        compile_rules()


def stats(index: Index, embedded: int, started: float) -> IndexStats:
    documents, chunks = index.documents.count()
    by_state = index.ledger.counts()
    return IndexStats(
        files=documents,
        chunks=chunks,
        commits=index.history.count(),
        embedded=embedded,
        skipped=sum(n for (state, _), n in by_state.items() if state is FileState.SKIPPED),
        failed=sum(n for (state, _), n in by_state.items() if state is FileState.FAILED),
        seconds=round(time.monotonic() - started, 3),
    )


def _plan(index: Index, root: str, exclude: Sequence[str], listener: Listener) -> _Plan:
    plan, known = _Plan(), index.documents.known()
    refused = {row.path: row for row in index.ledger.not_indexed() if row.mtime_ns}  # after a look inside
    present: set[str] = set()
    for found in scan(root, extra_ignore=exclude, warnings=plan.warnings):
        if isinstance(found, Skip):
            if found.path == "":
                raise WorkspaceError(f"{root} can't be read: {found.detail}", "check the folder's name and permissions")
            plan.skipped.append(found)
            continue
        plan.seen += 1
        present.add(found.path)
        before = known.get(found.path)
        if before is not None and before.unchanged(found):
            continue
        last = refused.get(found.path)
        if last is not None and (last.size, last.mtime_ns) == (found.size, found.mtime_ns):
            continue
        plan.changed.append(ReadTask(found, before.content_hash if before else b""))
        if plan.seen % 500 == 0:
            listener(Progress("scanning", plan.seen, 0))
    plan.gone = [path for path in {*known, *refused} if path not in present]
    # notes first: they are few, and what is written in is asked about first
    plan.changed.sort(key=lambda task: (not _is_note(task.entry.path), task.entry.path))
    return plan


def _forget(index: Index, plan: _Plan) -> None:
    for path in plan.gone:
        index.vectors.displace(index.documents.remove(path), Kind.CODE)
    index.ledger.remove(plan.gone)  # first: what was indexed may be left out now, and has its row below
    index.ledger.replace_skips(
        [
            LedgerRow(s.path, FileState.SKIPPED, s.reason, s.detail, s.is_directory, s.size, at=int(time.time()))
            for s in plan.skipped
        ]
    )


def _write_changed(index: Index, root: str, plan: _Plan, models: Models, listener: Listener, processes: int) -> int:
    embedded, done = 0, 0
    fold_case = ignores_case(root)
    repeated = frozenset(index.documents.applied_lines())
    for batch in _timed_batches(_read(root, plan.changed, repeated, processes), _BATCH_S):
        with index.transaction():
            items: list[Item] = []
            for task, result in batch:
                items += _write(index, task, result, fold_case)
            embedded += _place(index, items, models)
        done += len(batch)
        listener(Progress("reading", done, len(plan.changed)))
    return embedded


Outcome = ReadFile | Skip | Unchanged | Lost


def _read(
    root: str, tasks: Sequence[ReadTask], repeated: frozenset[int], processes: int
) -> Iterator[tuple[ReadTask, Outcome]]:
    """Each task with what became of it. A grammar may crash or hang, so code is only read by another process."""
    read = functools.partial(read_file, root, repeated)
    few = sum(task.entry.size for task in tasks) < _POOL_BYTES
    here = [task for task in tasks if processes < 1 or (few and _is_note(task.entry.path))]
    for task in here:
        yield task, read(task)
    if len(here) < len(tasks):
        with Pool[ReadTask, Outcome](read, 1 if few else processes) as pool:
            yield from pool.run(tasks[len(here) :])


def _is_note(path: str) -> bool:
    return path.endswith((".md", ".markdown", ".txt"))


T = TypeVar("T")


def _timed_batches(source: Iterable[T], seconds: float) -> Iterator[list[T]]:
    batch: list[T] = []
    started = time.monotonic()
    for item in source:
        batch.append(item)
        if time.monotonic() - started > seconds:
            yield batch
            batch, started = [], time.monotonic()
    if batch:
        yield batch


def _write(index: Index, task: ReadTask, result: Outcome, fold_case: bool) -> list[Item]:
    """Store what became of one file; the passages to embed."""
    entry, now = task.entry, int(time.time())
    row = LedgerRow(entry.path, FileState.INDEXED, size=entry.size, mtime_ns=entry.mtime_ns, at=now)
    if isinstance(result, Unchanged):
        index.documents.touch(result.entry, result.read_at_ns)
        return []
    index.vectors.displace(index.documents.remove(entry.path), Kind.CODE)
    if isinstance(result, ReadFile):
        prepared = result.prepared
        key = comparison_key(entry.path, fold_case=fold_case)
        written = index.documents.write(prepared, result.entry, key, result.read_at_ns)
        notes = [*prepared.parsed.warnings, *_said(prepared)]
        index.ledger.write([replace(row, detail="; ".join(notes), took_ms=result.took_ms)])
        return _items(written)
    if isinstance(result, Lost):
        index.ledger.write([replace(row, state=FileState.FAILED, reason=result.reason, detail=result.detail)])
    elif result.reason is SkipReason.MISSING:  # gone between the scan and the reading
        index.ledger.remove([entry.path])
    else:
        state = FileState.FAILED if result.reason is SkipReason.UNREADABLE else FileState.SKIPPED
        index.ledger.write([replace(row, state=state, reason=result.reason, detail=result.detail)])
    return []


def _said(prepared: Prepared) -> Iterator[str]:
    """What a user should know of a file that is indexed."""
    document = prepared.document
    if document.encoding_guessed:
        yield f"read as {document.encoding}, which is a guess"
    if document.masked:
        yield f"{document.masked} secret{'s' if document.masked > 1 else ''} masked"


def _items(written: Iterable[tuple[int, PreparedChunk]]) -> list[Item]:
    return [(chunk_id, chunk.chunk.kind, chunk.embed_text, chunk.hash) for chunk_id, chunk in written]


def _place(index: Index, items: Sequence[Item], models: Models) -> int:
    """Static vectors at once; of all other models what is cached."""
    embedded = 0
    static = models.get("static")
    if static is not None:
        embedded += embed_now(index, items, static)
    for model in index.vectors.models():
        if static is None or (model.role, model.fingerprint) != ("static", static.embedder.fingerprint):
            place_known(index, [item for item in items if item[1] in KINDS_OF_ROLE[model.role]], model)
    return embedded


def _apply_repeated_lines(index: Index, models: Models) -> int:
    redone = _items(index.documents.apply_lines(index.documents.repeated_lines()))
    index.vectors.displace((chunk_id for chunk_id, *_ in redone), Kind.NOTE)
    return _place(index, redone, models)


def _write_commits(
    index: Index, root: str, known: set[str], reachable: Sequence[str], models: Models, listener: Listener
) -> int:
    embedded, done = 0, 0
    total = sum(sha not in known for sha in reachable)
    for batch in _timed_batches(new_commits(root, known, reachable), _BATCH_S):
        with index.transaction():
            items: list[Item] = []
            for commit in batch:
                commit_id, text, digest = index.history.write(commit)
                items.append((commit_id, Kind.COMMIT, text, digest))
            embedded += _place(index, items, models)
        done += len(batch)
        listener(Progress("history", done, total))
    return embedded
