"""What one reading thread has open: an index a folder, with the models that ask it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar, cast

import apsw

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.fastembed import FastembedEmbedder
from postil_indexers.errors import IndexDamagedError, NotIndexedError, PostilError
from postil_indexers.links import LinkResolver, LinkTarget
from postil_indexers.store.database import state_of
from postil_indexers.store.index import Index
from postil_indexers.store.location import index_file
from postil_server.app import App
from postil_server.lsp.configuration import Configuration
from postil_server.lsp.lane import DroppedError, Token
from postil_server.lsp.name_table import NameTable
from postil_server.lsp.note_names import note_names_of
from postil_server.lsp.symbol_table import symbols_of
from postil_server.termvectors import TermVectors

T = TypeVar("T")

_IN_PROCESS = ("static", "packaged", "fastembed")  # providers that ask no endpoint


class Opened:
    """One folder's index, as one thread has it open."""

    def __init__(self, app: App, index: Index, settled: object) -> None:
        self.app = app
        self.settled = settled  # of the settings in `app`
        self.root = app.root
        self.index = index
        self.vectors = TermVectors(index)
        self.symbols = NameTable(index, symbols_of)
        self.note_names = NameTable(index, note_names_of)
        self.stamp = file_stamp(app.root)
        self._loaded: tuple[object, bool, dict[str, Embedder]] = (None, False, {})
        self._kept: dict[Callable[[Opened], Any], tuple[object, float, Any]] = {}

    @property
    def connection(self) -> apsw.Connection:
        return cast(apsw.Connection, self.index.connection)

    def embedders(self, *, local: bool) -> dict[str, Embedder]:
        """The models that the index serves. `local`: only those in this process, for what may wait for nobody."""
        models = tuple(model for model in self.index.vectors.models() if model.serving)
        if self._loaded[:2] != (models, local):
            wanted = {m.role for m in models if not local or json.loads(m.spec).get("provider") in _IN_PROCESS}
            found, _ = self.app.query_embedders(self.index, wanted)
            self._loaded = (models, local, found)
        return self._loaded[2]

    def at_hand(self) -> dict[str, Embedder]:
        """Those in this process that answer at once: one whose weights are not open is left out."""
        found = self.embedders(local=True).items()
        return {role: e for role, e in found if not isinstance(e, FastembedEmbedder) or e.is_open}

    def open_soon(self) -> None:
        """Begin to open those that are not open. After an answer: it would share the interpreter with their imports."""
        for embedder in self.embedders(local=True).values():
            if isinstance(embedder, FastembedEmbedder):
                embedder.open_soon()

    def kept(self, make: Callable[[Opened], T], for_s: float = 0.0) -> T:
        """What `make` makes of the index; made again only after that has changed, and not before `for_s` are over."""
        state = state_of(self.connection)
        found = self._kept.get(make)
        if found is None or (found[0] != state and time.monotonic() - found[1] >= for_s):
            found = self._kept[make] = (state, time.monotonic(), make(self))
        return cast(T, found[2])

    def resolver(self) -> LinkResolver:
        """Resolves links against all files as the index knows them now."""
        return self.kept(_resolver)


def _resolver(opened: Opened) -> LinkResolver:
    files = opened.index.documents.link_targets()
    return LinkResolver(LinkTarget(f.path, f.title, f.aliases, f.note_id) for f in files)


class Desk:
    def __init__(self, configuration: Configuration | None = None) -> None:
        """`configuration`: what an editor says; without it, only settings files do."""
        self._configuration = configuration or Configuration()
        self._opened: dict[str, tuple[Opened, ExitStack]] = {}
        self._token = Token()
        self._in_use: set[str] = set()  # by the request that is served

    @contextmanager
    def serving(self, token: Token, roots: Set[str]) -> Iterator[None]:
        """Work for one request. Raises DroppedError where it was cancelled in the middle."""
        for root in self._opened.keys() - roots:
            self._close(root)
        self._token = token
        self._in_use.clear()
        try:
            yield
        except (apsw.InterruptError, apsw.ExecTraceAbort) as error:
            raise DroppedError from error
        except IndexDamagedError as error:
            for root in self._in_use & self._opened.keys():
                self._close(root, error)
            raise
        finally:
            token.release()
            for root, (opened, _) in list(self._opened.items()):
                if opened.connection.in_transaction:  # what was stopped could not even roll back
                    self._close(root)

    def at(self, root: str) -> Opened:
        """The index of a folder. Raises NotIndexedError, IndexDamagedError."""
        held = self._opened.get(root)
        if held is not None and held[0].stamp != file_stamp(root):  # set aside and rebuilt, or deleted
            self._close(root)
            held = None
        settled = self._configuration.stamp(root)
        if held is None:
            with ExitStack() as stack:
                app = self._configuration.open_app(root)
                opened = Opened(app, stack.enter_context(app.open_reader()), settled)
                opened.connection.exec_trace = self._may_run
                held = self._opened[root] = (opened, stack.pop_all())
        elif held[0].settled != settled:
            held[0].app, held[0].settled = self._configuration.open_app(root), settled
        self._in_use.add(root)
        self._token.hold(held[0].connection)
        return held[0]

    def indexed(self, roots: list[str]) -> list[Opened]:
        """Those of these folders that have an index. Raises NotIndexedError where none has."""
        found, missing = [], NotIndexedError("no folder is open", "open the folder of your notes or your code")
        for root in roots:
            try:
                found.append(self.at(root))
            except NotIndexedError as error:
                missing = error
        if not found:
            raise missing
        return found

    def _may_run(self, cursor: apsw.Cursor, statement: str, bindings: object) -> bool:
        """Called before each statement: between two of them nothing else stops a request."""
        return not self._token.cancelled or statement == "ROLLBACK"

    def _close(self, root: str, error: PostilError | None = None) -> None:
        _, stack = self._opened.pop(root)
        try:
            stack.__exit__(type(error) if error else None, error, None)  # App tells the worker what was found
        except PostilError:
            return


def file_stamp(root: str) -> tuple[int, int] | None:
    """What another file in place of the index would not have."""
    try:
        status = os.stat(index_file(root))
    except OSError:
        return None
    return status.st_dev, status.st_ino
