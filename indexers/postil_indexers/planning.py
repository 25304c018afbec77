"""What a look at the workspace finds to do: files to read, files that are gone, files that are left out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from postil_indexers.errors import WorkspaceError
from postil_indexers.files import Walk, scan
from postil_indexers.progress import Listener, Progress
from postil_indexers.reading import ReadTask
from postil_indexers.seen import FileEntry, Skip, SkipReason
from postil_indexers.store.documents import Known
from postil_indexers.store.index import Index
from postil_indexers.store.ledger import LedgerRow


@dataclass(slots=True)
class Plan:
    changed: list[ReadTask] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # what git could not say, fit to show
    folders: tuple[str, ...] | None = None  # that were looked into; None: all


def plan_workspace(
    index: Index, root: str, exclude: Sequence[str], listener: Listener, *, asked_for: bool = True
) -> Plan:
    """Of the whole tree. Raises WorkspaceError where `root` can't be read, and where all files have vanished at once
    though nobody asked for a run: a drive that was unmounted leaves an empty folder in its place.
    """
    plan, known = Plan(), index.documents.known()
    refused = {row.path: row for row in index.ledger.not_indexed() if row.mtime_ns}  # after a look inside
    found: list[FileEntry] = []
    for each in scan(root, extra_ignore=exclude, warnings=plan.warnings):
        if isinstance(each, Skip):
            if each.path == "":
                raise WorkspaceError(f"{root} can't be read: {each.detail}", "check the folder's name and permissions")
            plan.skipped.append(each)
            continue
        found.append(each)
        if len(found) % 500 == 0:
            listener(Progress("scanning", len(found), 0))
    if known and not found and not asked_for:
        raise WorkspaceError(
            f"all {len(known):,} indexed files of {root} are gone: its drive may not be there",
            "the index is kept; if the files are to go, run: postil index <folder>",
        )
    _compare(plan, root, found, known, refused, None if asked_for else os.stat(root).st_dev)
    return plan


def plan_folders(index: Index, walk: Walk, folders: Collection[str]) -> Plan:
    """Of what lies directly in some folders, relative to the root. A folder that is not there any more has nothing."""
    plan = Plan(folders=tuple(sorted(folders)))
    found: list[FileEntry] = []
    known: dict[str, Known] = {}
    refused: dict[str, LedgerRow] = {}
    for folder in plan.folders or ():
        known.update(index.documents.known_in(folder))
        refused.update((row.path, row) for row in index.ledger.not_indexed_in(folder) if row.mtime_ns)
    for each in walk.look_into(plan.folders or ()):
        if isinstance(each, Skip):
            plan.skipped.append(each)
        else:
            found.append(each)
    _compare(plan, walk.root, found, known, refused, os.stat(walk.root).st_dev)
    return plan


def _compare(
    plan: Plan,
    root: str,
    found: Iterable[FileEntry],
    known: Mapping[str, Known],
    refused: Mapping[str, LedgerRow],
    root_device: int | None,
) -> None:
    """Fill in what changed and what is gone. `root_device`: files of other devices of which none is to be seen are
    taken for unmounted; None: gone is gone.
    """
    present: set[str] = set()
    devices = {root_device}
    for entry in found:
        present.add(entry.path)
        devices.add(entry.device)
        before = known.get(entry.path)
        if before is not None and before.unchanged(entry):
            continue
        last = refused.get(entry.path)
        if last is not None and (last.size, last.mtime_ns) == (entry.size, entry.mtime_ns):
            may_be_read_now = last.reason == SkipReason.UNREADABLE and os.access(f"{root}/{entry.path}", os.R_OK)
            if not may_be_read_now:  # a permission that is given changes neither size nor time
                continue
        plan.changed.append(ReadTask(entry, before.content_hash if before else b""))
    # notes first: they are few, and what is written in is asked about first
    plan.changed.sort(key=lambda task: (not is_note(task.entry.path), task.entry.path))
    for path in {*known, *refused}:
        if path in present:
            continue
        before = known.get(path)
        if root_device is None or before is None or before.device in devices:
            plan.gone.append(path)


def is_note(path: str) -> bool:
    return path.endswith((".md", ".markdown", ".txt"))
