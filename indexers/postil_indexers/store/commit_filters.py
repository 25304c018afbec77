"""Commits by what is known of them, as sets of ids: a filter of a question is one of these."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable

from postil_indexers.store.database import Database
from postil_indexers.store.expression import any_of


class CommitFilters:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    def _ids(self, statement: str, *bindings: object) -> set[int]:
        return {row[0] for row in self._connection.execute(statement, bindings)}

    def all(self) -> set[int]:
        return self._ids("SELECT id FROM commits INDEXED BY commits_by_time")

    def in_time(self, ids: Iterable[int], limit: int, *, oldest: bool) -> list[int]:
        """The newest of them, or the oldest, in that order."""
        way = "" if oldest else "DESC"
        rows = self._connection.execute(
            "SELECT c.id FROM json_each(?) AS wanted JOIN commits AS c ON c.id = wanted.value "
            f"ORDER BY c.committed_at {way}, c.sha LIMIT ?",
            (json.dumps(list(ids)), limit),
        )
        return [row[0] for row in rows]

    def between(self, since: int, until: int) -> set[int]:
        """Those that were written or committed in a time: a rebase or a patch that waited moves the two apart."""
        return self._ids(
            "SELECT id FROM commits WHERE committed_at >= ? AND committed_at < ?", since, until
        ) | self._ids(
            "SELECT id FROM commits INDEXED BY commits_by_time WHERE authored_at >= ? AND authored_at < ?", since, until
        )

    def of_these_between(self, ids: Iterable[int], since: int, until: int) -> set[int]:
        """As `between`, of some commits only: a question that names somebody leaves few to look at."""
        return self._ids(
            "SELECT c.id FROM json_each(?1) AS wanted JOIN commits AS c ON c.id = wanted.value "
            "WHERE (c.committed_at >= ?2 AND c.committed_at < ?3) OR (c.authored_at >= ?2 AND c.authored_at < ?3)",
            *(json.dumps(list(ids)), since, until),
        )

    def of_kind(self, kind: str) -> set[int]:
        return self._ids("SELECT id FROM commits INDEXED BY commits_by_time WHERE kind = ?", kind)

    def merges(self) -> set[int]:
        return self._ids("SELECT id FROM commits INDEXED BY commits_by_time WHERE is_merge")

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
        return self._ids(
            "SELECT cr.commit_id FROM releases AS r JOIN commit_releases AS cr ON cr.release_id = r.id WHERE "
            "r.name = ?",
            name,
        )

    def before_release(self, name: str) -> set[int]:
        """Those that an earlier release has."""
        return self._ids(
            "SELECT cr.commit_id FROM releases AS r JOIN commit_releases AS cr ON cr.release_id < r.id WHERE "
            "r.name = ?",
            name,
        )

    def after_release(self, name: str) -> set[int]:
        """Those that neither it nor an earlier release has."""
        return self.all() - self.before_release(name) - self.in_release(name)
