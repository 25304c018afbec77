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
    meaning: float = 0.0
    runs: float = 0.0  # of log(1 + runs)

    def odds(self, evidence: Evidence) -> float:
        """The logarithm of the odds that a passage with this evidence is one that was meant."""
        return (
            self.intercept
            + self.words * evidence.words
            + self.shared * math.log1p(evidence.shared)
            + self.near * (evidence.near or 0.0)
            + self.defines * evidence.defines
            + self.meaning * (evidence.meaning or 0.0)
            + self.runs * math.log1p(evidence.runs or 0)
        )


NEVER = Coefficients(intercept=-30.0, words=0.0)  # of a kind of evidence that is not gathered


@dataclass(frozen=True, slots=True)
class Calibration:
    """What evidence is worth where vectors were compared, where words alone speak, those of an unspaced script by
    themselves, and where a model was asked whose cosines mean the same in every workspace."""

    vectors: Coefficients
    words: Coefficients
    meaning: Coefficients | None = None
    unspaced: Coefficients | None = None

    def coefficients(self, evidence: Evidence) -> Coefficients:
        if evidence.meaning is not None and self.meaning is not None:
            return self.meaning
        if evidence.near is not None:
            return self.vectors
        return self.unspaced if evidence.runs is not None and self.unspaced is not None else self.words


# A hit of a search: even odds that it lies in a file judged relevant, or not; half of those that are not come from a
# repository in which nothing answers. Fitted on 16 of 31 repositories; on the other 15, Brier 0.152 and ECE 0.066.
SEARCH = Calibration(
    vectors=Coefficients(intercept=-2.31, words=2.78, near=0.79, defines=1.84),
    words=Coefficients(intercept=-2.02, words=3.87, defines=1.95),
)
# A note beside a paragraph: even odds that a link had been cut out of the paragraph, or that it is of another
# collection; of each paragraph the surest note. Where only the static vectors speak, what half of the collections asks
# for lets more through on the others: their intercept is lower by 0.4. That of unspaced scripts is lower by 1, for one
# collection alone is little to go by.
RELATED = Calibration(
    vectors=Coefficients(intercept=-6.85, words=11.32, near=1.07),
    words=Coefficients(intercept=-9.41, words=12.42, shared=2.62),
    unspaced=Coefficients(intercept=-7.65, words=0.0, shared=2.23, runs=2.04),
    meaning=Coefficients(intercept=-10.58, words=10.93, near=0.41, meaning=14.39),
)
# The same beside a whole note, whose words no single passage of another can hold many of.
RELATED_WHOLE = Calibration(vectors=Coefficients(intercept=-7.22, words=22.17, near=1.21), words=RELATED.words)
# Code and commits that a paragraph names: even odds that it is of the same project, or of another one.
# `words` is whether a name is marked as code; of a commit, the share of its subject that the paragraph has. Over the
# documentation of four projects, above 0.9 code speaks at 4 to 35 % of their own paragraphs and at none of 1,800 that
# are foreign; a commit at 5 to 22 %, and at 1.3 % at most.
NAMED_CODE = Calibration(vectors=NEVER, words=Coefficients(intercept=2.6, words=0.9))
NAMED_COMMIT = Calibration(vectors=NEVER, words=Coefficients(intercept=-4.47, words=3.39, shared=2.3))
_KNOWN_SCALE = "fastembed:all-MiniLM-L6-v2:"  # what RELATED.meaning is fitted on


def has_known_scale(model: Model) -> bool:
    """Whether this model's cosines are of the scale that confidence is fitted on. Others are measured by `near`."""
    return model.role == "prose" and model.fingerprint.startswith(_KNOWN_SCALE)


def term_weights(terms: Collection[str], rows: int, frequency: Mapping[str, int]) -> dict[str, float]:
    """What each word of a query weighs among `rows` passages; a function word only where there are no others."""
    telling = [term for term in terms if not is_function_word(term)] or terms
    return {term: inverse_frequency(rows, frequency[term]) for term in telling}


def evidence(
    held: Collection[str],
    weights: Mapping[str, float],
    near: float | None,
    *,
    defines: bool = False,
    meaning: float | None = None,
    runs: int | None = None,
) -> Evidence:
    """`held`: the terms of a passage; `weights`: of the terms of what was asked, those included that nothing holds."""
    total = sum(weights.values())
    shared = weights.keys() & held
    return Evidence(
        words=sum(weights[term] for term in shared) / total if total else 0.0,
        shared=sum(1.0 if term.isascii() else 0.5 for term in shared),
        near=near,
        defines=defines,
        meaning=meaning,
        runs=runs,
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
    odds = calibration.coefficients(evidence).odds(evidence)
    return round(1.0 / (1.0 + math.exp(-odds)), 4)
