"""Watching real folders: what is told, how often, and what is not."""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures.watching import PATIENCE_S, Follower, folders, inotify_watches, small_tree, told, write
from postil_indexers.files import read_text, scan
from postil_indexers.seen import FileEntry
from postil_indexers.watching.changes import Changes, Mode
from postil_indexers.watching.polling import PollingSource
from postil_indexers.watching.recursive import RecursiveSource
from postil_indexers.watching.watch import Watcher

_LONG_AFTER_THE_TEST_S = 1_000.0

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="what inotify does")


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody's settings of git."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return small_tree(tmp_path / "root")


@contextmanager
def watching(root: Path, **options) -> Iterator[Watcher]:
    with Watcher(str(root), **options) as watcher:
        assert not watcher.wait(0)
        yield watcher


def test_a_save_is_told_once_by_its_folder(root: Path) -> None:
    with watching(root) as watcher:
        assert (watcher.mode, watcher.reason, watcher.watched) == (Mode.WATCHING, "", 4)
        for number in range(9):
            write(root / "docs/b.md", f"{number}\n")
            assert watcher.wait(PATIENCE_S) == Changes(frozenset({"docs"}))
            assert watcher.wait(0.1) == Changes()
        write(root / "a.md", "root\n")
        assert told(watcher) == [Changes(frozenset({""}))]


def test_an_atomic_save_a_rename_in_case_only_and_a_move_are_told(root: Path) -> None:
    with watching(root) as watcher:
        write(root / "docs/.b.md.tmp", "new\n")
        os.replace(root / "docs/.b.md.tmp", root / "docs/b.md")
        assert folders(told(watcher)) == {"docs"}
        os.rename(root / "docs/b.md", root / "docs/B.md")
        assert folders(told(watcher)) == {"docs"}
        os.rename(root / "docs/B.md", root / "src/B.md")
        assert folders(told(watcher)) == {"docs", "src"}


def test_what_we_read_ourselves_is_no_change(root: Path) -> None:
    with watching(root) as watcher:
        rows = list(scan(str(root)))
        assert all(read_text(str(root), row.path) for row in rows if isinstance(row, FileEntry))
        assert watcher.wait(0.4) == Changes()


def test_folders_that_come_are_watched_with_all_that_was_put_in_them_meanwhile(root: Path) -> None:
    with watching(root) as watcher:
        write(root / "new/x/y/z.md")
        assert folders(told(watcher)) == {"", "new", "new/x", "new/x/y"}
        assert watcher.watched == 7
        write(root / "new/x/y/z.md", "again\n")
        assert told(watcher) == [Changes(frozenset({"new/x/y"}))]
        shutil.rmtree(root / "new")
        assert folders(told(watcher)) == {"", "new", "new/x", "new/x/y"}
        assert watcher.watched == 4


def test_a_folder_that_is_renamed_is_told_by_both_names_and_goes_on_being_watched(root: Path) -> None:
    with watching(root) as watcher:
        os.rename(root / "src", root / "lib")
        assert folders(told(watcher)) == {"", "src", "src/deep", "lib", "lib/deep"}
        write(root / "lib/deep/c.py", "moved\n")
        assert told(watcher) == [Changes(frozenset({"lib/deep"}))]
        os.rename(root / "lib", root.parent / "outside")
        assert folders(told(watcher)) == {"", "lib", "lib/deep"}
        write(root.parent / "outside/deep/c.py", "elsewhere\n")
        assert watcher.wait(0.3) == Changes()


@linux_only
def test_ignored_folders_have_no_watches_and_tell_nothing(root: Path) -> None:
    write(root / ".gitignore", "build/\n*.log\n")
    for name in ("node_modules/p/lib/i.js", "build/out/a.c", "docs/.venv-tag/x.py", ".git/objects/aa/b"):
        write(root / name)
    write(root / "docs/env/pyvenv.cfg")
    write(root / "docs/env/lib/m.py")
    before = inotify_watches()
    with watching(root) as watcher:
        assert inotify_watches() - before == watcher.watched == 5  # docs/.venv-tag is one as any other
        for name in ("node_modules/p/lib/j.js", "node_modules/q/k.js", "build/out/b.c", "docs/env/lib/n.py", "x.log"):
            write(root / name)
        write(root / "src/node_modules/new.js")
        shutil.rmtree(root / "node_modules")
        assert watcher.wait(0.4) == Changes()
        assert inotify_watches() - before == 5
    assert inotify_watches() == before


def test_a_folder_that_becomes_an_environment_is_let_go(root: Path) -> None:
    with watching(root) as watcher:
        write(root / "env/lib/site/m.py")
        told(watcher)
        assert watcher.watched == 7
        write(root / "env/pyvenv.cfg")
        assert "env/lib/site" in folders(told(watcher))
        assert watcher.watched == 4


def test_rules_that_change_are_told_as_everything_and_take_effect(root: Path) -> None:
    with watching(root) as watcher:
        write(root / ".gitignore", "docs/\n")
        assert any(changes.everything for changes in told(watcher))
        write(root / "docs/b.md", "ignored now\n")
        assert watcher.wait(0.3) == Changes()
        os.utime(root / ".gitignore")
        assert told(watcher) == [Changes(frozenset({""}))]
        write(root / ".postilignore", "!docs/\n")
        assert any(changes.everything for changes in told(watcher))
        write(root / "docs/b.md", "back\n")
        assert told(watcher) == [Changes(frozenset({"docs"}))]


def test_the_users_own_patterns_count(root: Path) -> None:
    with watching(root, exclude=("src/",)) as watcher:
        write(root / "src/deep/c.py", "left out\n")
        assert watcher.wait(0.3) == Changes()
        assert watcher.watched == 2


@linux_only
def test_names_that_are_not_utf8_are_told(root: Path) -> None:
    odd = os.fsencode(root) + b"/\xff\xfe"
    with watching(root) as watcher:
        os.mkdir(odd)
        assert folders(told(watcher)) == {"", "\udcff\udcfe"}
        with open(odd + b"/\xe9.md", "wb") as file:
            file.write(b"text")
        assert folders(told(watcher)) == {"\udcff\udcfe"}


def test_links_are_not_followed_out_of_the_root_or_in_circles(root: Path) -> None:
    outside = root.parent / "outside"
    write(outside / "x.md")
    os.symlink(outside, root / "docs/out")
    os.symlink(root, root / "docs/loop")
    with watching(root) as watcher:
        assert watcher.watched == 4
        write(outside / "x.md", "not ours\n")
        assert watcher.wait(0.3) == Changes()
        os.symlink(outside, root / "again")
        assert folders(told(watcher)) == {""}
        assert watcher.watched == 4


@contextmanager
def nobody(folder: Path) -> Iterator[None]:
    """As a user whom permissions stop, and who owns `folder`."""
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, -1)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_a_folder_without_permission_is_watched_once_it_may_be() -> None:
    with tempfile.TemporaryDirectory() as folder:  # those of pytest are closed to others
        root = Path(folder)
        write(root / "docs/b.md")
        write(root / "src/c.py")
        with nobody(root):
            (root / "docs").chmod(0)
            with watching(root) as watcher:
                assert watcher.watched == 2
                (root / "docs").chmod(0o700)
                assert folders(told(watcher)) == {"", "docs"}
                write(root / "docs/b.md", "open\n")
                assert told(watcher) == [Changes(frozenset({"docs"}))]
                (root / "docs").chmod(0)
                assert folders(told(watcher)) == {"", "docs"}
            (root / "docs").chmod(0o700)


@linux_only
def test_more_events_than_the_system_keeps_mean_everything(root: Path) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    if limit > 100_000:
        pytest.skip("it would take too long")
    with watching(root) as watcher:
        for number in range(limit // 2 + 100):  # one to make and one to close each
            os.close(os.open(root / f"docs/{number % 64}.md", os.O_CREAT | os.O_WRONLY))
            os.unlink(root / f"docs/{number % 64}.md")
        write(root / "lost/x.md")
        assert any(changes.everything for changes in told(watcher))
        write(root / "lost/x.md", "found\n")
        assert told(watcher) == [Changes(frozenset({"lost"}))]


def test_a_stream_that_never_pauses_is_told_in_parts(root: Path) -> None:
    stop = threading.Event()

    def scribble() -> None:
        number = 0
        while not stop.wait(0.002):
            write(root / "docs/b.md", f"{(number := number + 1)}\n")

    writer = threading.Thread(target=scribble)
    with watching(root) as watcher:
        writer.start()
        try:
            assert [watcher.wait(PATIENCE_S).directories for _ in range(3)] == [{"docs"}] * 3
        finally:
            stop.set()
            writer.join()


def test_an_interrupted_wait_returns_at_once_and_loses_nothing(root: Path) -> None:
    with watching(root) as watcher:
        for _ in range(2):
            threading.Timer(0.1, watcher.interrupt).start()
            assert watcher.wait(_LONG_AFTER_THE_TEST_S) == Changes()
        write(root / "a.md", "after\n")
        watcher.interrupt()
        assert Changes(frozenset({""})) in (watcher.wait(PATIENCE_S), watcher.wait(PATIENCE_S))


def _act(root: Path, chance: random.Random, number: int) -> None:
    """Something that people and programs do to a tree."""
    here = [folder for folder in [root, *sorted(root.rglob("*"))] if folder.is_dir()]
    files = [file for file in sorted(root.rglob("*")) if file.is_file() and file.name != ".gitignore"]
    folder, file = chance.choice(here), chance.choice(files or [root / "a.md"])
    match chance.randrange(8):
        case 0 | 1 | 2:
            write(file, f"{number}\n" * chance.randrange(1, 5))
        case 3:
            write(folder / f"n{number}" / chance.choice(["x.md", "in/y.md", "build/z.md"]))
        case 4 if len(files) > 1:
            file.unlink()
        case 5 if files:
            file.rename(folder / f"{number}.md")
        case 6 if folder != root and len(here) > 4 and len(files) > 8:
            shutil.rmtree(folder)
        case 7 if folder != root:
            target = chance.choice([other for other in here if folder != other and folder not in other.parents])
            folder.rename(target / f"m{number}")
        case _:
            write(folder / "also.md", f"{number}\n")


def _folders_not_ignored(root: Path) -> int:
    inside = (path.relative_to(root) for path in root.rglob("*") if path.is_dir())
    return 1 + sum(1 for path in inside if "build" not in path.parts)


def _system(root: bytes, most: int):
    return RecursiveSource(root)


def _polling(root: bytes, most: int):
    return PollingSource(0.1)


@pytest.mark.parametrize(("seed", "open_source"), [(1, None), (2, None), (4, _system), (5, _polling)])
def test_who_looks_only_where_something_was_told_knows_the_whole_tree(root: Path, seed: int, open_source) -> None:
    write(root / ".gitignore", "build/\n")
    chance = random.Random(seed)
    quiet_s = 0.4 if open_source is _polling else 0.2
    with watching(root, open_source=open_source) as watcher:
        follower = Follower(root)
        for around in range(8):
            for step in range(chance.randrange(1, 25)):
                _act(root, chance, around * 100 + step)
            write(root / "docs2" / "end.md", f"{around}\n")
            follower.follow(told(watcher, quiet_s))
            assert follower.files == follower.actual()
            assert watcher.watched == _folders_not_ignored(root)


@pytest.mark.parametrize("seed", [11])
def test_who_looks_while_others_go_on_working_ends_up_with_the_whole_tree(root: Path, seed: int) -> None:
    write(root / ".gitignore", "build/\n")

    def work() -> None:
        chance = random.Random(seed)
        for number in range(300):
            _act(root, chance, number)
            time.sleep(chance.choice([0, 0, 0.001, 0.03]))

    with watching(root) as watcher:
        follower = Follower(root)
        worker = threading.Thread(target=work)
        worker.start()
        while worker.is_alive():
            follower.follow([watcher.wait(0.2)])
        write(root / "end.md")
        follower.follow(told(watcher))
        assert follower.files == follower.actual()
        assert watcher.watched == _folders_not_ignored(root)
