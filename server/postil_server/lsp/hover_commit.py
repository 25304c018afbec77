"""What a commit id or the number of an issue means, wherever somebody wrote it: the commits, and why they were made."""

from __future__ import annotations

from postil_indexers.store.history import CommitRow
from postil_server.days import day
from postil_server.elsewhere import also_elsewhere
from postil_server.history.joins import commits_named, reference_at
from postil_server.lsp.desk import Opened
from postil_server.lsp.shown import Line, Shown
from postil_server.lsp.virtual_uris import commit_uri

_COMMITS = 5
_BODY_CHARS = 600


def hover_commit(opened: list[Opened], text: str, column: int) -> Shown | None:
    """`text`: the line under the cursor. None where it names nothing at that column, or nothing that is known here."""
    named = reference_at(text, column)
    if named is None:
        return None
    start, end = named
    found = [(each, row) for each in opened for row, _ in commits_named(each.index, text[start:end])]
    once = {row.sha: (each, row) for each, row in reversed(found)}
    told = [once[sha] for sha in dict.fromkeys(row.sha for _, row in found)][:_COMMITS]
    if not told:
        return None
    body = told[0][1].body.strip() if len(told) == 1 else ""
    quoted = body if len(body) <= _BODY_CHARS else body[: _BODY_CHARS - 1] + "…"
    return Shown(
        lines=tuple(commit_line(each, row) for each, row in told), quoted=quoted, language="text", columns=(start, end)
    )


def commit_line(opened: Opened, row: CommitRow, *, with_release: bool = True) -> Line:
    release = f", in {row.release}" if with_release and row.release else ""
    return Line(
        link=f"{day(row.committed_at)} {row.subject}",
        uri=commit_uri(opened.root, row.sha),
        after=f" ({row.author_name}, {row.sha[:8]}{release}{also_elsewhere(row.branch)})",
        item=True,
    )
