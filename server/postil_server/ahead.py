"""What the first files of a new index wait for, begun before the worker imports all else: native code, beside it."""

from __future__ import annotations

import threading

from postil_indexers.secrets import compile_rules
from postil_indexers.store.location import index_file


def load_rules(root: str) -> None:
    """Load the rules for secrets, in a thread, where the folder has no index: of one that has, no file may be read."""
    if not index_file(root).exists():
        threading.Thread(target=compile_rules, name="rules", daemon=True).start()
