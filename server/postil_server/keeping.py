"""How the worker is started and what the user's settings tell it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from postil_indexers.errors import PostilError
from postil_indexers.indexer import Updater
from postil_indexers.progress import Listener
from postil_indexers.store.index import write_index
from postil_indexers.store.location import index_file, make_index_folder
from postil_indexers.watching.limits import remote_mount
from postil_indexers.worker.client import WorkerClient, join_worker
from postil_server.app import App, open_app
from postil_server.layers import stamp

_LOG_BYTES = 1 << 20  # of a worker's log, above which the next one starts it anew


class Configuration:
    """The settings of one workspace as the worker needs them. Raises SettingsError."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._seen = stamp(app.root)

    @property
    def exclude(self) -> tuple[str, ...]:
        return self._app.settings.index.exclude

    @property
    def pause_on_battery(self) -> bool:
        return self._app.settings.index.pause_on_battery

    @property
    def low_priority(self) -> bool:
        return self._app.settings.index.low_priority

    @property
    def memory_bytes(self) -> int:
        return self._app.settings.index.memory_mb << 20

    def updater(self, listener: Listener) -> Updater:
        """The index opened for writing, with the models that the settings name."""
        app, chosen = self._app, self._app.settings.index
        index = write_index(index_file(app.root))
        with index.transaction():
            index.set("root", app.root)
        return Updater(
            index,
            app.root,
            app.models(),
            exclude=chosen.exclude,
            processes=chosen.processes,
            quota_bytes=chosen.quota_mb << 20,
            branches=chosen.branches,
            listener=listener,
        )

    def changed(self) -> bool:
        """Whether the settings are others than at the last call; broken ones leave the former in force."""
        now = stamp(self._app.root)
        if now == self._seen:
            return False
        self._seen = now
        try:
            app = open_app(self._app.root)
        except PostilError:
            return False
        former, self._app = self._app.settings, app
        return (app.settings.index, app.settings.embedding) != (former.index, former.embedding)


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
