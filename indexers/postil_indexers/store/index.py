"""One index file, opened: the stores of its tables behind one connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from postil_indexers.errors import IndexDamagedError, NotIndexedError, PostilError
from postil_indexers.store.cochanges import CoChanges
from postil_indexers.store.commit_branches import CommitBranches
from postil_indexers.store.commit_filters import CommitFilters
from postil_indexers.store.connection import open_for_reading, open_for_writing, sqlite_errors
from postil_indexers.store.content import ContentReader
from postil_indexers.store.database import Database, storable
from postil_indexers.store.documents import DocumentStore
from postil_indexers.store.file_changes import FileChanges
from postil_indexers.store.history import HistoryStore
from postil_indexers.store.ledger import Ledger
from postil_indexers.store.names import NameReader
from postil_indexers.store.seal import FullText, Seal, break_seal, remove_seal, seal
from postil_indexers.store.soundness import fulltext, unreadable
from postil_indexers.store.surroundings import Surroundings
from postil_indexers.store.upkeep import Upkeep
from postil_indexers.store.vectors import VectorStore

# In meta: lists of what could not be learned from git, of why the quota is not kept, of branches that are not there.
GIT_WARNINGS, QUOTA_WARNINGS, BRANCH_WARNINGS = "warnings", "warnings:quota", "warnings:branches"
_WARNINGS = (GIT_WARNINGS, QUOTA_WARNINGS, BRANCH_WARNINGS)


class Index:
    """Use `open_index` or `write_index`; one connection, so one thread at a time."""

    def __init__(self, path: Path, connection: Database, was: Seal | None = None) -> None:
        """`was`: of one that is opened for writing, the seal that was broken for it."""
        self.path = path
        self._was = was
        self._file = _identity(path) if was else None
        self._is_doubtful = False  # a statement found it damaged
        self.connection = connection
        self.content = ContentReader(connection)
        self.documents = DocumentStore(connection)
        self.history = HistoryStore(connection)
        self.branches = CommitBranches(connection)
        self.cochanges = CoChanges(connection)
        self.file_changes = FileChanges(connection)
        self.commit_filters = CommitFilters(connection)
        self.surroundings = Surroundings(connection)
        self.ledger = Ledger(connection)
        self.names = NameReader(connection)
        self.vectors = VectorStore(connection)
        self.upkeep = Upkeep(path, connection, self.vectors)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is written inside. Raises the errors of `sqlite_errors`."""
        try:
            with sqlite_errors(self.path), self.connection:
                yield
                self.documents.terms.flush()
                self.history.terms.flush()
        except BaseException as error:
            self._is_doubtful = self._is_doubtful or isinstance(error, IndexDamagedError)
            self.documents.terms.discard()
            self.history.terms.discard()
            self.history.forget_ids()
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Every read inside sees one state of the index."""
        with sqlite_errors(self.path):
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                if self.connection.in_transaction:  # damage ends it, and is the error to be told
                    self.connection.execute("ROLLBACK")

    def get(self, key: str) -> str | None:
        row = self.connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else None

    def set(self, key: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", storable((key, value)))

    def unset(self, key: str) -> None:
        self.connection.execute("DELETE FROM meta WHERE key=?", (key,))

    def warnings(self) -> list[str]:
        """What a user should know of the last runs, fit to show."""
        return [said for key in _WARNINGS for said in json.loads(self.get(key) or "[]")]

    def check(self) -> list[str]:
        """SQLite's own integrity check, and what can't be read all the same; empty where all is well."""
        with sqlite_errors(self.path):
            found = [str(row[0]) for row in self.connection.execute("PRAGMA integrity_check(20)")]
            return unreadable(self.connection, self.documents.applied_lines()) if found == ["ok"] else found

    def is_in_place(self) -> bool:
        """Whether what is written here still is the file at `path`, and not one that was deleted."""
        return _identity(self.path) == self._file

    def close(self) -> None:
        left = self._left() if self._was and not self._is_doubtful else None
        self.connection.close()
        if left and self.is_in_place():
            seal(self.path, left)

    def _left(self) -> FullText | None:
        """What is on disk, past the pages that this connection holds in memory; None where nobody can vouch for it."""
        try:
            with open_index(self.path) as fresh:
                left = _fulltext(fresh)
        except (apsw.Error, PostilError):
            return None
        return left if self._was and self._was._replace(closed=False).allows(left) else None

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _fulltext(index: Index) -> FullText:
    with sqlite_errors(index.path):
        return fulltext(index.connection)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def open_index(path: Path) -> Index:
    """An existing index, for reading. Raises NotIndexedError, IndexDamagedError."""
    return Index(path, open_for_reading(path))


def write_index(path: Path) -> Index:
    """The index for writing, made where there is none, set aside and made anew where it is damaged.

    A file that its last writer did not close, or that was touched since, is looked through first.
    """
    was = break_seal(path)
    if not was.holds and path.is_file() and path.stat().st_size and not _is_whole(path, was):
        set_aside(path)
        was = Seal()
    try:
        return Index(path, open_for_writing(path), was)
    except IndexDamagedError:
        set_aside(path)
        return Index(path, open_for_writing(path), Seal())


def _is_whole(path: Path, was: Seal) -> bool:
    """As `is_sound`, but one that was never finished is whole. Its full text is as it was left, too."""
    try:
        with open_index(path) as index:
            return not index.check() and was.allows(_fulltext(index))
    except NotIndexedError:
        return True
    except IndexDamagedError:
        return False


def is_sound(path: Path) -> bool:
    """SQLite's own check of what is on disk, past the pages that an open connection holds in memory."""
    try:
        with open_index(path) as index:
            return not index.check()
    except (IndexDamagedError, NotIndexedError):
        return False


def set_aside(path: Path) -> None:
    """Keep a damaged file under another name, so that nothing is lost before the new one is whole."""
    remove_seal(path)
    path.replace(path.with_suffix(".damaged"))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
