"""Quality of search: runs the three scripts of an external benchmark and keeps the lines they end with.

code_search.py, related_notes.py and commit_search.py, with the public judgements they use, live outside this
repository; each takes --mirror, --work and the command to measure. Their data is not copied here: whoever has the
scripts gets the same figures, and whoever has not can compare with the table of the last run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from measuring import write_result

from postil_server.settings import load_settings, settings_path

_SCRIPTS = (("code_search.py",), ("related_notes.py", "--floor"), ("commit_search.py",))


def run(mirror: Path, work: Path, out: Path, scripts: Path) -> bool:
    parts, ran = [], True
    for script, *options in _SCRIPTS:
        folder = work / "quality" / script.removesuffix(".py")
        places = ["--mirror", str(mirror), "--work", str(folder)]
        line = [sys.executable, str(scripts / script), *places, *options, "--", "postil"]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
            ran = False
        parts.append(f"## {script}\n\n```\n{(done.stdout or done.stderr[-500:]).rstrip()}\n```")
    command = "python benchmarks/run.py --mirror DIR --scripts DIR quality"
    write_result(out, "Quality", command, [_said(), *parts], {})
    return ran


def _said() -> str:
    """What the figures were measured with: it is the settings of whoever runs it that count."""
    settings = load_settings(settings_path())[0].embedding
    prose = settings.prose or "none"
    return (
        "The scripts' own output; bounds are judged by whoever owns them. "
        f"Vectors of everything: {settings.static or 'none'}; vectors of prose: {prose}."
    )
