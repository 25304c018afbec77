"""Quantities of a text, in comparable units: thirty seconds, 30000 ms and 半分钟 are one. Also dates and versions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from postil_server.answering.citations.numerals import Numeral, numerals

TIME, BYTES, SHARE, COUNT, BARE = "time", "bytes", "share", "count", ""

_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ms", "msec", "millis", "millisecond", "毫秒"), (TIME, 0.001)),
    **dict.fromkeys(("µs", "us", "microsecond", "微秒"), (TIME, 0.000_001)),
    **dict.fromkeys(("s", "sec", "second", "秒", "秒钟"), (TIME, 1.0)),
    **dict.fromkeys(("min", "minute", "分钟", "分鐘"), (TIME, 60.0)),
    **dict.fromkeys(("h", "hr", "hour", "小时", "小時", "个小时", "个钟头"), (TIME, 3_600.0)),
    **dict.fromkeys(("day", "天"), (TIME, 86_400.0)),
    **dict.fromkeys(("week", "周", "星期", "个星期"), (TIME, 7 * 86_400.0)),
    **dict.fromkeys(("month", "个月"), (TIME, 30 * 86_400.0)),
    **dict.fromkeys(("year", "年"), (TIME, 365 * 86_400.0)),
    **dict.fromkeys(("b", "byte", "字节"), (BYTES, 1.0)),
    **dict.fromkeys(("k", "kb", "kib", "kilobyte", "kibibyte"), (BYTES, 1024.0)),  # whoever writes KB means either
    **dict.fromkeys(("mb", "mib", "megabyte", "mebibyte", "兆"), (BYTES, 1024.0**2)),
    **dict.fromkeys(("gb", "gib", "gigabyte", "gibibyte"), (BYTES, 1024.0**3)),
    **dict.fromkeys(("tb", "tib", "terabyte"), (BYTES, 1024.0**4)),
    **dict.fromkeys(("%", "percent", "per cent", "％"), (SHARE, 0.01)),
    **dict.fromkeys(("times", "次", "回", "遍", "趟", "倍"), (COUNT, 1.0)),
    **dict.fromkeys("个個条項项份台步层种位名件处篇张本章版人行", (COUNT, 1.0)),
}
_NAMES = sorted(_UNITS, key=len, reverse=True)
_LATIN_UNITS = "|".join(re.escape(name) for name in _NAMES if name[0].isascii() and name != "%")
_HAN_UNITS = "|".join(name for name in _NAMES if not name[0].isascii() and name != "％")
_UNIT_AFTER = re.compile(rf"[\s-]?(?:({_LATIN_UNITS})s?(?![\w])|\s?([%％])|\s?({_HAN_UNITS}))", re.IGNORECASE)
_TIME_WORDS = "milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?"
# One of something: "a second" may be another one, so only passages are read so.
_ONE_UNIT = re.compile(rf"\b(?:a|an|per|each|every|first|last|next|同一)\s+({_TIME_WORDS})\b", re.IGNORECASE)
_HALF_UNIT = re.compile(rf"(?<!and a )\bhalf[ -](?:an?[ -])?({_TIME_WORDS})\b", re.IGNORECASE)
_HALF = re.compile(r"(?<!and a )\bhalf\b|\bhalves\b|一半|半数", re.IGNORECASE)
_QUARTER_HOUR = re.compile(r"\bquarter of an hour\b|一刻钟", re.IGNORECASE)
_TWICE = re.compile(r"\btwice\b", re.IGNORECASE)
_HAN_HALF_UNIT = re.compile(f"(?<![一二两三四五六七八九十]个)半(?:个)?({_HAN_UNITS})")
_HAN_PERCENT = re.compile("百分之([零〇一二两三四五六七八九十百]+|\\d+(?:\\.\\d+)?)")
_NAMED_UNIT = re.compile(
    r"(?:[_a-z](ms|millis|milliseconds?|secs?|seconds?|minutes?|mins?|hours?|days?|bytes|kb|mb|percent)|\b(seconds?|ms)|"
    r"[a-z](Ms|Millis|Seconds|Secs|Minutes|Hours|Bytes))[\"')]?\s*(?::\s*\w+\s*)?[=:(]{1,2}\s*$"
)
_TYPED = re.compile(r"from_(secs|millis|micros)\($|(?:Duration|TimeSpan)\.of(Seconds|Millis|Minutes)\($")
_TIMES_UNIT = re.compile(r"\s*\*\s*time\.(Millisecond|Second|Minute|Hour)\b")
_NAMED = {"secs": "s", "mins": "min", "millis": "ms", "micros": "us"}

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_MONTH = "|".join((*_MONTHS, *(name[:3] for name in _MONTHS)))
_DATES = re.compile(
    rf"\b\d{{4}}-(?P<m1>\d{{1,2}})-(?P<d1>\d{{1,2}})\b|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m2>{_MONTH})\b|"
    rf"\b(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b|(?P<m4>\d{{1,2}})月(?P<d4>\d{{1,2}})[日号]",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){2,}(?:[-+][\w.]+)?)(?![\w])")
_LIST_NUMBER = re.compile(r"^\s*(?:>\s*)*\d{1,3}[.)](?=\s)", re.MULTILINE)
_ALONE_AFTER = re.compile("\\s*(?:$|[，。；：、,.;!?）)」]|以上|以下|以内|以外|左右|版|号|時|时)")

_COMPARED = re.compile("(?:[过于到达为]|等于)\\s*$")  # what a numeral is held against


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` is in seconds, bytes or shares of one where it has such a unit."""

    dimension: str  # TIME, BYTES, SHARE, COUNT, BARE, "date" or "version"
    value: float
    plain: float  # the number as written
    written: str


def quantities(text: str, *, passage: bool = False) -> list[Quantity]:
    """`passage`: it is what others are held against, so "each second" is read as one second."""
    text = unicodedata.normalize("NFKC", text)
    if passage:
        text = _LIST_NUMBER.sub("", text)
    found = [_date(date) for date in _DATES.finditer(text)]
    found += [Quantity("version", 0.0, 0.0, version[1]) for version in _VERSION.finditer(text)]
    text = _VERSION.sub(_blank, _DATES.sub(_blank, text))
    found += _special(text, passage)
    for pattern in (_HALF_UNIT, _HAN_HALF_UNIT, _QUARTER_HOUR, _HAN_PERCENT):
        text = pattern.sub(_blank, text)
    if _HALF.search(text):
        found.append(Quantity(SHARE, 0.5, 0.5, "half"))
    found += filter(None, (_quantity(text, each) for each in numerals(text)))
    return found


def unmatched(sentence: Iterable[Quantity], passage: Iterable[Quantity]) -> list[Quantity]:
    """The quantities of a sentence that no quantity of its passages is."""
    known = list(passage)
    return [wanted for wanted in sentence if not any(_same(wanted, there) for there in known)]


def _same(one: Quantity, other: Quantity) -> bool:
    if "date" in (one.dimension, other.dimension) or "version" in (one.dimension, other.dimension):
        if "version" in (one.dimension, other.dimension):
            return one.written == other.written
        return one.dimension == other.dimension and one.value == other.value
    if one.dimension == other.dimension:
        return _equal(one.value, other.value)
    if COUNT in (one.dimension, other.dimension):
        return BARE in (one.dimension, other.dimension) and _equal(one.plain, other.plain)
    if one.dimension == BARE:
        return _equal(one.plain, other.plain)
    if other.dimension == BARE:  # 30000 may be milliseconds, and 30 seconds
        return any(_equal(form, other.plain) for form in (one.plain, one.value, one.value * _thousand(one)))
    return False


def _thousand(quantity: Quantity) -> float:
    return 1_000.0 if quantity.dimension == TIME else 1.0


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= 0.001 * max(abs(one), abs(other))


def _special(text: str, passage: bool) -> Iterator[Quantity]:
    for match in (*_HALF_UNIT.finditer(text), *_HAN_HALF_UNIT.finditer(text)):
        dimension, factor = _unit(match[1])
        yield Quantity(dimension, factor / 2, 0.5, match[0])
    for match in _QUARTER_HOUR.finditer(text):
        yield Quantity(TIME, 900.0, 15.0, match[0])
    for match in _TWICE.finditer(text):
        yield Quantity(COUNT, 2.0, 2.0, match[0])
    for match in _HAN_PERCENT.finditer(text):
        (number,) = list(numerals(match[1]))[:1]
        yield Quantity(SHARE, number.value / 100, number.value, match[0])
    if passage:
        for match in _ONE_UNIT.finditer(text):
            dimension, factor = _unit(match[1])
            yield Quantity(dimension, factor, 1.0, match[0])


def _quantity(text: str, number: Numeral) -> Quantity | None:
    """A number with its unit; None for a "one" that counts nothing and for a numeral inside another word."""
    after = _UNIT_AFTER.match(text, number.end)
    han = not number.written.isascii()
    named = _named_unit(text, number) if after is None else None
    if after is not None or named is not None:
        dimension, factor = _unit(next(filter(None, after.groups()))) if after is not None else _unit(str(named))
        if number.value == 1.0 and dimension == COUNT:
            return None
        return Quantity(dimension, number.value * factor, number.value, number.written)
    if number.value == 1.0 and not number.written[0].isdigit():
        return None
    alone = _ALONE_AFTER.match(text, number.end) or _COMPARED.search(text, 0, number.start)
    if han and len(number.written) == 1 and not alone:
        return None
    return Quantity(BARE, number.value, number.value, number.written)


def _named_unit(text: str, number: Numeral) -> str | None:
    """The unit that the name in front of a number in code says: `block_ms=5000`."""
    before = text[max(0, number.start - 40) : number.start]
    found = _NAMED_UNIT.search(before) or _TYPED.search(before) or _TIMES_UNIT.match(text, number.end)
    if found is None:
        return None
    name: str = next(filter(None, found.groups())).lower()
    return _NAMED.get(name, name)


def _unit(written: str) -> tuple[str, float]:
    name = written.lower()
    return _UNITS.get(name) or _UNITS.get(name.removesuffix("s")) or (BARE, 1.0)


def _date(match: re.Match[str]) -> Quantity:
    month, day = next(
        (match[f"m{form}"], match[f"d{form}"]) for form in range(1, 5) if match[f"m{form}"] and match[f"d{form}"]
    )
    number = int(month) if month.isdigit() else 1 + [name[:3] for name in _MONTHS].index(month[:3].lower())
    return Quantity("date", 100.0 * number + int(day), 0.0, match[0])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
