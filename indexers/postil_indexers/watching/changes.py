"""What a watcher tells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Changes:
    """One burst of changes. False where nothing happened."""

    # Folders in which something changed, relative to the root as FileEntry.path, "" for the root itself. One that is
    # gone is named with all that was watched below it, and so is one that came.
    directories: frozenset[str] = frozenset()
    everything: bool = False  # look at the whole tree: rules changed, events were lost, or the root came back
    git: bool = False  # HEAD, refs, the index, or a rebase or merge in progress
    root_missing: bool = False  # told once; nothing else is until the root is back

    def __bool__(self) -> bool:
        return bool(self.directories) or self.everything or self.git or self.root_missing


class Mode(StrEnum):
    """How changes are noticed."""

    WATCHING = "watching"
    POLLING = "polling"
