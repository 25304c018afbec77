"""The machine around a worker: priority, battery, memory, and sleep."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

Clock = Callable[[], float]

_NICE = 10  # below whatever a person waits for
_ASLEEP_S = 30.0  # of wall time more than the process ran: the machine slept, or its clock was set


def lower_priority() -> None:
    """Let everything else go first, for processor and disk, with all processes that this one has started. What a system
    refuses is left as it is."""
    processes = [psutil.Process()]
    with suppress(psutil.Error):
        processes += processes[0].children(recursive=True)
    for process in processes:
        for lower in (_lower_processor, _lower_disk):
            try:
                lower(process)
            except (psutil.Error, OSError):
                continue  # a container may forbid it, and nothing depends on it


def _lower_processor(process: psutil.Process) -> None:
    if sys.platform == "win32":
        process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    elif sys.platform == "linux":  # where each thread has its own, and hands it on
        lower = max(process.nice(), _NICE)
        for thread in process.threads():
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, thread.id, lower)
    else:
        process.nice(max(process.nice(), _NICE))


def _lower_disk(process: psutil.Process) -> None:
    if sys.platform == "win32":
        process.ionice(psutil.IOPRIO_LOW)
    elif sys.platform == "linux":
        process.ionice(psutil.IOPRIO_CLASS_BE, 7)  # last of the normal class: the idle class can starve


def on_battery() -> bool:
    """Whether the machine runs on its battery; False where it has none or doesn't say."""
    try:
        battery = psutil.sensors_battery()
    except (AttributeError, OSError, psutil.Error):  # not on this system, or not readable in a container
        return False
    return battery is not None and battery.power_plugged is False


def memory_bytes() -> int:
    """What this process holds in memory that no other process shares with it and no file stands behind."""
    memory = psutil.Process().memory_info()
    return int(memory.rss - getattr(memory, "shared", 0))


class Sleep:
    """Notices that the machine slept: watches may have missed what happened then.

    `wall` goes on while it sleeps, `running` does not; both in seconds.
    """

    def __init__(self, wall: Clock = time.time, running: Clock = time.monotonic) -> None:
        self._clocks = wall, running
        self._wall, self._running = wall(), running()

    def woke(self) -> bool:
        """Whether it slept since the last call. A clock that was set looks the same, and costs one look too many."""
        wall, running = (clock() for clock in self._clocks)
        slept = abs((wall - self._wall) - (running - self._running))
        self._wall, self._running = wall, running
        return slept > _ASLEEP_S
