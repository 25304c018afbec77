"""Rows for Han characters and pairs of neighbours, fitted into the space that the word pieces have.

A Chinese text is the sum of the rows of its characters, of its pairs of neighbours and, where it has Latin words, of
their pieces, which stay as they are. The rows are fitted so that it lies where its English translation lies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add

import numpy as np
from bags import Adam, Array, contrast, counted, through_unit, unit
from numpy.typing import NDArray
from scipy import sparse

from postil_indexers.han import simplify

_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002a6df]+")
_LEAST_TEXTS = 3  # in which a character is to stand
_LEAST_PAIR = 8  # in which a pair of neighbours is to stand: rarer ones are learned by heart
_MOST_ROWS = 40_000


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to fit."""

    epochs: int = 4
    batch: int = 1024
    rate: float = 4e-3
    temperature: float = 0.05
    anchor: float = 1.0  # weight of the cosine to the translation itself, beside the contrast with others
    within: float = 0.5  # weight of the pairs within Chinese
    latin_dropped: float = 0.5  # share of texts that are read without their Latin words, which would say it all


def units(text: str) -> list[str]:
    """Characters and pairs of neighbours of each run of Han characters, simplified."""
    found: list[str] = []
    for run in _RUN.findall(simplify(text)):
        found += run
        found += map(add, run, run[1:])
    return found


def vocabulary(texts: Sequence[str]) -> list[str]:
    """The units worth a row, the most frequent first."""
    seen = Counter(each for text in texts for each in set(units(text)))
    kept = [
        each for each, texts_with in seen.items() if texts_with >= (_LEAST_TEXTS if len(each) == 1 else _LEAST_PAIR)
    ]
    return sorted(kept, key=lambda each: (-seen[each], each))[:_MOST_ROWS]


def without_han(text: str) -> str:
    return _RUN.sub(" ", text)


def bags(texts: Sequence[str], known: Sequence[str]) -> sparse.csr_matrix:
    """How often each text has each known unit."""
    index = {each: number for number, each in enumerate(known)}
    return counted([[index[each] for each in units(text) if each in index] for text in texts], len(known))


@dataclass(frozen=True)
class Lessons:
    """What the rows are fitted to: texts by number, and pairs of these numbers."""

    chinese: Sequence[str]
    latin: Array  # the sums of the rows of each text's Latin pieces
    english: Array  # unit vectors of the translations of the first len(english) texts
    alike: NDArray[np.int64]  # [n, 2]: two texts of one page, or a heading and what stands below it


def fit(known: Sequence[str], lessons: Lessons, plan: Schedule) -> Array:
    """float32[len(known), dimensions]: a row a unit."""
    counts = bags(lessons.chinese, known)
    translated = len(lessons.english)
    batch = min(plan.batch, translated)
    rows = start(counts[:translated], lessons.english)
    fitting = _Fitting(rows, Adam(rows), counts, lessons, plan, np.random.default_rng(0))
    steps = translated // batch
    for epoch in range(plan.epochs):
        order = fitting.chance.permutation(translated)
        losses = []
        for number in range(steps):
            rate = plan.rate * (1 - (epoch * steps + number) / (plan.epochs * steps)) + 1e-5
            across = fitting.translate(order[number * batch : (number + 1) * batch], rate)
            size = min(batch // 2, len(lessons.alike))
            within = fitting.liken(fitting.chance.choice(len(lessons.alike), size, replace=False), rate)
            losses.append((across, within))
        across, within = np.mean(losses, axis=0)
        print(f"  epoch {epoch + 1}: loss {across:.4f} across languages, {within:.4f} within Chinese", flush=True)
    return rows


@dataclass(frozen=True)
class _Fitting:
    rows: Array
    adam: Adam
    bags: sparse.csr_matrix
    lessons: Lessons
    plan: Schedule
    chance: np.random.Generator

    def translate(self, chosen: NDArray[np.int64], rate: float) -> float:
        """A step that brings texts to their translations, which stay where they are."""
        english, plan = self.lessons.english[chosen], self.plan
        ours, length = self._vectors(chosen)
        loss, gradient, _ = contrast(ours, english, plan.temperature)
        self._step(chosen, through_unit(gradient - plan.anchor * english / len(english), ours, length), rate)
        return loss

    def liken(self, chosen: NDArray[np.int64], rate: float) -> float:
        """A step that brings together the two texts of pairs within Chinese."""
        first, second = self.lessons.alike[chosen].T
        ours, length = self._vectors(first)
        theirs, their_length = self._vectors(second)
        loss, gradient, their_gradient = contrast(ours, theirs, self.plan.temperature)
        parts = through_unit(gradient, ours, length), through_unit(their_gradient, theirs, their_length)
        self._step(np.concatenate((first, second)), self.plan.within * np.concatenate(parts), rate)
        return loss

    def _vectors(self, chosen: NDArray[np.int64]) -> tuple[Array, Array]:
        kept = (self.chance.random(len(chosen)) >= self.plan.latin_dropped).astype(np.float32)[:, None]
        return unit(np.asarray(self.bags[chosen] @ self.rows) + self.lessons.latin[chosen] * kept)

    def _step(self, chosen: NDArray[np.int64], gradient: Array, rate: float) -> None:
        bags = self.bags[chosen]
        used = np.unique(bags.indices)
        self.adam.step(used, np.asarray(bags[:, used].T @ gradient, np.float32), rate)


def start(bags: sparse.csr_matrix, english: Array) -> Array:
    """Where each unit begins: how far the translations of the texts that have it lie from the mean of all."""
    has = bags.copy()
    has.data[:] = 1
    per_text = np.maximum(has.sum(axis=1), 1)
    share = sparse.csr_matrix(has.multiply(1 / per_text))  # a word of a title says more than one of a long section
    total = np.asarray(share.sum(axis=0)).ravel()[:, None]
    away = np.asarray(share.T @ (english - english.mean(axis=0)))
    return (away / (total + 1.0)).astype(np.float32)
