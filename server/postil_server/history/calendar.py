"""Periods as people name them: "last spring", "March 2024", "two weeks ago", "去年春天", "三月", as [start, end)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_SEASON = "spring|summer|autumn|fall|winter"
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "一"), 1),
    **dict.fromkeys(("two", "couple", "couple of", "二", "两"), 2),
    **dict.fromkeys(("three", "few", "several", "三", "几"), 3),
    "four": 4,
    "五": 5,
    "five": 5,
    "四": 4,
    "six": 6,
    "六": 6,
    "seven": 7,
    "七": 7,
    "eight": 8,
    "八": 8,
    "nine": 9,
    "九": 9,
    "ten": 10,
    "十": 10,
    "十一": 11,
    "eleven": 11,
    "twelve": 12,
    "十二": 12,
}
_NUMBER = r"\d{1,3}|a couple of|a few|" + "|".join(sorted((w for w in _NUMBERS if w.isascii()), key=len, reverse=True))
_HAN_NUMBER = "[二三]?十[一二三四五六七八九]?|[一二两三四五六七八九几]|\\d{1,3}"
_DAYS_OF_UNIT = {
    "day": 1,
    "week": 7,
    "month": 30,
    "year": 365,
    "天": 1,
    "日": 1,
    "周": 7,
    "星期": 7,
    "礼拜": 7,
    "月": 30,
    "年": 365,
}


@dataclass(frozen=True, slots=True)
class Period:
    """Days, half-open."""

    start: date
    end: date


def year_of(year: int) -> Period:
    return Period(date(year, 1, 1), date(year + 1, 1, 1))


def month_of(year: int, month: int) -> Period:
    return Period(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1))


def season_of(year: int, first: int) -> Period:
    """The meteorological season that begins with a month; winter runs into the next year."""
    return Period(date(year, first, 1), date(year + (first == 12), 3 if first == 12 else first + 3, 1))


def _quarter(year: int, number: int) -> Period:
    return Period(date(year, 3 * number - 2, 1), month_of(year, 3 * number).end)


def _day(day: date) -> Period:
    return Period(day, day + timedelta(1))


def _week(today: date, back: int) -> Period:
    monday = today - timedelta(today.weekday() + 7 * back)
    return Period(monday, monday + timedelta(7))


def _months_back(today: date, back: int) -> Period:
    count = today.year * 12 + today.month - 1 - back
    return month_of(count // 12, count % 12 + 1)


def _quarters_back(today: date, back: int) -> Period:
    count = today.year * 4 + (today.month - 1) // 3 - back
    return _quarter(count // 4, count % 4 + 1)


def _latest(of: Callable[[int], Period], today: date, *, over: bool) -> Period:
    """The latest of a yearly period that has begun, or with `over`, that has ended."""
    years = (today.year, today.year - 1, today.year - 2)
    return next(p for p in map(of, years) if (p.end <= today if over else p.start <= today))


def _number(word: str) -> int:
    """Raises KeyError for what is none."""
    word = word.removeprefix("a ") if word.startswith("a ") else word
    if word.isdigit():
        return int(word)
    tens, ten, ones = word.partition("十")
    if ten:
        return 10 * (_NUMBERS[tens] if tens else 1) + (_NUMBERS[ones] if ones else 0)
    return _NUMBERS[word]


def _ago(today: date, count: int, unit: str) -> Period:
    """The day, or as long a time around it as the unit is: nobody counts the days of "three weeks ago"."""
    if unit in ("year", "年"):
        return year_of(today.year - count)
    if unit in ("month", "月"):
        return _months_back(today, count)
    middle = today - timedelta(count * _DAYS_OF_UNIT[unit])
    return _day(middle) if _DAYS_OF_UNIT[unit] == 1 else Period(middle - timedelta(3), middle + timedelta(4))


def _past(today: date, count: int, unit: str) -> Period:
    return Period(today - timedelta(count * _DAYS_OF_UNIT[unit]), today + timedelta(1))


def _part(of: Period, part: str) -> Period:
    """The early, middle or late third of a period."""
    third = (of.end - of.start) // 3
    at = {"early": 0, "初": 0, "mid": 1, "中": 1, "late": 2, "底": 2, "末": 2}[part]
    return Period(of.start + at * third, of.end if at == 2 else of.start + (at + 1) * third)


def _named(today: date, which: str, unit: str) -> Period:
    """Of "last week", "this spring", "past year"."""
    back = 0 if which in ("this", "current") else 1
    if unit in _DAYS:
        days = (today.weekday() - _DAYS.index(unit)) % 7
        return _day(today - timedelta(days or 7 * back))
    if unit in _SEASONS:
        first = _SEASONS[unit]
        return _latest(lambda year: season_of(year, first), today, over=bool(back))
    if unit[:3] in _MONTHS:
        month = _MONTHS.index(unit[:3]) + 1
        return _latest(lambda year: month_of(year, month), today, over=bool(back))
    if which == "past":
        return _past(today, 1, unit) if unit != "quarter" else _past(today, 90, "day")
    if unit == "week":
        return _week(today, back)
    if unit == "month":
        return _months_back(today, back)
    return _quarters_back(today, back) if unit == "quarter" else year_of(today.year - back)


def _month_day(today: date, month: str, day: str | None, year: str | None) -> Period:
    number = _MONTHS.index(month[:3]) + 1
    return _dated(today, year, number, day)


def _dated(today: date, year: str | None, month: int, day: str | None) -> Period:
    of = month_of(int(year), month) if year else _latest(lambda y: month_of(y, month), today, over=False)
    return _day(of.start.replace(day=int(day))) if day else of


def _season_in(today: date, season: str, year: str | None) -> Period:
    first = _SEASONS[season]
    return season_of(int(year), first) if year else _latest(lambda y: season_of(y, first), today, over=False)


def _years_back(word: str) -> int:
    return {"今年": 0, "本年": 0, "去年": 1, "前年": 2, "大前年": 3}[word]


def _han_year(today: date, year: str | None) -> int | None:
    if year is None:
        return None
    return today.year - _years_back(year) if not year[0].isdigit() else int(year.removesuffix("年"))


def _han(
    today: date, year: str | None, month: str | None, day: str | None, season: str | None, part: str | None
) -> Period:
    at = _han_year(today, year)
    if season:
        first = _SEASONS[season[0]]
        return season_of(at, first) if at is not None else _latest(lambda y: season_of(y, first), today, over=False)
    if month:
        of = _dated(today, None if at is None else str(at), _number(month), str(_number(day)) if day else None)
    else:
        of = year_of(at if at is not None else today.year)
    if part in ("上半年", "下半年"):
        middle = date(of.start.year, 7, 1)
        return Period(of.start, middle) if part == "上半年" else Period(middle, of.end)
    return _part(of, part) if part else of


def _han_named(today: date, which: str, unit: str) -> Period:
    back = {"上上": 2, "上": 1}.get(which, 0)
    if unit in ("周", "星期", "礼拜"):
        return _week(today, back)
    if unit == "月":
        return _months_back(today, back)
    return _quarters_back(today, back)


_HAN_YEAR = "大前年|前年|去年|今年|本年|\\d{4}年"
_Made = Callable[..., Period]
# What stands earlier is tried first; each group is an argument of its maker
_FORMS: tuple[tuple[re.Pattern[str], _Made], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), made)
    for pattern, made in (
        (r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b", lambda t, y, m, d: _day(date(int(y), int(m), int(d)))),
        (r"\b(\d{4})[- ]?q([1-4])\b", lambda t, y, q: _quarter(int(y), int(q))),
        (r"\bq([1-4])(?: of)? (\d{4})\b", lambda t, q, y: _quarter(int(y), int(q))),
        (r"\b((?:19|20)\d\d)[-/](0?[1-9]|1[0-2])\b", lambda t, y, m: month_of(int(y), int(m))),
        (r"\bthe day before yesterday\b|大?前天", lambda t: _day(t - timedelta(2))),
        (r"\byesterday\b|昨[天日]", lambda t: _day(t - timedelta(1))),
        (r"\btoday\b|今[天日]", _day),
        (rf"\b({_NUMBER}) (day|week|month|year)s? ago\b", lambda t, n, u: _ago(t, _number(n.lower()), u.lower())),
        (
            rf"\b(?:last|past|previous) ({_NUMBER}) (day|week|month|year)s?\b",
            lambda t, n, u: _past(t, _number(n.lower()), u.lower()),
        ),
        (
            rf"\b(last|this|past|previous|current) (week|month|quarter|year|{_SEASON}|{_MONTH}|{'|'.join(_DAYS)})\b",
            lambda t, which, unit: _named(t, which.lower(), unit.lower()),
        ),
        (
            rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})(?:,? ((?:19|20)\d\d))?\b",
            lambda t, d, m, y: _month_day(t, m.lower(), d, y),
        ),
        (
            rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? ((?:19|20)\d\d))?\b",
            lambda t, m, d, y: _month_day(t, m.lower(), d, y),
        ),
        (rf"\b({_MONTH})(?: of|,)? ((?:19|20)\d\d)\b", lambda t, m, y: _month_day(t, m.lower(), None, y)),
        (rf"\b({_SEASON})(?: of)? ((?:19|20)\d\d)\b", lambda t, s, y: _season_in(t, s.lower(), y)),
        (r"\b(early|mid|late)[- ]((?:19|20)\d\d)\b", lambda t, p, y: _part(year_of(int(y)), p.lower())),
        (
            rf"(?:最近|过去|近)的?({_HAN_NUMBER})个?(天|日|周|星期|礼拜|月|年)",
            lambda t, n, u: _past(t, _number(n), u),
        ),
        (
            rf"({_HAN_NUMBER})(?:个(月|星期|礼拜)|(天|周|年))(?:之前|以前|前)",
            lambda t, n, one, other: _ago(t, _number(n), one or other),
        ),
        (r"(上上|上|这|本)一?个?(周|星期|礼拜|月|季度)", _han_named),
        (
            rf"({_HAN_YEAR})?的?({_HAN_NUMBER})月份?(?:({_HAN_NUMBER})[日号])?()(初|中旬|底|末)?",
            lambda t, y, m, d, s, p: _han(t, y, m, d, s, p[0] if p else None),
        ),
        (rf"({_HAN_YEAR})?的?()()([春夏秋冬])[天季]()", _han),
        (rf"({_HAN_YEAR})()()()(上半年|下半年|[初底末])?", _han),
        (r"\b((?:19|20)\d\d)\b", lambda t, y: year_of(int(y))),
    )
)
# A month or a season alone is one only behind a word of time: "may" and "spring" are words of their own
_BARE = re.compile(rf"\b({_MONTH}|{_SEASON})\b", re.IGNORECASE)


def find_period(text: str, today: date, at: int = 0) -> tuple[int, int, Period] | None:
    """The first period that `text` names from `at` on: (start, end, what it is); of several forms the first counts."""
    best: tuple[int, int, Period] | None = None
    for pattern, made in _FORMS:
        for match in pattern.finditer(text, at):
            if best is not None and match.start() >= best[0]:
                break
            try:
                period = made(today, *(group or None for group in match.groups()))
            except (ValueError, OverflowError, KeyError):
                continue  # the 31st of February, a fortieth of May
            best = match.start(), match.end(), period
            break
    return best


def bare_period(text: str, at: int, today: date) -> tuple[int, Period] | None:
    """A month or season without a year that stands right at `at`: (its end, the latest one that has begun)."""
    match = _BARE.match(text, at)
    if match is None:
        return None
    word = match[1].lower()
    if word in _SEASONS:
        return match.end(), _season_in(today, word, None)
    return match.end(), _month_day(today, word, None, None)
