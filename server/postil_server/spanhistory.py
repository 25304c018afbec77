"""The commits that changed some lines, followed back through the hunks that the index keeps."""

from __future__ import annotations

from collections.abc import Sequence

from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.types import Hunk, Span

_LOOKED_AT = 200  # commits of a file, newest first; what is older is rarely asked for, and each costs a read


def last_changes(index: Index, path: str, span: Span, limit: int) -> list[CommitRow]:
    """The last commits that changed lines of `span`, the newest first; `span` is of the file as it was last committed.

    Commits are taken in the order of their dates, so lines that came in by a merge may be off by what it merged.
    """
    rows = sorted(index.history.rows(index.history.touching(path)).values(), key=lambda row: -row.committed_at)
    found: list[CommitRow] = []
    seen = {row.id for row in rows}
    queue = rows[:_LOOKED_AT]
    while queue and len(found) < limit:
        row = queue.pop(0)
        change = next((change for change in index.history.files(row.id) if change.path == path), None)
        if change is None:
            continue
        before = span_before(span, change.hunks)
        if before is None or touches(span, change.hunks):
            found.append(row)
        if before is None:
            break  # its first lines came in here
        span = before
        if change.old_path != path:  # renamed: what came before is the other path's
            path = change.old_path
            earlier = index.history.rows(index.history.touching(path) - seen).values()
            queue = sorted((*queue, *earlier), key=lambda row: -row.committed_at)[:_LOOKED_AT]
            seen.update(row.id for row in earlier)
    return found


def touches(span: Span, hunks: Sequence[Hunk]) -> bool:
    """Whether a commit changed lines of `span`, or took lines out between two of them."""
    return any(
        (h.new_start < span.end_line and h.new_start + h.new_lines > span.start_line)
        if h.new_lines
        else span.start_line < h.new_start < span.end_line
        for h in hunks
    )


def span_before(span: Span, hunks: Sequence[Hunk]) -> Span | None:
    """Where the lines of `span` were before a commit; None where it brought them all. Hunks are in the file's order."""
    start, end = _before(span.start_line, hunks, first=True), _before(span.end_line - 1, hunks, first=False) + 1
    return Span(start, end) if start < end else None


def _before(line: int, hunks: Sequence[Hunk], *, first: bool) -> int:
    """The old number of a line; of a new line that of the next old one (`first`) or the one before."""
    shift = 0
    for hunk in hunks:
        if hunk.new_lines == 0 and hunk.new_start <= line and hunk.old_lines:
            shift += hunk.old_lines
        elif hunk.new_lines and line >= hunk.new_start + hunk.new_lines:
            shift += hunk.old_lines - hunk.new_lines
        elif hunk.new_lines and line >= hunk.new_start:
            return hunk.old_start if first else hunk.old_start + hunk.old_lines - 1
    return line + shift
