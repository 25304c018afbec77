"""A question in plain words -> visible filters and the words that are left. No model, no clock, no index.

"When did Anna fix the null pointer in the payment module last spring, and which lines" becomes
`author:Anna file:**/payment/** kind:fix after:2026-03-01 before:2026-06-01` and "null pointer". English and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from postil_server.history import wording
from postil_server.history.calendar import Period, bare_period, find_period
from postil_server.history.filters import Filter, checked, find_release, is_commit_id, plain_release, typed_filters
from postil_server.history.known import Known, matching_path

_OPENING = ("between", "from", "从", "自")  # a range of two times or releases
_LONGEST = 1_000  # characters of a sentence that is read; what is longer is a text, and looked for as it is


class Question(NamedTuple):
    """`(filters, words)` of a question; `order` is "oldest" where the first commit of its kind is asked for."""

    filters: tuple[Filter, ...]
    words: str
    order: str = ""
    wrong: tuple[str, ...] = ()  # what is not known, with the nearest that is
    unknown: tuple[Filter, ...] = ()  # what a sentence seems to name, and nobody and nothing is called


def parse_question(text: str, now: date, known: Known) -> Question:
    """`now`: the day on which it is asked, where it is asked."""
    typed, rest = typed_filters(text)
    filters, wrong = checked(typed, now, known.releases)
    if len(rest) > _LONGEST:
        return Question(tuple(filters), rest.strip(), "", tuple(wrong))
    reading = _Reading(rest, now, known)
    reading.take_shas()
    reading.take_releases()
    reading.take_periods()
    reading.take_people()
    if reading.filters or filters or wording.ASKS.search(rest) or rest.rstrip().endswith(("?", "？")):
        reading.take_symbols()
        reading.take_files()
        reading.take_kind()
        reading.take_numbers()
    said = {(one.name, one.negated) for one in filters}
    inferred = [one for one in reading.filters if (one.name, False) not in said]
    words = reading.text
    order = "oldest" if wording.OLDEST.search(words) else ""
    if inferred or filters or wording.ASKS.search(rest):
        words = wording.FURNITURE.sub(" ", words)
    words = re.sub(r"\s+", " ", words).strip(" ,.;:?!，。？！、；：")
    return Question((*filters, *inferred), words, order, tuple(wrong), tuple(reading.unknown))


@dataclass(slots=True)
class _Reading:
    """A sentence from which one filter after the other is taken; what is taken leaves a space."""

    text: str
    today: date
    known: Known
    filters: list[Filter] = field(default_factory=list)
    unknown: list[Filter] = field(default_factory=list)

    def _take(self, start: int, end: int, *filters: Filter) -> None:
        self.text = f"{self.text[:start]} {self.text[end:]}"
        self.filters += filters

    def take_symbols(self) -> None:
        if match := wording.SYMBOL.search(self.text):
            name = next(filter(None, match.groups()))
            self._take(*match.span(), Filter("symbol", name, inferred=True))

    def take_files(self) -> None:
        for match in wording.PATH.finditer(self.text):
            if pattern := matching_path(match[0], self.known.paths()):
                start = re.search(
                    r"(?:\b(?:in|to|of|on|for|under|inside|touching)(?: the)?|在|对)?\s*$",
                    self.text[: match.start()],
                    re.IGNORECASE,
                )
                self._take(
                    start.start() if start else match.start(), match.end(), Filter("file", pattern, inferred=True)
                )
                return
            if self._is_like_a_path(match[0]):
                self.unknown.append(Filter("file", match[0].strip("/"), inferred=True))
        named = wording.MODULE.search(self.text)
        module = matching_path(named[1] or named[2], self.known.paths()) if named else None
        if named and module:
            self._take(*named.span(), Filter("file", module, inferred=True))

    def _is_like_a_path(self, word: str) -> bool:
        """Whether a word that is no file here would be one: in a folder, or with an ending that files here have."""
        ending = word.rpartition(".")[2].casefold()
        return "/" in word or any(path.casefold().endswith(f".{ending}") for path in self.known.paths())

    def take_kind(self) -> None:
        for kind, pattern in wording.KIND_FORMS:
            if match := pattern.search(self.text):
                self._take(*match.span(), Filter("kind", kind, inferred=True))
                return

    def take_numbers(self) -> None:
        if match := wording.NUMBER.search(self.text):
            self._take(*match.span(), Filter("issue", match[1] or match[2], inferred=True))

    def take_shas(self) -> None:
        for match in reversed(list(wording.SHA.finditer(self.text))):
            if not is_commit_id(match[0]):
                continue
            before = wording.BEFORE_COMMIT.search(self.text[: match.start()])
            behind = wording.BEHIND_COMMIT.match(self.text[match.end() :])
            end = _release_filter((before[1] or before[2] or "").lower() if before else "", behind)
            if end == "release":
                self._take(*match.span(), Filter("sha", match[0].lower(), inferred=True))
            else:
                start = before.start() if before else match.start()
                last = match.end() + (behind.end() if behind else 0)
                self._take(start, last, Filter(end, match[0].lower(), inferred=True))

    def take_releases(self) -> None:
        """Versions that are releases, behind a word of time or of place: "since v2.1 and before 3.0", "v2.1之后"."""
        names = {plain_release(name): name for name in self.known.releases}
        at = 0
        while names and (match := wording.RELEASE.search(self.text, at)):
            name = find_release(names, match[1])
            before = wording.BEFORE_TIME.search(self.text[: match.start()])
            behind = wording.RELEASE_HAN.match(self.text[match.end() :])
            end = match.end() + (behind.end() if behind else 0)
            after = wording.BEHIND_TIME.match(self.text[end:])
            word = (before[1] or before[2]).lower() if before else ""
            at = match.end()
            if name is None:
                continue
            until = self._until_release(end, names, word)
            if until is not None:
                found = [Filter("after", name, inferred=True), Filter("before", until[1], inferred=True)]
                end = until[0]
            elif before or after:
                found = [Filter(_release_filter(word, after), name, inferred=True)]
                end += after.end() if after else 0
            else:
                continue
            at = before.start() if before else match.start()
            self._take(at, end, *found)

    def _until_release(self, end: int, names: Mapping[str, str], word: str) -> tuple[int, str] | None:
        """The other end of "between v2.1 and v2.2", "v2.1到v2.2": (where it ends in the text, the release)."""
        joint = wording.RANGE.match(self.text[end:])
        if joint is None or not (word in _OPENING or wording.HAN.search(joint[0])):
            return None
        match = wording.RELEASE.match(self.text, end + joint.end())
        name = find_release(names, match[1]) if match is not None else None
        if match is None or name is None:
            return None
        behind = wording.RANGE_END.match(self.text[match.end() :])
        return match.end() + (behind.end() if behind else 0), name

    def take_periods(self) -> None:
        at = 0
        while (found := self._next_period(at)) is not None:
            start, end, period = found
            before, behind = wording.BEFORE_TIME.search(self.text[:start]), wording.BEHIND_TIME.match(self.text[end:])
            word = (before[1] or before[2]).lower() if before else ""
            if not before and not behind and re.fullmatch(r"[\d/-]+", self.text[start:end]):
                at = end  # a number, or the name of a daily note
                continue
            self._take_period(start, end, period, word, before, behind)
            at = 0
            if len([one for one in self.filters if one.name in ("after", "before")]) > 1:
                return  # both ends are known

    def _next_period(self, at: int) -> tuple[int, int, Period] | None:
        found = find_period(self.text, self.today, at)
        for match in re.finditer(
            r"\b(?:in|since|before|after|until|during|from|between|by|and|last|this)(?: the)? (?=[a-z])",
            self.text[at:],
            re.IGNORECASE,
        ):
            place = at + match.end()
            bare = bare_period(self.text, place, self.today)
            if bare is not None and (found is None or place < found[0]):
                return place, bare[0], bare[1]
        return found

    def _take_period(
        self,
        start: int,
        end: int,
        period: Period,
        word: str,
        before: re.Match[str] | None,
        behind: re.Match[str] | None,
    ) -> None:
        first = before.start() if before else start
        last = end + (behind.end() if behind else 0)
        event = wording.EVENT.search(self.text[:start])
        if event and word in ("in", "of", "from", "on"):
            word, first = event[1].lower(), event.start()
            at = period.start if word in ("after", "since") else period.end
            self._take(first, last, _bound("after" if word in ("after", "since") else "before", at))
            return
        dated = re.search(r"\d{4}|年", self.text[start:end]) is not None
        if word in _OPENING and (second := self._second(end, period, dated)):
            self._take(first, second[0], _bound("after", second[1].start), _bound("before", second[1].end))
            return
        if (behind and behind[1]) or word in ("before", "till", "prior to"):
            found = [_bound("before", period.start)]
        elif word == "until" or word == "到":
            found = [_bound("before", period.end)]
        elif word == "after" or (behind and behind[2] in ("之后", "以后", "后")):
            found = [_bound("after", period.end)]
        elif word == "from" and wording.RECENT.match(self.text[start:]):
            found = [_bound("after", period.start), _bound("before", period.end)]
        elif word in ("since", "from", "自从", "自", "从") or word.startswith("starting") or (behind and behind[2]):
            found = [_bound("after", period.start)]
        else:
            found = [_bound("after", period.start), _bound("before", period.end)]
        self._take(first, last, *found)

    def _second(self, end: int, first: Period, dated: bool) -> tuple[int, Period] | None:
        """The other end of "between March and May 2024": (where it ends in the text, the whole period).

        `dated`: whether the first one has a year of its own.
        """
        joint = wording.RANGE.match(self.text[end:])
        if joint is None:
            return None
        at = end + joint.end()
        found = find_period(self.text[: at + 40], self.today, at)
        if found is None or found[0] != at:
            bare = bare_period(self.text, at, self.today)
            found = (at, bare[0], bare[1]) if bare else None
        if found is None:
            return None
        start = first.start
        if not dated and (start >= found[2].end or (found[2].end - start).days > 366):
            start = start.replace(year=found[2].start.year - (start.month > found[2].start.month))
        behind = wording.RANGE_END.match(self.text[found[1] :])
        return found[1] + (behind.end() if behind else 0), Period(start, found[2].end)

    def take_people(self) -> None:
        """Names of known people: whole ones anywhere, single ones where a sentence speaks of somebody."""
        names = self.known.names({word.casefold() for word in wording.NAME_PART.findall(self.text)})
        for start, end, written in self._candidates(names):
            before, behind = wording.BY.search(self.text[:start]), wording.DOES.match(self.text[end:])
            whole = " " in written or wording.HAN.search(written)
            if not (whole or before or behind):
                continue
            by = re.search(r"(?:\bby|由|被)\s*$", self.text[:start], re.IGNORECASE)
            owner = re.match(r"'s|’s", self.text[end:])
            self._take(by.start() if by else start, end + (2 if owner else 0), Filter("author", written, inferred=True))
            return
        for match in wording.NAME_PART.finditer(self.text):
            stands_as_one = wording.BY.search(self.text[: match.start()]) and wording.DOES.match(
                self.text[match.end() :]
            )
            if match[0][0].isupper() and (stands_as_one or wording.WRITTEN_BY.search(self.text[: match.start()])):
                self.unknown.append(Filter("author", match[0], inferred=True))

    def _candidates(self, names: dict[str, set[str]]) -> Iterable[tuple[int, int, str]]:
        """Where somebody is named, longer names first; a single Latin word only as it is written."""
        found = []
        words = [match.span() for match in wording.NAME_PART.finditer(self.text)]
        for at, (start, _) in enumerate(words):
            for _, end in words[at : at + 4]:
                piece = self.text[start:end]
                written = names.get(piece.casefold())
                if written and (" " in piece or piece in written):
                    found.append((start, end, piece if " " not in piece else min(written)))
        for name in names:
            if wording.HAN.search(name) and (place := self.text.find(name)) >= 0:
                found.append((place, place + len(name), name))
            elif wording.HAN.search(self.text) and name.isascii():
                found += [
                    (m.start(), m.end(), m[0])
                    for m in re.finditer(
                        rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", self.text, re.IGNORECASE
                    )
                    if m[0] in names[name]
                ]
        return sorted(found, key=lambda one: (one[0] - one[1], one[0]))


def _bound(name: str, day: date) -> Filter:
    return Filter(name, day.isoformat(), inferred=True)


def _release_filter(word: str, behind: re.Match[str] | None) -> str:
    """What a word before a release, or one behind it, makes of it."""
    if (behind and behind[1]) or word in ("before", "until", "till", "prior to"):
        return "before"
    return "after" if (behind and behind[2]) or word in ("after", "since", "from", "自从", "自", "从") else "release"
