#!/usr/bin/env python3
"""Secret masking: how many of 60 made-up keys are masked, and what is masked in 100,000 lines of public repositories.

Beside it, in the same run, the detectors as they come: kingfisher, which Postil builds on, and detect-secrets where it
is installed. In the repositories every mask counts as false and is printed; none of them is known to hold a live key.

    secret_masking.py --mirror DIR [--lines 100000] [--seed 20] [--out benchmarks/results/secrets.md]
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import importlib.util
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kingfisher_sdk import Rules, Scanner
from secret_samples import samples

from postil_indexers.secrets import mask

_SHOWN = 4  # characters of a key that a mask may show
_MAX_BYTES = 1_000_000  # larger files are data
_DEFAULT = ("redis/redis", "trpc/trpc", "encode/django-rest-framework")

Detector = Callable[[str, str], list[tuple[int, str]]]  # path, text -> (line, what), the masks or findings


def read_repository(git_dir: Path, lines: int) -> Iterator[tuple[str, str]]:
    """Text files of HEAD, in an order that mixes directories and is always the same, until there are enough lines."""
    git = ["git", "--git-dir", str(git_dir)]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout.split(b"\0")
    entries = [entry.split(b"\t", 1) for entry in listing if entry.startswith(b"100")]
    for meta, path in sorted(entries, key=lambda entry: hashlib.sha1(entry[1]).digest()):
        blob = subprocess.run([*git, "cat-file", "blob", meta.split()[2].decode()], capture_output=True, check=False)
        if blob.returncode or b"\0" in blob.stdout[:8000] or len(blob.stdout) > _MAX_BYTES:
            continue
        text = blob.stdout.decode("utf-8", "replace")
        yield os.fsdecode(path), text
        lines -= text.count("\n")
        if lines <= 0:
            return


def postil(path: str, text: str) -> list[tuple[int, str]]:
    new = mask(text).text.split("\n")
    changed = [number for number, (old, line) in enumerate(zip(text.split("\n"), new, strict=True)) if old != line]
    # a key over several lines is one mask
    return [(number + 1, new[number].strip()[:110]) for number in changed if number - 1 not in changed]


def kingfisher() -> Detector:
    scanner = Scanner(Rules(), base64=False)

    def detect(path: str, text: str) -> list[tuple[int, str]]:
        return [(f.location["line"], f.secret) for f in scanner.scan(text.encode("utf-8", "replace")) if f.visible]

    return detect


def detect_secrets() -> Detector:
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    folder = tempfile.TemporaryDirectory()

    def detect(path: str, text: str) -> list[tuple[int, str]]:
        place = Path(folder.name) / path.replace("/", "__")[-120:]
        place.write_text(text, encoding="utf-8", errors="replace")
        with default_settings():
            return [(found.line_number, found.secret_value or "") for found in scan_file(str(place))]

    return detect


def found_keys(name: str, detect: Detector, seed: int) -> tuple[int, list[str]]:
    """How many of the made-up keys are masked (of a finding: named to at least two thirds), and which are not."""
    missed = []
    for number, sample in enumerate(samples(seed)):
        if name == "postil":
            masked = mask(sample.text).text
            start = sample.text.index(sample.secret)
            rest = masked[start + _SHOWN : start + len(sample.secret)]
            hit = sum(character == "*" for character in rest) >= 0.9 * len(rest)  # the rest: line ends, signs of a diff
        else:
            values = [value for _, value in detect(f"{number}{sample.extension}", sample.text)]
            hit = any(len(value) * 3 >= len(sample.secret) * 2 for value in values) or (
                # detect-secrets names the first line of a private key; that counts
                "-----BEGIN" in sample.secret and any("BEGIN" in value for value in values)
            )
        if not hit:
            missed.append(f"{sample.name} ({sample.extension})")
    return len(list(samples(seed))) - len(missed), missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of bare repositories, owner+name/repo")
    parser.add_argument("--repositories", nargs="+", default=_DEFAULT)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--out", type=Path, help="write the table here")
    options = parser.parse_args()
    texts = [
        (f"{name}/{path}", text)
        for name in options.repositories
        for path, text in read_repository(
            options.mirror / name.replace("/", "+") / "repo", options.lines // len(options.repositories)
        )
    ]
    lines = sum(text.count("\n") for _, text in texts)
    size = sum(len(text.encode("utf-8", "replace")) for _, text in texts)
    detectors: dict[str, Detector] = {"postil": postil, "kingfisher": kingfisher()}
    if importlib.util.find_spec("detect_secrets"):
        detectors["detect-secrets"] = detect_secrets()
    mask("")  # compiles or loads the rules
    rows, notes = [], []
    for name, detect in detectors.items():
        found, missed = found_keys(name, detect, options.seed)
        started = time.perf_counter()
        masks = [(path, line, what) for path, text in texts for line, what in detect(path, text)]
        seconds = time.perf_counter() - started
        rows.append(f"| {name} | {found} of {found + len(missed)} | {len(masks)} | {size / 1e6 / seconds:.1f} |")
        notes.append(f"{name} misses: {', '.join(missed) or 'none'}.")
        if name == "postil":
            for path, line, what in masks:
                print(f"{path}:{line}: {what}")
    table = "\n".join(
        [
            "# Secret masking",
            "",
            f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, seed {options.seed}, {lines:,} lines "
            f"({size / 1e6:.1f} MB) of {', '.join(options.repositories)}; every mask there counts as false.",
            "",
            "| detector | made-up keys found | masks in the repositories | MB/s |",
            "|---|---|---|---|",
            *rows,
            "",
            *(f"- {note}" for note in notes),
            "",
        ]
    )
    print(table)
    if options.out:
        options.out.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
