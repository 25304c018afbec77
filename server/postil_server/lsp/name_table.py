"""Names out of an index, read once, and then again only from the documents that have changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Generic, Protocol, TypeVar

from postil_indexers.store.database import state_of
from postil_indexers.store.index import Index
from postil_server.lsp.names import Names

_SHARE_ANEW = 0.1  # of all documents: when so many have changed, all names are put together anew
_BEHIND_S = 1.0  # how long names may be behind the index: while that is written, each key would look for changes


class Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def document_id(self) -> int: ...


N = TypeVar("N", bound=Named)


class NameTable(Generic[N]):
    """`read`: the names of these documents; one may have several."""

    def __init__(self, index: Index, read: Callable[[Index, list[int]], Iterable[N]]) -> None:
        self._index = index
        self._read = read
        self._state: object = None  # of the database when it was last looked at
        self._looked_at = 0.0
        self._known: dict[int, bytes] = {}  # documents in `_settled`, with the hash of their bytes
        self._settled = self._of([])
        self._changed: set[int] = set()  # documents that `_settled` has an old state of
        self._late = self._of([])  # the names of those, and of documents that have come since

    def find(self, query: str) -> list[tuple[int, int, N]]:
        """As `Names.find`."""
        self._refresh()
        settled = (each for each in self._settled.find(query) if each[2].document_id not in self._changed)
        return [*settled, *self._late.find(query)]

    def called(self, name: str) -> list[N]:
        """Those with just this name, in any case."""
        self._refresh()
        settled = (each for each in self._settled.called(name) if each.document_id not in self._changed)
        return [*settled, *self._late.called(name)]

    def __iter__(self) -> Iterator[N]:
        self._refresh()
        settled = (each for each in self._settled.entries if each.document_id not in self._changed)
        return chain(settled, self._late.entries)

    def _refresh(self) -> None:
        if time.monotonic() - self._looked_at < _BEHIND_S:
            return
        state = state_of(self._index.connection)
        if state != self._state:
            with self._index.snapshot():
                self._take(self._index.names.versions())
            self._state = state
        self._looked_at = time.monotonic()

    def _take(self, versions: dict[int, bytes]) -> None:
        changed = {i for i, version in versions.items() if self._known.get(i) != version}
        changed |= self._known.keys() - versions.keys()
        if len(changed) > _SHARE_ANEW * len(versions):
            self._settled, self._known, changed = self._of(list(versions)), versions, set()
        self._changed = changed
        self._late = self._of([i for i in changed if i in versions])

    def _of(self, documents: list[int]) -> Names[N]:
        return Names(list(self._read(self._index, documents)) if documents else [], lambda each: each.name)
