"""The first message of a client, and what is begun with it while the server still imports what it answers with: where a
folder was never indexed, the first hover waits for its worker most of all."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, BinaryIO

from postil_indexers.errors import PostilError
from postil_server.lsp.logs import failure
from postil_server.lsp.transport import read_message
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_indexers.worker.client import WorkerClient

_AT_ONCE = 4  # workers; of more folders than that, the others are waited for


class Beginning:
    """Reads the first message in a thread of its own, and starts the workers that will be needed first."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._first: Future[bytes | None] = Future()
        self._begun: dict[str, Future[WorkerClient]] = {}  # by root
        threading.Thread(target=self._begin, name="beginning", daemon=True).start()

    def _begin(self) -> None:
        try:
            body = read_message(self._stream)
        except (OSError, ValueError) as error:
            self._first.set_exception(error)
            return
        try:
            roots = never_indexed(body or b"")
            if roots:
                pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="beginning")
                self._begun = {root: pool.submit(_attach, root) for root in roots}
        except (OSError, RuntimeError, PostilError) as error:
            failure("beginning", error)  # nothing is begun, then; whoever needs a worker is told the same
        finally:
            self._first.set_result(body)  # only now: who takes it may ask for these workers

    def messages(self) -> Iterator[bytes]:
        """All of them, until the stream ends. Raises OSError, ValueError where it breaks."""
        body = self._first.result()
        while body is not None:
            yield body
            body = read_message(self._stream)

    def attach(self, root: str) -> WorkerClient:
        """A connection to the worker of a folder, begun or made now. Raises PostilError."""
        begun = self._begun.pop(root, None)
        return begun.result() if begun is not None else _attach(root)


def never_indexed(body: bytes) -> list[str]:
    """The folders that `initialize` opens and that are to be indexed first, where this message is that."""
    from postil_indexers.platform import broad_folder
    from postil_indexers.store.location import index_file

    try:
        message = json.loads(body)
        uris = [str(folder["uri"]) for folder in message["params"]["workspaceFolders"] or ()]
        paths = [path_of(uri) for uri in uris] if message["method"] == "initialize" else []
    except (ValueError, TypeError, LookupError, RecursionError):
        return []  # whoever handles it says what is wrong with it
    roots = dict.fromkeys(os.path.realpath(path) for path in paths if path is not None and os.path.isdir(path))
    return [root for root in roots if not broad_folder(root) and not index_file(root).exists()]


def _attach(root: str) -> WorkerClient:
    from postil_server.starting import attach

    return attach(root)
