"""Names that are told by their form: words that are no English ones, nor made of any ("vexquil")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_WORD = re.compile(r"[A-Za-z]{3,}")
_PREFIX = re.compile(r"(?:un|re|de|dis|mis|non|pre|sub|co|over|under|auto|multi|inter|super|anti)(?=[a-z]{3})")
_ENDING = re.compile(
    r"(?:e|s|es|ed|d|ing|er|ers|or|ors|ly|able|ible|ation|ations|i[sz]e|i[sz]es|i[sz]ed|i[sz]ing|i[sz]ation|ness|less|ful|al|y|ity)$"
)
_FORMS = ("", "e", "y", "ed", "ing", "ion", "er", "s")
_PART = 3  # letters of either part of a compound, of which one has more: "vex" and "qui" make no English word

IsWord = Callable[[str], bool]  # whether a word in small letters is one that English is written with


def coined(text: str, is_word: IsWord) -> list[str]:
    """The words of a text that are names by their form, in its order."""
    return [word for word in _WORD.findall(text) if not _is_english(word.lower(), is_word)]


def _is_english(word: str, is_word: IsWord) -> bool:
    if any(map(is_word, _stems(word))):
        return True
    prefix = _PREFIX.match(word)
    if prefix is not None and any(map(is_word, _stems(word[prefix.end() :]))):
        return True
    return any(
        is_word(word[:at]) and any(map(is_word, _stems(word[at:])))
        for at in range(_PART, len(word) - _PART + 1)
        if len(word) > 2 * _PART
    )


def _stems(word: str) -> Iterator[str]:
    """A word, and what it may be a form of, or what may be a form of it: "handled" and "handle"."""
    yield word
    for at in (*range(_PART, len(word)), len(word)):
        if at == len(word) or _ENDING.match(word, at):
            stem = word[:at]
            yield from (stem + ending for ending in _FORMS)
            if stem[-1] == stem[-2]:
                yield stem[:-1]
            if stem.endswith("i"):
                yield f"{stem[:-1]}y"
