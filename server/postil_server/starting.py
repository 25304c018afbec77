"""How a process that needs the worker of a folder finds it or starts it: without what the worker itself imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from postil_indexers.errors import PostilError
from postil_indexers.store.location import make_index_folder
from postil_indexers.watching.limits import remote_mount
from postil_indexers.worker.client import WorkerClient, join_worker

_LOG_BYTES = 1 << 20  # of a worker's log, above which the next one starts it anew


def folder_for_writing(root: str) -> Path:
    """The index folder of a folder, made where it is missing. Raises PostilError where SQLite can't work in it."""
    folder = make_index_folder(root)
    mount = remote_mount(str(folder.resolve()))
    if mount is not None:
        raise PostilError(
            f"the folder for the index, {folder}, is on a network or shared drive ({mount.kind}), where several "
            "processes can't share a database safely",
            "set POSTIL_INDEX_DIR to a folder on a local disk",
        )
    return folder


def attach(root: str) -> WorkerClient:
    """A connection to the worker of a folder, which keeps it running; it is started where there is none."""
    folder = folder_for_writing(root)
    return join_worker(folder, lambda: start_worker(root, folder))


def start_worker(root: str, folder: Path) -> None:
    """Start the worker of a folder on its own: it outlives this process while others need it."""
    log = folder / "worker.log"
    mode = "ab" if log.is_file() and log.stat().st_size < _LOG_BYTES else "wb"
    with log.open(mode) as output:
        subprocess.Popen(
            [sys.executable, "-m", "postil_server", "worker", "--attached", root],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            env={**os.environ, "PYTHONSAFEPATH": "1"},
        )
