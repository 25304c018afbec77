"""A made-up tree of any size: notes and code in words that are as unevenly frequent as real ones.

Words follow Zipf's law over a vocabulary of 60,000, and every function, class and heading has a name of its own, so
that queries have rare words, common words and names to find. The same seed gives the same tree.
"""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

_VOCABULARY = 60_000
_COMMON = 1_000  # words, the most frequent ones, that are not rare
_DRAWN = 1_000_000  # words drawn once; texts are runs of them, which is 20 times as fast as drawing each
_SECTIONS = 40  # a note
_METHODS = 40  # a file of code
_ONSETS = ("b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "br", "dr", "gr", "pl", "st")
_SYLLABLES = [onset + vowel for onset in _ONSETS for vowel in "aeiou"]
_ENDS = ["", "n", "r", "s", "t", "l", "nd", "ng", "tion", "ment", "er", "ing"]


class Words:
    """Draws words by Zipf's law (exponent 1)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        words: dict[str, None] = {}
        while len(words) < _VOCABULARY:
            syllables = self.random.choices(_SYLLABLES, k=self.random.choice((1, 2, 2, 3)))
            words["".join(syllables) + self.random.choice(_ENDS)] = None
        self._words = list(words)
        weights = list(itertools.accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))
        self._drawn = self.random.choices(self._words, cum_weights=weights, k=_DRAWN)

    def draw(self, count: int) -> list[str]:
        start = self.random.randrange(_DRAWN - count)
        return self._drawn[start : start + count]

    def rare(self) -> str:
        return self._words[self.random.randrange(_COMMON, _VOCABULARY)]


def make_tree(root: Path, chunks: int, seed: int = 1) -> Path:
    """About `chunks` passages in files below `root`, four in ten of them notes."""
    if root.is_dir():
        return root
    part = root.with_name(root.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    words = Words(seed)
    made, number = 0, 0
    while made < chunks:
        folder = part / f"area{number // 2_000}" / f"topic{number // 50 % 40}"
        folder.mkdir(parents=True, exist_ok=True)
        if number % 5 < 2:
            (folder / f"note{number}.md").write_text(_note(words, number), encoding="utf-8")
            made += _SECTIONS
        else:
            (folder / f"module{number}.py").write_text(_module(words, number), encoding="utf-8")
            made += _METHODS
        number += 1
    part.rename(root)
    return root


def queries(seed: int, count: int) -> Iterator[str]:
    """What is asked of such a tree: words, a question, a name, in turn."""
    words = Words(seed)
    for number in range(count):
        common, rare = words.draw(3), [words.rare(), words.rare()]
        if number % 3 == 0:
            yield " ".join([*rare, *common])
        elif number % 3 == 1:
            yield f"how does the {rare[0]} {common[0]} handle {common[1]} {rare[1]} when {common[2]} fails"
        else:
            yield f"{words.rare()}_{words.rare()}"


def _note(words: Words, number: int) -> str:
    parts = [f"# {' '.join(words.draw(3)).capitalize()} {number}\n"]
    for _ in range(_SECTIONS):
        sentences = (" ".join(words.draw(12)).capitalize() + "." for _ in range(3))
        parts.append(f"\n## {words.rare().capitalize()} {' '.join(words.draw(2))}\n\n{' '.join(sentences)}\n")
    return "".join(parts)


def _module(words: Words, number: int) -> str:
    parts = [f'"""{" ".join(words.draw(8)).capitalize()}."""\n\n\nclass {words.rare().capitalize()}{number}:\n']
    for _ in range(_METHODS):
        name, (a, b, c, d) = f"{words.rare()}_{words.rare()}", words.draw(4)
        parts.append(
            f'    def {name}(self, {a}_value, {b}_count=0):\n        """{" ".join(words.draw(9)).capitalize()}."""\n'
            f"        {c} = self.{words.rare()}_{d}({a}_value)\n"
            f"        for {d}_item in {c}.{words.rare()}:\n"
            f"            if {d}_item is None:  # {' '.join(words.draw(6))}\n"
            f'                raise ValueError("{" ".join(words.draw(5))}")\n'
            f"            {b}_count += {d}_item.{words.rare()}({c}, {words.random.randrange(1000)})\n"
            f"        return {c}, {b}_count\n\n"
        )
    return "".join(parts)
