"""A run that is killed costs what it had not yet written, and nothing else."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time

from fixtures.index_dump import differences, dump
from fixtures.machine import Machine
from fixtures.repository import Workspace
from postil_indexers.store.index import open_index


def test_a_run_after_kills_makes_the_index_of_one_that_was_not_killed(machine: Machine, workspace: Workspace) -> None:
    chance = random.Random(2)
    for number in range(300):  # enough for some batches
        workspace.write(f"more/{number}.md", f"# Note {number}\n\n" + f"Words of note {number} on leases. " * 60)
    killed, whole = Machine(machine.folder / "killed"), Machine(machine.folder / "whole")
    for _ in range(3):
        process = subprocess.Popen(
            killed.command("index", workspace.root, "--json"),
            env=killed.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while not list(killed.folder.glob("index/*/index-*.db")) and time.monotonic() < deadline:
            time.sleep(0.01)  # the imports are no part of the run
        time.sleep(chance.uniform(0.05, 1.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        workspace.write(f"more/{chance.randrange(300)}.md", "# Changed meanwhile\n\nOther words.\n")
    assert killed.postil("index", workspace.root, "--json").status == 0
    assert whole.postil("index", workspace.root, "--json").status == 0
    with open_index(killed.index_path()) as ours, open_index(whole.index_path()) as theirs:
        assert ours.check() == []
        assert differences(dump(ours), dump(theirs)) == ""
