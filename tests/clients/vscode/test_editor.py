"""The client in the real editor: its unit tests, its tests in the extension host, and a person's way through a browser.

They need Node 20, and all but the first VS Code's server and Chromium, which `make vscode` installs where it can.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fixtures.machine import Machine
from fixtures.ollama_server import OllamaServer, serving
from fixtures.orders import ORDERS
from fixtures.repository import Workspace
from fixtures.smollm import smollm_path
from fixtures.workspace import copy

fcntl = pytest.importorskip("fcntl", reason="there is no lock of files as Unix has it")
CLIENT = Path(__file__).parents[3] / "clients/vscode"
pytestmark = pytest.mark.timeout(660)  # longer than what is waited for below, so that what was said is told
PATIENCE_S = 600  # of a machine that does much else; what a test waits for and does not get, it says much earlier
SERVER = str(Path(sys.executable).with_name("postil"))


def node(machine: Machine | None, *arguments: str, **more: str) -> str:
    """What a Node program printed. Skips with its word for what is missing; fails with its output where it fails."""
    environment = {**os.environ, **more}
    if machine is not None:
        # the editor's server and the compiled rules that find secrets are made once a machine, and lie in its cache
        cache = os.environ.get("XDG_CACHE_HOME") or f"{os.environ['HOME']}/.cache"
        environment = machine.environment(XDG_CACHE_HOME=cache, **more)
    pipe = subprocess.PIPE
    command = ["node", *arguments]
    with subprocess.Popen(
        command, cwd=CLIENT, env=environment, stdout=pipe, stderr=pipe, start_new_session=True
    ) as process:
        try:
            printed = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            pytest.fail(f"not done in {PATIENCE_S} s: {(late.output or b'').decode()}")
        finally:
            with suppress(ProcessLookupError):  # an editor that it started is left over where it was stopped itself
                os.killpg(process.pid, signal.SIGKILL)
    said = b"".join(printed).decode()
    if said.startswith("skipped: "):
        pytest.skip(f"there is no {said.removeprefix('skipped: ').strip()}")
    assert process.returncode == 0, said
    return said


@pytest.fixture(scope="module")
def built() -> None:
    if shutil.which("node") is None:
        pytest.skip("there is no Node; apt install nodejs npm")
    if not (CLIENT / "node_modules/.package-lock.json").exists():
        pytest.skip("the client's packages are not installed: make vscode")
    with (CLIENT / "node_modules/.build.lock").open("w") as lock:  # several workers test at once, one of them builds
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = CLIENT / "dist/test/host/index.js"
        sources = [file for part in ("src", "test") for file in (CLIENT / part).rglob("*")]
        sources += [CLIENT / "package.json", CLIENT / "package-lock.json", CLIENT / "esbuild.mjs"]
        if not made.exists() or made.stat().st_mtime < max(file.stat().st_mtime for file in sources):
            node(None, "esbuild.mjs", "--tests")


@pytest.fixture(scope="module")
def vsix(built: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The extension as `make package` makes it, without the wheel."""
    file = str(tmp_path_factory.mktemp("package") / "postil.vsix")
    vsce = ("node_modules/@vscode/vsce/vsce", "package", "--no-dependencies", "--allow-missing-repository")
    node(None, *vsce, "--skip-license", "--no-rewrite-relative-links", "-o", file)
    return file


@pytest.fixture
def workspace(built_workspace: Workspace, tmp_path: Path) -> str:
    return copy(built_workspace, tmp_path / "millrace").root


def test_types_are_right(built: None) -> None:
    for project in (".", "src/webview", "test"):
        node(None, "node_modules/typescript/bin/tsc", "--noEmit", "-p", project)


def test_the_parts_that_need_no_editor(built: None) -> None:
    files = sorted(str(file) for file in (CLIENT / "dist/test/unit").glob("*.test.js"))
    assert re.search(r"^(# |ℹ )fail 0$", node(None, "--test", *files), re.MULTILINE)


def test_inside_the_extension_host(built: None, workspace: str, tmp_path: Path) -> None:
    said = node(Machine(tmp_path / "machine"), "test/host/run.mjs", workspace, SERVER, str(tmp_path / "editor"))
    assert " passed, 0 failed" in said


@pytest.mark.parametrize("way", ["run.mjs", "hostile.mjs"], ids=["as a person uses it", "in a hostile folder"])
def test_in_a_browser(vsix: str, workspace: str, tmp_path: Path, way: str) -> None:
    where = (workspace, SERVER, vsix, str(tmp_path / "editor"))
    assert " passed, 0 failed" in node(Machine(tmp_path / "machine"), f"test/browser/{way}", *where)


PAYLOADS = [list(range(first, min(first + 8, len(ORDERS)))) for first in range(0, len(ORDERS), 8)]  # in each answer


class Obeying(OllamaServer):
    """Says its reply to the first two questions, and then what it was ordered to."""

    def lines(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        answered = len(self.chats()) - 1
        if answered >= 2:
            numbers = PAYLOADS[answered - 2]
            told = [f"Payload {n} begins [0]. {ORDERS[n][2]}\n\nPayload {n} ends [0].\n\n" for n in numbers]
            self.reply = ("Extending happens at half time [0].\n\n", *told)  # without a true sentence nothing is shown
        yield from super().lines(body)


def test_with_a_model_that_is_stopped_and_one_that_obeys_a_stranger(vsix: str, workspace: str, tmp_path: Path) -> None:
    reply = ("Extending ", "happens ", "at half time [0]", ". Zebras ", "graze [0].")
    payloads = tmp_path / "payloads.json"
    payloads.write_text(json.dumps(PAYLOADS))
    with serving(Obeying, reply=reply, cites="half time", pause=threading.Event()) as ollama:
        threading.Thread(target=_go_on_when_stopped, args=(ollama,), daemon=True).start()
        settings = json.dumps({"postil.llm.provider": "ollama", "postil.llm.endpoint": ollama.address})
        where = (workspace, SERVER, vsix, str(tmp_path / "editor"), settings)
        way = ("scripted", "Default Dark Modern", str(payloads))
        said = node(Machine(tmp_path / "machine"), "test/browser/model.mjs", *where, *way)
        assert " passed, 0 failed" in said
        assert len(ollama.chats()) == 2 + len(PAYLOADS)


def _go_on_when_stopped(ollama: OllamaServer) -> None:
    assert ollama.pause is not None
    if ollama.gone.wait(PATIENCE_S):
        ollama.pause.set()


def test_with_a_small_real_model(vsix: str, workspace: str, tmp_path: Path) -> None:
    settings = json.dumps({"postil.llm.provider": "llamacpp", "postil.llm.model": smollm_path()})
    where = (workspace, SERVER, vsix, str(tmp_path / "editor"), settings, "real")
    assert " passed, 0 failed" in node(Machine(tmp_path / "machine"), "test/browser/model.mjs", *where)
