"""The indexes that a question is asked of: the folder's, and those of the user's outside folders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from postil_indexers.embedding.base import Embedder
from postil_indexers.errors import NotIndexedError
from postil_indexers.seen import shown
from postil_indexers.store.index import Index
from postil_server.app import App, open_app
from postil_server.cli.output import warn
from postil_server.roots import outside_folders
from postil_server.termvectors import TermVectors


@dataclass(frozen=True, slots=True)
class Opened:
    app: App
    index: Index
    embedders: dict[str, Embedder]
    vectors: TermVectors

    @property
    def root(self) -> str:
        return self.app.root


@contextmanager
def opened_roots(root: str) -> Iterator[list[Opened]]:
    """That of `root` first. Raises NotIndexedError for it; an outside folder that is not indexed is warned of."""
    app = open_app(root)
    warn(app.warnings)
    outside, warnings = outside_folders(app.settings.folders, [app.root])
    warn(warnings)
    with ExitStack() as stack:
        opened = [_opened(app, stack)]
        for folder in outside:
            try:
                opened.append(_opened(open_app(folder), stack))
            except NotIndexedError:
                warn([f"{shown(folder)} of your folders is not indexed yet; run: postil index {shown(folder)}"])
        yield opened


def _opened(app: App, stack: ExitStack) -> Opened:
    index = stack.enter_context(app.open_reader())
    embedders, missing = app.query_embedders(index)
    warn(missing)
    pending = int(index.get("pending_files") or 0)
    if pending:
        warn([f"still indexing: {pending:,} file{'s'[: pending != 1]} are not searched yet"])
    return Opened(app, index, embedders, TermVectors(index))
