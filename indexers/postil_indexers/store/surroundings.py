"""What a repository says of its commits outside of them: who people are, releases, commits that blame passes over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from postil_indexers.store.commit_branches import branch_of
from postil_indexers.store.database import Database

_SHORTEST = 7  # digits of an id that somebody writes; fewer are not taken for one


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    id: int  # in the order of their dates
    name: str
    sha: str
    tagged_at: int


class Surroundings:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    # writing

    def name_people(self, shown: Callable[[str, str], tuple[str, str]]) -> int:
        """Give everybody the name and the address that `shown` says for those of the commits; how many changed."""
        rows = self._connection.execute("SELECT id, name, email, shown_name, shown_email FROM people").fetchall()
        changed = [
            (*shown(name, email), i) for i, name, email, *before in rows if list(shown(name, email)) != list(before)
        ]
        self._connection.executemany("UPDATE people SET shown_name=?, shown_email=? WHERE id=?", changed)
        return len(changed)

    def set_releases(self, releases: Sequence[tuple[str, str, int]], first: Mapping[str, str]) -> None:
        """(name, commit, when) of all releases, the oldest first; `first`: commit -> the first release that has it."""
        self._connection.execute("DELETE FROM commit_releases")
        self._connection.execute("DELETE FROM releases")
        self._connection.executemany(
            "INSERT OR IGNORE INTO releases VALUES(?,?,?,?)",
            ((n, name, bytes.fromhex(sha), at) for n, (name, sha, at) in enumerate(releases, 1)),
        )
        numbers = {name: n for n, (name, _, _) in enumerate(releases, 1)}
        stored = self._connection.execute("SELECT id, sha FROM commits").fetchall()
        self._connection.executemany(
            "INSERT INTO commit_releases VALUES(?,?)",
            ((i, numbers[first[sha.hex()]]) for i, sha in stored if sha.hex() in first),
        )

    def set_ignored(self, shas: Iterable[str]) -> None:
        self._connection.execute("DELETE FROM ignored_commits")
        self._connection.executemany(
            "INSERT OR IGNORE INTO ignored_commits VALUES(?)", ((bytes.fromhex(s),) for s in shas)
        )

    # reading

    def releases(self) -> list[ReleaseRow]:
        """The oldest first."""
        rows = self._connection.execute("SELECT id, name, sha, tagged_at FROM releases ORDER BY id")
        return [ReleaseRow(i, name, sha.hex(), at) for i, name, sha, at in rows]

    def newest_release_at(self) -> int | None:
        """Seconds; None where there is no release."""
        (at,) = self._connection.execute("SELECT max(tagged_at) FROM releases").fetchone()
        return None if at is None else int(at)

    def people(self) -> list[tuple[str, str]]:
        """(name, address) as shown, of everybody who wrote or committed."""
        return [tuple(row) for row in self._connection.execute("SELECT DISTINCT shown_name, shown_email FROM people")]

    def count_people(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM people").fetchone()[0])

    def ignored(self) -> set[int]:
        """Ids of the commits that blame passes over."""
        # CROSS: those few are looked up; the other way round each commit would be
        rows = self._connection.execute(
            "SELECT c.id FROM ignored_commits AS i CROSS JOIN commits AS c ON c.sha = i.sha"
        )
        return {row[0] for row in rows}

    def mentioning(self, values: Iterable[str], kinds: Iterable[str]) -> list[tuple[str, str, int]]:
        """(value, kind, commit id) of the commits whose messages name one of these issues or full commit ids.

        Of a commit the start of its id may be written; as few as seven digits are taken.
        """
        wanted = list(values)
        found: list[tuple[str, str, int]] = []
        for kind in kinds:
            rows = self._connection.execute(
                "SELECT wanted.value, m.commit_id FROM json_each(?) AS wanted JOIN commit_mentions AS m "
                "ON m.value = wanted.value AND m.kind = ?",
                (
                    json.dumps(
                        wanted
                        if kind == "issue"
                        else sorted({w[:n] for w in wanted for n in (*range(_SHORTEST, 41), len(w))})
                    ),
                    kind,
                ),
            )
            found += [(value, kind, commit_id) for value, commit_id in rows]
        return list(dict.fromkeys(found))

    def reverts_of(self, shas: Sequence[str]) -> dict[str, str]:
        """Of these commits those that a later one took back, each with that one's id; the newest counts.

        A commit that HEAD does not reach takes back nothing that HEAD does, nor the other way round.
        """
        found = self.mentioning(shas, ("reverts",))
        rows = self._connection.execute(
            "SELECT c.id, c.sha, c.branch FROM json_each(?) AS wanted JOIN commits AS c ON c.id = wanted.value "
            "ORDER BY c.committed_at",
            (json.dumps([commit_id for _, _, commit_id in found]),),
        )
        by_id = {i: (sha.hex(), branch) for i, sha, branch in rows}
        order = {i: n for n, i in enumerate(by_id)}
        known = sorted(found, key=lambda one: order[one[2]])
        told = {}
        for value, _, i in known:
            reverting, branch = by_id[i]
            for sha in (each for each in shas if each.startswith(value)):
                if bool(branch_of(self._connection, sha)) == bool(branch):
                    told[sha] = reverting
        return told

    def mentions_of(self, commit_ids: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
        """Commit id -> (kind, value) of what its message names."""
        found: dict[int, list[tuple[str, str]]] = {}
        rows = self._connection.execute(
            "SELECT m.commit_id, m.kind, m.value FROM json_each(?) AS wanted "
            "JOIN commit_mentions AS m ON m.commit_id = wanted.value ORDER BY m.commit_id, m.kind, m.value",
            (json.dumps(list(commit_ids)),),
        )
        for commit_id, kind, value in rows:
            found.setdefault(commit_id, []).append((kind, value))
        return found
