"""What usually changes with a file that was changed, and was not: offered as long as neither is committed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from postil_indexers.decode import decode
from postil_indexers.opening import read_whole
from postil_server.cochange import ChangedTogether, missing_partners
from postil_server.gitblobs import MOST_BYTES
from postil_server.lsp.behind import missing_head
from postil_server.lsp.desk import Opened
from postil_server.lsp.documents import Buffer
from postil_server.worktree import is_changed

_MOST = 3  # of one menu
_LOOKED_AT = 12  # partners; some are changed as well, or gone


@dataclass(frozen=True, slots=True)
class Partner:
    path: str
    why: ChangedTogether


def missing(opened: Opened, path: str, buffers: Mapping[tuple[str, str], Buffer]) -> list[Partner]:
    """The surest first; none for a file that is as it was committed, and while the index is behind the branch."""
    if missing_head(opened) is not None or not _is_changed(opened, path, buffers):
        return []
    with opened.index.snapshot():
        found = missing_partners(opened.index, {path}, _LOOKED_AT)
    there = (item for _, item in found if os.path.lexists(os.path.join(opened.root, item.path)))
    return [Partner(item.path, item) for item in there if not _is_changed(opened, item.path, buffers)][:_MOST]


def _is_changed(opened: Opened, path: str, buffers: Mapping[tuple[str, str], Buffer]) -> bool:
    """By what stands in an editor, where that is not what is on disk."""
    buffer, text = buffers.get((opened.root, path)), read_whole(opened.root, path, MOST_BYTES)
    if buffer is not None and (text is None or buffer.text != decode(text)[0]):
        text = buffer.text.encode("utf-8", "surrogatepass")
    with opened.index.snapshot():
        return is_changed(opened.index, opened.root, path, text)
