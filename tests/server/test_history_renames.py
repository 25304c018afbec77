"""The history of a whole file goes back through its renamings, and to no file that only has one of its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.machine import Machine
from fixtures.repository import Workspace, init

BODY = "".join(f"line {number} of the lease protocol\n" for number in range(20))


@pytest.fixture
def repository(tmp_path: Path) -> Workspace:
    """`c.md` was `b.md` and `a.md`; `copy.md` was copied from `a.md`; another file has been called `a.md` since."""
    made = init(tmp_path / "repository")

    def commit(subject: str, hour: int) -> None:
        made.commit(subject, date=f"2024-03-05T{hour:02}:00:00 +0000")

    made.write("a.md", BODY)
    commit("Begin the protocol", 1)
    made.replace("a.md", "line 3 of", "line three of")
    commit("Spell three", 2)
    made.write("copy.md", made.read("a.md"))
    made.replace("a.md", "line 5 of", "line five of")
    commit("Copy the protocol, and spell five", 3)
    made.rename("a.md", "b.md")
    commit("Call it b", 4)
    made.rename("b.md", "c.md")
    made.replace("c.md", "line 7 of", "line seven of")
    commit("Call it c", 5)
    made.write("a.md", "# Something else\n\nOf another kind altogether.\n")
    commit("A new a", 6)
    made.replace("copy.md", "line 9 of", "line nine of")
    commit("Spell nine in the copy", 7)
    return made


def test_the_history_of_a_file_is_that_of_git(repository: Workspace, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine")
    assert machine.here("index", repository.root, "--json").status == 0

    def subjects(path: str) -> list[str]:
        told = machine.here("history", repository.root, "--path", path, "--json").record
        return [commit["subject"] for commit in told["commits"]]

    followed = ["Call it c", "Call it b", "Copy the protocol, and spell five", "Spell three", "Begin the protocol"]
    assert repository.git("log", "--follow", "--format=%s", "--", "c.md").splitlines() == followed
    assert subjects("c.md") == followed
    assert subjects("copy.md") == ["Spell nine in the copy", "Copy the protocol, and spell five"]
    assert subjects("a.md") == ["A new a", "Call it b", *followed[2:]]
