"""What is decided for each operating system, asked on any of them."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from postil_indexers import platform

SYSTEMS = ("linux", "darwin", "win32")
POSIX = ("linux", "darwin")
JUNCTION = SimpleNamespace(st_reparse_tag=0xA0000003, st_ino=7, st_dev=3)
FOLDER = SimpleNamespace(st_reparse_tag=0, st_ino=7, st_dev=3)
CLOUD_FOLDER = SimpleNamespace(st_reparse_tag=0x9000001A)  # IO_REPARSE_TAG_CLOUD: a folder like any other
OF_POSIX = SimpleNamespace(st_ino=7, st_dev=3)  # has no such tag at all


class Listed:
    """An entry of a listing, which counts how often its status is read."""

    def __init__(self, status: object) -> None:
        self._status = status
        self.read = 0

    def stat(self, *, follow_symlinks: bool) -> Any:
        assert not follow_symlinks
        self.read += 1
        return self._status


@pytest.mark.parametrize(
    ("status", "leads"), [(JUNCTION, True), (FOLDER, False), (CLOUD_FOLDER, False), (OF_POSIX, False)]
)
def test_a_junction_is_told_by_its_tag(status: object, leads: bool) -> None:
    assert platform.is_junction(status) is leads
    entry: Any = Listed(status)
    assert platform.leads_elsewhere(entry, "win32") is leads


@pytest.mark.parametrize("system", POSIX)
def test_where_there_are_no_junctions_no_status_is_read(system: str) -> None:
    entry: Any = Listed(JUNCTION)
    assert platform.leads_elsewhere(entry, system) is False
    assert entry.read == 0


@pytest.mark.parametrize(("system", "told"), [("linux", (7, 3)), ("darwin", (7, 3)), ("win32", (0, 0))])
def test_a_listing_on_windows_identifies_no_file(system: str, told: tuple[int, int]) -> None:
    status: Any = FOLDER
    assert platform.identity(status, system) == told


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("path", ["", "/etc/passwd", "a//b.md", "a/../../b.md", "./a.md", "a/", ".."])
def test_a_path_that_leads_up_or_nowhere_is_not_below(path: str, system: str) -> None:
    assert not platform.is_below(path, system)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("path", ["a.md", "docs/a b.md", "docs/.hidden/..a.md", "任.md"])
def test_a_path_of_names_is_below(path: str, system: str) -> None:
    assert platform.is_below(path, system)


@pytest.mark.parametrize("path", ["..\\a.md", "docs\\a.md", "C:/Windows/a.md", "a.md:stream"])
def test_backslashes_and_colons_are_names_except_on_windows(path: str) -> None:
    assert [system for system in SYSTEMS if platform.is_below(path, system)] == list(POSIX)


def test_the_file_of_a_program() -> None:
    assert [platform.program_file("git", system) for system in SYSTEMS] == ["git", "git", "git.exe"]


def test_processes_talk_over_sockets_and_on_windows_over_a_named_pipe() -> None:
    assert [platform.socket_family(system) for system in SYSTEMS] == ["AF_UNIX", "AF_UNIX", "AF_PIPE"]
    assert [platform.pipe_address("postil-ab12-8-99", system) for system in SYSTEMS] == [
        None,
        None,
        r"\\.\pipe\postil-ab12-8-99",
    ]


@pytest.mark.parametrize(
    ("host", "path", "windows", "posix"),
    [
        ("", "/C:/Users/me/a.md", r"C:\Users\me\a.md", None),
        ("", "/c%3A/Users/me/a%20b.md", r"c:\Users\me\a b.md", None),  # as VS Code writes it
        ("", "/c%3a/Users/me/%E4%BB%BB.md", r"c:\Users\me\任.md", None),
        ("", "/C:/Users/me/../you/a#b.md", r"C:\Users\you\a#b.md", None),
        ("", "/C:", "C:", None),
        ("localhost", "/D:/a.md", r"D:\a.md", None),
        ("server", "/share/a%20b.md", r"\\server\share\a b.md", None),
        ("server", "/share/x/../a.md", r"\\server\share\a.md", None),
        ("wsl.localhost", "/Debian/home/me/a.md", r"\\wsl.localhost\Debian\home\me\a.md", None),
        ("", "/home/me/a%20b.md", None, "/home/me/a b.md"),
        ("localhost", "/home/me/./a.md", None, "/home/me/a.md"),
        ("", "/cc:/a.md", None, "/cc:/a.md"),  # a drive has one letter
        ("", "/home/me/c%3A/a.md", None, "/home/me/c:/a.md"),
        ("", "/home/me/%FF.md", None, os.fsdecode(b"/home/me/\xff.md")),
        ("", "home/me/a.md", None, None),
        ("", "", None, None),
    ],
)
def test_the_path_of_a_uri(host: str, path: str, windows: str | None, posix: str | None) -> None:
    assert platform.uri_path(host, path, "win32") == windows
    assert [platform.uri_path(host, path, system) for system in POSIX] == [posix, posix]
