"""Filling in vectors: what is cached is placed at once, what is new is embedded in batches that survive a stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from postil_indexers.embedding.base import Embedder, to_int8
from postil_indexers.prepare import embedded_text
from postil_indexers.progress import Listener, Progress
from postil_indexers.store.commit_text import embedded_text as embedded_commit
from postil_indexers.store.index import Index
from postil_indexers.store.vectors import Model
from postil_indexers.types import Kind

# Static vectors cost so little that everything gets one; a transformer pays on prose.
KINDS_OF_ROLE: Mapping[str, tuple[Kind, ...]] = {
    "static": (Kind.CODE, Kind.NOTE, Kind.COMMIT),
    "prose": (Kind.NOTE, Kind.COMMIT),
}
_SAMPLE = 400  # passages whose cosines tell how near two chance passages are


@dataclass(frozen=True, slots=True)
class RoleModel:
    """A model that is at hand, and how it can be loaded again once other settings hold."""

    embedder: Embedder
    spec: str  # kept with the index, opaque here


# id of a chunk or commit, its kind, the text to embed and that text's hash
Item = tuple[int, Kind, str, bytes]


def embed_now(index: Index, items: Sequence[Item], static: RoleModel) -> int:
    """Embed what is new among `items` and make all of them current; how many vectors were computed."""
    embedder, model = static.embedder, index.vectors.register(static.embedder, "static", static.spec)
    known = index.vectors.cached(model, [digest for *_, digest in items])
    missing = {digest: text for _, _, text, digest in items if digest not in known}
    known.update(_embed(index, missing, embedder, model))
    index.vectors.place(model, ((i, kind, v) for i, kind, _, d in items if (v := known[d]) is not None))
    return sum(known[digest] is not None for digest in missing)


def place_known(index: Index, items: Iterable[Item], model: Model) -> None:
    """Make those of `items` current whose vectors are cached; the others wait for `embed_missing`."""
    items = list(items)
    known = index.vectors.cached(model, [digest for *_, digest in items])
    index.vectors.place(model, ((i, kind, v) for i, kind, _, d in items if (v := known.get(d)) is not None))


def embed_missing(index: Index, role: str, role_model: RoleModel, kinds: Sequence[Kind], listener: Listener) -> int:
    """Embed every passage of `kinds` that the model has not tried, a transaction a batch; how many it computed."""
    embedder = role_model.embedder
    with index.transaction():
        model = index.vectors.register(embedder, role, role_model.spec)
    pending = index.vectors.pending(model, kinds)
    repeated = index.documents.applied_lines()
    computed = 0
    for start in range(0, len(pending), embedder.batch_size):
        batch = pending[start : start + embedder.batch_size]
        texts = {digest: _text_of(index, kind, rowid, repeated) for digest, kind, rowid in batch}
        with index.transaction():
            vectors = _embed(index, texts, embedder, model)
            rows = [
                (rowid, kind, vector)
                for digest, vector in vectors.items()
                if vector is not None
                for rowid, kind in index.vectors.owners(digest, kinds)
            ]
            index.vectors.place(model, rows)
        computed += sum(vector is not None for vector in vectors.values())
        listener(Progress("embedding", min(start + len(batch), len(pending)), len(pending)))
    return computed


def _embed(index: Index, texts: Mapping[bytes, str], embedder: Embedder, model: Model) -> dict[bytes, bytes | None]:
    """Vectors of new texts, remembered; None for those the model does not know."""
    fit = {digest: text for digest, text in texts.items() if text and embedder.knows(text)}
    index.vectors.remember_unknown(model, (digest for digest in texts if digest not in fit))
    found: dict[bytes, bytes | None] = dict.fromkeys(texts)
    if fit:
        vectors = to_int8(embedder.embed(list(fit.values())))
        index.vectors.remember(model, list(fit), vectors)
        found.update(zip(fit, (vector.tobytes() for vector in vectors), strict=True))
    return found


def _text_of(index: Index, kind: Kind, rowid: int, repeated: set[int]) -> str:
    if kind is Kind.COMMIT:
        commit = index.history.commit(index.history.rows([rowid])[rowid].sha)
        return embedded_commit(commit) if commit else ""
    row = index.content.chunks([rowid])[rowid]
    return embedded_text(row.as_chunk(), row.text, repeated)


def finish_models(index: Index, wanted: Mapping[str, RoleModel]) -> None:
    """Let complete models serve; note how near chance passages are, and what share of each kind has a vector."""
    with index.transaction():
        for role, role_model in wanted.items():
            model = index.vectors.register(role_model.embedder, role, role_model.spec)
            if not index.vectors.pending(model, KINDS_OF_ROLE[role]):
                index.vectors.serve(model)
        for model in index.vectors.models():
            _note_background(index, model)
        for kind in Kind:
            model_of = {m.role: m for m in index.vectors.models() if m.serving and kind in KINDS_OF_ROLE[m.role]}
            best = model_of.get("prose") or model_of.get("static")
            if best is not None:
                index.set(f"share_embedded:{kind.value}", f"{index.vectors.share(best, kind):.4f}")


def _note_background(index: Index, model: Model) -> None:
    index.set(f"known_share:{model.id}", f"{index.vectors.share(model, Kind.NOTE):.4f}")
    vectors = index.vectors.sample(model, _SAMPLE)
    if len(vectors) < 2:
        index.unset(f"background:{model.id}")
        return
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
    index.set(f"background:{model.id}", f"{cosines.mean():.5f} {cosines.std():.5f}")
