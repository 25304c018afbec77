"""Calibration of a hit's confidence: coefficients fitted on half of the repositories, confirmed on the other half.

What `confidence` says is compared with what is: that a hit of a search lies in a file judged relevant. That of what is
shown beside a paragraph is measured in hover.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from calibration_cases import Case, Scripts, search_cases
from logistic import Array, bins, brier, calibration_error, fit, logistic
from measuring import table, write_result

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_server.confidence import SEARCH, Coefficients
from postil_server.types import Evidence

# What each outcome weighs in all: even odds. "beside" is what the judges did not name, which is not always beside the
# point; what was asked of another repository has no answer here at all.
_SEARCH_SHARES = {"meant": 0.5, "beside": 0.25, "foreign": 0.25}

# name of a coefficient -> what of an evidence it multiplies
_FEATURES: Mapping[str, Callable[[Evidence], float]] = {
    "words": lambda e: e.words,
    "near": lambda e: e.near or 0.0,
    "defines": lambda e: float(e.defines),
}


@dataclass(frozen=True)
class Sample:
    """Cases of one kind of answer, and the coefficients that the product has for it."""

    name: str
    now: Coefficients
    features: Sequence[str]
    shares: Mapping[str, float]
    fitted: Sequence[Case]
    confirmed: Sequence[Case]

    def matrix(self, cases: Sequence[Case]) -> tuple[Array, Array, Array]:
        """Features [n, columns], whether each was meant, and what each weighs."""
        features = [[_FEATURES[name](case.evidence) for name in self.features] for case in cases]
        meant = np.array([case.outcome == "meant" for case in cases], float)
        counts = {outcome: sum(case.outcome == outcome for case in cases) for outcome in self.shares}
        weights = np.array([self.shares[case.outcome] / counts[case.outcome] for case in cases])
        return np.array(features), meant, weights

    def coefficients(self) -> Array:
        return fit(*self.matrix(self.fitted))


def run(mirror: Path, work: Path, out: Path, scripts_folder: Path) -> bool:
    scripts, work = Scripts(scripts_folder, mirror), work / "calibration"
    work.mkdir(parents=True, exist_ok=True)
    static: dict[str, Embedder] = {"static": load_static()}
    samples = []
    for name, of, features, embedders in (
        ("with vectors", SEARCH.vectors, ("words", "near", "defines"), static),
        ("words alone", SEARCH.words, ("words", "defines"), {}),
    ):
        cases = list(search_cases(scripts, work, embedders))
        halves = _halves(cases, set(sorted({case.collection for case in cases})[::2]))
        samples.append(Sample(f"search, {name}", of, features, _SEARCH_SHARES, *halves))
    command = "python benchmarks/run.py --mirror DIR --scripts DIR calibration"
    write_result(out, "Calibration", command, _parts(samples), {})
    return True


def _halves(cases: Iterable[Case], fitted: set[str]) -> tuple[list[Case], list[Case]]:
    """Whole repositories go to one half."""
    halves: tuple[list[Case], list[Case]] = ([], [])
    for case in cases:
        halves[0 if case.collection in fitted else 1].append(case)
    return halves


def _parts(samples: Sequence[Sample]) -> Iterator[str]:
    yield (
        "Log odds are a sum: intercept, `words` × the share of rare-word weight matched, "
        "`near` × standard deviations of cosine above the background, `defines` where a queried name is "
        "defined. Each cell: fitted now on one half, and in the product."
    )
    yield table(("", "intercept", *_FEATURES, "cases fitted", "cases confirmed"), map(_coefficients, samples))
    yield (
        "The product's coefficients on the confirming half, at even odds (a constant 0.5 has a Brier score of 0.25), "
        "beside those fitted now on the other half, which never saw it:"
    )
    yield table(("", "Brier", "ECE", "Brier, fitted now", "ECE, fitted now"), map(_agreement, samples))
    yield "Predicted / observed, by tenths of what is predicted, on the same half:"
    tenths = [f"{n / 10:.1f}-{(n + 1) / 10:.1f}" for n in range(10)]
    yield table(("", *tenths), map(_reliability, samples))


def _coefficients(sample: Sample) -> tuple[str, ...]:
    now = {"intercept": sample.now.intercept, **{name: getattr(sample.now, name) for name in _FEATURES}}
    found = dict(zip(("intercept", *sample.features), sample.coefficients(), strict=True)) if sample.fitted else {}
    cells = (f"{found[n]:.2f}, {v:.2f}" if n in found else f"{v:.2f}" if v else "" for n, v in now.items())
    return (sample.name, *cells, f"{len(sample.fitted):,}", f"{len(sample.confirmed):,}")


def _agreement(sample: Sample) -> tuple[str, ...]:
    features, meant, weights = sample.matrix(sample.confirmed)
    chances = [_chance(sample)]
    if sample.fitted:
        found = sample.coefficients()
        chances.append(logistic(found[0] + features @ found[1:]))
    cells = [f"{measure(chance, meant, weights):.3f}" for chance in chances for measure in (brier, calibration_error)]
    return (sample.name, *cells, *[""] * (4 - len(cells)))


def _chance(sample: Sample) -> Array:
    return logistic(np.array([sample.now.odds(case.evidence) for case in sample.confirmed]))


def _reliability(sample: Sample) -> tuple[str, ...]:
    _, meant, weights = sample.matrix(sample.confirmed)
    cells = [""] * 10
    for each in bins(_chance(sample), meant, weights):
        cells[min(int(each.predicted * 10), 9)] = f"{each.predicted:.2f} / {each.observed:.2f}"
    return (sample.name, *cells)
