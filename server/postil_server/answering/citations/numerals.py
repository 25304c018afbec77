"""Numbers as they are written: digits, English number words, Chinese numerals; where each stands, what it is worth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_ONE_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = {word: n for n, word in enumerate(_ONE_WORDS.split())}
_TENS = {word: 20 + 10 * n for n, word in enumerate(_TEN_WORDS.split())}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_WORD = "|".join((*sorted((*_ONES, *_TENS), key=len, reverse=True), *_SCALES))
_WORDS = re.compile(
    rf"\b(?:(?:a|an)\s+(?={'|'.join(_SCALES)}))?(?:{_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE
)
_DIGITS = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d{3})*)(?:\.\d+)?(?:\s*\*\s*\d+(?:\.\d+)?)*(?![\d_]|\.\d)|"
    r"(?<=[=:(#@_A-Za-z\u3400-\u9fff])\d+(?:\.\d+)?(?![\w.]*\d)"
)
_DIGIT_WORD = "|".join(_ONE_WORDS.split()[:10])
_POINT = re.compile(rf"\s+point((?:\s+(?:{_DIGIT_WORD}))+)\b", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\s+and a half\b", re.IGNORECASE)
_HAN_DIGITS = {**{char: n for n, char in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2, "兩": 2, "俩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000}
_HAN_MYRIADS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_HAN = re.compile("[零〇一二两兩俩三四五六七八九十百千万萬亿億]+")
_HAN_POINT = re.compile("点([零〇一二三四五六七八九]+)(?![十百千万分刻钟])")  # 三点五分 is a time of day
_HAN_AND_A_HALF = re.compile("个半(?=小时|钟头|月|星期)")
# Words in which a numeral counts nothing.
_HAN_IDIOM = re.compile(
    "一(?:样|致|起|些|旦|直|定|般|切|边|律|向|同|方面|下|次性|并|个|种|点|步|套|份|条|台|位|名|项|段|句|篇|半天|再|味|共)|"
    "统一|唯一|万一|之一|单一|同一|任一|逐一|每一|这一|那一|某一|另一|一一|十分|千万(?=别|不|要)|百般|万能|两者|第[一二三四五六七八九十百]+"
)


@dataclass(frozen=True, slots=True)
class Numeral:
    value: float
    start: int
    end: int
    written: str  # without spaces


def numerals(text: str) -> Iterator[Numeral]:
    """In no order; none overlaps another of its own kind of writing."""
    for match in _DIGITS.finditer(text):
        factors = [float(part.strip().replace(",", "").replace("_", "")) for part in match[0].split("*")]
        value = 1.0
        for factor in factors:
            value *= factor
        yield Numeral(value, match.start(), match.end(), match[0].replace(" ", ""))
        if len(factors) > 1:  # 64 * 1024: sixty-four of something
            yield Numeral(factors[0], match.start(), match.end(), match[0])
    done = 0
    for match in _WORDS.finditer(text):
        if match.start() < done:
            continue  # a decimal of the one before it
        value, done = _worth(match[0].lower()), match.end()
        if point := _POINT.match(text, done):
            value, done = _decimal(value, (_ONES[word] for word in point[1].lower().split())), point.end()
        elif half := _AND_A_HALF.match(text, done):
            value, done = value + 0.5, half.end()
        yield Numeral(value, match.start(), done, text[match.start() : done].lower())
    if not text.isascii():
        yield from _han_numerals(text)


def _han_numerals(text: str) -> Iterator[Numeral]:
    taken = [match.span() for match in _HAN_IDIOM.finditer(text)]
    done = 0
    for match in _HAN.finditer(text):
        point = _HAN_POINT.match(text, match.end())
        if match.start() < done or (
            not point and any(start <= match.start() < end for start, end in taken)  # 一点五 is no idiom
        ):
            continue
        value, done = _han_worth(match[0]), match.end()
        if point:
            value, done = _decimal(value, (_HAN_DIGITS[char] for char in point[1])), point.end()
        elif half := _HAN_AND_A_HALF.match(text, done):
            value, done = value + 0.5, half.end()
        yield Numeral(value, match.start(), done, text[match.start() : done])


def _decimal(whole: float, digits: Iterable[int]) -> float:
    return float(f"{whole:.0f}.{''.join(map(str, digits))}")


def _worth(words: str) -> float:
    """ "three hundred and twenty-five thousand" """
    total = current = 0
    for word in re.findall(r"[a-z]+", words):
        if word in ("a", "an", "and"):
            continue
        if word == "hundred" or word == "dozen":
            current = max(current, 1) * _SCALES[word]
        elif word in _SCALES:
            total, current = total + max(current, 1) * _SCALES[word], 0
        else:
            current += _ONES.get(word, 0) + _TENS.get(word, 0)
    return float(total + current)


def _han_worth(run: str) -> float:
    """三百二十五万; a run without units is a row of digits (二〇二四)."""
    if not any(char in _HAN_UNITS or char in _HAN_MYRIADS for char in run):
        return float("".join(str(_HAN_DIGITS[char]) for char in run))
    total = section = digit = 0
    for char in run:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_UNITS:
            section, digit = section + (digit or 1) * _HAN_UNITS[char], 0
        else:
            total, section, digit = (total + max(section + digit, 1)) * _HAN_MYRIADS[char], 0, 0
    return float(total + section + digit)
