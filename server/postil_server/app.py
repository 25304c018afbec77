"""The only wiring: settings, models and the index file of one folder."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
from postil_indexers.embedding_run import RoleModel
from postil_indexers.errors import IndexDamagedError, ModelError, WorkspaceError
from postil_indexers.git import leave_out_of_path
from postil_indexers.store.connection import sqlite_errors
from postil_indexers.store.index import Index, open_index
from postil_indexers.store.location import index_file, index_folder
from postil_indexers.store.seal import doubt
from postil_indexers.worker.client import call_worker
from postil_server.layers import NO_CLIENT, ClientSettings, layered
from postil_server.settings import Settings, embedder_spec, models_folder


@dataclass(frozen=True, slots=True)
class App:
    root: str  # absolute
    settings: Settings
    warnings: tuple[str, ...]

    @contextmanager
    def open_reader(self) -> Iterator[Index]:
        """The index for reading. Raises NotIndexedError, and IndexDamagedError, of which the worker is told."""
        try:
            with open_index(index_file(self.root)) as index, sqlite_errors(index.path):
                yield index
        except IndexDamagedError as error:
            client = call_worker(index_folder(self.root))
            if client is None:
                doubt(index_file(self.root))  # whoever writes next looks it through
                raise
            with client:
                client.request("check")
            raise IndexDamagedError(
                error.message, "it is looked through, and made anew where it is damaged; ask again"
            ) from error

    def models(self) -> dict[str, RoleModel]:
        """The models that the settings name, by role; a role whose weights are not installed is left out."""
        embedding = self.settings.embedding
        found = {}
        for role, name in (("static", embedding.static), ("prose", embedding.prose)):
            spec = embedder_spec(name, embedding) if name else None
            embedder = _load(spec, embedding.download) if spec else None
            if spec is not None and embedder is not None:
                found[role] = RoleModel(embedder, json.dumps(dataclasses.asdict(spec)))
        return found

    def query_embedders(
        self, index: Index, roles: Container[str] | None = None
    ) -> tuple[dict[str, Embedder], list[str]]:
        """The models whose vectors the index serves now, which may be those of former settings; and what is missing.

        `roles`: only these.
        """
        found, missing = {}, []
        for model in index.vectors.models():
            if not model.serving or (roles is not None and model.role not in roles):
                continue
            try:
                embedder = _load(EmbedderSpec(**json.loads(model.spec)))
            except ModelError as error:
                missing.append(f"{model.role} vectors are left out: {error}")
                continue
            if embedder is None:
                missing.append(f"{model.role} vectors are left out: their model is not installed")
            elif embedder.fingerprint == model.fingerprint:
                found[model.role] = embedder
        return found, missing


@functools.cache
def _load(spec: EmbedderSpec, download: bool = False) -> Embedder | None:
    """A model is loaded once a process."""
    return load_embedder(spec, models_folder(), download=download)


def open_app(root: str, client: ClientSettings = NO_CLIENT, *, forgiving: bool = False) -> App:
    """Raises WorkspaceError where `root` is no folder, SettingsError for a broken settings file; `forgiving`: that file
    is passed over with a warning."""
    absolute = os.path.realpath(root)
    if not os.path.isdir(absolute):
        raise WorkspaceError(f"{root} is not a folder", "give the folder of your notes or your repository")
    leave_out_of_path(absolute)
    found = layered(absolute, client)
    if found.broken and not forgiving:
        raise found.broken[0]
    return App(absolute, found.settings, found.told)
