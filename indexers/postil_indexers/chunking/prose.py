"""Sizes of text, and where a passage too long for one chunk is cut: sentence ends, line ends, spaces, anywhere."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

# A text weighs its UTF-8 bytes: 1 for a Latin letter, 3 for a Han character, which is about what they say and what
# they cost in word pieces (a transformer reads 256 of them: some 1,000 Latin letters, some 250 Han characters).
TARGET_WEIGHT = 900
MAX_WEIGHT = 1500  # still within 512 word pieces; a little over the target so that few paragraphs are cut
TINY_WEIGHT = 200  # a section below it says too little alone
MAX_WHOLE_WEIGHT = 4 * MAX_WEIGHT  # fences and table rows are cut, at line ends, only above this

# A full stop after a lone letter or digit ("e.g.", "1.") ends no sentence. Closing quotes and brackets belong to it.
_SENTENCE_END = re.compile(r"(?<!\b\w)[.!?][)\]\"'”’»*_]*+\s++|[。！？；…]++[”’」』）)]*+\s*+")
_LINE_END = re.compile(r"\r\n?|\n")


def weight(text: str, start: int, end: int) -> int:
    """UTF-8 bytes of `text[start:end]`."""
    if text.isascii():
        return end - start
    return len(text[start:end].encode("utf-8", "surrogatepass"))


def cut_prose(text: str, start: int, end: int, limit: int = MAX_WEIGHT) -> list[int]:
    """Offsets from `start` to `end` between which no piece is over `limit`, at sentence ends where possible."""
    bounds = _refine(text, [start, end], _SENTENCE_END, limit)
    return cut_lines(text, bounds, limit)


def cut_lines(text: str, bounds: list[int], limit: int = MAX_WEIGHT) -> list[int]:
    """`bounds` with more cuts, at line ends where possible, so that no piece weighs more than `limit`."""
    cuts = [bounds[0]]
    for start, end in pairwise(_refine(text, bounds, _LINE_END, limit)):
        if weight(text, start, end) > limit:
            _cut_hard(text, start, end, limit, cuts)
        cuts.append(end)
    return cuts


def _refine(text: str, bounds: list[int], pattern: re.Pattern[str], limit: int) -> list[int]:
    """`bounds` with the ends of all matches inside the pieces that weigh more than `limit`."""
    refined = [bounds[0]]
    for start, end in pairwise(bounds):
        if weight(text, start, end) > limit:
            refined.extend(cut for found in pattern.finditer(text, start, end) if start < (cut := found.end()) < end)
        refined.append(end)
    return refined


def _cut_hard(text: str, start: int, end: int, limit: int, cuts: list[int]) -> None:
    """Appends cuts inside a piece without sentence and line ends: after a space in its last third, or anywhere."""
    while end - start > 1:
        piece = text[start : min(start + limit, end)]
        encoded = piece.encode("utf-8", "surrogatepass")
        fits = len(piece) if len(encoded) <= limit else len(encoded[:limit].decode("utf-8", "ignore"))
        cut = start + max(fits, 1)
        if cut >= end:
            return
        space = text.rfind(" ", cut - fits // 3, cut)
        cut = space + 1 if space > start else _between_characters(text, start, cut)
        cuts.append(cut)
        start = cut


def _between_characters(text: str, start: int, cut: int) -> int:
    """`cut`, or a little before it where it would part an accent from its letter, or CR from LF."""
    for _ in range(8):  # more accents than that on one letter are no letter
        if cut - 1 <= start or not (unicodedata.combining(text[cut]) or text[cut - 1 : cut + 1] == "\r\n"):
            break
        cut -= 1
    return cut
