#!/usr/bin/env python3
"""Runs the benchmarks and writes their dated tables. What each measures stands at the top of its file.

    run.py --mirror DIR [--work DIR] [--out DIR] [--scripts DIR] [--seconds N] [--kills N] [--messages N]
           [NAME ...]

NAME is one of: indexing queries size real_input history history_questions line_history beside_history
cross_language streaming kills sharing freshness serving requests quality ablation field calibration hover answers
definitions secrets; without one, all. The status is 1 where a bound is not met.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import ablation
import answers
import beside_history
import calibration
import cross_language
import field
import freshness
import history
import history_questions
import hover
import indexing
import kills
import line_history
import quality
import queries
import real_input
import requests_replay
import serving
import sharing
import size
import streaming

_HERE = Path(__file__).parent
_OF_THEIR_OWN = {"definitions": "definitions.py", "secrets": "secret_masking.py"}
_WITH_SCRIPTS: dict[str, Callable[[Path, Path, Path, Path], bool]] = {
    "quality": quality.run,
    "ablation": ablation.run,
    "field": field.run,
    "calibration": calibration.run,
    "answers": answers.run,
    "hover": hover.run,
}
_MODULES: dict[str, Callable[[Path, Path, Path, str], bool]] = {
    "indexing": indexing.run,
    "queries": queries.run,
    "size": size.run,
    "real_input": real_input.run,
    "history": history.run,
    "history_questions": history_questions.run,
    "line_history": line_history.run,
    "beside_history": beside_history.run,
    "cross_language": cross_language.run,
    "streaming": streaming.run,
}
_LONG: dict[str, tuple[Callable[..., bool], str]] = {  # with the option that says how long
    "kills": (kills.run, "kills"),
    "sharing": (sharing.run, "seconds"),
    "freshness": (freshness.run, "seconds"),
    "serving": (serving.run, "seconds"),
    "requests": (requests_replay.run, "messages"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of bare repositories, owner+name/repo")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "postil-benchmarks")
    parser.add_argument("--out", type=Path, default=_HERE / "results")
    parser.add_argument("--scripts", type=Path, help="folder of the scripts that quality and others need")
    parser.add_argument("--seconds", type=float, default=600.0, help="of sharing, freshness, serving")
    parser.add_argument("--kills", type=int, default=300, help="of kills")
    parser.add_argument("--messages", type=int, default=10_000, help="of requests")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    every = [*_MODULES, *_LONG, *_WITH_SCRIPTS, *_OF_THEIR_OWN]
    unknown = set(options.names).difference(every)
    if unknown:
        parser.error(f"no benchmark is named {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    options.work.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in options.names or every:
        print(f"== {name}", flush=True)
        if not _run(name, options):
            failed.append(name)
    print(f"bounds not met: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def _run(name: str, options: argparse.Namespace) -> bool:
    command = f"python benchmarks/run.py --mirror DIR {name}"
    if name in _MODULES:
        return _MODULES[name](options.mirror, options.work, options.out, command)
    if name in _LONG:
        function, long = _LONG[name]
        return function(options.mirror, options.work, options.out, command, getattr(options, long))
    if name in _WITH_SCRIPTS:
        if options.scripts is None:
            print("left out: give --scripts")
            return True
        return _WITH_SCRIPTS[name](options.mirror, options.work, options.out, options.scripts)
    script = _HERE / _OF_THEIR_OWN[name]
    out = options.out / f"{name}.md"
    line = [sys.executable, str(script), "--mirror", str(options.mirror), "--out", str(out)]
    return subprocess.run(line, check=False).returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
