"""What comes as a stream in runs, each long enough to be worth a transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def working_time() -> float:
    """Seconds that this thread worked, and a fifth of those that it waited, on git or on others for a processor.

    A commit is written in a millisecond: on a busy machine batches by the clock would be of few, each a transaction.
    """
    worked = time.thread_time()
    return worked + (time.monotonic() - worked) / 5


def timed_batches(
    source: Iterable[T], seconds: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[Iterator[T]]:
    """`source` in runs, each to be gone through before the next; one ends with what comes after so many seconds."""
    source = iter(source)
    for first in source:
        yield _run(first, source, clock, clock() + seconds)


def _run(first: T, source: Iterator[T], clock: Callable[[], float], end: float) -> Iterator[T]:
    yield first
    while clock() < end:
        try:
            yield next(source)
        except StopIteration:
            return
