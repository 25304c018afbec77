"""How far a run has come, told to whoever asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """A stage of a run. `total` is 0 while it is not known."""

    stage: str  # "scanning", "preparing", "reading", "embedding", "history"
    done: int
    total: int


class Listener(Protocol):
    def __call__(self, progress: Progress, /) -> None: ...


def unheard(progress: Progress) -> None:
    """For runs that nobody watches."""
