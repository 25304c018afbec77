"""Commits, the files and lines they changed, and their words."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from postil_indexers.changekind import Touches, change_kind, touched
from postil_indexers.messages import mentions
from postil_indexers.prepare import text_hash
from postil_indexers.store.commit_branches import ELSEWHERE
from postil_indexers.store.commit_graph import CommitGraph, load_graph
from postil_indexers.store.commit_match import match_commits
from postil_indexers.store.commit_text import commit_terms, embedded_text
from postil_indexers.store.content import TextMatch
from postil_indexers.store.database import Database, state_of, storable
from postil_indexers.store.stored_commit import split_ids, stored_commit, stored_files
from postil_indexers.store.terms import TermCounts
from postil_indexers.types import Commit, FileChange

_TOUCHES = tuple(Touches(number) for number in range(8))  # making one takes longer than all else of a row
_compact = json.JSONEncoder(separators=(",", ":")).encode
_LEAST_PATCH = 40  # characters of changed text: "}" is added by more than one commit


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit as it is listed; its files and hunks are read on demand."""

    id: int
    sha: str
    author_name: str  # by .mailmap
    author_email: str
    committed_at: int
    subject: str
    body: str
    is_merge: bool
    parents: tuple[str, ...]
    kind: str
    touches: Touches
    file_count: int
    patch: bytes  # equal for cherry-picks; empty where a commit changes next to nothing
    release: str  # the first that has it; "" for none yet
    authored_at: int
    text_missing: bool  # a partial clone lacks its changed lines
    branch: str  # one that has it, where HEAD does not reach it; else ""


@dataclass(frozen=True, slots=True)
class CommitTraits:
    """What a rank depends on beside words; cheap to read for hundreds."""

    committed_at: int
    is_merge: bool
    touches: Touches
    file_count: int


class HistoryStore:
    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._paths: dict[str, int] = {}
        self._people: dict[tuple[str, str], int] = {}
        self._graph: tuple[object, CommitGraph] | None = None
        self.terms = TermCounts(connection, "history_terms", "commits")

    # writing

    def write(self, commit: Commit, branch: str = "") -> tuple[int, str, bytes]:
        """Store a commit; its id, the text to embed and that text's hash. `branch`: as of `CommitRow`."""
        text = embedded_text(commit)
        digest = text_hash(text)
        paths = [change.path for change in commit.files]
        touches, added = touched(paths), sum(change.status == "A" for change in commit.files)
        kind = change_kind(commit.subject, commit.body, touches, len(paths), added)
        self._connection.execute(
            "INSERT INTO commits(sha, branch, parents, author_id, committer_id, authored_at, committed_at, kind, "
            "is_merge, touches, "
            "files, patch, text_missing, hash, subject, body, added_names, removed_names) "
            "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                bytes.fromhex(commit.sha), *storable([branch]), b"".join(map(bytes.fromhex, commit.parents)),
                self._person_id(commit.author_name, commit.author_email),
                self._person_id(commit.committer_name, commit.committer_email),
                commit.authored_at, commit.committed_at, kind, len(commit.parents) > 1, touches,
                len(paths), _patch(commit), commit.text_missing, digest, commit.subject, commit.body,
                " ".join(commit.added_names), " ".join(commit.removed_names),
            ),
        )  # fmt: skip
        commit_id = self._connection.last_insert_rowid()
        if commit.files:
            self._write_files(commit_id, commit.files)
        for merged in commit.merged:
            shifts = [[(s.old_start, s.old_lines, s.new_start, s.new_lines) for s in each] for each in merged.shifts]
            self._connection.execute(
                "INSERT INTO merged_files VALUES(?,?,?,?,?)",
                (
                    self._path_id(merged.path),
                    commit_id,
                    _compact(shifts),
                    b"".join(merged.old_blobs),
                    merged.new_blob,
                ),
            )
        if named := mentions(commit.subject, commit.body):
            self._connection.executemany(
                "INSERT INTO commit_mentions VALUES(?,?,?)", [(m.value, m.kind, commit_id) for m in named]
            )
        self._write_terms(commit_id, commit)
        return commit_id, text, digest

    def _write_files(self, commit_id: int, files: Sequence[FileChange]) -> None:
        (last,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM commit_files").fetchone()
        numbered = list(enumerate(files, last + 1))
        self._connection.executemany(
            "INSERT INTO commit_files(id, commit_id, path_id, old_path_id, status, is_binary, old_blob, new_blob) "
            "VALUES(?,?,?,?,?,?,?,?)",
            [
                (
                    file_id, commit_id, self._path_id(f.path), self._path_id(f.old_path),
                    f.status, f.binary, f.old_blob, f.new_blob,
                )
                for file_id, f in numbered
            ],
        )  # fmt: skip
        self._connection.executemany(
            "INSERT INTO hunks VALUES(?,?,?,?,?,?,?,?,?)",
            [
                (file_id, n, h.old_start, h.old_lines, h.new_start, h.new_lines, h.symbol, h.text, h.truncated)
                for file_id, f in numbered
                for n, h in enumerate(f.hunks)
            ],
        )

    def _path_id(self, path: str) -> int:
        known = self._paths.get(path)
        if known is not None:
            return known
        raw = os.fsencode(path)
        self._connection.execute("INSERT OR IGNORE INTO commit_paths(path) VALUES(?)", (raw,))
        row = self._connection.execute("SELECT id FROM commit_paths WHERE path=?", (raw,)).fetchone()
        assert row is not None
        self._paths[path] = row[0]
        return int(row[0])

    def _person_id(self, name: str, email: str) -> int:
        """As signed; what they are shown as is settled when .mailmap has been read."""
        known = self._people.get((name, email))
        if known is not None:
            return known
        self._connection.execute("INSERT OR IGNORE INTO people VALUES(NULL,?1,?2,?1,?2)", (name, email))
        row = self._connection.execute("SELECT id FROM people WHERE name=? AND email=?", (name, email)).fetchone()
        assert row is not None
        self._people[name, email] = row[0]
        return int(row[0])

    def _write_terms(self, commit_id: int, commit: Commit) -> None:
        terms = commit_terms(commit)
        self._connection.execute(
            "INSERT INTO history_fts(rowid, subject, body, log, names, paths, diff) VALUES(?,?,?,?,?,?,?)",
            (commit_id, *terms.columns),
        )
        self.terms.add(terms.distinct())

    def remove(self, shas: Iterable[str]) -> list[int]:
        """Take commits out that can't be reached any more; their ids."""
        removed = []
        for sha in shas:
            commit = self.commit(sha)
            found = self._connection.execute("SELECT id FROM commits WHERE sha=?", (bytes.fromhex(sha),)).fetchone()
            if commit is None or found is None:
                continue
            self.terms.remove(commit_terms(commit).distinct())
            self._connection.execute("DELETE FROM history_fts WHERE rowid=?", found)
            self._connection.execute(
                "DELETE FROM hunks WHERE file_id IN (SELECT id FROM commit_files WHERE commit_id=?)", found
            )
            for table in ("commit_files", "commit_mentions", "commit_releases", "merged_files"):
                self._connection.execute(f"DELETE FROM {table} WHERE commit_id=?", found)
            self._connection.execute("DELETE FROM commits WHERE id=?", found)
            removed.append(found[0])
        if removed:
            self._remove_unused()
        return removed

    def _remove_unused(self) -> None:
        """Drop the paths and the people that no commit has any more."""
        self._connection.execute(
            "DELETE FROM commit_paths WHERE NOT EXISTS (SELECT 1 FROM commit_files WHERE path_id = commit_paths.id) "
            "AND NOT EXISTS (SELECT 1 FROM commit_files WHERE old_path_id = commit_paths.id AND old_path_id <> "
            "path_id) "
            "AND NOT EXISTS (SELECT 1 FROM merged_files WHERE path_id = commit_paths.id)"
        )
        self._connection.execute(
            "DELETE FROM people WHERE NOT EXISTS (SELECT 1 FROM commits WHERE author_id = people.id) "
            "AND NOT EXISTS (SELECT 1 FROM commits WHERE committer_id = people.id)"
        )
        self.forget_ids()

    def forget_ids(self) -> None:
        """Drop what was remembered of a transaction that was rolled back."""
        self._paths.clear()
        self._people.clear()

    # reading

    def shas(self) -> set[str]:
        return {sha.hex() for (sha,) in self._connection.execute("SELECT sha FROM commits")}

    def roots(self) -> set[str]:
        """The commits without parents: the first one, and where a shallow clone ends."""
        return {sha.hex() for (sha,) in self._connection.execute("SELECT sha FROM commits WHERE parents = x''")}

    def count(self) -> int:
        (commits,) = self._connection.execute("SELECT count(*) FROM commits").fetchone() or (0,)
        return int(commits)

    def match(self, terms: Sequence[str], limit: int, allowed: Collection[int] | None = None) -> list[TextMatch]:
        """Commits that hold any of the terms that are rare enough, best first; of `allowed` ones, where given."""
        frequency = self.frequency(terms)
        return match_commits(self._connection, terms, frequency, limit, allowed)

    def frequency(self, terms: Collection[str]) -> dict[str, int]:
        return self.terms.frequency(terms)

    def by_sha(self, prefix: str) -> list[int]:
        """Ids of the commits whose SHA starts with `prefix` (4 to 64 hexadecimal digits)."""
        width = 40 if len(prefix) <= 40 else 64  # of SHA-1, or SHA-256
        low, high = prefix.ljust(width, "0"), prefix.ljust(width, "f")
        rows = self._connection.execute(
            "SELECT id FROM commits WHERE sha BETWEEN ? AND ? ORDER BY committed_at DESC, sha",
            (bytes.fromhex(low), bytes.fromhex(high)),
        )
        return [row[0] for row in rows]

    def touching(self, path: str, *, everywhere: bool = False) -> set[int]:
        """Ids of the commits that touched `path`, or a file below it; of those that HEAD reaches, or of all."""
        raw = os.fsencode(path.rstrip("/"))
        rows = self._connection.execute(
            "WITH wanted AS (SELECT id FROM commit_paths WHERE path = ?1 "
            "UNION ALL SELECT id FROM commit_paths WHERE path > ?2 AND path < ?3) "
            "SELECT f.commit_id FROM wanted JOIN commit_files AS f ON f.path_id = wanted.id "
            "UNION SELECT f.commit_id FROM wanted JOIN commit_files AS f ON f.old_path_id = wanted.id "
            "WHERE f.old_path_id <> f.path_id",
            (raw, raw + b"/", raw + b"0"),  # "0" follows "/"
        )
        found = {row[0] for row in rows}
        return found if everywhere else found - {row[0] for row in self._connection.execute(ELSEWHERE)}

    def rows(self, ids: Iterable[int]) -> dict[int, CommitRow]:
        rows = self._connection.execute(
            "SELECT c.id, c.sha, a.shown_name, a.shown_email, c.committed_at, c.subject, c.body, c.is_merge, "
            "c.parents, c.kind, c.touches, c.files, c.patch, r.name, c.authored_at, c.text_missing, c.branch "
            "FROM json_each(?) AS wanted JOIN commits AS c ON c.id = wanted.value "
            "JOIN people AS a ON a.id = c.author_id LEFT JOIN commit_releases AS cr ON cr.commit_id = c.id "
            "LEFT JOIN releases AS r ON r.id = cr.release_id",
            (json.dumps(list(ids)),),
        )
        return {
            i: CommitRow(
                i, sha.hex(), author, email, committed_at, subject, body, bool(merge), split_ids(parents, len(sha)),
                kind, _TOUCHES[touches], files, patch, release or "", authored_at, bool(missing), branch,
            )
            for i, sha, author, email, committed_at, subject, body, merge, parents, kind, touches, files, patch,
            release, authored_at, missing, branch in rows
        }  # fmt: skip

    def traits(self, ids: Iterable[int]) -> dict[int, CommitTraits]:
        rows = self._connection.execute(
            "SELECT c.id, c.committed_at, c.is_merge, c.touches, c.files FROM json_each(?) AS wanted "
            "JOIN commits AS c ON c.id = wanted.value",
            (json.dumps(list(ids)),),
        )
        return {i: CommitTraits(at, bool(merge), _TOUCHES[kinds], files) for i, at, merge, kinds, files in rows}

    def newest(self, limit: int) -> list[int]:
        """Of those that HEAD reaches."""
        rows = self._connection.execute(
            "SELECT id FROM commits INDEXED BY commits_by_time WHERE branch = '' "
            "ORDER BY committed_at DESC, sha LIMIT ?",
            (limit,),
        )
        return [row[0] for row in rows]

    def files(self, commit_id: int) -> list[FileChange]:
        """The files of a commit with all their hunks, in git's order."""
        return stored_files(self._connection, commit_id)

    def commit(self, sha: str) -> Commit | None:
        """A commit as it was read from git."""
        return stored_commit(self._connection, sha)

    def graph(self) -> CommitGraph:
        """How the commits that HEAD reaches follow each other, as the index has it now."""
        state = state_of(self._connection)
        if self._graph is None or self._graph[0] != state:
            self._graph = state, load_graph(self._connection)
        return self._graph[1]


def _patch(commit: Commit) -> bytes:
    """Equal for commits that add and remove the same lines in the same files, whatever stands around them."""
    parts = [f"{change.path}\0{hunk.text}" for change in commit.files for hunk in change.hunks]
    text = "\0".join(parts)
    if len(text) < _LEAST_PATCH or any(hunk.truncated for change in commit.files for hunk in change.hunks):
        return b""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
