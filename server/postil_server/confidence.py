"""How sure an answer is, in terms that mean the same across answers: from absolute evidence, not from ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from postil_indexers.store.index import Index
from postil_indexers.store.terms import inverse_frequency
from postil_indexers.store.vectors import Model

# Chosen by reading answers to linked and to foreign paragraphs; a fit on a benchmark has still to confirm them.
_INTERCEPT = -4.0
_WORDS = 5.0  # per full share of the query's rare-word weight
_LEAST_DEVIATION = 0.02  # in a workspace of a few passages they may all be alike
_NEARNESS = 0.6  # per standard deviation of cosine above the workspace's background


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a query's words weigh in this workspace."""

    weights: dict[str, float]

    @classmethod
    def of(cls, index: Index, terms: Sequence[str]) -> Evidence:
        rows = sum(index.content.counts().values())
        frequency = index.content.frequency(terms)
        weights = {term: inverse_frequency(rows, frequency[term]) for term in terms}
        return cls(weights)


def weight_of(held: set[str], evidence: Evidence) -> float:
    """The share (0-1) of the query's rare-word weight that a passage holds."""
    total = sum(evidence.weights.values())
    return sum(weight for term, weight in evidence.weights.items() if term in held) / total if total else 0.0


def nearness(index: Index, model: Model, cosine: float) -> float:
    """Standard deviations of a cosine above that of two chance passages of this workspace."""
    background = index.get(f"background:{model.id}")
    if background is None:
        return 0.0
    mean, deviation = map(float, background.split())
    return (cosine - mean) / max(deviation, _LEAST_DEVIATION)


def confidence(words: float, near: float) -> float:
    """0-1: the chance, by a logistic model, that a passage with this evidence is about what was asked.

    `words`: share of the rare-word weight it holds; `near`: the best `nearness` of any model, 0 without a vector.
    """
    return round(1.0 / (1.0 + math.exp(-(_INTERCEPT + _WORDS * words + _NEARNESS * near))), 4)
