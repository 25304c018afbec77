"""The log of the servers: what it says of a failure, what it never says, and how large it gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from fixtures.machine import Machine

_FAILS = """
import asyncio, sys
from pygls.exceptions import JsonRpcException
from postil_server.lsp.calls import guarded
from postil_server.lsp.logs import failure, start_log

async def handler():
    raise ValueError("a confidential sentence")

async def main():
    try:
        await guarded("postil/test", handler)()
    except JsonRpcException as error:
        print(error.code, error.data["request"], "confidential" in str(error))

start_log()
asyncio.run(main())
"""

_TALKS = """
import sys
from postil_server.lsp.logs import event, start_log
start_log()
sys.stdin.readline()
for number in range(6_000):
    event("request", number=number, filler="x" * 200)
"""


def log_files(machine: Machine) -> list[Path]:
    """The newest first."""
    return sorted((machine.folder / "home").rglob("server.log*"))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_failure_is_one_clear_error_whose_number_the_log_explains_without_the_text(machine: Machine) -> None:
    command, environment = [sys.executable, "-c", _FAILS], machine.environment(POSTIL_LOG_LEVEL="")
    said = subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout.split()
    assert (said[0], said[2]) == ("-32603", "False")
    (file,) = log_files(machine)
    explained, request = lines(file)
    assert explained["request"] == request["request"] == said[1]
    assert (explained["event"], explained["level"], explained["error"]) == ("error", "error", "ValueError")
    assert (explained["method"], request["outcome"]) == ("postil/test", "failed")
    assert explained["where"][-1].endswith(" handler")
    assert "confidential" not in file.read_text("utf-8")


def test_while_debugging_the_log_says_all(machine: Machine) -> None:
    command, environment = [sys.executable, "-c", _FAILS], machine.environment(POSTIL_LOG_LEVEL="debug")
    subprocess.run(command, env=environment, capture_output=True, check=True)
    (file,) = log_files(machine)
    assert lines(file)[0]["message"] == "a confidential sentence"


def test_a_log_that_two_servers_write_is_rotated_and_stays_the_users_own(machine: Machine) -> None:
    environment = machine.environment()
    started = [
        subprocess.Popen([sys.executable, "-c", _TALKS], env=environment, stdin=subprocess.PIPE) for _ in range(2)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.close()
    assert [process.wait(60) for process in started] == [0, 0]
    files = log_files(machine)
    assert [file.name for file in files] == ["server.log", *(f"server.log.{n}" for n in range(1, len(files)))]
    assert 2 <= len(files) <= 4
    assert all(file.stat().st_size <= (1 << 20) + 1_000 for file in files)
    newest = {line["pid"]: line["number"] for file in reversed(files) for line in lines(file)}
    assert newest == {process.pid: 5_999 for process in started}
    if os.name != "nt":
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
