"""Commits by what is known of them, as sets of ids: a filter of a question is one of these."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable

import numpy as np

from postil_indexers.store.commit_columns import CommitColumns, Numbers
from postil_indexers.store.database import Database
from postil_indexers.store.expression import any_of

_FEW = 2_000  # commits that are looked up one by one; of more, all are gone through


class CommitFilters:
    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._columns = CommitColumns(connection)

    def _ids(self, statement: str, *bindings: object) -> set[int]:
        return {row[0] for row in self._connection.execute(statement, bindings)}

    def all(self) -> set[int]:
        return _set(self._columns.all().ids)

    def in_time(self, ids: Collection[int], limit: int, *, oldest: bool) -> list[int]:
        """The newest of them, or the oldest, in that order."""
        if len(ids) > _FEW:
            ids = self._at_the_end(ids, limit, oldest=oldest)
        way = "" if oldest else "DESC"
        rows = self._connection.execute(
            "SELECT c.id FROM json_each(?) AS wanted JOIN commits AS c ON c.id = wanted.value "
            f"ORDER BY c.committed_at {way}, c.sha LIMIT ?",
            (json.dumps(list(ids)), limit),
        )
        return [row[0] for row in rows]

    def _at_the_end(self, ids: Collection[int], limit: int, *, oldest: bool) -> list[int]:
        """At least the `limit` newest or oldest of them, and all that are as old as the last one."""
        columns = self._columns.all()
        places = np.flatnonzero(np.isin(columns.ids, np.fromiter(ids, np.int64, len(ids))))
        at = columns.committed_at[places]
        if 0 < limit < len(places):
            places = places[at <= at[limit - 1] if oldest else at >= at[-limit]]
        found: list[int] = columns.ids[places].tolist()
        return found

    def between(self, since: int, until: int) -> set[int]:
        """Those that were written or committed in a time: a rebase or a patch that waited moves the two apart."""
        columns = self._columns.all()
        committed, authored = columns.committed_at, columns.authored_at
        return _set(
            columns.ids[((committed >= since) & (committed < until)) | ((authored >= since) & (authored < until))]
        )

    def of_these_between(self, ids: set[int], since: int, until: int) -> set[int]:
        """As `between`, of some commits only: a question that names somebody mostly leaves few to look at."""
        if len(ids) > _FEW:
            return ids & self.between(since, until)
        return self._ids(
            "SELECT c.id FROM json_each(?1) AS wanted JOIN commits AS c ON c.id = wanted.value "
            "WHERE (c.committed_at >= ?2 AND c.committed_at < ?3) OR (c.authored_at >= ?2 AND c.authored_at < ?3)",
            *(json.dumps(list(ids)), since, until),
        )

    def of_kind(self, kind: str) -> set[int]:
        columns = self._columns.all()
        return _set(columns.ids[columns.kind == kind])

    def merges(self) -> set[int]:
        columns = self._columns.all()
        return _set(columns.ids[columns.is_merge])

    def by_people(self, named: Callable[[str, str], bool], *, committer: bool) -> set[int]:
        """By everybody of whom `named(name, address)` holds, as signed or as shown."""
        people = [
            i
            for i, *names in self._connection.execute("SELECT id, name, email, shown_name, shown_email FROM people")
            if named(names[0], names[1]) or named(names[2], names[3])
        ]
        column = "committer_id" if committer else "author_id"
        return self._ids(
            f"SELECT c.id FROM json_each(?) AS wanted JOIN commits AS c ON c.{column} = wanted.value",
            json.dumps(people),
        )

    def paths(self) -> list[str]:
        """Every path that some commit changed."""
        return [os.fsdecode(path) for (path,) in self._connection.execute("SELECT path FROM commit_paths")]

    def touching(self, wanted: Callable[[str], bool]) -> set[int]:
        """Those that changed a file of whose path `wanted` holds, under its name before or after."""
        rows = self._connection.execute("SELECT id, path FROM commit_paths")
        ids = json.dumps([i for i, path in rows if wanted(os.fsdecode(path))])
        return self._ids(
            "SELECT f.commit_id FROM json_each(?1) AS wanted JOIN commit_files AS f ON f.path_id = wanted.value "
            "UNION SELECT f.commit_id FROM json_each(?1) AS wanted JOIN commit_files AS f "
            "ON f.old_path_id = wanted.value WHERE f.old_path_id <> f.path_id",
            ids,
        )

    def holding(self, terms: Iterable[str], columns: Collection[str]) -> set[int]:
        """Those that hold all of the terms in these columns of the full text."""
        terms = list(terms)
        if not terms:
            return set()
        expression = " AND ".join(f"({any_of([term])})" for term in terms)
        return self._ids(
            "SELECT rowid FROM history_fts WHERE history_fts MATCH ?", f"{{{' '.join(columns)}}} : ({expression})"
        )

    def with_text(self, ids: Iterable[int], held: Callable[[str], bool]) -> set[int]:
        """Those of `ids` of which some hunk's stored text satisfies `held`."""
        rows = self._connection.execute(
            "SELECT f.commit_id, h.text FROM json_each(?) AS wanted "
            "JOIN commit_files AS f ON f.commit_id = wanted.value JOIN hunks AS h ON h.file_id = f.id",
            (json.dumps(list(ids)),),
        )
        return {commit_id for commit_id, text in rows if held(text)}

    def count_without_text(self) -> int:
        """How many commits of a partial clone are known by the names of their files alone."""
        row = self._connection.execute("SELECT count(*) FROM commits WHERE text_missing").fetchone()
        return int(row[0]) if row else 0

    def mentioning(self, issue: str) -> set[int]:
        return self._ids("SELECT commit_id FROM commit_mentions WHERE value = ? AND kind = 'issue'", issue)

    def in_release(self, name: str) -> set[int]:
        """Those that it has and no release before."""
        released = self._columns.released()
        return _set(released.ids[released.release == self._release(name)])

    def before_release(self, name: str) -> set[int]:
        """Those that it or an earlier release has."""
        released = self._columns.released()
        return _set(released.ids[released.release <= self._release(name)])

    def after_release(self, name: str) -> set[int]:
        """Those that neither it nor an earlier release has."""
        return self.all() - self.before_release(name)

    def _release(self, name: str) -> int:
        """Its id, in the order of their dates; 0, which is before all, for one that is not known."""
        row = self._connection.execute("SELECT id FROM releases WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0


def _set(ids: Numbers) -> set[int]:
    return set(ids.tolist())
