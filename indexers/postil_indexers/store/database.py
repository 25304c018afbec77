"""What the stores need of a database connection. Rows are tuples of what the columns hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Protocol


class Rows(Protocol):
    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


def storable(row: Iterable[Any]) -> tuple[Any, ...]:
    """A row whose texts SQLite can hold: the surrogates of undecodable bytes and of JSON's escapes become "?"."""
    row = tuple(row)
    for value in row:
        if isinstance(value, str) and not value.isascii():
            return tuple(v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in row)
    return row  # as nearly all are


def state_of(connection: Database) -> tuple[int, int]:
    """Another one after every commit, by other connections and by this one itself."""
    others, own = connection.execute("SELECT data_version, total_changes() FROM pragma_data_version").fetchone()
    return int(others), int(own)


class Database(Protocol):
    """An apsw.Connection; `with` is a transaction, or a savepoint inside one."""

    def execute(self, statements: str, bindings: Sequence[Any] | None = None) -> Rows: ...

    def executemany(self, statements: str, sequenceofbindings: Iterable[Sequence[Any]]) -> Rows: ...

    def last_insert_rowid(self) -> int: ...

    @property
    def in_transaction(self) -> bool: ...

    def close(self) -> None: ...

    def __enter__(self) -> object: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> bool | None: ...
