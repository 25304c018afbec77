"""Text that stands in many notes (templates, daily-note skeletons), so that it can be left out of words and vectors.

The store counts, for each fingerprint, the notes it occurs in; what occurs in many is `common` here.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections.abc import Container

_LINE_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_VARIES = re.compile(r"\d+")  # "Created: 2024-03-04" is the same line on every day
_MARKUP = re.compile(r"[^\w]+")
_KEPT_LINES = 4_096  # some 500 KB; most are asked about twice in turn, and what many notes repeat again and again
_ASCII_MARKUP = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


def line_fingerprints(text: str) -> list[int]:
    """Fingerprints (64 bits, signed as SQLite's integers are) of the lines of a chunk that say anything, each once."""
    found = (_fingerprint(line) for line in _lines(text))
    return list(dict.fromkeys(number for number in found if number is not None))


def distinct_text(text: str, common: Container[int]) -> str:
    """`text` without the lines whose fingerprint is in `common`; lines of nothing but marks stay only beside kept ones.

    Returns "" when no line with words is left.
    """
    return split_repeated(text, common)[0]


def split_repeated(text: str, common: Container[int]) -> tuple[str, str]:
    """(the distinct text, the lines that were taken out of it)"""
    if not common:
        return (text if any(_fingerprint(line) is not None for line in _lines(text)) else ""), ""
    kept: list[str] = []
    taken: list[str] = []
    told = False
    for line in _lines(text):
        number = _fingerprint(line)
        if number is not None and number in common:
            taken.append(line)
            continue
        kept.append(line)
        told = told or number is not None
    return ("".join(kept) if told else ""), "".join(taken)


def _lines(text: str) -> list[str]:
    """With their ends; "" stands behind the last end."""
    if "\r" in text:
        return _LINE_ENDS.split(text)
    *ended, last = text.split("\n")
    return [*(f"{line}\n" for line in ended), last]  # a third of the time


@functools.lru_cache(maxsize=_KEPT_LINES)
def _fingerprint(line: str) -> int | None:
    """Equal for lines that differ in case, white space, marks and numbers only; None for a line without letters."""
    if line.isascii():  # the same, three times as fast
        words = " ".join(_VARIES.sub("0", line).lower().translate(_ASCII_MARKUP).split())
        if not words.islower():
            return None
    else:
        words = _MARKUP.sub(" ", _VARIES.sub("0", unicodedata.normalize("NFKC", line))).strip().casefold()
        if not words or not any(map(str.isalpha, words)):
            return None
    digest = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
