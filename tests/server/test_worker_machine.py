"""The worker and the machine around it: battery, disks, deleted folders, a process that is stopped for a while."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from fixtures.index_dump import differences, dump
from fixtures.machine import Machine
from fixtures.office import PATIENCE_S, Office, eventually
from postil_indexers.store.index import open_index
from postil_indexers.worker.client import call_worker

_AS_ROOT = sys.platform == "linux" and os.geteuid() == 0
mounts = pytest.mark.skipif(not _AS_ROOT, reason="only root may mount, and only Linux as here")
_DISK_BYTES = 48 << 20
_ROOM_BYTES = 700_000  # that are left on the full disk: enough for an empty index

_POWER = "/sys/class/power_supply"
# what the worker sees of the machine's power is a folder of ours, in a mount namespace of its own
_WITH_POWER_OF = ("unshare", "--mount", "sh", "-c", f'mount --bind "$0" {_POWER} && exec "$@"')


class Battery:
    """A machine's power supply, as Linux tells of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "BAT0").mkdir(parents=True)
        (folder / "BAT0" / "capacity").write_text("60\n", encoding="ascii")

    def says(self, status: str) -> None:
        (self.folder / "BAT0" / "status").write_text(f"{status}\n", encoding="ascii")


@pytest.fixture
def battery(tmp_path: Path) -> Battery:
    battery = Battery(tmp_path / "power")
    line = [*_WITH_POWER_OF, str(battery.folder), "true"]
    if not _AS_ROOT or subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("the machine's power supply can't be covered here")
    return battery


@pytest.fixture
def disk(office: Office, tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own for the indexes."""
    image, folder = tmp_path / "disk.img", office.machine.folder / "index"
    folder.mkdir(parents=True)
    with image.open("wb") as file:
        file.truncate(_DISK_BYTES)
    for line in (["mkfs.ext4", "-q", "-m", "0", str(image)], ["mount", "-o", "loop", str(image), str(folder)]):
        if not _AS_ROOT or not shutil.which(line[0]) or subprocess.run(line, check=False).returncode:
            pytest.skip("no disk can be made of a file here")
    (folder / "lost+found").rmdir()
    yield folder
    for process in office.started:
        process.kill()
        process.wait()
    subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """But for a little all of it is taken, until the end."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        file.write(b"\0" * (shutil.disk_usage(disk).free - _ROOM_BYTES))
    try:
        yield
    finally:
        ballast.unlink()


def assert_as_a_clean_one(office: Office) -> None:
    clean = Machine(office.machine.folder / "clean")
    assert clean.postil("index", office.workspace.root, "--json").status == 0
    with open_index(office.machine.index_path()) as ours, open_index(clean.index_path()) as theirs:
        assert ours.check() == []
        assert differences(dump(ours), dump(theirs)) == ""


def test_on_battery_nothing_is_done_where_the_user_says_so(office: Office, battery: Battery) -> None:
    office.machine = Machine(office.machine.folder, office.machine.settings + "pause_on_battery = true\n")
    battery.says("Discharging")
    office.start(before=[*_WITH_POWER_OF, str(battery.folder)])
    with office.client() as client:
        assert eventually(lambda: client.request("status")["state"] == "on_battery")
    refused = office.machine.here("index", office.workspace.root, "--json")
    assert (refused.status, refused.record["error"]["message"]) == (1, "indexing waits for the power supply")
    assert "waiting for the power supply" in office.machine.here("status", office.workspace.root).out
    assert office.machine.here("status", office.workspace.root, "--json").record["files"] == 0
    battery.says("Charging")
    assert eventually(lambda: "docs/lease protocol.md" in office.paths("lease"))


def test_a_worker_whose_index_is_deleted_ends_and_the_next_one_makes_it_anew(office: Office) -> None:
    former = office.ready()
    shutil.rmtree(office.folder)
    new = office.ready()
    assert former.wait(PATIENCE_S) == 1
    said = office.log.read_text(encoding="utf-8")
    assert "its index was deleted" in said
    assert "Traceback" not in said
    assert office.status()["pid"] == new.pid  # the former one took nothing of the new one with it
    assert "docs/lease protocol.md" in office.paths("lease")


def test_a_worker_that_stood_still_catches_up(office: Office) -> None:
    process = office.ready()
    os.kill(process.pid, signal.SIGSTOP)
    office.workspace.write("notes/still.md", "# Still\n\nmellifluous\n")
    office.workspace.delete("docs/lease protocol.md")
    office.workspace.commit("Flabbergast the scheduler", "Maya")
    found = office.paths("lease")  # nobody waits for it
    assert found
    assert "docs/lease protocol.md" not in found
    os.kill(process.pid, signal.SIGCONT)
    assert eventually(lambda: office.paths("mellifluous")) == ["notes/still.md"]
    asked = ("history", office.workspace.root, "flabbergast the scheduler", "--json")
    assert eventually(
        lambda: "Flabbergast the scheduler" in [c["subject"] for c in office.machine.here(*asked).record["commits"]]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="priorities of another kind")
def test_a_worker_lets_everything_else_go_first(machine: Machine, office: Office) -> None:
    office.machine = machine  # whose settings say nothing of it
    process = psutil.Process(office.ready().pid)
    family = [process, *eventually(lambda: process.children(recursive=True))]
    assert all(each.nice() >= 10 for each in family)
    if sys.platform == "linux":
        assert {tuple(each.ionice()) for each in family} == {(psutil.IOPRIO_CLASS_BE, 7)}


def test_a_run_that_is_paused_before_it_began_goes_on_when_it_may(office: Office) -> None:
    run = subprocess.Popen(
        office.machine.command("index", office.workspace.root, "--json"),
        env=office.machine.environment(),
        stdout=subprocess.PIPE,
    )
    with office.client() as client:
        client.request("pause")
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(2.0)
        client.request("resume")
    assert run.wait(PATIENCE_S) == 0
    assert "docs/lease protocol.md" in office.paths("lease")


@mounts
def test_a_full_disk_is_told_and_made_good_when_there_is_room(office: Office, disk: Path) -> None:
    with filled(disk):
        ran = office.machine.postil("index", office.workspace.root, "--json")
        assert ran.status == 1
        assert ran.record["error"]["message"] == f"the disk that holds {office.folder} is full"
        assert "Traceback" not in ran.err
        office.start()
        assert "is full" in eventually(lambda: office.status()["failure"])
    office.workspace.write("notes/small.md", "# Small\n\nmellifluous\n")
    assert eventually(lambda: office.paths("mellifluous")) == ["notes/small.md"]
    assert "is full" in office.status()["failure"]  # the rest is still to be done
    assert office.machine.postil("index", office.workspace.root, "--json").status == 0
    assert office.status()["failure"] == ""
    assert_as_a_clean_one(office)


@mounts
def test_a_disk_that_can_only_be_read_is_told_and_made_good(office: Office, disk: Path) -> None:
    assert office.machine.postil("index", office.workspace.root, "--json").status == 0
    remount = ["mount", "-o"]
    subprocess.run([*remount, "remount,ro", str(disk)], check=True)
    office.workspace.write("notes/late.md", "# Late\n\nmellifluous\n")
    ran = office.machine.postil("index", office.workspace.root, "--json")
    assert ran.status == 1
    assert "Read-only file system" in ran.record["error"]["message"]
    assert "POSTIL_INDEX_DIR" in ran.record["error"]["hint"]
    assert "Traceback" not in ran.err
    assert "docs/lease protocol.md" in office.paths("lease")
    subprocess.run([*remount, "remount,rw", str(disk)], check=True)
    assert office.machine.postil("index", office.workspace.root, "--json").status == 0
    assert office.paths("mellifluous") == ["notes/late.md"]
    assert call_worker(office.folder) is None
    assert_as_a_clean_one(office)
