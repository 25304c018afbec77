"""What `postil index` begins before its own modules are loaded: those of the processes that read files, beside it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from postil_indexers.pool import warm_up
from postil_indexers.store.location import index_file

_READ_NOTHING = frozenset({"--dry-run", "--only-history", "--help"})


def begin_loading(arguments: Sequence[str]) -> None:
    """Where all of a folder is to be read, as far as the arguments behind "index" tell."""
    root = next((word for word in arguments if not word.startswith("-")), "")
    if os.path.isdir(root) and _READ_NOTHING.isdisjoint(arguments) and not index_file(root).is_file():
        warm_up(["postil_indexers.preload"])
