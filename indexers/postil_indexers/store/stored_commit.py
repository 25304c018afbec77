"""A whole commit out of its rows, as it was read from git."""

from __future__ import annotations

import json
import os

from postil_indexers.store.database import Database
from postil_indexers.types import Commit, FileChange, Hunk, MergedFile, Shift

_BLOB_BYTES = 8  # kept of an id


def stored_files(connection: Database, commit_id: int) -> list[FileChange]:
    """The files of a commit with all their hunks, in git's order."""
    rows = connection.execute(
        "SELECT f.id, p.path, o.path, f.status, f.is_binary, f.old_blob, f.new_blob "
        "FROM commit_files AS f "
        "JOIN commit_paths AS p ON p.id = f.path_id JOIN commit_paths AS o ON o.id = f.old_path_id "
        "WHERE f.commit_id=? ORDER BY f.id",
        (commit_id,),
    ).fetchall()
    return [
        FileChange(os.fsdecode(path), os.fsdecode(old), status, _hunks(connection, file_id), bool(binary), *blobs)
        for file_id, path, old, status, binary, *blobs in rows
    ]


def _hunks(connection: Database, file_id: int) -> tuple[Hunk, ...]:
    rows = connection.execute(
        "SELECT old_start, old_lines, new_start, new_lines, symbol, text, truncated FROM hunks "
        "WHERE file_id=? ORDER BY ordinal",
        (file_id,),
    )
    return tuple(
        Hunk(old, old_n, new, new_n, symbol, text, bool(cut)) for old, old_n, new, new_n, symbol, text, cut in rows
    )


def stored_commit(connection: Database, sha: str) -> Commit | None:
    """A commit as it was read from git."""
    row = connection.execute(
        "SELECT c.id, c.parents, a.name, a.email, c.authored_at, c.committed_at, c.subject, c.body, c.added_names, "
        "c.removed_names, c.text_missing, s.name, s.email FROM commits AS c JOIN people AS a ON a.id = c.author_id "
        "JOIN people AS s ON s.id = c.committer_id WHERE c.sha=?",
        (bytes.fromhex(sha),),
    ).fetchone()
    if row is None:
        return None
    commit_id, parents, author, email, authored_at, committed_at, subject, body, *rest = row
    added, removed, missing, name, address = rest
    return Commit(
        sha, split_ids(parents, len(sha) // 2), author, email, authored_at, committed_at, subject, body,
        tuple(stored_files(connection, commit_id)), tuple(added.split()), tuple(removed.split()), bool(missing),
        name, address, _merged_files(connection, commit_id),
    )  # fmt: skip


def _merged_files(connection: Database, commit_id: int) -> tuple[MergedFile, ...]:
    rows = connection.execute(
        "SELECT p.path, m.shifts, m.old_blobs, m.new_blob FROM merged_files AS m "
        "JOIN commit_paths AS p ON p.id = m.path_id WHERE m.commit_id=? ORDER BY p.path",
        (commit_id,),
    )
    return tuple(
        MergedFile(os.fsdecode(path), unpack_shifts(shifts), split_blobs(old), new) for path, shifts, old, new in rows
    )


def split_ids(parents: bytes, width: int) -> tuple[str, ...]:
    return tuple(parents[at : at + width].hex() for at in range(0, len(parents), width))


def split_blobs(joined: bytes) -> tuple[bytes, ...]:
    return tuple(joined[at : at + _BLOB_BYTES] for at in range(0, len(joined), _BLOB_BYTES))


def unpack_shifts(packed: str) -> tuple[tuple[Shift, ...], ...]:
    return tuple(tuple(Shift(*shift) for shift in each) for each in json.loads(packed))
