"""Which commits HEAD does not reach, and a branch that has each.

They are found as all others are, and nothing of them is taken for what the files are or came to be by.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from postil_indexers.store.database import Database, storable

ELSEWHERE = "SELECT id FROM commits WHERE branch > ''"  # SQL of the ids of those; mostly there are none


class CommitBranches:
    def __init__(self, connection: Database) -> None:
        self._connection = connection

    def elsewhere(self) -> dict[str, str]:
        """Their ids in git, each with the branch."""
        rows = self._connection.execute("SELECT sha, branch FROM commits WHERE branch > ''")
        return {sha.hex(): branch for sha, branch in rows}

    def moved(self, elsewhere: Mapping[str, str], among: Collection[str]) -> dict[str, str]:
        """Of some stored commits those that stand otherwise than in `elsewhere`: id -> branch, as `mark` takes it."""
        marked = self.elsewhere()
        now = {sha: elsewhere.get(sha, "") for sha in marked.keys() | elsewhere.keys() if sha in among}
        return {sha: branch for sha, branch in now.items() if marked.get(sha, "") != branch}

    def mark(self, branches: Mapping[str, str]) -> None:
        """Give commits the branch that has them now, "" where HEAD reaches them."""
        rows = [(*storable([branch]), bytes.fromhex(sha)) for sha, branch in branches.items()]
        self._connection.executemany("UPDATE commits SET branch=? WHERE sha=?", rows)

    def count(self) -> int:
        """How many commits HEAD reaches."""
        row = self._connection.execute(
            f"SELECT count(*) - (SELECT count(*) FROM ({ELSEWHERE})) FROM commits"
        ).fetchone()
        return int(row[0])

    def of(self, sha: str) -> str | None:
        """The branch of a commit, "" where HEAD reaches it; None for one that is not stored."""
        return branch_of(self._connection, sha)


def branch_of(connection: Database, sha: str) -> str | None:
    row = connection.execute("SELECT branch FROM commits WHERE sha=?", (bytes.fromhex(sha),)).fetchone()
    return None if row is None else str(row[0])
