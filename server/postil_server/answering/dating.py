"""The time that a question is about, as filters: of commits, and of notes and code by their dates."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from postil_indexers.store.content import DocumentRow
from postil_indexers.store.index import Index
from postil_indexers.text import has_content_words
from postil_indexers.types import Kind
from postil_server.answering.question import Question
from postil_server.history.filters import Filter
from postil_server.history.narrowing import narrowed
from postil_server.timeline import read_question

_TIMES = frozenset({"after", "before", "release"})
# A time in a question about how things are is not when they were: "are backups of the last 30 days kept?"
_PAST = re.compile(r"\b(?:did|was|were|had|happened|decided|done|new|learned|met|discussed)\b|[了过]|发生|决定", re.I)
# What tells no more than that something was: nothing is sought by such a word.
_HAPPENED = re.compile(
    r"\b(?:what|which|who|did|was|were|had|has|have|been|we|i|they|you|happen(?:ed)?|decided?|done|do|new|chang(?:ed?|es)|"
    r"work(?:ed)?|learn(?:ed|t)?|discuss(?:ed)?|about|on|in|at|there|anything|something|all|decisions?|notes?|things?)\b|"
    "[有了过吗呢的]|什么|哪些|发生|决定|变化|改动|讨论|我们|事情",
    re.IGNORECASE,
)
_DATED = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(\d\d)(?:[-_.]?(\d\d))?(?!\d)")
_FIELD = re.compile(r"^\s*(?:date|created|updated|modified|日期)\s*:.*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Time:
    """`filters`: none where a question is about no time. `words`: what else it seeks; "" where it seeks all of it."""

    filters: tuple[Filter, ...] = ()
    words: str = ""


def time_of(index: Index, question: Question, now: datetime) -> Time:
    """Reads within the snapshot of the caller."""
    text = question.standalone
    if not (question.wants_history or _PAST.search(text)):
        return Time()
    read = read_question(index, text, now)
    filters = tuple(one for one in read.filters if one.name in _TIMES and not one.negated)
    if not filters:
        return Time()
    others = (one.value for one in read.filters if one.name not in _TIMES)
    words = " ".join((_HAPPENED.sub(" ", read.words), *others))
    return Time(filters, " ".join(words.split()) if has_content_words(words) else "")


def said(filters: Iterable[Filter]) -> str:
    return " ".join(map(str, filters))


class Within:
    """What of one folder is of a time. Reads within the snapshot of the caller."""

    def __init__(self, index: Index, filters: tuple[Filter, ...], zone: tzinfo | None) -> None:
        self._index, self._zone = index, zone
        self._commits = narrowed(index, filters, zone) or set()
        ends = [(one.name, found) for one in filters if (found := _day(one.value)) is not None]
        self._by_day = len(ends) == len(filters)  # else a release is the end of it, which only commits know
        self._start = max((day for name, day in ends if name == "after"), default=date.min)
        self._end = min((day for name, day in ends if name == "before"), default=date.max)

    def has(self, document: DocumentRow) -> bool:
        """By its own date where it has one, by the commits that touched it where there are any, or by when its file
        was written last."""
        own = [*_days(document.path), *self._fields(document)] if document.kind is Kind.NOTE else []
        if own and self._by_day:
            return any(self._meets(first, end) for first, end in own)
        touching = self._index.history.touching(document.path)
        if touching or not self._by_day:
            return bool(touching & self._commits)
        written = datetime.fromtimestamp(document.mtime_ns / 1e9, self._zone).date()
        return self._start <= written < self._end

    def named(self) -> Iterator[DocumentRow]:
        """The notes whose names say a date of that time, the latest first."""
        notes = (row for row in self._index.content.documents().values() if row.kind is Kind.NOTE and self._by_day)
        dated = [(found, row) for row in notes if (found := [each for each in _days(row.path) if self._meets(*each)])]
        yield from (row for _, row in sorted(dated, key=lambda each: (each[0], each[1].path), reverse=True))

    def _meets(self, first: date, end: date) -> bool:
        return first < self._end and end > self._start

    def _fields(self, document: DocumentRow) -> Iterator[tuple[date, date]]:
        rows = self._index.content.chunks_of(document.id)
        text = next((row.text for row in rows if row.symbol == "front_matter"), "")
        for field in _FIELD.findall(text):
            yield from _days(field)


def _days(text: str) -> Iterator[tuple[date, date]]:
    """The days and months that a name says, half-open."""
    for found in _DATED.finditer(os.path.basename(text)):
        year, month, day = int(found[1]), int(found[2]), int(found[3] or 0)
        try:
            first = date(year, month, day or 1)
        except ValueError:
            continue
        yield first, (first + timedelta(1) if day else date(year + month // 12, month % 12 + 1, 1))


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
