"""What a history does not have, in sentences fit to show: of shallow and partial clones, of lines and files unknown."""

from __future__ import annotations

from collections.abc import Sequence

from postil_indexers.store.index import Index
from postil_server.days import day
from postil_server.history.filters import Filter
from postil_server.history.narrowing import suggestions
from postil_server.types import FoundCommit


def missing_of_clone(index: Index) -> list[str]:
    """Of a clone that has not all that its origin has."""
    told = []
    if index.get("is_shallow"):
        ends = index.history.rows(i for sha in index.history.roots() for i in index.history.by_sha(sha))
        oldest = min((row.committed_at for row in ends.values()), default=None)
        since = f"from before {day(oldest)} " if oldest is not None else ""
        told.append(f"this clone is shallow: commits {since}are not in it; `git fetch --unshallow` brings them")
    lacking = int(index.get("texts_missing") or 0)
    if lacking:
        commits = f"{lacking:,} commits are" if lacking > 1 else "1 commit is"
        told.append(f"this clone is partial: {commits} known by the names of their files, and not by their lines")
    return told


def missing_of_lines(index: Index, path: str, found: Sequence[FoundCommit]) -> list[str]:
    """Why the history of some lines is empty, or ends too early."""
    told = []
    if not found:
        told = suggestions(index, [Filter("file", path)]) or [f"no commit changed these lines of {path}"]
    elif index.get("is_shallow") and found[-1].sha in index.history.roots():
        told = [f"these lines may be older than {found[-1].sha[:10]}, with which this shallow clone begins"]
    if index.get("texts_missing"):
        rows = index.history.rows(index.history.touching(path)).values()
        lacking = sum(row.text_missing for row in rows)
        told += [f"{lacking} of the {len(rows)} commits that changed {path} may belong here"] if lacking else []
    return [*told, *missing_of_clone(index)]
