"""Scripts written without spaces: which characters they are, and traditional Han characters as simplified ones."""

from __future__ import annotations

import functools
import re
from operator import add

# Han with its iteration mark and zero, kana with the long-vowel mark, Hangul syllables; and Thai, Lao, Myanmar and
# Khmer, which have no spaces between words either. Compatibility and half-width forms are gone after NFKC.
UNSPACED = (
    "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uac00-\ud7a3"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"
)
HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002a6df"
_HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0x20000, 0x2A6E0))  # what OpenCC's tables reach
_HAN = re.compile(f"[{HAN}]")


@functools.cache
def _simplified() -> dict[int, str]:
    """Traditional character -> simplified, the 4,100 that differ, from OpenCC. 60 ms, so only when Han text appears."""
    import opencc

    han = "".join(chr(code) for first, end in _HAN_BLOCKS for code in range(first, end))
    converted: str = opencc.OpenCC("t2s").convert("\n".join(han))  # a line each, so that no rule for phrases applies
    return {ord(old): new for old, new in zip(han, converted.split("\n"), strict=True) if old != new and len(new) == 1}


def simplify(text: str) -> str:
    """`text` with each traditional Han character replaced by its simplified form; as many characters as before."""
    return text.translate(_simplified()) if _HAN.search(text) else text


def bigrams(run: str) -> str:
    """The pairs of neighbours in a run of unspaced text, separated by spaces; "" for a single character."""
    return " ".join(map(add, run, run[1:]))
