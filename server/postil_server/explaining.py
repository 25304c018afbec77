"""Why a file is or isn't found, in a sentence: the rules are asked anew, and the ledger of the last run is read."""

from __future__ import annotations

from collections.abc import Sequence

from postil_indexers.files import why
from postil_indexers.seen import FileEntry, shown
from postil_indexers.store.index import Index
from postil_indexers.types import FileState

_REMEDY = {
    "ignored": "To index it all the same, write !PATTERN into a .postilignore.",
    "postilignore": "Change the .postilignore to index it.",
    "excluded": "Change index.exclude in your settings or in the .postil.toml of the folder to index it.",
    "tool_folder": "To index it all the same, write !PATTERN into a .postilignore.",
    "secret": "Files of this kind are never read.",
}


def explained(index: Index | None, root: str, path: str, exclude: Sequence[str]) -> tuple[str, str]:
    """(state, a sentence with what to do) of a path relative to the root; `index` None where there is none yet."""
    now = why(root, path, extra_ignore=exclude)
    name = shown(path)
    if now is None:
        return "folder", f"{name} is a folder that is walked; ask about a file in it."
    if not isinstance(now, FileEntry):
        where = f"{name} is left out" if now.path == path else f"{name} is left out with {shown(now.path)}"
        return "skipped", f"{where} ({now.reason}): {now.detail}. {_REMEDY.get(str(now.reason), '')}".rstrip()
    row = index.ledger.find(path) if index is not None else None
    if row is not None and row.state is FileState.FAILED:
        return "failed", f"{name} could not be read ({row.reason}): {row.detail}. It is tried again when it changes."
    document = index.content.document(path) if index is not None else None
    if index is None or document is None:
        return "pending", f"{name} is to be indexed and is not yet; run: postil index {shown(root)}"
    chunks = len(index.content.chunks_of(document.id))
    stale = (document.size, document.mtime_ns) != (now.size, now.mtime_ns)
    note = " It has changed since; run postil index again." if stale else ""
    said = f" ({row.detail})" if row is not None and row.detail else ""
    return (
        "stale" if stale else "indexed",
        f"{name} is indexed as {document.language} in {chunks} passage{'s'[: chunks != 1]}{said}.{note}",
    )
