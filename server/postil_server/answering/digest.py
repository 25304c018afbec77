"""A summary before it is words: its core point, key points and open questions, each with the place that says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from postil_server.answering.draft import Aside
from postil_server.answering.extractive import extract_label
from postil_server.answering.safetext import clean, literal
from postil_server.types import Source

_TITLES = {
    "core": ("Core point", "核心"),
    "keys": ("Key points", "要点"),
    "open": ("Open questions", "未决问题"),
}


@dataclass(frozen=True, slots=True)
class Point:
    """What a source says, as it stands there. `about`: what it is said of, where the sentence does not tell."""

    text: str  # safe to be written: clean, with its brackets marked
    source: Source  # not numbered yet
    about: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Key points about one thing. `title`: "" where there is only one group."""

    points: tuple[Point, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    title: str  # what is summarised
    core: tuple[Point, ...]
    groups: tuple[Group, ...]
    open: tuple[Point, ...] = ()
    note: str = ""  # what it covers, and what it leaves out
    chinese: bool = False
    whole: tuple[Source, ...] = ()  # all that is summarised, in its order; not numbered yet

    @property
    def sections(self) -> tuple[Source, ...]:
        """All that is summarised, numbered, for whoever reads it all."""
        return tuple(replace(source, number=number) for number, source in enumerate(self.whole, 1))

    @property
    def sources(self) -> tuple[Source, ...]:
        """All that it draws on, numbered in the order in which they come."""
        points = [*self.core, *(point for group in self.groups for point in group.points), *self.open]
        distinct = dict.fromkeys(point.source for point in points)
        return tuple(replace(source, number=number) for number, source in enumerate(distinct, 1))

    def pieces(self, reason: str = "") -> Iterator[str]:
        """Its text, a claim a line; headings and labels claim nothing. `reason`: why a model did not write it."""
        numbers = {replace(source, number=0): source.number for source in self.sources}
        yield Aside(extract_label(reason, self.chinese) + "\n")
        if self.note:
            yield Aside(f"\n{literal(clean(self.note))}\n")
        yield from self._part("core", self.core, numbers)
        if any(group.points for group in self.groups):
            yield Aside(f"\n**{_TITLES['keys'][self.chinese]}**\n\n")
        for group in filter(lambda group: group.points, self.groups):
            if group.title:
                yield Aside(f"{literal(clean(group.title))}:\n")
            yield from _lines(group.points, numbers)
            if group.title:
                yield Aside("\n")
        yield from self._part("open", self.open, numbers)

    def _part(self, name: str, points: Sequence[Point], numbers: dict[Source, int]) -> Iterator[str]:
        if points:
            yield Aside(f"\n**{_TITLES[name][self.chinese]}**\n\n")
            yield from _lines(points, numbers)


def _lines(points: Sequence[Point], numbers: dict[Source, int]) -> Iterator[str]:
    for point in points:
        about = f"`{clean(point.about)}`: " if point.about and "`" not in point.about else ""
        yield f"- {about}{point.text} [{numbers[point.source]}]\n"
