"""Bags of rows: a text as the sum of its units' rows, and the loss by which the rows are fitted.

Written out in NumPy and SciPy, gradients and all: a sum of rows is linear, so there is little to differentiate, and
the result is the same wherever it runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float32]


def counted(bags: Sequence[Sequence[int]], rows: int) -> sparse.csr_matrix:
    """float32[len(bags), rows]: how often each bag has each row."""
    ends = np.cumsum([0, *map(len, bags)])
    ids = np.fromiter((unit for bag in bags for unit in bag), np.int64, int(ends[-1]))
    matrix = sparse.csr_matrix((np.ones(len(ids), np.float32), ids, ends), (len(bags), rows))
    matrix.sum_duplicates()
    return matrix


def unit(vectors: Array) -> tuple[Array, Array]:
    """Rows at length 1 (a zero row stays zero), and their lengths as float32[n, 1]."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(length, 1e-9), length


def through_unit(gradient: Array, directions: Array, length: Array) -> Array:
    """The gradient by vectors, of a loss whose gradient by their directions is known."""
    along = (gradient * directions).sum(1, keepdims=True)
    return (gradient - along * directions) / np.maximum(length, 1e-3)


def contrast(ours: Array, theirs: Array, temperature: float) -> tuple[float, Array, Array]:
    """In-batch softmax both ways over pairs of unit vectors: the mean loss, and its gradients by either side."""
    logits = ours @ theirs.T / temperature
    count = len(ours)
    errors = np.zeros_like(logits)
    loss = 0.0
    for axis in (1, 0):
        shifted = np.exp(logits - logits.max(axis=axis, keepdims=True))
        share = shifted / shifted.sum(axis=axis, keepdims=True)
        loss -= float(np.log(np.maximum(np.diagonal(share), 1e-12)).mean()) / 2
        errors += share
    errors[np.arange(count), np.arange(count)] -= 2
    errors /= 2 * count * temperature
    return loss, errors @ theirs, errors.T @ ours


class Adam:
    """Kingma and Ba 2015, on one array, in place. Rows without a gradient are left where they are."""

    def __init__(self, weights: Array) -> None:
        self._weights = weights
        self._first, self._second = np.zeros_like(weights), np.zeros_like(weights)
        self._steps = 0

    def step(self, rows: NDArray[np.int64], gradient: Array, rate: float) -> None:
        """Move `rows` against their gradient, float32[len(rows), dimensions]."""
        self._steps += 1
        first = 0.9 * self._first[rows] + 0.1 * gradient
        second = 0.999 * self._second[rows] + 0.001 * gradient**2
        self._first[rows], self._second[rows] = first, second
        step = rate * (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
        self._weights[rows] -= step * first / (np.sqrt(second) + 1e-8)
