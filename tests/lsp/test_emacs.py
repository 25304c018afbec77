"""An independent client: Emacs with eglot, in batch mode."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).with_name("emacs")


def _missing() -> str:
    """Why Emacs can't be used here; "" where it can."""
    if shutil.which("emacs") is None:
        return "there is no Emacs: apt install emacs-nox elpa-eglot"
    asked = subprocess.run(
        ["emacs", "--batch", "-Q", "-l", SCRIPTS / "find_eglot.el"], capture_output=True, check=False
    )
    return "" if asked.returncode == 0 else "this Emacs has no eglot: apt install elpa-eglot"


@pytest.fixture(scope="session")
def emacs() -> str:
    missing = _missing()
    if missing:
        pytest.skip(missing)
    return "emacs"


def test_emacs_hovers_completes_and_runs_a_command(emacs: str, desk: Any) -> None:
    machine, root = desk.machine, desk.root
    text = "# By Emacs\n\nSee [[glossary]] and 𝄞 [[lease protocol]] here.\n"
    ran = subprocess.run(
        [emacs, "--batch", "-Q", "-l", SCRIPTS / "eglot.el", machine.command()[0], root / "docs/by emacs.md", text],
        env=machine.environment(LC_ALL="C.UTF-8"),
        capture_output=True,
        timeout=120,
        check=False,
        cwd=root,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    told = json.loads(ran.stdout)
    assert told["info"]["name"] == "postil"
    contents = told["hover"]["contents"]
    assert contents["kind"] == "plaintext"  # all that Emacs shows without markdown-mode
    assert contents["value"].startswith("Glossary · 2024-")
    assert "](" not in contents["value"]
    assert "Glossary" in {item["label"] for item in told["completion"]["items"]}
    definition = told["definition"]
    (target,) = definition if isinstance(definition, list) else [definition]
    assert (target.get("uri") or target["targetUri"]) == (root / "docs/lease protocol.md").as_uri()
    (folder,) = told["status"]["folders"]
    assert folder["name"] == "millrace"
