"""Calibration of confidence: coefficients fitted on half of the public collections, confirmed on the other half.

What `confidence` says is compared with what is: that a hit of a search lies in a file judged relevant, that a note
beside a paragraph had been linked with it before all links were cut out. The floor of the hover is chosen so that at
most one in twenty foreign paragraphs makes it speak; what it costs is measured at paragraphs that have a related note.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from calibration_cases import Case, Scripts, Spoken, collections, related_cases, search_cases
from logistic import Array, bins, brier, calibration_error, fit, logistic
from measuring import table, write_result

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
from postil_indexers.embedding.static import load_static
from postil_server.confidence import RELATED, SEARCH, Coefficients
from postil_server.related import HOVER_FLOOR
from postil_server.types import Evidence

# What each outcome weighs in all: even odds. "beside" is what the judges did not name, which is not always beside the
# point; what was asked of another repository has no answer here at all.
_SEARCH_SHARES = {"meant": 0.5, "beside": 0.25, "foreign": 0.25}
_RELATED_SHARES = {"meant": 0.5, "foreign": 0.5}
_FOREIGN_SPOKEN = 0.05  # of foreign paragraphs, at most
_OWN_SPOKEN = 0.6  # of paragraphs with a related note, at least
_FITTED_NOTES = ("obsidian-help-en", "dendron-site")
_PROSE_NOTES = "obsidian-help-en"  # the transformer is slow: measured on a small collection
_WITHOUT_GOAL = "words alone"

# name of a coefficient -> what of an evidence it multiplies
_FEATURES: Mapping[str, Callable[[Evidence], float]] = {
    "words": lambda e: e.words,
    "shared": lambda e: math.log1p(e.shared),
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
    samples, spoken = [], {}
    for name, of, features, embedders in (
        ("with vectors", SEARCH.vectors, ("words", "near", "defines"), static),
        (_WITHOUT_GOAL, SEARCH.words, ("words", "defines"), {}),
    ):
        cases = list(search_cases(scripts, work, embedders))
        halves = _halves(cases, set(sorted({case.collection for case in cases})[::2]))
        samples.append(Sample(f"search, {name}", of, features, _SEARCH_SHARES, *halves))
    for name, of, features, embedders in (
        ("with vectors", RELATED.vectors, ("words", "near"), static),
        (_WITHOUT_GOAL, RELATED.words, ("words", "shared"), {}),
    ):
        cases, spoken[name] = _related(scripts, work, embedders)
        cases = [case for case in cases if (case.evidence.near is None) == (not embedders)]
        samples.append(Sample(f"related, {name}", of, features, _RELATED_SHARES, *_halves(cases, set(_FITTED_NOTES))))
    prose = load_embedder(EmbedderSpec("packaged"), str(work / "models"))
    if prose is not None:
        name = "with vectors of prose as well"
        cases, spoken[name] = _related(scripts, work, {**static, "prose": prose}, _PROSE_NOTES)
        samples.append(Sample(f"related, {name}", RELATED.vectors, ("words", "near"), _RELATED_SHARES, (), cases))
    command = "python benchmarks/run.py --mirror DIR --scripts DIR calibration"
    write_result(out, "Calibration", command, _parts(samples, spoken), {})
    return all(_goal_met(made) for name, made in spoken.items() if name != _WITHOUT_GOAL)


def _related(
    scripts: Scripts, work: Path, embedders: Mapping[str, Embedder], only: str | None = None
) -> tuple[list[Case], list[Spoken]]:
    every = list(collections(scripts, work, prose="prose" in embedders))
    spoken: list[Spoken] = []
    asked = [one for one in every if only in (None, one.name)]
    cases = [c for one in asked for c in related_cases(one, [o for o in every if o != one], embedders, spoken)]
    return cases, spoken


def _halves(cases: Iterable[Case], fitted: set[str]) -> tuple[list[Case], list[Case]]:
    """Whole collections go to one half; of the Chinese ones, of which one alone has links, every other paragraph."""
    halves: tuple[list[Case], list[Case]] = ([], [])
    for case in cases:
        first = case.question % 2 == 0 if case.collection.endswith("-zh") else case.collection in fitted
        halves[0 if first else 1].append(case)
    return halves


def _goal_met(spoken: Iterable[Spoken]) -> bool:
    rates = _rates([s for s in spoken if s.with_vectors])
    return rates["own"] >= _OWN_SPOKEN and rates["foreign"] <= _FOREIGN_SPOKEN


def _rates(spoken: Sequence[Spoken]) -> dict[str, float]:
    own, foreign = ([s for s in spoken if s.own is which] for which in (True, False))
    share = {
        "own": [s.shown > 0 for s in own],
        "foreign": [s.shown > 0 for s in foreign],
        "linked": [s.linked for s in own],
    }
    return {name: float(np.mean(values)) if values else math.nan for name, values in share.items()}


def _parts(samples: Sequence[Sample], spoken: Mapping[str, Sequence[Spoken]]) -> Iterator[str]:
    yield (
        "Log odds are a sum: intercept, `words` × the share of rare-word weight matched, `shared` × log(1 + words in "
        "common), `near` × standard deviations of cosine above the background, `defines` where a queried name is "
        "defined. Each cell: fitted now on one half, and in the product."
    )
    yield table(("", "intercept", *_FEATURES, "cases fitted", "cases confirmed"), map(_coefficients, samples))
    yield (
        "The product's coefficients on the confirming half, at even odds (a constant 0.5 has a Brier score of 0.25), "
        "beside those fitted now on the other half, which never saw it. The product's for `related` are fitted on all:"
    )
    yield table(("", "Brier", "ECE", "Brier, fitted now", "ECE, fitted now"), map(_agreement, samples))
    yield "Predicted / observed, by tenths of what is predicted, on the same half:"
    tenths = [f"{n / 10:.1f}-{(n + 1) / 10:.1f}" for n in range(10)]
    yield table(("", *tenths), map(_reliability, samples))
    yield (
        f"The hover at its floor of {HOVER_FLOOR}. Goal: it speaks at {_OWN_SPOKEN:.0%} or more of the paragraphs that "
        f"had a link to another note, and at {_FOREIGN_SPOKEN:.0%} or fewer of foreign ones, which are of collections "
        "in the same language. *linked* is how often a note that had been linked is among those shown. The floor was "
        "chosen on all of these collections, after the one that the fitted half asked for (below) let too much through "
        "on the other half: no collection here is unseen by it. powershell-docs has the same pages for several "
        "versions, so a hover there always finds one."
    )
    yield table(
        ("", "collection", "speaks at own", "linked", "speaks at foreign", "paragraphs"),
        (row for name, made in spoken.items() for row in _hover(name, made)),
    )
    yield "The floor that would let one in twenty foreign paragraphs of the fitted half speak: " + ", ".join(
        f"{sample.name} {_floor(sample):.2f}"
        for sample in samples
        if "foreign" in sample.shares and sample.fitted and sample.name.startswith("related")
    )


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


def _hover(name: str, spoken: Sequence[Spoken]) -> Iterator[tuple[str, ...]]:
    for collection in [*dict.fromkeys(s.collection for s in spoken), "all"]:
        made = [s for s in spoken if collection in (s.collection, "all")]
        rates = _rates(made)
        cells = ("" if math.isnan(rates[which]) else f"{rates[which]:.3f}" for which in ("own", "linked", "foreign"))
        yield (name, collection, *cells, f"{len(made):,}")


def _floor(sample: Sample) -> float:
    """The confidence that the best note of one in twenty foreign paragraphs reaches."""
    best: dict[tuple[str, int], float] = {}
    for case in sample.fitted:
        if case.outcome == "foreign":
            key = (case.collection, case.question)
            best[key] = max(sample.now.odds(case.evidence), best.get(key, -math.inf))
    return float(logistic(np.quantile(np.array(list(best.values())), 1 - _FOREIGN_SPOKEN)))
