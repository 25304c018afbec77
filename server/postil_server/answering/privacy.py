"""What no model gets, and what it gets under another name: files by rule, secrets and personal data by placeholder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from postil_indexers.ignore import IgnoreFile, parse_ignore

_MAIL = re.compile(
    r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
)
# Numbers as people write them for a telephone: with a country or an area code, or as a Chinese mobile number. Dates,
# versions, addresses of machines and long ids are none.
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.+/-])(?:"
    r"\+\d{1,3}[ .\-/]?(?:\(\d{1,5}\)[ .\-/]?)?\d(?:[ .\-/]?\d){5,12}"
    r"|\(0?\d{2,5}\)[ .\-/]?\d(?:[ .\-/]?\d){4,9}"
    r"|0\d{2,4}[ \-/]\d(?:[ \-/]?\d){4,9}"
    r"|\d{3}[-. ]\d{3}[-. ]\d{4}"
    r"|1[3-9]\d(?:[ -]?\d{4}){2}"
    r")(?![A-Za-z0-9_/-]|\.\d)"
)
_NEVER_KEY = re.compile(
    r"^(?:postil\s*[:=]\s*[\"']?never[-_ ]send[\"']?|(?:postil[-_])?never[-_]send\s*[:=]\s*(?:true|yes))\s*$",
    re.I | re.M,
)


class Withheld:
    """The files of a workspace that are found, shown, and sent to no model. `patterns`: in git's syntax."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._rules: IgnoreFile | None = parse_ignore("\n".join(patterns).encode()) if patterns else None

    def holds(self, path: str, front_matter: str = "") -> bool:
        """`path`: relative to the root. `front_matter`: of the note, where it has one."""
        return bool(_NEVER_KEY.search(front_matter)) or self._by_pattern(os.fsencode(path))

    def _by_pattern(self, path: bytes) -> bool:
        """As git: the folders from the top, then the file; below one that matches nothing is brought back."""
        if self._rules is None:
            return False
        parts = path.split(b"/")
        for depth in range(1, len(parts) + 1):
            rule = self._rules.last_match(parts[depth - 1], b"/".join(parts[:depth]), 0, depth < len(parts))
            if rule is not None and not rule.negated:
                return True
        return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What is replaced: secrets in what was typed or not yet indexed, and personal data with these names."""

    secrets: bool = False
    personal: bool = False
    names: tuple[str, ...] = ()


class Mask:
    """Placeholders for one prompt: the same text has the same one everywhere, and an answer gets its texts back."""

    def __init__(self, rules: Rules, texts: Sequence[str]) -> None:
        """`texts`: all of the prompt. A placeholder is a word that none of them has."""
        self._rules = rules
        self._names = _names_pattern(rules.names) if rules.personal and rules.names else None
        self._mark = next(mark for mark in _marks() if not any(f"{mark}_" in text for text in texts))
        self._given: dict[str, str] = {}  # text -> placeholder
        self._counts: dict[str, int] = {}

    @property
    def count(self) -> int:
        """How many texts have a placeholder."""
        return len(self._given)

    def hide(self, text: str) -> str:
        if self._rules.secrets:
            text = self._without_secrets(text)
        if self._rules.personal:
            text = _MAIL.sub(lambda match: self._placeholder("EMAIL", match[0]), text)
            text = _PHONE.sub(lambda match: self._placeholder("PHONE", match[0]), text)
        if self._names is not None:
            text = self._names.sub(lambda match: self._placeholder("NAME", match[0]), text)
        return text

    def restored(self, pieces: Iterator[str]) -> Iterator[str]:
        """The pieces of an answer with the texts back in; a placeholder may be cut between two pieces."""
        if not self._given:
            yield from pieces
            return
        back = {placeholder: text for text, placeholder in self._given.items()}
        known = re.compile(rf"{self._mark}_[A-Z]+_\d+")
        begun = re.compile(rf"{self._mark}(?:_(?:[A-Z]+(?:_\d*)?)?)?")
        held = ""
        for piece in pieces:
            held += piece
            at = held.rfind(self._mark[0])
            tail = held[at:] if at >= 0 else ""
            may_go_on = bool(tail) and (self._mark.startswith(tail) or begun.fullmatch(tail) is not None)
            upto = at if may_go_on else len(held)
            ready, held = held[:upto], held[upto:]
            if ready:
                yield known.sub(lambda match: back.get(match[0], match[0]), ready)
        if held:
            yield known.sub(lambda match: back.get(match[0], match[0]), held)

    def _placeholder(self, kind: str, text: str) -> str:
        if text not in self._given:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._given[text] = f"{self._mark}_{kind}_{self._counts[kind]}"
        return self._given[text]

    def _without_secrets(self, text: str) -> str:
        from postil_indexers.secrets import mask  # its rules take 0.3 s to load

        masked = mask(text).text
        if masked == text:
            return text
        parts: list[str] = []
        done = 0
        for start, end in _changed(text, masked):
            parts += (text[done:start], self._placeholder("SECRET", text[start:end]))
            done = end
        return "".join((*parts, text[done:]))


def _changed(text: str, masked: str) -> Iterator[tuple[int, int]]:
    """Where two texts of one length differ, from the first character of a word or line that does to the last."""
    at = 0
    while at < len(text):
        if text[at] == masked[at]:
            at += 1
            continue
        end = at
        while end < len(text) and (text[end] != masked[end] or masked[end] == "*"):
            end += 1
        yield at, end
        at = end


def _names_pattern(names: Sequence[str]) -> re.Pattern[str]:
    """Longer names first; words of an alphabet only as whole words."""
    parts = []
    for name in sorted({name.strip() for name in names if name.strip()}, key=len, reverse=True):
        first = r"(?<!\w)" if name[0].isascii() else ""
        last = r"(?!\w)" if name[-1].isascii() else ""
        parts.append(rf"{first}{re.escape(name)}{last}")
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def _marks() -> Iterator[str]:
    yield "HIDDEN"
    number = 2
    while True:
        yield f"HIDDEN{number}"
        number += 1
