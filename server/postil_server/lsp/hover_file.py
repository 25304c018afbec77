"""What a note means that writes the path of a file without a link: the file, and the commits that changed it last."""

from __future__ import annotations

import os
import re

from postil_server.lsp.desk import Opened
from postil_server.lsp.hover_commit import commit_line
from postil_server.lsp.shown import Line, Shown

_PATH = re.compile(r"(?<![\w/@.-])(?:[\w@.-]+/)+[\w@.-]*\w")
_COMMITS = 3


def hover_file(opened: list[Opened], text: str, column: int) -> Shown | None:
    """`text`: the line under the cursor. None where no indexed file has the path that stands there."""
    match = next((m for m in _PATH.finditer(text) if m.start() <= column < m.end()), None)
    if match is None:
        return None
    path = match[0].removeprefix("./")
    owner = next((each for each in opened if each.index.content.document(path) is not None), None)
    if owner is None or not os.path.lexists(os.path.join(owner.root, path)):
        return None
    history = owner.index.history
    touching = owner.index.commit_filters.in_time(history.touching(path), _COMMITS, oldest=False)
    rows = history.rows(touching)
    target = Line(link=path, path=os.path.join(owner.root, path))
    return Shown(lines=(target, *(commit_line(owner, rows[i]) for i in touching)), columns=match.span())
