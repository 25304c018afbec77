"""Trees to measure on: the files of public repositories, checked out once from bare mirrors."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path


def check_out(mirror: Path, repository: str, into: Path) -> Path:
    """The files of HEAD of `owner/name` below `into`. Blobs that a partial mirror lacks are left out."""
    tree = into / repository.replace("/", "+")
    if tree.is_dir():
        return tree
    git = ["git", f"--git-dir={mirror / repository.replace('/', '+') / 'repo'}"]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout
    part = tree.with_name(tree.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    # GIT_NO_LAZY_FETCH: a blob that is not here is left out, never asked for over the network
    with subprocess.Popen(
        [*git, "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
    ) as blobs:
        assert blobs.stdin is not None
        assert blobs.stdout is not None
        for line in listing.split(b"\0"):
            meta, _, path = line.partition(b"\t")
            if not meta.startswith(b"100"):  # no links, no submodules
                continue
            blobs.stdin.write(meta.split()[2] + b"\n")
            blobs.stdin.flush()
            header = blobs.stdout.readline().split()
            if header[-1] == b"missing":
                continue
            body = blobs.stdout.read(int(header[2]) + 1)[:-1]
            file = part / os.fsdecode(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        blobs.stdin.close()
    part.rename(tree)
    return tree


def together(trees: Iterable[Path], into: Path) -> Path:
    """One tree with each of `trees` as a folder, by hard links."""
    if into.is_dir():
        return into
    part = into.with_name(into.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    for tree in trees:
        shutil.copytree(tree, part / tree.name, copy_function=os.link, symlinks=True)
    part.rename(into)
    return into


def only(tree: Path, files: Iterable[str], into: Path) -> Path:
    """A tree with just these files of another, by hard links."""
    shutil.rmtree(into, ignore_errors=True)
    for name in files:
        file = into / name
        file.parent.mkdir(parents=True, exist_ok=True)
        os.link(tree / name, file)
    return into


def size(tree: Path, files: Iterable[str]) -> int:
    """Bytes of these files."""
    return sum((tree / name).stat().st_size for name in files)


def clone(mirror: Path, repository: str, into: Path) -> Path:
    """A work tree of `owner/name` with its history, which stays in the mirror."""
    tree = into / repository.replace("/", "+")
    if not tree.is_dir():
        source = mirror / repository.replace("/", "+") / "repo"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(source), str(tree)], check=True)
    return tree
