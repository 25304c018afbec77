"""One file's changes, commit by commit, as they are needed for following its lines: of what HEAD reaches alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from postil_indexers.store.commit_branches import ELSEWHERE
from postil_indexers.store.database import Database
from postil_indexers.store.stored_commit import split_blobs, unpack_shifts
from postil_indexers.types import Hunk, Shift


class Changed(NamedTuple):  # a file may have thousands, and a dataclass takes three times as long to make
    file_id: int
    old_path: str
    status: str
    old_blob: bytes
    new_blob: bytes


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge's file that none of its parents has so: how it differs from each, and which content that was."""

    shifts: tuple[tuple[Shift, ...], ...]
    old_blobs: tuple[bytes, ...]
    new_blob: bytes


class FileChanges:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    def of(self, path: str) -> dict[int, Changed]:
        """Commit id -> what it did to the file that is called `path` after it. Merges are left out."""
        rows = self._connection.execute(
            "SELECT f.commit_id, f.id, o.path, f.status, f.old_blob, f.new_blob FROM commit_paths AS p JOIN "
            "commit_files AS f ON f.path_id = p.id "
            "JOIN commits AS c ON c.id = f.commit_id AND NOT c.is_merge AND c.branch = '' "
            "JOIN commit_paths AS o ON o.id = f.old_path_id WHERE p.path = ?",
            (os.fsencode(path),),
        )
        return {commit_id: Changed(i, os.fsdecode(old), *rest) for commit_id, i, old, *rest in rows}

    def merged(self, path: str) -> dict[int, Merged]:
        """By the ids of the merges."""
        rows = self._connection.execute(
            "SELECT m.commit_id, m.shifts, m.old_blobs, m.new_blob FROM commit_paths AS p JOIN merged_files AS "
            "m ON m.path_id = p.id "
            f"WHERE p.path = ? AND m.commit_id NOT IN ({ELSEWHERE})",
            (os.fsencode(path),),
        )
        return {i: Merged(unpack_shifts(shifts), split_blobs(old), new) for i, shifts, old, new in rows}

    def newest_blob(self, path: str) -> bytes:
        """What the newest commit that changed a file made of it; b"" where it deleted it, or none did."""
        row = self._connection.execute(
            "SELECT f.new_blob FROM commit_paths AS p JOIN commit_files AS f ON f.path_id = p.id "
            "JOIN commits AS c ON c.id = f.commit_id WHERE p.path = ? AND c.branch = '' "
            "ORDER BY c.committed_at DESC, c.sha LIMIT 1",
            (os.fsencode(path),),
        ).fetchone()
        return bytes(row[0]) if row and any(row[0]) else b""

    def before_renames(self, path: str) -> set[int]:
        """Ids of the commits that changed a file under the names that it had before it was called `path`, up to each
        renaming: what has such a name later is another file. A copy is no renaming."""
        rows = self._connection.execute(
            "WITH RECURSIVE names(path_id, until) AS ("
            "SELECT f.old_path_id, c.committed_at FROM commit_paths AS p JOIN commit_files AS f ON f.path_id = p.id "
            "JOIN commits AS c ON c.id = f.commit_id "
            "WHERE p.path = ? AND f.status = 'R' AND f.old_path_id <> f.path_id AND c.branch = '' "
            "UNION SELECT f.old_path_id, c.committed_at FROM names JOIN commit_files AS f ON f.path_id = names.path_id "
            "JOIN commits AS c ON c.id = f.commit_id WHERE f.status = 'R' AND f.old_path_id <> f.path_id "
            "AND c.branch = '' AND c.committed_at <= names.until) "
            "SELECT f.commit_id FROM names JOIN commit_files AS f ON f.path_id = names.path_id "
            "JOIN commits AS c ON c.id = f.commit_id WHERE c.branch = '' AND c.committed_at <= names.until",
            (os.fsencode(path),),
        )
        return {commit_id for (commit_id,) in rows}

    def hunks_of(self, file_ids: Iterable[int]) -> dict[int, list[Hunk]]:
        """As `hunks`, of many changes at once."""
        found: dict[int, list[Hunk]] = {file_id: [] for file_id in file_ids}
        rows = self._connection.execute(
            "SELECT h.file_id, h.old_start, h.old_lines, h.new_start, h.new_lines FROM json_each(?) AS wanted "
            "JOIN hunks AS h ON h.file_id = wanted.value ORDER BY h.file_id, h.ordinal",
            (json.dumps(list(found)),),
        )
        for file_id, old, old_lines, new, new_lines in rows:
            found[file_id].append(Hunk(old, old_lines, new, new_lines, "", ""))
        return found

    def hunks(self, file_id: int) -> list[Hunk]:
        """Without their texts."""
        rows = self._connection.execute(
            "SELECT old_start, old_lines, new_start, new_lines FROM hunks WHERE file_id=? ORDER BY ordinal", (file_id,)
        )
        return [Hunk(old, old_lines, new, new_lines, "", "") for old, old_lines, new, new_lines in rows]
