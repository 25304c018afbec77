"""The worker of a folder: what the user's settings tell it, and its life from the lock to the end."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from postil_indexers.errors import PostilError
from postil_indexers.indexer import Updater
from postil_indexers.progress import Listener
from postil_indexers.store.index import write_index
from postil_indexers.store.location import index_file
from postil_indexers.store.lock import WriterLock
from postil_indexers.store.pruning import prune
from postil_indexers.worker.worker import Worker
from postil_server.app import App, open_app
from postil_server.layers import stamp
from postil_server.starting import folder_for_writing


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


def keep(app: App, *, attached: bool) -> None:
    """Be the worker of a folder until told to stop; `attached`: or until nobody needs it. Raises PostilError."""
    folder = folder_for_writing(app.root)
    with WriterLock(folder):
        prune(folder)
        worker = Worker(app.root, folder, Configuration(app), stays=not attached)

        def stop(number: int, frame: FrameType | None) -> None:
            worker.agenda.stop("it was told to stop")

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        if sys.platform != "win32" and not attached:
            signal.signal(signal.SIGHUP, stop)  # its terminal was closed
        worker.run()


def keep_attached(root: str) -> int:
    """The exit status of a worker that an editor started; what it says goes to its log."""
    try:
        app = open_app(root)
        for warning in app.warnings:
            print(f"postil: {warning}", file=sys.stderr)
        keep(app, attached=True)
    except PostilError as error:
        print("\n  ".join(filter(None, (f"postil: {error.message}", error.hint))), file=sys.stderr)
        return 1
    return 0
