"""Logistic regression, and how well predicted chances agree with what is observed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
_BINS = 10
_RIDGE = 1e-9  # keeps the step defined where a column is constant


def fit(features: Array, happened: Array, weights: Array) -> Array:
    """Coefficients [1 + columns], the intercept first, by iteratively reweighted least squares."""
    rows = np.column_stack([np.ones(len(features)), features])
    found = np.zeros(rows.shape[1])
    for _ in range(100):
        chance = logistic(rows @ found)
        curvature = rows.T @ (rows * (weights * chance * (1 - chance))[:, None]) + _RIDGE * np.eye(len(found))
        step = np.linalg.solve(curvature, rows.T @ (weights * (happened - chance)))
        found += step
        if np.abs(step).max() < 1e-9:
            break
    return found


def logistic(odds: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30)))


@dataclass(frozen=True)
class Bin:
    predicted: float
    observed: float
    weight: float  # share of all


def bins(chance: Array, happened: Array, weights: Array) -> Iterator[Bin]:
    """Ten of equal width, empty ones left out."""
    place = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    for number in range(_BINS):
        inside = place == number
        weight = weights[inside].sum()
        if weight:
            predicted, observed = (np.average(values[inside], weights=weights[inside]) for values in (chance, happened))
            yield Bin(float(predicted), float(observed), float(weight / weights.sum()))


def brier(chance: Array, happened: Array, weights: Array) -> float:
    """Mean squared error; 0.25 is what a constant 0.5 has at even odds."""
    return float(np.average((chance - happened) ** 2, weights=weights))


def calibration_error(chance: Array, happened: Array, weights: Array) -> float:
    """ECE: the mean distance of predicted and observed over the bins."""
    return sum(b.weight * abs(b.predicted - b.observed) for b in bins(chance, happened, weights))
