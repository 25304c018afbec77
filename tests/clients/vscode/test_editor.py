"""The client in the real editor: its unit tests, its tests in the extension host, and a person's way through a browser.

They need Node 20, and all but the first VS Code's server and Chromium, which `make vscode` installs where it can.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.machine import Machine
from fixtures.node import CLIENT, PATIENCE_S, SERVER, node
from fixtures.ollama_server import OllamaServer, serving
from fixtures.orders import ORDERS
from fixtures.repository import Workspace
from fixtures.smollm import smollm_path
from fixtures.workspace import copy

pytestmark = pytest.mark.timeout(660)  # longer than what is waited for below, so that what was said is told


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
