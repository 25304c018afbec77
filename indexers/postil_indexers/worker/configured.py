"""What the worker needs of the user's settings; whoever starts it knows where they are kept."""

from __future__ import annotations

from typing import Protocol

from postil_indexers.indexer import Updater
from postil_indexers.progress import Listener


class Configured(Protocol):
    """What the user's settings say of one workspace; read again when they change."""

    def updater(self, listener: Listener) -> Updater: ...

    def changed(self) -> bool: ...

    @property
    def exclude(self) -> tuple[str, ...]: ...

    @property
    def pause_on_battery(self) -> bool: ...

    @property
    def low_priority(self) -> bool: ...

    @property
    def memory_bytes(self) -> int: ...
