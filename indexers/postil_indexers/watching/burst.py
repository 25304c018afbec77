"""When a burst of events is over."""

from __future__ import annotations

from collections.abc import Callable

# A save is a handful of events within a few milliseconds; a program that writes many files pauses for longer.
_QUIET_FEW_S, _QUIET_MANY_S = 0.02, 0.05
_FEW_EVENTS = 12
_LONGEST_S = 0.5  # a stream that never pauses is told of in parts
_BUSY_LOOK_S = 0.025
NEVER = float("inf")


class Burst:
    """Times are of the monotonic clock, in seconds. `is_busy`: more is sure to come, whatever the pauses."""

    def __init__(self, is_busy: Callable[[], bool]) -> None:
        self._is_busy = is_busy
        self._was_busy = False
        self.clear()

    def clear(self) -> None:
        self._events = 0
        self._first_at = self._last_at = NEVER

    def add(self, now: float, events: int = 1) -> None:
        self._first_at = min(self._first_at, now)
        self._last_at = now
        self._events += events

    def due(self, now: float) -> float:
        """When it is to be told, unless more comes; in the past where that is now."""
        if self._events == 0:
            return NEVER
        quiet = _QUIET_FEW_S if self._events <= _FEW_EVENTS else _QUIET_MANY_S
        due = min(self._last_at + quiet, self._first_at + _LONGEST_S)
        if due > now:
            return due
        busy, self._was_busy = self._was_busy, self._is_busy()
        if self._was_busy:
            return now + _BUSY_LOOK_S
        if busy:  # its last events are still to be read
            self._first_at = self._last_at = now
            return now + quiet
        return due
