"""Names to look in by a few letters: thousands in a millisecond, because all are one string."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import Generic, TypeVar

from postil_indexers.links import name_key

T = TypeVar("T")

_FEW = 50  # names that hold the letters together: below that, those that hold them apart are wanted too
_SHORTEST_APART = 3  # letters; fewer stand apart in half of all names
_LONGEST_APART = 64  # letters; nobody types more of a name, and each is a step of a pattern to compile
_ENOUGH = 300  # names that match in the best ways; those that match worse are not looked for then
_LOOKED_AT = 1_000  # names of one kind of match; ranking more would cost more than it finds

EXACT, PREFIX, WORD, PART, APART = range(5)  # how a name matches, best first


class Names(Generic[T]):
    """Entries by their names, folded. A name has parts, each of which may be meant: `Client.fetch`, `work/postil`."""

    def __init__(self, entries: Sequence[T], name: Callable[[T], str]) -> None:
        self.entries = entries
        keys = [name_key(name(entry)).replace("\n", " ") for entry in entries]
        self._text = "\n" + "\n".join(keys) + "\n"
        self._exactly: dict[str, list[int]] | None = None  # made when it is first asked for
        self._starts = list(accumulate((len(key) + 1 for key in keys), initial=1))

    def find(self, query: str) -> list[tuple[int, int, T]]:
        """(how it matches, length of the name, entry) of those that hold a query's words, or else its letters in order;
        unordered, and of many not all."""
        words = name_key(query).split()
        if not words or not self.entries:
            return []
        longest = max(words, key=len)
        others = [word for word in words if word != longest]
        whole = " ".join(words)
        found = self._holding(whole)
        if others:
            for at in self._holding(longest):
                if all(self._text.find(word, self._starts[at], self._starts[at + 1]) >= 0 for word in others):
                    found.setdefault(at, PART)
        if len(found) < _FEW and _SHORTEST_APART <= len(whole) <= _LONGEST_APART:
            for at in self._with_letters("".join(words)):
                found.setdefault(at, APART)
        return [(how, self._starts[at + 1] - self._starts[at], self.entries[at]) for at, how in found.items()]

    def called(self, name: str) -> list[T]:
        """Those with just this name."""
        if self._exactly is None:
            self._exactly = {}
            for at, key in enumerate(self._text[1:-1].split("\n")):
                self._exactly.setdefault(key, []).append(at)
        return [self.entries[at] for at in self._exactly.get(name_key(name), ())] if self.entries else []

    def _holding(self, word: str) -> dict[int, int]:
        """Names that hold it, with how; of so many that nobody would read on, those that match best."""
        found: dict[int, int] = {}
        for how, wanted in (
            (EXACT, f"\n{word}\n"),
            (EXACT, f".{word}\n"),
            (PREFIX, f"\n{word}"),
            (WORD, f".{word}"),
            (WORD, f" {word}"),
            (WORD, f"/{word}"),
            (WORD, f"_{word}"),
            (PART, word),
        ):
            if len(found) >= _ENOUGH:
                break
            for at in islice(self._at(wanted), _LOOKED_AT):
                found.setdefault(at, how)
        return found

    def _at(self, wanted: str) -> Iterator[int]:
        place = self._text.find(wanted)
        while place >= 0:
            at = bisect_right(self._starts, place + (wanted[0] == "\n")) - 1
            yield at
            place = self._text.find(wanted, self._starts[at + 1] - 1)

    def _with_letters(self, letters: str) -> Iterator[int]:
        # possessive: each step runs to the next letter or to the end of the name, and never back
        steps = (f"{re.escape(a)}[^\n{re.escape(b)}]*+" for a, b in pairwise(letters))
        pattern = re.compile("".join(steps) + re.escape(letters[-1]))
        seen = -1
        for found in islice(pattern.finditer(self._text), _LOOKED_AT):
            at = bisect_right(self._starts, found.start()) - 1
            if at != seen:
                yield at
            seen = at
