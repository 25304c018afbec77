"""Indexing a workspace for the demo: words and static vectors are waited for, vectors of prose follow behind."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from postil_indexers.errors import PostilError
from postil_indexers.store.location import index_folder
from postil_indexers.worker.client import call_worker
from postil_server.app import open_app

_POLL_S = 0.3
_LAST_STAGE = "embedding"  # all of a run before it can be found by then
_NAMES = {"preparing": "preparing the secret scanner, once", _LAST_STAGE: "making vectors of prose"}


class Indexing:
    """`postil index` as it runs. Stopping it keeps what was indexed."""

    def __init__(self, postil: str, root: str) -> None:
        self._root = root
        # where a folder is so large that it is asked about, nobody would see the question: it is told as an error
        self._process = subprocess.Popen(
            [postil, "index", root], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def is_searchable(self) -> bool:
        """Wait until all can be found by words and static vectors; False where it ended before that could be seen."""
        self._wait(lambda told: told.get("stage") == _LAST_STAGE)
        return self._process.poll() is None

    def until_done(self) -> tuple[int, str]:
        """Wait for its end: its status, and what it printed."""
        self._wait(lambda told: False)
        out, errors = self._process.communicate()
        print(errors, end="", file=sys.stderr)
        return self._process.returncode, out.rstrip()

    def see_it_end(self, out: Console) -> None:
        """Wait for the vectors of prose as well, if they are not there yet."""
        if self._process.poll() is not None:
            return
        out.print("\nVectors of prose are still being made, by which more is found. Ctrl-C leaves the rest for later.")
        try:
            out.print(Text(self.until_done()[1]))
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def found(self) -> str:
        """What the index holds so far, as a sentence."""
        with open_app(self._root).open_reader() as index:
            files, passages = index.documents.count()
            commits = index.history.count()
        counts = [(files, "file"), (passages, "passage"), (commits, "commit")]
        said = ", ".join(f"{n:,} {name}{'s'[: n != 1]}" for n, name in counts)
        return f"{said}; vectors of prose are still being made, behind what follows"

    def _wait(self, is_enough: Callable[[dict[str, Any]], bool]) -> None:
        with _line() as show:
            while self._process.poll() is None and not is_enough(told := self._told()):
                show(told)
                time.sleep(_POLL_S)

    def _told(self) -> dict[str, Any]:
        """What the process that indexes says of itself; nothing before it can be asked."""
        try:
            client = call_worker(index_folder(open_app(self._root).root))
            if client is None:
                return {}
            with client:
                return dict(client.request("status"))
        except PostilError:  # it ended in the middle
            return {}


@contextmanager
def _line() -> Iterator[Callable[[dict[str, Any]], None]]:
    """One line of progress on a terminal, gone at the end; elsewhere none."""
    with Console(stderr=True).status("") as status:

        def show(told: dict[str, Any]) -> None:
            stage = str(told.get("stage") or "starting")
            of = f" {told['done']:,} of {told['total']:,}" if told.get("total") else ""
            status.update(Text(f"{_NAMES.get(stage, stage)}{of}"))

        yield show
