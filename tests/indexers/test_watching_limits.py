"""Where the system can't watch, and where the root is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.watching import PATIENCE_S, folders, inotify_watches, small_tree, told, told_of, wait_for, write
from postil_indexers.errors import WorkspaceError
from postil_indexers.watching.changes import Changes, Mode
from postil_indexers.watching.limits import Mount, is_remote, mount_of, parse_mount, parse_mountinfo
from postil_indexers.watching.polling import _Pace
from postil_indexers.watching.watch import Watcher

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="what inotify does")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return small_tree(tmp_path / "root")


@linux_only
def test_beyond_the_limit_all_is_polled_and_it_says_so(root: Path) -> None:
    before = inotify_watches()
    with Watcher(str(root), max_watches=3) as watcher:
        assert (watcher.mode, watcher.watched, inotify_watches()) == (Mode.POLLING, 4, before)
        assert "More folders are to be watched than the system has room for (3)" in watcher.reason
        assert "fs.inotify.max_user_watches" in watcher.reason
        write(root / "docs/b.md", "written in place\n")
        write(root / "new/x/d.md")
        (root / "src/deep/c.py").unlink()
        wanted = {"docs", "", "new", "new/x", "src/deep"}
        assert told_of(watcher, wanted) == wanted
        write(root / "new/x/d.md", "found there as well\n")
        shutil.rmtree(root / "src")
        wanted = {"new/x", "", "src", "src/deep"}
        assert told_of(watcher, wanted) == wanted
        assert watcher.watched == 4


@linux_only
def test_the_limit_reached_later_turns_all_into_polling_without_losing_anything(root: Path) -> None:
    before = inotify_watches()
    with Watcher(str(root), max_watches=6) as watcher:
        assert watcher.mode is Mode.WATCHING
        write(root / "more/1/2/3/x.md")
        wait_for(watcher, "everything")
        assert (watcher.mode, watcher.watched, inotify_watches()) == (Mode.POLLING, 8, before)
        write(root / "more/1/2/3/x.md", "polled\n")
        assert folders(told(watcher)) == {"more/1/2/3"}


@linux_only
@pytest.mark.parametrize(
    ("limit", "allowed", "reason"),
    [
        ("max_inotify_watches", 2, "More folders are to be watched than the system has room for (2)"),
        ("max_inotify_instances", 0, "As many programs watch files as the system allows"),
    ],
)
def test_the_systems_own_limits_are_met_as_well(root: Path, limit: str, allowed: int, reason: str) -> None:
    """In a user namespace, whose limits can be set to less than the machine's."""
    script = (
        "import sys; from postil_indexers.watching.watch import Watcher\n"
        "with Watcher(sys.argv[1], max_watches=10**6) as watcher: print(watcher.mode, watcher.watched, watcher.reason)"
    )
    limited = f'echo {allowed} > /proc/sys/user/{limit} && exec "$@"'
    command = [
        "unshare",
        "--user",
        "--map-root-user",
        "sh",
        "-c",
        limited,
        "sh",
        sys.executable,
        "-c",
        script,
        str(root),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except OSError:
        pytest.skip("no unshare here")
    if "unshare" in done.stderr or limit in done.stderr:
        pytest.skip("no user namespaces here")
    assert done.stdout.startswith(f"polling 4 {reason}: changes are looked for"), done.stderr


def test_polling_looks_the_later_the_more_a_look_costs() -> None:
    pace = _Pace(2.0)
    with pace.looking():
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass
    began = time.monotonic()
    pace.looked()
    assert pace.due_at - began >= 0.05 * 250  # under half a percent of a processor


@linux_only
def test_idle_watching_wakes_nobody(root: Path) -> None:
    import resource  # which Windows lacks

    with Watcher(str(root)) as watcher:
        began = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
        assert watcher.wait(3) == Changes()
        assert resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - began < 15


def test_a_root_that_vanishes_is_told_once_and_told_again_when_it_is_back(root: Path) -> None:
    aside = root.parent / "aside"
    with Watcher(str(root)) as watcher:
        os.rename(root, aside)
        write(aside / "docs/b.md", "edited by its other name\n")
        assert watcher.wait(PATIENCE_S) == Changes(root_missing=True)
        assert watcher.wait(0.2) == Changes()
        assert watcher.watched == 0
        os.rename(aside, root)
        assert watcher.wait(PATIENCE_S) == Changes(everything=True, git=True)
        write(root / "docs/b.md", "watched again\n")
        assert told(watcher) == [Changes(frozenset({"docs"}))]
        shutil.rmtree(root)
        assert watcher.wait(PATIENCE_S) == Changes(root_missing=True)
        write(root / "fresh.md")
        assert watcher.wait(PATIENCE_S) == Changes(everything=True, git=True)


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Path]:
    """A small drive that can be unmounted."""
    folder = tmp_path / "drive"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("drives can't be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


@linux_only
@pytest.mark.skipif(shutil.which("mount") is None, reason="no mount here")
def test_a_drive_that_is_unmounted_is_no_deletion_of_its_files(drive: Path) -> None:
    write(drive / "notes/a.md")
    with Watcher(str(drive)) as watcher:
        subprocess.run(["umount", str(drive)], check=True)
        assert watcher.wait(PATIENCE_S) == Changes(root_missing=True)
        assert watcher.wait(2.5) == Changes()  # an empty folder is left in its place
        subprocess.run(["mount", "-t", "tmpfs", "none", str(drive)], check=True)
        write(drive / "notes/a.md")
        assert watcher.wait(PATIENCE_S) == Changes(everything=True, git=True)
        assert watcher.watched == 2


def test_without_a_root_there_is_nothing_to_watch(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError), Watcher(str(tmp_path / "none")):
        pass


def test_the_drive_of_a_folder_is_the_innermost_mount() -> None:
    mounted = list(
        parse_mountinfo(
            b"27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
            b"40 27 0:50 / /mnt/my\\040notes rw,relatime shared:2 master:3 - nfs4 server:/x rw\n"
            b"41 27 0:51 / /mnt/c rw,noatime - 9p C:\\134 rw,aname=drvfs\n"
            b"42 40 0:52 / /mnt/my\\040notes/local rw - tmpfs none rw\n"
            b"43 27 0:53 / /mnt/twice rw - ext4 /dev/vdb rw\n"
            b"44 43 0:54 / /mnt/twice rw - fuse.sshfs me@host:/ rw\n"
        )
    )

    def kind(folder: bytes) -> tuple[str, bool]:
        mount = mount_of(folder, mounted)
        assert mount is not None
        return mount.kind, is_remote(mount.kind)

    assert kind(b"/home/me") == ("ext4", False)
    assert kind(b"/mnt/my notes/2024") == ("nfs4", True)
    assert kind(b"/mnt/my notes and more") == ("ext4", False)
    assert kind(b"/mnt/my notes/local") == ("tmpfs", False)
    assert kind(b"/mnt/c/Users/me") == ("9p", True)
    assert kind(b"/mnt/twice") == ("fuse.sshfs", True)
    assert not is_remote("fuse.gocryptfs")
    assert not is_remote("fuseblk")


def test_the_drives_of_macos_are_read() -> None:
    assert list(
        parse_mount(
            b"/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
            b"//me@nas._smb._tcp.local/my%20notes on /Volumes/my notes (1) (smbfs, nodev, nosuid, mounted by me)\n"
        )
    ) == [Mount(b"/", "apfs"), Mount(b"/Volumes/my notes (1)", "smbfs")]
