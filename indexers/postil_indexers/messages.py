"""What a commit's message says beside its words: trailers, issues, and the commits that it undoes, picks or mends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*)(?::| #)\s*(\S.*)$")
_ISSUE = re.compile(
    r"(?<![\w/&#])(?:gh-|#)(\d{1,9})\b|/(?:issues?|pull|pulls|merge_requests)/(\d{1,9})\b|(?<![\w-])([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6})(?![\w-])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[#/-]\d")  # in all that names an issue; most lines have none, and the search above is slow
_KEY = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d+")  # of a tracker: written in capitals, or it is a word with a number
_NO_TRACKERS = frozenset(
    {"UTF", "ISO", "RFC", "PEP", "SHA", "CVE", "IPV", "HTTP", "TLS", "AES", "MD", "CP", "GPL", "X"}
)
_REVERTS = re.compile(
    r"\breverts? commit ([0-9a-f]{7,64})\b|^revert:? ([0-9a-f]{7,64})\b", re.IGNORECASE | re.MULTILINE
)
_PICKS = re.compile(
    r"\(cherry picked from commit ([0-9a-f]{7,64})\)|\b(?:backport|cherry-pick)(?:ed)?(?: of| from)? "
    r"([0-9a-f]{7,64})\b",
    re.IGNORECASE,
)
_MENDS = re.compile(
    r"^fixes:? ([0-9a-f]{7,64})\b|\b(?:introduced|broken|caused) (?:by|in) (?:commit )?([0-9a-f]{7,64})\b",
    re.IGNORECASE | re.MULTILINE,
)
# The patterns, with words of which a text has one where they match: to look for these costs next to nothing
_COMMITS = (
    ("reverts", _REVERTS, ("revert",)),
    ("picks", _PICKS, ("cherry", "backport")),
    ("mends", _MENDS, ("fix", "introduced", "broken", "caused")),
)
_MOST = 40  # mentions of a message: the list of a release names hundreds, and is about none of them


@dataclass(frozen=True, slots=True)
class Mention:
    kind: str  # "issue", "reverts", "picks", "mends"
    value: str  # "123" or "PROJ-123"; of a commit the start of its id, in lower case


def trailers(body: str) -> list[tuple[str, str]]:
    """(key, value) of the lines that end a message, such as `Reviewed-by: Ada <ada@example.org>`, in order."""
    paragraph = body.rstrip().rpartition("\n\n")[2]
    found = [match.groups() for line in paragraph.split("\n") if (match := _TRAILER.match(line))]
    lines = [line for line in paragraph.split("\n") if not line.startswith((" ", "\t", "(cherry picked"))]
    return [(key, value.strip()) for key, value in found] if len(found) == len(lines) else []


def mentions(subject: str, body: str) -> list[Mention]:
    """What a message names, each once, at most some forty."""
    text = f"{subject}\n{body}"
    return list(dict.fromkeys(_mentions(text)))[:_MOST]


def _mentions(text: str) -> Iterator[Mention]:
    lowered = text.lower()
    for kind, pattern, words in _COMMITS:
        if any(word in lowered for word in words):
            for match in pattern.finditer(text):
                yield Mention(kind, next(filter(None, match.groups())).lower())
    for number in issues(text):
        yield Mention("issue", number)


def issues(text: str) -> list[str]:
    """The issues and pull requests that a text names, in order: `#12`, `GH-12`, `…/issues/12`, `PROJ-12`."""
    if not _NUMBERED.search(text):
        return []
    numbered = "\n".join(line for line in text.split("\n") if _NUMBERED.search(line))
    found = []
    for match in _ISSUE.finditer(numbered):
        key = match[3]
        if key is None:
            found.append(str(int(match[1] or match[2])))
        elif _KEY.fullmatch(key) and key.partition("-")[0] not in _NO_TRACKERS:
            found.append(key)
    return list(dict.fromkeys(found))
