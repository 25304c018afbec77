#!/usr/bin/env python3
"""Stands between an editor and its language server and writes down what the editor says, without a word of it.

    recording.py LOG COMMAND [ARGUMENT ...]

A line of LOG is JSON: `{"at", "cpu", "method", "request"}`, seconds on the clock, seconds of the processor that the
server has used up, and whether an answer is wanted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import psutil


def main() -> int:
    log, *command = sys.argv[1:]
    # unbuffered, so that what is read here was not waited for by anybody
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=sys.stdout.fileno(), bufsize=0)
    assert server.stdin is not None
    process = psutil.Process(server.pid)
    with Path(log).open("a", encoding="utf-8", buffering=1) as lines:
        reader = threading.Thread(target=_hand_on, args=(sys.stdin.buffer, server.stdin, process, lines), daemon=True)
        reader.start()
        return server.wait()


def _hand_on(editor: IO[bytes], server: IO[bytes], process: psutil.Process, log: IO[str]) -> None:
    while (message := _message(editor)) is not None:
        head, body = message
        _write(server, head + body)
        said = json.loads(body)
        if "method" in said:
            cpu = process.cpu_times()
            entry = {"at": time.time(), "cpu": cpu.user + cpu.system, "method": said["method"], "request": "id" in said}
            log.write(json.dumps(entry) + "\n")
    server.close()


def _message(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """(head, body) as they came; None at the end."""
    head, length = b"", 0
    while line := stream.readline():
        head += line
        if line == b"\r\n":
            body = stream.read(length)
            return (head, body) if len(body) == length else None
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return None


def _write(stream: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


if __name__ == "__main__":
    sys.exit(main())
