"""Texts longer than a model's window: cut at word boundaries into parts of equal size, whose vectors are averaged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Encoding

from postil_indexers.embedding.base import Vectors, unit

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that a model can read whole."""

    owner: int  # index of its text
    text: str
    weight: int  # its size: tokens, or characters where the model's tokens are not known


def token_windows(owner: int, text: str, encoding: Encoding, limit: int) -> list[Window]:
    """The windows of at most `limit` tokens of one tokenised text; a word longer than a window is cut inside."""
    tokens = sorted(
        (start, end, word)
        for part in (encoding, *encoding.overflowing)  # what the tokenizer's own limit cut off
        for (start, end), word, special in zip(part.offsets, part.word_ids, part.special_tokens_mask, strict=True)
        if not special
    )
    if len(tokens) <= limit:
        return [Window(owner, text, max(1, len(tokens)))]
    windows, first = [], 0
    while first < len(tokens):
        left = len(tokens) - first
        # windows of equal size: beside full ones, a stump of a few words would have too much say
        last = first + -(-left // -(-left // limit))
        while first + 1 < last < len(tokens) and tokens[last][2] == tokens[last - 1][2]:
            last -= 1
        if last == first + 1 and left > 1 and tokens[first][2] == tokens[last][2]:
            last = first + min(limit, left)
        windows.append(Window(owner, text[tokens[first][0] : tokens[last - 1][1]], last - first))
        first = last
    return windows


def halves(text: str) -> tuple[str, str]:
    """A text of two characters or more, cut at the white space nearest to its middle, or there where it has none."""
    middle = len(text) // 2
    gaps = [match.start() for match in _SPACE.finditer(text) if match.start() > 0 and match.end() < len(text)]
    cut = min(gaps, key=lambda gap: abs(gap - middle), default=middle)
    return text[:cut], text[cut:]


def averaged(windows: Sequence[Window], vectors: Vectors, count: int) -> Vectors:
    """float32[count, dimensions]: for each text the mean of its windows' unit vectors, weighted by size, length 1."""
    sums = np.zeros((count, vectors.shape[1]), np.float32)
    weights = np.array([window.weight for window in windows], np.float32)
    np.add.at(sums, [window.owner for window in windows], vectors * weights[:, None])
    return unit(sums)
