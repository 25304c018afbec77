"""The reasons that a sentence gives: what stands behind "because" is to be in its passages as well."""

from __future__ import annotations

import re
from collections.abc import Callable

from postil_server.answering.citations.polarity import content_words

# "since" and "as" are of time as often; one that gives a time has numbers, which are compared to the letter.
_REASON = re.compile(
    r"(?:\b(?:because(?: of)?|since|due to|owing to|thanks to|as a result of|on account of|so that|lest|"
    r"for fear (?:that|of))\s+|因为|由于|是怕|因(?=[\u4e00-\u9fff]{2,}[，,])|为了|以免|免得|以便)"
    r"(?P<reason>[^,;.!?，。；！？]+)",
    re.IGNORECASE,
)
_FEWEST = 2  # words of content of a reason that can be missed
_NOTHING = 0.05  # of words and meaning together, below which nothing of it is there


def unfounded(text: str, passage: str, share: Callable[[str], float]) -> list[str]:
    """The reasons of which the passages have nothing: no word, and no sentence near them in meaning.

    `share`: how much of a text the passages say, 0-1.
    """
    held = set(content_words(passage, singles=True))
    found = []
    for match in _REASON.finditer(text):
        reason = match["reason"].strip()
        words = set(content_words(reason))
        if len(words) >= _FEWEST and not words & held and share(reason) < _NOTHING:
            found.append(reason)
    return found
