"""Files of public repositories, read from bare mirrors: `owner+name/repo` below one folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 4_000_000  # bytes: larger files are data, or generated


@dataclass(frozen=True)
class Repository:
    """One bare repository at a revision, by default the newest commit."""

    mirror: Path
    name: str  # owner/name
    revision: str = "HEAD"

    @property
    def present(self) -> bool:
        return self._folder.is_dir()

    @property
    def _folder(self) -> Path:
        return self.mirror / self.name.replace("/", "+") / "repo"

    def git(self, *arguments: str, partly: bool = False) -> str:
        """What it prints; `partly`: up to the first object that a partial mirror lacks, which ends it otherwise."""
        line = ["git", f"--git-dir={self._folder}", "-c", "core.quotepath=off", *arguments]
        environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
        run = subprocess.run(line, capture_output=True, check=not partly, env=environment)
        return run.stdout.decode("utf-8", "replace")

    def paths(self) -> dict[str, str]:
        """Path -> blob, of regular files that are not too large, in git's order."""
        found = {}
        for line in self.git("ls-tree", "-r", "-l", "-z", self.revision).split("\0"):
            meta, _, path = line.partition("\t")
            mode, _, blob, size = meta.split() if path else ("", "", "", "")
            if mode.startswith("100") and size.isdigit() and int(size) < _LARGEST:
                found[path] = blob
        return found

    def read(self, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
        """(path, text) of the files whose path is wanted, in git's order; those that are not UTF-8 are left out."""
        yield from self.texts({path: blob for path, blob in self.paths().items() if wanted(path)})

    def texts(self, blobs: dict[str, str]) -> Iterator[tuple[str, str]]:
        """(path, text) of these blobs, in their order."""
        with subprocess.Popen(
            ["git", f"--git-dir={self._folder}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},  # a partial mirror: what is not here is left out
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for path, blob in blobs.items():
                process.stdin.write(f"{blob}\n".encode())
                process.stdin.flush()
                header = process.stdout.readline().split()
                if header[-1] == b"missing":
                    continue
                body = process.stdout.read(int(header[2]) + 1)[:-1]
                try:
                    yield path, body.decode("utf-8")
                except UnicodeDecodeError:
                    continue
            process.stdin.close()
