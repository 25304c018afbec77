"""What the server writes into an editor, in the editor's language: English, or Simplified Chinese.

English is what everything below here writes; it is put into another language where it is sent, and what is no message
of this table (titles, texts, names) stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from postil_server.lsp.chinese import CHINESE, SENTENCES

_SIMPLIFIED = re.compile(r"zh(?:[-_](?:cn|sg|hans)\b.*)?", re.IGNORECASE)

# What a placeholder stands for, where that is not just any text.
_SHAPES = {
    "count": r"\d+\+?",
    "day": r"\d{4}-\d\d-\d\d",
    "sha": r"[0-9a-f]{8}",
    "release": r"\S+",
    "branch": r"\S+",
    "number": r"[\d,]+",
    "more": r"[\d,]+",
    "rate": r"[\d,]+",
    "left": r"\d+",
    "stage": r"[a-z]+",
    "skipped": r"[a-z_]+",
    "passages": r"\d+ passages?(?: \(.*\))?",
    "stale": r"(?: It has .*)?",
}
_LISTS = ("words", "names")  # placeholders for several, with ", " between
_PARTS = (
    "skipped",
    "detail",
    "remedy",
    "passages",
    "stale",
    "place",
    "stage",
    "broad",
    "passed",
)  # messages in a message
_BETWEEN = "; "  # the parts of a reason


@dataclass(frozen=True, slots=True)
class Wording:
    """How an editor is spoken to."""

    fixed: Mapping[str, str]  # English -> another language; empty for English
    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()  # those with placeholders, the most particular first
    sentences: Wording | None = None  # apart, since parts of one are words that a text may be, as `secret`

    @classmethod
    def of(cls, messages: Mapping[str, str], sentences: Wording | None = None) -> Wording:
        longest = sorted((each for each in messages if "{" in each), key=len, reverse=True)
        fixed = {english: other for english, other in messages.items() if "{" not in english}
        return cls(fixed, tuple((_pattern(each), messages[each]) for each in longest), sentences)

    def said(self, text: str) -> str:
        if text in self.fixed:
            return self.fixed[text]
        for pattern, other in self.patterns:
            if match := pattern.fullmatch(text):
                return other.format_map({name: self._inside(name, value) for name, value in match.groupdict().items()})
        return text

    def _inside(self, name: str, value: str) -> str:
        if name in _LISTS:
            return value.replace(", ", "、")
        return self.said(value) if name in _PARTS else value

    def reason(self, text: str) -> str:
        """Each part by itself. No word, name or branch in a reason has a blank, so none holds what stands between."""
        return self.said(_BETWEEN).join(map(self.said, text.split(_BETWEEN)))

    def sentence(self, text: str) -> str:
        """A hint, a message, a line of progress, or why a file is found."""
        return self.sentences.said(text) if self.sentences else text


def wording(locale: str | None) -> Wording:
    """For the locale that a client names, as `zh-cn`. Traditional Chinese is not at hand: English."""
    return Wording.of(CHINESE, Wording.of(SENTENCES)) if locale and _SIMPLIFIED.fullmatch(locale) else Wording.of({})


def _pattern(message: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", message)
    made = [f"(?P<{part}>{_SHAPES.get(part, '.+')})" if odd % 2 else re.escape(part) for odd, part in enumerate(parts)]
    return re.compile("".join(made), re.DOTALL)
