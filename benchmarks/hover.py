"""The hover's main job: to bring what a line was linked with, and to be silent at what is of other notes.

Coefficients are fitted and floors chosen on half of the collections and confirmed on the others. Writes a page and the
curve of what a floor costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from calibration_cases import Scripts
from hover_cases import Asked, Collection, asked, collections
from logistic import Array, fit
from measuring import Postil, table, write_result
from svgplot import Axes, Curve, write_plot

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
from postil_indexers.embedding.static import load_static
from postil_server.beside import MOST, SHOWN, SPEAKS
from postil_server.confidence import RELATED, Coefficients, confidence
from postil_server.types import Evidence

_SPEAKS_GOAL, _SILENT_GOAL = 0.60, 0.90
_CHOSEN_SILENT = 0.93  # of the fitted half: what others are silent on is less sure than what was looked at
_FITTED = ("obsidian-help-en", "dendron-site")  # and every other paragraph of the Chinese ones
_WITH_PROSE = ("obsidian-help-en", "zettelkasten", "dendron-site")  # the transformer takes hours for the others
_FLOORS = tuple(round(0.05 * step, 2) for step in range(1, 20))
_ROUNDS = 6  # of fitting: which note is the best depends on the coefficients

_FEATURES: Mapping[str, Callable[[Evidence], float]] = {
    "words": lambda e: e.words,
    "shared": lambda e: math.log1p(e.shared),
    "near": lambda e: e.near or 0.0,
    "meaning": lambda e: e.meaning or 0.0,
    "runs": lambda e: math.log1p(e.runs or 0),
}
_KINDS: Mapping[str, tuple[Coefficients | None, tuple[str, ...]]] = {
    "meaning": (RELATED.meaning, ("words", "near", "meaning")),
    "vectors": (RELATED.vectors, ("words", "near")),
    "words": (RELATED.words, ("words", "shared")),
    "unspaced": (RELATED.unspaced, ("shared", "runs")),
}


def run(mirror: Path, work: Path, out: Path, scripts_folder: Path) -> bool:
    scripts, work = Scripts(scripts_folder, mirror), work / "hover"
    work.mkdir(parents=True, exist_ok=True)
    every = collections(scripts, work)
    asked_of = [one for one in every if one.cut]
    static: dict[str, Embedder] = {"static": load_static()}
    prose = load_embedder(EmbedderSpec("packaged"), str(work / "models"))
    as_installed = [
        each
        for one in asked_of
        for each in _asked(
            one, every, work, {**static, "prose": prose} if prose and one.name in _WITH_PROSE else static
        )
    ]
    english = [one for one in asked_of if not one.chinese]
    samples = {
        "as installed": as_installed,
        "static vectors alone": [each for one in english for each in _asked(one, every, work, static)],
        "words alone": [each for one in english for each in _asked(one, every, work, {})],
    }
    write_plot(out / "hover.svg", _axes(), _curves(as_installed))
    command = "python benchmarks/run.py --mirror DIR --scripts DIR hover"
    write_result(out, "Hover", command, _parts(samples), {})
    rates = _rates(as_installed, SPEAKS)
    return rates["speaks"] >= _SPEAKS_GOAL and rates["silent"] >= _SILENT_GOAL


def _asked(
    one: Collection, every: Sequence[Collection], work: Path, embedders: Mapping[str, Embedder]
) -> Iterator[Asked]:
    return asked(one, [other for other in every if other != one], Postil(work, prose="prose" in embedders), embedders)


def _is_fitted(each: Asked) -> bool:
    return each.number % 2 == 0 if each.collection.endswith("-zh") else each.collection in _FITTED


def _shown(each: Asked, floor: float) -> list[str]:
    sure = [(confidence(evidence, RELATED), path) for path, evidence in each.found]
    if max((chance for chance, _ in sure), default=0.0) < floor:
        return []
    return [path for chance, path in sure if chance >= min(SHOWN, floor)][:MOST]


def _rates(sample: Iterable[Asked], floor: float) -> dict[str, float]:
    """Means over collections, so that none counts for more than another."""
    by_collection: dict[str, list[Asked]] = {}
    for each in sample:
        by_collection.setdefault(each.collection, []).append(each)
    rates: dict[str, list[float]] = {}
    for made in by_collection.values():
        shown = [(each, _shown(each, floor)) for each in made]
        for name, kind, holds in (
            ("speaks", "cut", lambda each, paths: bool(paths)),
            ("first", "cut", lambda each, paths: each.target in paths[:3]),
            ("silent", "foreign", lambda each, paths: not paths),
            ("alike", "alike", lambda each, paths: not paths),
        ):
            values = [holds(each, paths) for each, paths in shown if each.kind == kind]
            if values:
                rates.setdefault(name, []).append(float(np.mean(values)))
    return {name: float(np.mean(values)) for name, values in rates.items()}


def _best(sample: Iterable[Asked], kind: str, odds: Callable[[Evidence], float]) -> Iterator[tuple[bool, Evidence]]:
    """(whether a link was cut there, the evidence of its surest note) of each paragraph of a kind of evidence."""
    wanted = _KINDS[kind][0]
    for each in sample:
        found = [evidence for _, evidence in each.found if RELATED.coefficients(evidence) is wanted]
        if found:
            yield each.kind == "cut", max(found, key=odds)


def _refitted(sample: Sequence[Asked], kind: str) -> Array:
    now, features = _KINDS[kind]
    assert now is not None
    found: Array = np.array([now.intercept, *(getattr(now, name) for name in features)])

    def odds(evidence: Evidence) -> float:
        return float(found[0] + sum(c * _FEATURES[n](evidence) for c, n in zip(found[1:], features, strict=True)))

    for _ in range(_ROUNDS):
        best = list(_best(sample, kind, odds))
        meant = np.array([own for own, _ in best], float)
        if not 0 < meant.sum() < len(meant):
            return found
        weights = np.where(meant > 0, 0.5 / meant.sum(), 0.5 / (len(meant) - meant.sum()))
        found = fit(np.array([[_FEATURES[n](evidence) for n in features] for _, evidence in best]), meant, weights)
    return found


def _parts(samples: Mapping[str, Sequence[Asked]]) -> Iterator[str]:
    yield (
        "Links, with their text, were cut out of public notes. *speaks*: of the lines where one was cut, how many "
        "the hover shows notes at; *first three*: how many bring what the link led to; *silent*: of paragraphs of "
        "the other collections, how many it shows nothing at. The Chinese collection is also asked paragraphs of "
        "another Chinese one, *silent, alike*. powershell-docs has the same pages for several versions, so a "
        f"hover there always finds one. Goal: speaks at {_SPEAKS_GOAL:.0%}, silent at {_SILENT_GOAL:.0%}."
    )
    header = ("", "collection", "speaks", "first three", "silent", "silent, alike", "paragraphs")
    yield table(header, (row for name, sample in samples.items() for row in _by_collection(name, sample)))
    installed = samples["as installed"]
    fitted = [each for each in installed if _is_fitted(each)]
    confirmed = [each for each in installed if not _is_fitted(each)]
    chosen = next((f for f in _FLOORS if _rates(fitted, f)["silent"] >= _CHOSEN_SILENT), _FLOORS[-1])
    yield (
        f"A hover speaks where its surest note has a confidence of {SPEAKS}; beside it stand those of {SHOWN} or more. "
        f"On the fitted half ({', '.join(_FITTED)}, every other Chinese paragraph) {chosen} is the first floor which "
        f"{_CHOSEN_SILENT:.0%} of the foreign paragraphs stay below. By floor, *fitted half / the others*:"
    )
    yield "![what a floor costs](hover.svg)"
    yield table(("floor", "speaks", "first three", "silent"), (_at_floor(fitted, confirmed, f) for f in _FLOORS))
    yield (
        "The log odds are a sum: an intercept, `words` × the share of rare-word weight matched, `shared` × log(1 "
        "+ words in common), `near` × standard deviations of cosine above the background, `meaning` × cosine by "
        "the packaged transformer, `runs` × log(1 + what shared runs of an unspaced script have beyond pairs). "
        "Each cell: fitted now on the half, and in the product, which is fitted on all:"
    )
    every = [each for sample in samples.values() for each in sample]
    yield table(("evidence", "intercept", *_FEATURES), (_coefficients(every, kind) for kind in _KINDS))


def _by_collection(name: str, sample: Sequence[Asked]) -> Iterator[tuple[str, ...]]:
    for collection in [*dict.fromkeys(each.collection for each in sample), "mean"]:
        made = [each for each in sample if collection in (each.collection, "mean")]
        rates = _rates(made, SPEAKS)
        cells = (f"{rates[key]:.3f}" if key in rates else "" for key in ("speaks", "first", "silent", "alike"))
        yield (name, collection, *cells, f"{len(made):,}")


def _at_floor(fitted: Sequence[Asked], confirmed: Sequence[Asked], floor: float) -> tuple[str, ...]:
    one, other = _rates(fitted, floor), _rates(confirmed, floor)
    return (f"{floor:.2f}", *(f"{one[key]:.3f} / {other[key]:.3f}" for key in ("speaks", "first", "silent")))


def _coefficients(sample: Sequence[Asked], kind: str) -> tuple[str, ...]:
    now, features = _KINDS[kind]
    assert now is not None
    found = dict(zip(("intercept", *features), _refitted([e for e in sample if _is_fitted(e)], kind), strict=True))
    return (kind, *(f"{found[n]:.2f}, {getattr(now, n):.2f}" if n in found else "" for n in ("intercept", *_FEATURES)))


def _axes() -> Axes:
    return Axes(
        title="What a floor costs: each point is one",
        x="silent on paragraphs of other collections",
        y="share of lines where a link was cut",
        x_range=(0.75, 1.0),
        y_range=(0.0, 1.0),
        x_goal=_SILENT_GOAL,
        y_goal=_SPEAKS_GOAL,
    )


def _curves(sample: Sequence[Asked]) -> list[Curve]:
    curves = []
    for half, dashed in ((True, True), (False, False)):
        made = [each for each in sample if _is_fitted(each) is half]
        by_floor = [_rates(made, floor) for floor in _FLOORS]
        now = _rates(made, SPEAKS)
        for colour, (key, said) in enumerate(
            (("speaks", "speaks"), ("first", "brings what was linked, in the first three"))
        ):
            name = f"{said} ({'fitted half' if half else 'the other collections'})"
            points = [(rates["silent"], rates[key]) for rates in by_floor]
            curves.append(Curve(name, points, (now["silent"], now[key]), dashed, colour))
    return curves
