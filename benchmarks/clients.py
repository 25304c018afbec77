#!/usr/bin/env python3
"""How long a person waits for the first hover in VS Code: from a fresh profile, and with the environment that it made.

    clients.py --vsix FILE [--out DIR] [--rounds N]

FILE is the extension with the wheel inside, which `make package` puts into dist/. The packages that its server needs
come from pip's own cache, as far as that has them. The status is 1 where a bound is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measuring import table, write_result

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fixtures.machine import Machine
from fixtures.workspace import build

_HERE = Path(__file__).parent
_CLIENT = _HERE.parent / "clients/vscode"
_BUTTON_S, _READY_S = 60.0, 5.0
_EDITOR = "postil-test/code-server-4.100.3"  # in the user's cache, where `make vscode` puts it


def measured(vsix: Path, rounds: int) -> dict[str, Any]:
    """What fresh.mjs prints. Exits with its word for what is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with tempfile.TemporaryDirectory() as work:
        root = Path(work) / "millrace"
        build(root)
        machine = Machine(Path(work) / "machine", settings="")  # a user who has set nothing, and whose caches are empty
        given = machine.environment(
            XDG_CACHE_HOME=str(machine.folder / "cache"),
            PIP_CACHE_DIR=os.environ.get("PIP_CACHE_DIR") or str(cache / "pip"),
            POSTIL_TEST_EDITOR=os.environ.get("POSTIL_TEST_EDITOR") or str(cache / _EDITOR),
        )
        # without its own settings of Python: one that writes no compiled files compiles everything at every start
        environment = {name: value for name, value in given.items() if not name.startswith("PYTHON")}
        command = ["node", "test/browser/fresh.mjs", str(root), str(vsix), str(Path(work) / "editor"), str(rounds)]
        done = subprocess.run(command, cwd=_CLIENT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or done.stdout.startswith("skipped: "):
        sys.exit(done.stdout + done.stderr)
    took: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return took


def _spread(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.1f} ({min(seconds):.1f} to {max(seconds):.1f})"


def _row(what: str, rounds: Sequence[dict[str, float]], plain: float) -> list[object]:
    notes, hovers = ([each[name] for each in rounds] for name in ("note", "hover"))
    return [what, _spread(notes), _spread(hovers), f"{_own(rounds, plain):.1f}", f"{_READY_S:g}"]


def _own(rounds: Sequence[dict[str, float]], plain: float) -> float:
    """What a hover takes longer than one that needs nothing, the editor being what it is."""
    return statistics.median(each["hover"] for each in rounds) - plain


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vsix", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_HERE / "results")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    took = measured(given.vsix.resolve(), given.rounds)
    plain = statistics.median(each["hover"] for each in took["plain"])
    notes, hovers = ([each[name] for each in took["plain"]] for name in ("note", "hover"))
    rows = [
        ["a fresh profile, from the press on the button", "", f"{took['button']:.1f}", "", f"{_BUTTON_S:g}"],
        _row("with an environment, a folder that was never indexed", took["unseen"], plain),
        _row("with an environment, a folder that was", took["known"], plain),
        ["the editor with a hover that needs nothing", _spread(notes), _spread(hovers), "", ""],
    ]
    about = (
        "VS Code's own server with the extension, in headless Chromium that draws on the same processors. The first "
        "row ends with the environment made by pip from its cache, the folder indexed and the hover shown. The others "
        "begin with the opening of a window on a folder and a note in it, in a browser that has shown the editor "
        f"before: medians of {given.rounds}, in turn, with the quickest and the slowest. In the last row the same "
        "editor has one other extension alone, whose hover is a fixed text: the bound is of what Postil's takes longer."
    )
    header = [
        "",
        "s until the note is on the screen",
        "s until the first hover is",
        "s more than the last row",
        "bound",
    ]
    shown = table(header, rows)
    write_result(given.out, "Clients", "python benchmarks/clients.py --vsix FILE", [about, shown], {})
    slowest = max(_own(took[name], plain) for name in ("unseen", "known"))
    return 0 if took["button"] <= _BUTTON_S and slowest <= _READY_S else 1


if __name__ == "__main__":
    sys.exit(main())
