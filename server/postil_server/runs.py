"""Runs of unspaced text that two texts share. A shared pair of Han characters is often chance, cut across two words; a
longer run is a word or a term."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from postil_indexers.han import UNSPACED, simplify

_RUN = re.compile(f"[{UNSPACED}]+")
_LEAST = 3  # characters: two is what any two texts share


def shared_runs(passage: str, text: str) -> set[str]:
    """The longest runs of three characters or more of a passage that a text has as well, simplified."""
    whole = simplify(text)
    return {found for run in _RUN.findall(simplify(passage)) for found in _longest(run, whole)}


def are_unspaced(terms: Collection[str]) -> bool:
    """Whether most of these terms are of a script without spaces between words."""
    return 2 * sum(_RUN.match(term) is not None for term in terms) > len(terms)


def characters_beyond_pairs(passage: str, text: str) -> int:
    """What shared runs have beyond two characters each, together: how much more than chance two texts share."""
    return sum(len(run) - _LEAST + 1 for run in shared_runs(passage, text))


def _longest(run: str, text: str) -> Iterator[str]:
    at = 0
    while at <= len(run) - _LEAST:
        end = at + _LEAST
        if run[at:end] not in text:
            at += 1
            continue
        while end < len(run) and run[at : end + 1] in text:
            end += 1
        yield run[at:end]
        at = end - 1  # the next may begin with the last character of this one
