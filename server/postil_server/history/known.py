"""What a repository's history knows, as far as a question's words may name it: people, paths, releases."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

_HAN = re.compile("[\u3400-\u9fff]")
_SHORT = 2  # letters: of "Al" and "Bo" a sentence has too many
_FAMILY = 1  # characters of a Chinese family name; the few of two are found by the whole name


class Person(NamedTuple):
    name: str
    email: str

    def called(self) -> list[str]:
        """What people are called in a sentence: the whole name, the first and the last, of Chinese ones the given."""
        name = self.name.strip()
        parts = name.split()
        if len(parts) > 1:
            return [name, *(part for part in (parts[0], parts[-1]) if len(part) > _SHORT)]
        if not name.isascii() and len(name) > _FAMILY + 1 and _HAN.search(name):
            return [name, name[_FAMILY:]]
        return [name] if len(name) > 1 else []


def _nothing() -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Known:
    people: Sequence[Person] = ()
    releases: Sequence[str] = ()  # the oldest first
    paths: Callable[[], Sequence[str]] = field(default=_nothing)  # asked for only where a word may be a path

    def names(self, words: Set[str]) -> dict[str, set[str]]:
        """What somebody is called, case-folded -> as it is written, for all whose name has one of some words in it.

        `words`: case-folded. People with names that are not in ASCII are always among them.
        """
        found: dict[str, set[str]] = {}
        for person in self.people:
            if person.name.isascii() and words.isdisjoint(person.name.casefold().split()):
                continue
            for word in person.called():
                found.setdefault(word.casefold(), set()).add(word)
        return found


def matching_path(word: str, paths: Sequence[str]) -> str | None:
    """The pattern of `file:` that a word of a sentence stands for: a file, a folder, or a module by its stem."""
    wanted = word.strip("/").casefold()
    if not wanted:
        return None
    folded = [path.casefold() for path in paths]
    if "/" in wanted or "." in wanted:
        if wanted in folded or any(path.startswith(wanted + "/") for path in folded):
            return word.strip("/")
        if any(path.endswith("/" + wanted) for path in folded):
            return f"**/{word.strip('/')}"
    for stem in dict.fromkeys((wanted, wanted.removesuffix("s"), wanted + "s")):
        if any(f"/{stem}/" in f"/{path}" for path in folded):
            return f"**/{stem}/**"
        if any(path.rsplit("/", 1)[-1].split(".")[0] == stem for path in folded):
            return f"**/{stem}.*"
    return None
