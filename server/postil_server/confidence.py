"""How sure an answer is, in terms that mean the same across answers: from absolute evidence, not from ranks.

A logistic model of a passage's evidence. Its coefficients come from benchmarks/calibration.py: public code with judged
queries, public notes with held-out links. Its results say how well what is predicted agrees with what is observed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from postil_indexers.store.index import Index
from postil_indexers.store.terms import inverse_frequency
from postil_indexers.store.vectors import Model
from postil_indexers.text import is_function_word
from postil_server.types import Evidence

_LEAST_DEVIATION = 0.02  # in a workspace of a few passages they may all be alike


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Of the log odds, for each unit of an `Evidence`; a 0 is a part that did not help, and was left out of the fit."""

    intercept: float
    words: float
    shared: float = 0.0  # of log(1 + shared)
    near: float = 0.0
    defines: float = 0.0

    def odds(self, evidence: Evidence) -> float:
        """The logarithm of the odds that a passage with this evidence is one that was meant."""
        return (
            self.intercept
            + self.words * evidence.words
            + self.shared * math.log1p(evidence.shared)
            + self.near * (evidence.near or 0.0)
            + self.defines * evidence.defines
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """What evidence is worth where vectors were compared, and where words alone speak."""

    vectors: Coefficients
    words: Coefficients


# A hit of a search: even odds that it lies in a file judged relevant, or not; half of those that are not come from a
# repository in which nothing answers. Fitted on 16 of 31 repositories; on the other 15, Brier 0.152 and ECE 0.066.
SEARCH = Calibration(
    vectors=Coefficients(intercept=-2.31, words=2.78, near=0.79, defines=1.84),
    words=Coefficients(intercept=-2.02, words=3.87, defines=1.95),
)
# A note beside a paragraph: even odds that a link joined the two before all links were cut, or that the paragraph is
# of another collection. Fitted on all collections, since what one half gives is too sure of itself on the other, or
# not sure enough: how close together a collection's subjects lie differs more than the evidence can tell.
RELATED = Calibration(
    vectors=Coefficients(intercept=-4.6, words=11.3, near=0.97),
    words=Coefficients(intercept=-4.65, words=8.03, shared=1.63),
)


def term_weights(terms: Collection[str], rows: int, frequency: Mapping[str, int]) -> dict[str, float]:
    """What each word of a query weighs among `rows` passages; a function word only where there are no others."""
    telling = [term for term in terms if not is_function_word(term)] or terms
    return {term: inverse_frequency(rows, frequency[term]) for term in telling}


def evidence(
    held: Collection[str], weights: Mapping[str, float], near: float | None, *, defines: bool = False
) -> Evidence:
    """`held`: the terms of a passage; `weights`: of the terms of what was asked, those included that nothing holds."""
    total = sum(weights.values())
    shared = weights.keys() & held
    return Evidence(
        words=sum(weights[term] for term in shared) / total if total else 0.0,
        shared=sum(1.0 if term.isascii() else 0.5 for term in shared),
        near=near,
        defines=defines,
    )


def nearness(index: Index, model: Model, cosines: Iterable[float]) -> list[float]:
    """Standard deviations of each cosine above that of two chance passages of this workspace."""
    background = index.get(f"background:{model.id}")
    if background is None:
        return [0.0 for _ in cosines]
    mean, deviation = map(float, background.split())
    return [(cosine - mean) / max(deviation, _LEAST_DEVIATION) for cosine in cosines]


def confidence(evidence: Evidence, calibration: Calibration) -> float:
    """0-1: the chance that a passage with this evidence is one that was meant."""
    of = calibration.words if evidence.near is None else calibration.vectors
    return round(1.0 / (1.0 + math.exp(-of.odds(evidence))), 4)
