"""Where news of a set of folders comes from: the system, or looking at them again and again."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Event(NamedTuple):
    """Something about one name in a folder may have changed."""

    folder: bytes  # absolute, as it was added
    name: bytes  # b"" for the folder itself: it is gone, or is not what it was
    moved: bool = (
        True  # what bears the name came, went or was replaced; otherwise only its content or permissions changed
    )
    is_folder: bool = False  # as far as the source knows


class News(NamedTuple):
    events: list[Event]  # in order, each once
    lost: bool = False  # there was more than the system keeps


class CannotWatchError(Exception):
    """The system can't report all changes here. `reason` and `hint` (what to do) are clauses without a full stop."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Source(Protocol):
    """Used by one thread, but for `wake`."""

    def add(self, folder: bytes) -> bool:
        """Report what changes in that folder (not below) from now on; again for one that is known, it may have been
        replaced. False where it is no folder, or one that may not be read. Raises CannotWatchError."""

    def remove(self, folder: bytes) -> None: ...

    def read(self, timeout_s: float) -> News:
        """What happened since, as soon as there is something; nothing after `timeout_s` or `wake`."""

    def wake(self) -> None:
        """Let a `read` in another thread return at once, or the next one."""

    def close(self) -> None: ...
