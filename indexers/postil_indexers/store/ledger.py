"""The ledger: a row for every file seen, what became of it, and why."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from postil_indexers.store.database import Database, storable
from postil_indexers.store.places import DIRECTLY_IN, directly_in
from postil_indexers.types import FileState


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What became of one file, or of a directory that was not entered."""

    path: str
    state: FileState
    reason: str = ""  # a SkipReason, "crashed", "timed out", ...; "" where there is nothing to say
    detail: str = ""  # fit to show
    is_directory: bool = False
    size: int = 0
    mtime_ns: int = 0
    at: int = 0  # Unix seconds
    took_ms: float = 0.0


class Ledger:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    def write(self, rows: Iterable[LedgerRow]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO ledger VALUES(?,?,?,?,?,?,?,?,?)",
            (
                storable((
                    os.fsencode(row.path), row.state.value, row.reason, row.detail, row.is_directory,
                    row.size, row.mtime_ns, row.at, row.took_ms,
                ))
                for row in rows
            ),
        )  # fmt: skip

    def replace_skips(self, rows: Iterable[LedgerRow]) -> None:
        """What the walk leaves out now, in place of what it left out before; files it read keep their rows."""
        self._connection.execute("DELETE FROM ledger WHERE state='skipped' AND mtime_ns=0")
        self.write(rows)

    def replace_skips_in(self, folder: str, rows: Iterable[LedgerRow]) -> None:
        """The same for what lies directly in one folder ("" is the root)."""
        self._connection.execute(
            f"DELETE FROM ledger WHERE state='skipped' AND mtime_ns=0 AND {DIRECTLY_IN}", directly_in(folder)
        )
        self.write(rows)

    def remove(self, paths: Iterable[str]) -> None:
        self._connection.executemany("DELETE FROM ledger WHERE path=?", ((os.fsencode(path),) for path in paths))

    def find(self, path: str) -> LedgerRow | None:
        """The row of `path` itself."""
        found = self._connection.execute(
            "SELECT path, state, reason, detail, is_directory, size, mtime_ns, at, took_ms FROM ledger WHERE path=?",
            (os.fsencode(path),),
        ).fetchone()
        return _row(found) if found else None

    def not_indexed(self) -> list[LedgerRow]:
        """Every skipped or failed file and pruned directory, by path."""
        rows = self._connection.execute(
            "SELECT path, state, reason, detail, is_directory, size, mtime_ns, at, took_ms FROM ledger "
            "WHERE state IN ('skipped', 'failed') ORDER BY path"
        )
        return [_row(row) for row in rows]

    def not_indexed_in(self, folder: str) -> list[LedgerRow]:
        """Those that lie directly in a folder; "" is the root."""
        rows = self._connection.execute(
            "SELECT path, state, reason, detail, is_directory, size, mtime_ns, at, took_ms FROM ledger "
            f"WHERE state IN ('skipped', 'failed') AND {DIRECTLY_IN} ORDER BY path",
            directly_in(folder),
        )
        return [_row(row) for row in rows]

    def counts(self) -> dict[tuple[FileState, str], int]:
        """Rows by state and reason."""
        rows = self._connection.execute("SELECT state, reason, count(*) FROM ledger GROUP BY state, reason")
        return {(FileState(state), reason): count for state, reason, count in rows}


def _row(found: tuple[object, ...]) -> LedgerRow:
    path, state, reason, detail, is_directory, size, mtime_ns, at, took_ms = found
    assert isinstance(path, bytes)
    return LedgerRow(
        os.fsdecode(path), FileState(str(state)), str(reason), str(detail), bool(is_directory),
        int(str(size)), int(str(mtime_ns)), int(str(at)), float(str(took_ms)),
    )  # fmt: skip
