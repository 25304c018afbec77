"""Commits, the files and lines they changed, and their words."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from postil_indexers.store.content import TextMatch
from postil_indexers.store.database import Database
from postil_indexers.store.expression import ranked_by
from postil_indexers.store.terms import TermCounts
from postil_indexers.text import index_terms, path_terms
from postil_indexers.types import Commit, FileChange, Hunk

# BM25 weights of message, names, paths, diff: a message says what was meant, a diff repeats what stands around it.
_WEIGHTS = (1.0, 0.5, 0.6, 0.3)
_DIFF_CHARS = 8_000  # of a commit's changed lines that are searched by word; sweeping commits would match everything
_EMBED_CHARS = 1_200  # subject, body and names: what two windows of a small transformer read


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit as it is listed; its files and hunks are read on demand."""

    id: int
    sha: str
    author_name: str
    author_email: str
    committed_at: int
    subject: str
    body: str
    is_merge: bool


class HistoryStore:
    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._paths: dict[str, int] = {}
        self.terms = TermCounts(connection, "history_terms", "commits")

    # writing

    def write(self, commit: Commit) -> tuple[int, str, bytes]:
        """Store a commit; its id, the text to embed and that text's hash."""
        text = embedded_text(commit)
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self._connection.execute(
            "INSERT INTO commits(sha, parents, author_name, author_email, authored_at, committed_at, subject, body, "
            "added_names, removed_names, text_missing, hash) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                bytes.fromhex(commit.sha), b"".join(map(bytes.fromhex, commit.parents)), commit.author_name,
                commit.author_email, commit.authored_at, commit.committed_at, commit.subject, commit.body,
                " ".join(commit.added_names), " ".join(commit.removed_names), commit.text_missing, digest,
            ),
        )  # fmt: skip
        commit_id = self._connection.last_insert_rowid()
        for change in commit.files:
            self._write_file(commit_id, change)
        self._write_terms(commit_id, commit)
        return commit_id, text, digest

    def _write_file(self, commit_id: int, change: FileChange) -> None:
        self._connection.execute(
            "INSERT INTO commit_files(commit_id, path_id, old_path_id, status, is_binary) VALUES(?,?,?,?,?)",
            (commit_id, self._path_id(change.path), self._path_id(change.old_path), change.status, change.binary),
        )
        file_id = self._connection.last_insert_rowid()
        self._connection.executemany(
            "INSERT INTO hunks VALUES(?,?,?,?,?,?,?,?,?)",
            (
                (file_id, n, h.old_start, h.old_lines, h.new_start, h.new_lines, h.symbol, h.text, h.truncated)
                for n, h in enumerate(change.hunks)
            ),
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

    def _write_terms(self, commit_id: int, commit: Commit) -> None:
        columns = commit_terms(commit)
        self._connection.execute(
            "INSERT INTO history_fts(rowid, message, names, paths, diff) VALUES(?,?,?,?,?)", (commit_id, *columns)
        )
        self.terms.add({term for column in columns for term in column.split()})

    def remove(self, shas: Iterable[str]) -> list[int]:
        """Take commits out that can't be reached any more; their ids."""
        removed = []
        for sha in shas:
            commit = self.commit(sha)
            found = self._connection.execute("SELECT id FROM commits WHERE sha=?", (bytes.fromhex(sha),)).fetchone()
            if commit is None or found is None:
                continue
            self.terms.remove({term for column in commit_terms(commit) for term in column.split()})
            self._connection.execute("DELETE FROM history_fts WHERE rowid=?", found)
            self._connection.execute(
                "DELETE FROM hunks WHERE file_id IN (SELECT id FROM commit_files WHERE commit_id=?)", found
            )
            self._connection.execute("DELETE FROM commit_files WHERE commit_id=?", found)
            self._connection.execute("DELETE FROM commits WHERE id=?", found)
            removed.append(found[0])
        if removed:
            self._remove_paths()
        return removed

    def _remove_paths(self) -> None:
        """Drop the paths that no commit has any more."""
        self._connection.execute(
            "DELETE FROM commit_paths WHERE NOT EXISTS (SELECT 1 FROM commit_files WHERE path_id = commit_paths.id) "
            "AND NOT EXISTS (SELECT 1 FROM commit_files WHERE old_path_id = commit_paths.id AND old_path_id <> path_id)"
        )
        self._paths.clear()

    def forget_paths(self) -> None:
        """Drop what was remembered of a transaction that was rolled back."""
        self._paths.clear()

    # reading

    def shas(self) -> set[str]:
        return {sha.hex() for (sha,) in self._connection.execute("SELECT sha FROM commits")}

    def roots(self) -> set[str]:
        """The commits without parents: the first one, and where a shallow clone ends."""
        return {sha.hex() for (sha,) in self._connection.execute("SELECT sha FROM commits WHERE parents = x''")}

    def count(self) -> int:
        (commits,) = self._connection.execute("SELECT count(*) FROM commits").fetchone() or (0,)
        return int(commits)

    def match(self, terms: Sequence[str], limit: int) -> list[TextMatch]:
        """Commits that hold any of the terms that are rare enough, by BM25 over all terms, best first."""
        expression, scale = ranked_by(terms, self.frequency(terms))
        if not expression:
            return []
        best = (
            f"SELECT rowid AS id, -bm25(history_fts, {', '.join(map(str, _WEIGHTS))}) AS score FROM history_fts "
            "WHERE history_fts MATCH ? ORDER BY score DESC, rowid LIMIT ?"
        )
        rows = self._connection.execute(
            f"SELECT best.id, best.score FROM ({best}) AS best JOIN commits AS c ON c.id = best.id "
            "ORDER BY best.score DESC, c.committed_at DESC, c.sha",
            (expression, limit),
        )
        return [TextMatch(rowid, scale * bm25) for rowid, bm25 in rows]

    def frequency(self, terms: Collection[str]) -> dict[str, int]:
        return self.terms.frequency(terms)

    def by_sha(self, prefix: str) -> list[int]:
        """Ids of the commits whose SHA starts with `prefix` (7 to 40 hexadecimal digits)."""
        low = prefix.ljust(40, "0")
        high = prefix.ljust(40, "f")
        rows = self._connection.execute(
            "SELECT id FROM commits WHERE sha BETWEEN ? AND ? ORDER BY committed_at DESC, sha",
            (bytes.fromhex(low), bytes.fromhex(high)),
        )
        return [row[0] for row in rows]

    def touching(self, path: str) -> set[int]:
        """Ids of the commits that touched `path`, or a file below it."""
        raw = os.fsencode(path.rstrip("/"))
        rows = self._connection.execute(
            "WITH wanted AS (SELECT id FROM commit_paths WHERE path = ?1 "
            "UNION ALL SELECT id FROM commit_paths WHERE path > ?2 AND path < ?3) "
            "SELECT f.commit_id FROM wanted JOIN commit_files AS f ON f.path_id = wanted.id "
            "UNION SELECT f.commit_id FROM wanted JOIN commit_files AS f ON f.old_path_id = wanted.id "
            "WHERE f.old_path_id <> f.path_id",
            (raw, raw + b"/", raw + b"0"),  # "0" follows "/"
        )
        return {row[0] for row in rows}

    def rows(self, ids: Iterable[int]) -> dict[int, CommitRow]:
        rows = self._connection.execute(
            "SELECT c.id, c.sha, c.author_name, c.author_email, c.committed_at, c.subject, c.body, "
            "length(c.parents) > 20 FROM json_each(?) AS wanted JOIN commits AS c ON c.id = wanted.value",
            (json.dumps(list(ids)),),
        )
        return {
            i: CommitRow(i, sha.hex(), author, email, committed_at, subject, body, bool(merge))
            for i, sha, author, email, committed_at, subject, body, merge in rows
        }

    def newest(self, limit: int) -> list[int]:
        rows = self._connection.execute("SELECT id FROM commits ORDER BY committed_at DESC, sha LIMIT ?", (limit,))
        return [row[0] for row in rows]

    def files(self, commit_id: int) -> list[FileChange]:
        """The files of a commit with all their hunks, in git's order."""
        rows = self._connection.execute(
            "SELECT f.id, p.path, o.path, f.status, f.is_binary FROM commit_files AS f "
            "JOIN commit_paths AS p ON p.id = f.path_id JOIN commit_paths AS o ON o.id = f.old_path_id "
            "WHERE f.commit_id=? ORDER BY f.id",
            (commit_id,),
        ).fetchall()
        return [
            FileChange(os.fsdecode(path), os.fsdecode(old), status, self._hunks(file_id), bool(binary))
            for file_id, path, old, status, binary in rows
        ]

    def _hunks(self, file_id: int) -> tuple[Hunk, ...]:
        rows = self._connection.execute(
            "SELECT old_start, old_lines, new_start, new_lines, symbol, text, truncated FROM hunks "
            "WHERE file_id=? ORDER BY ordinal",
            (file_id,),
        )
        return tuple(
            Hunk(old, old_n, new, new_n, symbol, text, bool(cut)) for old, old_n, new, new_n, symbol, text, cut in rows
        )

    def commit(self, sha: str) -> Commit | None:
        """A commit as it was read from git."""
        row = self._connection.execute(
            "SELECT id, parents, author_name, author_email, authored_at, committed_at, subject, body, added_names, "
            "removed_names, text_missing FROM commits WHERE sha=?",
            (bytes.fromhex(sha),),
        ).fetchone()
        if row is None:
            return None
        width = len(sha) // 2
        parents = tuple(row[1][at : at + width].hex() for at in range(0, len(row[1]), width))
        files = tuple(self.files(row[0]))
        author, email, authored_at, committed_at, subject, body, added, removed, missing = row[2:]
        return Commit(
            sha, parents, author, email, authored_at, committed_at, subject, body, files,
            tuple(added.split()), tuple(removed.split()), bool(missing),
        )  # fmt: skip


def commit_terms(commit: Commit) -> tuple[str, str, str, str]:
    """Message, names, paths and diff as terms; a function of the commit alone, so that removing undoes writing."""
    symbols = {hunk.symbol for change in commit.files for hunk in change.hunks if hunk.symbol}
    names = " ".join((*commit.added_names, *commit.removed_names, *sorted(symbols)))
    paths = {path for change in commit.files[:_TERM_FILES] for path in (change.path, change.old_path)}
    diff: list[str] = []
    room = _DIFF_CHARS
    for change in commit.files:
        for hunk in change.hunks:
            diff.append(hunk.text[:room])
            room -= len(hunk.text)
            if room <= 0:
                break
        if room <= 0:
            break
    return (
        index_terms(f"{commit.subject}\n{commit.body}"),
        index_terms(names),
        " ".join(path_terms(path) for path in sorted(paths)),
        index_terms("\n".join(diff)),
    )


_TERM_FILES = 200  # a commit that touches more files is about none of them


def embedded_text(commit: Commit) -> str:
    """What a model is given of a commit: the message first, then the names it brought and took."""
    names = " ".join((*commit.added_names, *commit.removed_names))
    return f"{commit.subject}\n{commit.body.strip()}\n{names}".strip()[:_EMBED_CHARS]
