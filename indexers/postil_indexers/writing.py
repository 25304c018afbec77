"""What became of files, into the index: rows, ledger, static vectors. Each function runs inside a transaction."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from postil_indexers.embedding_run import KINDS_OF_ROLE, Item, RoleModel, embed_now, place_known
from postil_indexers.planning import Plan
from postil_indexers.platform import comparison_key
from postil_indexers.pool import Lost
from postil_indexers.prepare import Prepared, PreparedChunk
from postil_indexers.reading import ReadFile, ReadTask, Unchanged
from postil_indexers.seen import Skip, SkipReason
from postil_indexers.store.index import Index
from postil_indexers.store.ledger import LedgerRow
from postil_indexers.types import FileState, Kind

Outcome = ReadFile | Skip | Unchanged | Lost
Models = Mapping[str, RoleModel]  # role ("static", "prose") -> model


def forget(index: Index, plan: Plan) -> None:
    """Take out what is gone, and note what is left out."""
    for path in plan.gone:
        _remove(index, path)
    index.ledger.remove(plan.gone)  # first: what was indexed may be left out now, and has its row below
    now = int(time.time())
    rows = [
        LedgerRow(s.path, FileState.SKIPPED, s.reason, s.detail, s.is_directory, s.size, at=now) for s in plan.skipped
    ]
    if plan.folders is None:
        index.ledger.replace_skips(rows)
        return
    for folder in plan.folders:
        index.ledger.replace_skips_in(folder, [row for row in rows if row.path.rpartition("/")[0] == folder])


def write(index: Index, task: ReadTask, result: Outcome, fold_case: bool) -> list[Item]:
    """Store what became of one file; the passages to embed."""
    entry, now = task.entry, int(time.time())
    row = LedgerRow(entry.path, FileState.INDEXED, size=entry.size, mtime_ns=entry.mtime_ns, at=now)
    if isinstance(result, Unchanged):
        index.documents.touch(result.entry, result.read_at_ns)
        return []
    _remove(index, entry.path)
    if isinstance(result, ReadFile):
        prepared = result.prepared
        key = comparison_key(entry.path, fold_case=fold_case)
        written = index.documents.write(prepared, result.packed, result.entry, key, result.read_at_ns)
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


def place(index: Index, items: Sequence[Item], models: Models) -> int:
    """Static vectors at once; of all other models what is cached. How many were computed."""
    embedded = 0
    static = models.get("static")
    if static is not None:
        embedded += embed_now(index, items, static)
    for model in index.vectors.models():
        if static is None or (model.role, model.fingerprint) != ("static", static.embedder.fingerprint):
            place_known(index, [item for item in items if item[1] in KINDS_OF_ROLE[model.role]], model)
    return embedded


def redo_repeated_lines(index: Index, models: Models) -> int:
    """Bring terms and vectors of notes up to the lines that many notes repeat now; how many vectors were computed."""
    written, gone = index.documents.apply_lines(index.documents.repeated_lines())
    redone = _items(written)
    index.vectors.displace((chunk_id for chunk_id, *_ in redone), Kind.NOTE)
    embedded = place(index, redone, models)
    index.upkeep.drop_unused(gone)  # in a folder of small notes a third of all vectors would be of no use to anything
    return embedded


def _remove(index: Index, path: str) -> None:
    removed = index.documents.remove(path)
    index.vectors.displace(removed, Kind.CODE)
    index.upkeep.retire(removed.values())


def _said(prepared: Prepared) -> Iterator[str]:
    """What a user should know of a file that is indexed."""
    document = prepared.document
    if document.encoding_guessed:
        yield f"read as {document.encoding}, which is a guess"
    if document.masked:
        yield f"{document.masked} secret{'s' if document.masked > 1 else ''} masked"


def _items(written: Iterable[tuple[int, PreparedChunk]]) -> list[Item]:
    return [(chunk_id, chunk.chunk.kind, chunk.embed_text, chunk.hash) for chunk_id, chunk in written]
