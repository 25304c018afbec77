"""Notes as weighted words: TF-IDF vectors of whole documents, made when first compared and kept while they last."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from postil_indexers.store.content import DocumentRow
from postil_indexers.store.index import Index
from postil_indexers.store.terms import inverse_frequency
from postil_indexers.text import index_terms, is_function_word

_MAX_CHARS = 20_000  # of a document; what a longer one is about shows by then, and a first comparison stays quick
_KEPT = 20_000  # documents; some 2 kB each
_KEPT_TERMS = 200_000


@dataclass(frozen=True, slots=True)
class TermVector:
    """Term -> (1 + log tf) · idf, and the vector's length."""

    weights: dict[str, float]
    length: float

    def cosine(self, other: TermVector) -> float:
        small, large = sorted((self.weights, other.weights), key=len)
        product = sum(weight * large[term] for term, weight in small.items() if term in large)
        return product / (self.length * other.length) if product else 0.0


class TermVectors:
    """Vectors of one index. Keep it as long as the index is open: a second comparison with a note costs nothing."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._passages = 0
        self._frequency: dict[str, int] = {}
        self._kept: dict[tuple[int, int], TermVector] = {}

    def of_text(self, text: str) -> TermVector:
        """The vector of a text, single characters of unspaced scripts left out: their pairs tell more."""
        return self._weighted(_counted(text))

    def weights(self, text: str) -> dict[str, float]:
        """What each term of a text weighs, those included that no passage holds: they weigh as if one did.

        So a paragraph that is being written weighs what it will weigh once it is indexed.
        """
        counts = _counted(text)
        self._look_up(counts)
        return {term: self._weight(term, count) for term, count in counts.items()}

    def of_documents(self, ids: Iterable[int]) -> dict[int, TermVector]:
        found: dict[int, TermVector] = {}
        for row in self._index.content.documents(ids).values():
            key = (row.id, row.mtime_ns)
            if key not in self._kept:
                if len(self._kept) >= _KEPT:
                    self._kept.clear()
                self._kept[key] = self.of_text(self._text(row))
            found[row.id] = self._kept[key]
        return found

    def _text(self, row: DocumentRow) -> str:
        return f"{file_stem(row.path)}\n{self._index.content.document_text(row.id, row.title, _MAX_CHARS)}"

    def _weighted(self, counts: Mapping[str, int]) -> TermVector:
        self._look_up(counts)
        weights = {term: self._weight(term, count) for term, count in counts.items() if self._frequency[term]}
        return TermVector(weights, math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0)

    def _weight(self, term: str, count: int) -> float:
        return (1.0 + math.log(count)) * inverse_frequency(self._passages, max(1, self._frequency[term]))

    def _look_up(self, terms: Iterable[str]) -> None:
        passages = sum(self._index.content.counts().values())
        if passages != self._passages or len(self._frequency) > _KEPT_TERMS:
            self._passages = passages
            self._frequency.clear()
            self._kept.clear()
        missing = [term for term in terms if term not in self._frequency]
        if missing:
            self._frequency.update(self._index.content.frequency(missing))


def file_stem(path: str) -> str:
    """The name of a file without its folders and its extension: what its writer called it."""
    return os.path.splitext(os.path.basename(path))[0]


def _counted(text: str) -> Counter[str]:
    return Counter(term for term in index_terms(text).split() if _tells(term))


def _tells(term: str) -> bool:
    return (len(term) > 1 or term.isascii()) and not is_function_word(term)
