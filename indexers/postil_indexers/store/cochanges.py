"""Which files were changed in the same commits, of those that HEAD reaches. Only rows are read here; what they tell is
reckoned by who asks."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from postil_indexers.store.commit_branches import ELSEWHERE
from postil_indexers.store.database import Database

_RENAMES = 8  # names of one file that are followed; a chain that is longer is a loop


@dataclass(frozen=True, slots=True)
class PathRow:
    id: int
    path: str


class CoChanges:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    def names_of(self, path: str) -> set[int]:
        """Ids of a path and of the names that the file had before it was renamed; empty for an unknown path."""
        row = self._connection.execute("SELECT id FROM commit_paths WHERE path=?", (os.fsencode(path),)).fetchone()
        known = {row[0]} if row else set()
        newest = set(known)
        for _ in range(_RENAMES):
            rows = self._connection.execute(
                "SELECT f.old_path_id FROM json_each(?) AS wanted JOIN commit_files AS f ON f.path_id = wanted.value "
                f"WHERE f.old_path_id <> f.path_id AND f.status = 'R' AND f.commit_id NOT IN ({ELSEWHERE})",
                (json.dumps(sorted(newest)),),
            )
            newest = {old for (old,) in rows} - known
            if not newest:
                break
            known |= newest
        return known

    def commits_of(self, path_ids: Collection[int], limit: int) -> list[int]:
        """Ids of the newest `limit` commits that changed one of these paths, the newest first."""
        rows = self._connection.execute(
            "SELECT DISTINCT f.commit_id, c.committed_at FROM json_each(?) AS wanted "
            "JOIN commit_files AS f ON f.path_id = wanted.value JOIN commits AS c ON c.id = f.commit_id "
            "WHERE c.branch = '' ORDER BY c.committed_at DESC, c.sha LIMIT ?",
            (json.dumps(sorted(path_ids)), limit),
        )
        return [row[0] for row in rows]

    def files_of(self, commit_ids: Iterable[int]) -> dict[int, list[int]]:
        """Commit id -> ids of the paths that it changed."""
        found: dict[int, list[int]] = {}
        rows = self._connection.execute(
            "SELECT f.commit_id, f.path_id FROM json_each(?) AS wanted "
            "JOIN commit_files AS f ON f.commit_id = wanted.value",
            (json.dumps(list(commit_ids)),),
        )
        for commit_id, path_id in rows:
            found.setdefault(commit_id, []).append(path_id)
        return found

    def times_changed(self, path_ids: Iterable[int]) -> Counter[int]:
        """How many commits changed each of these paths."""
        rows = self._connection.execute(
            "SELECT f.path_id, count(*) FROM json_each(?) AS wanted "
            f"JOIN commit_files AS f ON f.path_id = wanted.value WHERE f.commit_id NOT IN ({ELSEWHERE}) "
            "GROUP BY f.path_id",
            (json.dumps(list(path_ids)),),
        )
        return Counter(dict(rows.fetchall()))

    def symbols_of(self, commit_ids: Iterable[int]) -> list[tuple[int, int, str]]:
        """(commit, path, symbol) of the functions and classes that these commits changed lines of."""
        rows = self._connection.execute(
            "SELECT DISTINCT f.commit_id, f.path_id, h.symbol FROM json_each(?) AS wanted "
            "JOIN commit_files AS f ON f.commit_id = wanted.value JOIN hunks AS h ON h.file_id = f.id "
            "WHERE h.symbol <> ''",
            (json.dumps(list(commit_ids)),),
        )
        return [tuple(row) for row in rows]

    def times_symbol_changed(self, path_id: int, symbol: str) -> int:
        """How many commits changed lines of a function of a file."""
        row = self._connection.execute(
            "SELECT count(DISTINCT f.commit_id) FROM commit_files AS f JOIN hunks AS h ON h.file_id = f.id "
            f"WHERE f.path_id = ? AND h.symbol = ? AND f.commit_id NOT IN ({ELSEWHERE})",
            (path_id, symbol),
        ).fetchone()
        return int(row[0])

    def present_name(self, path: str) -> str:
        """What a path is called since it was renamed last; itself where it never was."""
        row = self._connection.execute("SELECT id FROM commit_paths WHERE path=?", (os.fsencode(path),)).fetchone()
        names = self.present_names(row) if row else {}
        return names[row[0]].path if names else path

    def present_names(self, path_ids: Iterable[int]) -> dict[int, PathRow]:
        """What each of these paths is called since it was renamed last."""
        current = {path_id: path_id for path_id in path_ids}
        moving = set(current)
        for _ in range(_RENAMES):
            rows = self._connection.execute(
                "SELECT f.old_path_id, f.path_id FROM json_each(?) AS wanted "
                "JOIN commit_files AS f ON f.old_path_id = wanted.value WHERE f.old_path_id <> f.path_id "
                f"AND f.status = 'R' AND f.commit_id NOT IN ({ELSEWHERE}) ORDER BY f.commit_id DESC",
                (json.dumps(sorted(moving)),),
            )
            renamed = dict(rows.fetchall())  # commits are stored newest first, so the last word is the newest
            current = {path_id: renamed.get(now, now) for path_id, now in current.items()}
            moving = set(renamed.values()) - set(current)
            if not moving:
                break
        rows = self._connection.execute(
            "SELECT p.id, p.path FROM json_each(?) AS wanted JOIN commit_paths AS p ON p.id = wanted.value",
            (json.dumps(sorted(set(current.values()))),),
        )
        paths = {path_id: PathRow(path_id, os.fsdecode(path)) for path_id, path in rows}
        return {path_id: paths[now] for path_id, now in current.items() if now in paths}
