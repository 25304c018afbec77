"""Notes that are spoken of by their title: who writes a title out wants to point at that note."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from postil_indexers.store.content import DocumentRow
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_server.termvectors import TermVector, TermVectors, file_stem

_IN_PARAGRAPH = 0.1  # times the share of a title's weight that a paragraph holds
# Of a whole note: what it holds of the other's title, and what the other holds of its own. Squared, for half of a title
# is often chance. NDCG@10 of held-out links with both and with neither: 0.58 and 0.51, 0.47 and 0.39, 0.30 and 0.23.
_HELD, _HOLDS = 0.3, 0.3


def add(documents: dict[int, float], shares: Mapping[int, float], weight: float) -> None:
    """Raise documents by shares of the best score."""
    top = weight * max(documents.values(), default=0.0)
    for i, share in shares.items():
        documents[i] += share * top


def spoken_of(rows: Mapping[int, ChunkRow], query: TermVector, vectors: TermVectors) -> dict[int, float]:
    """Document -> how much a paragraph speaks of it; `rows`: document -> a chunk of it."""
    return {i: _IN_PARAGRAPH * _held(vectors.weights(_title(row)), query.weights) for i, row in rows.items()}


def speaking_of_each_other(
    index: Index, own: DocumentRow, others: Sequence[int], query: TermVector, vectors: TermVectors
) -> dict[int, float]:
    """Other document -> how much it and a whole note, `own`, whose words are `query`, speak of each other."""
    texts, title = vectors.of_documents(others), vectors.weights(_title(own))
    shares = {}
    for i, row in index.content.documents(others).items():
        other = vectors.weights(_title(row))
        if other.keys() == title.keys():
            continue  # another version of the same page: each holds the title because it is its own
        held, holds = _held(other, query.weights), _held(title, texts[i].weights)
        shares[i] = _HELD * held**2 + _HOLDS * holds**2
    return shares


def _title(row: ChunkRow | DocumentRow) -> str:
    return f"{row.title} {file_stem(row.path)}"


def _held(title: Mapping[str, float], terms: Container[str]) -> float:
    """The share of a title's weight that a text has."""
    total = sum(title.values())
    return sum(weight for term, weight in title.items() if term in terms) / total if total else 0.0
