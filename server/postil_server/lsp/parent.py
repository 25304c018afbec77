"""The end of the editor: a server whose parent is gone is of no use to anybody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_LOOK_S = 1.0


def watch_parent(pid: int, gone: Callable[[], object]) -> None:
    """Call `gone`, in a thread, once the process has ended; a later one with the same number is another process."""
    threading.Thread(target=_watch, args=(pid, gone), name="parent", daemon=True).start()


def _watch(pid: int, gone: Callable[[], object]) -> None:
    import psutil  # not needed before `initialize` was answered

    try:
        parent = psutil.Process(pid)
        while parent.is_running() and parent.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_LOOK_S)
    except psutil.AccessDenied:
        return  # another user's: nothing can be said of it, and the stream will end
    except psutil.NoSuchProcess:
        pass
    gone()
