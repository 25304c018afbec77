"""What questions are asked of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from postil_indexers.store.index import Index
from postil_server.search import Embedders


@dataclass(frozen=True, slots=True)
class Corpus:
    """One folder's index, the models that ask it, and the texts that stand in editors, by path."""

    root: str
    index: Index
    embedders: Embedders
    buffers: Mapping[str, str] = field(default_factory=dict)
