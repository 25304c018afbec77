"""answers.db: past answers, what models replied before, and what was said of answers. It survives every rebuild.

Servers and command lines write it in short transactions, several at once. It is bounded: the oldest go first. Feedback
is kept whole, with the question and the answer that it is about.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw

from postil_indexers.errors import PostilError
from postil_server.answering.libraryfile import library_path, open_file

Verdict = Literal["good", "bad"]

_ANSWERS, _REPLIES = 2_000, 4_000  # rows: a year of ten questions a working day; some 20 MB together
_LONGEST = 200_000  # characters of one record or reply; a longer one is answered and not kept


_log = logging.getLogger("postil.server.library")


@dataclass(frozen=True, slots=True)
class PastAnswer:
    name: str
    root: str
    kind: str
    question: str
    record: dict[str, Any]
    model: str
    answered_at: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody said of an answer, and of which."""

    root: str
    question: str
    record: dict[str, Any]
    verdict: str
    comment: str
    given_at: int


class Library:
    """One connection, for one thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def remember(self, name: str, root: str, kind: str, question: str, record: Mapping[str, Any], at: int) -> None:
        """Keep an answer under a name of its own. `record`: as it was given; one that is too long is not kept."""
        text = json.dumps(record, ensure_ascii=False)
        if len(text) > _LONGEST:
            return
        with self._writing():
            self._connection.execute(
                "INSERT INTO answers (name, root, kind, question, record, model, answered_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, root, kind, question, text, str(record.get("model", "")), at),
            )
            number = self._connection.last_insert_rowid()
            self._connection.execute("DELETE FROM answers WHERE id <= ?", (number - _ANSWERS,))

    def past(self, root: str, limit: int, kind: str = "ask") -> list[PastAnswer]:
        """The answers of a folder, the newest first."""
        rows = self._connection.execute(
            "SELECT name, root, kind, question, record, model, answered_at FROM answers"
            " WHERE root = ? AND kind = ? ORDER BY id DESC LIMIT ?",
            (root, kind, limit),
        )
        return [_past_answer(row) for row in rows]

    def answer(self, name: str) -> PastAnswer | None:
        row = self._connection.execute(
            "SELECT name, root, kind, question, record, model, answered_at FROM answers WHERE name = ?", (name,)
        ).fetchone()
        return _past_answer(row) if row else None

    def reply(self, key: bytes, at: int) -> str | None:
        """What a model replied to the same prompt before."""
        row = self._connection.execute("SELECT text FROM replies WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        with self._writing():
            self._connection.execute("UPDATE replies SET used_at = ? WHERE key = ?", (at, key))
        return str(row[0])

    def keep_reply(self, key: bytes, root: str, text: str, at: int) -> None:
        if len(text) > _LONGEST:
            return
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", (key, root, text, at))
            self._connection.execute(
                "DELETE FROM replies WHERE key IN (SELECT key FROM replies ORDER BY used_at DESC LIMIT -1 OFFSET ?)",
                (_REPLIES,),
            )

    def judge(self, name: str, verdict: Verdict, comment: str, at: int) -> bool:
        """Keep what was said of an answer, in place of what was said before. False where there is no such answer."""
        answer = self.answer(name)
        if answer is None:
            return False
        record = json.dumps(answer.record, ensure_ascii=False)
        with self._writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO feedback (answer, root, question, record, verdict, comment, given_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, answer.root, answer.question, record, verdict, comment, at),
            )
        return True

    def feedback(self, root: str) -> list[Feedback]:
        """All that was said of the answers of a folder, the oldest first."""
        rows = self._connection.execute(
            "SELECT root, question, record, verdict, comment, given_at FROM feedback WHERE root = ? ORDER BY id",
            (root,),
        )
        return [Feedback(root, asked, json.loads(record), *rest) for root, asked, record, *rest in rows]

    def forget(self, root: str) -> None:
        """All that is kept of a folder."""
        with self._writing():
            for table in ("answers", "replies", "feedback"):
                self._connection.execute(f"DELETE FROM {table} WHERE root = ?", (root,))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, which waits for that of another server before it reads anything."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


@contextmanager
def open_library(path: Path | None = None) -> Iterator[Library]:
    """Open or make it. A damaged file is set aside. Raises PostilError where it can't be opened or written."""
    place = path or library_path()
    try:
        connection = open_file(place)
        try:
            yield Library(connection)
        finally:
            connection.close()
    except (OSError, apsw.Error) as error:
        hint = "check its permissions and the room on its disk, or set POSTIL_DATA_DIR to another place"
        raise PostilError(f"past answers in {place} can't be read or written: {error}", hint) from error


def _past_answer(row: tuple[str, str, str, str, str, str, int]) -> PastAnswer:
    name, root, kind, question, record, model, at = row
    return PastAnswer(name, root, kind, question, json.loads(record), model, at)


def remember(name: str, root: str, kind: str, question: str, record: Mapping[str, Any]) -> None:
    """Keep an answer, where that can be done: whoever asked has it already."""
    try:
        with open_library() as library:
            library.remember(name, root, kind, question, record, int(time.time()))
    except PostilError as error:
        _log.warning("library", extra={"fields": {"message": error.message}})


class Replies:
    """The cache of what models replied about one folder. A library that can't be used is no cache, and no hindrance."""

    def __init__(self, root: str, path: Path | None = None) -> None:
        self._root = root
        self._path = path

    def get(self, key: bytes) -> str | None:
        try:
            with open_library(self._path) as library:
                return library.reply(key, int(time.time()))
        except PostilError as error:
            _log.warning("library", extra={"fields": {"message": error.message}})
            return None

    def keep(self, key: bytes, text: str) -> None:
        try:
            with open_library(self._path) as library:
                library.keep_reply(key, self._root, text, int(time.time()))
        except PostilError as error:
            _log.warning("library", extra={"fields": {"message": error.message}})
