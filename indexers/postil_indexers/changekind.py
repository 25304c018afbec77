"""What kind of change a commit is, by its prefix, by what it touches and by its words: a hint, and shown as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntFlag
from functools import lru_cache

_PREFIX = re.compile(r"^(\w+)(?:\([^)]*\))?!?:\s")
_OF_PREFIX = {
    **dict.fromkeys(("fix", "bugfix", "hotfix", "bug"), "fix"),
    **dict.fromkeys(("feat", "feature"), "feature"),
    **dict.fromkeys(("refactor", "perf", "style", "refac"), "refactor"),
    **dict.fromkeys(("test", "tests"), "test"),
    **dict.fromkeys(("doc", "docs"), "docs"),
    **dict.fromkeys(("chore", "build", "ci", "deps"), "other"),
    "revert": "revert",
    "release": "release",
}
_REVERT = re.compile(r"^revert\b|^\W*(?:回滚|撤销|还原)|^back ?out\b", re.IGNORECASE)
_RELEASE = re.compile(
    r"^(?:release|version|prepare|preparing|bump|bumped|cut)\b.*\bv?\d+\.\d+|^(?:release )?v?\d+\.\d+(?:\.\d+)*\S*$"
    r"|^bump(?:ed)? version|^back to development|^post[- ]release",
    re.IGNORECASE,
)
# The first that a subject holds decides: "Fix tests for the new parser" mends tests, "Add a fix for" still mends.
# All words of a kind stand behind one \b, so that a search passes over what lies inside of words.
_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("docs", r"\b(?:typos?|docstrings?|readme|changelog)\b|错别字"),
        (
            "fix",
            r"\b(?:(?:bug|hot)?fix(?:e[sd]|ing|up)?|bugs?|correct(?:s|ed|ly)?|prevent(?:s|ed)?|regression|crash(?:es)?"
            r"|resolve[sd]?|workaround|avoid(?:s|ed)?|repair(?:s|ed)?|do(?:es)? not|don't)\b|修复|修正|解决|避免",
        ),
        (
            "refactor",
            r"\b(?:refactor\w*|rename[sd]?|move[sd]?|clean(?:s|ed|ing)?[ -]?up|simplif\w+|extract(?:s|ed)?"
            r"|rewr(?:ite|ote)|reorgani[sz]e\w*|split|modernize|unused|pyupgrade|reformat\w*|lint|tidy)\b"
            r"|重构|重命名|整理|移动|清理",
        ),
        (
            "feature",
            r"^(?:\S+: )?(?:add(?:s|ed)?|implement(?:s|ed)?|support(?:s|ed)?|introduce[sd]?|allow(?:s|ed)?|new"
            r"|enable[sd]?|provide[sd]?|make)\b"
            r"|\b(?:features?\b|add(?:s|ed)? (?:support|option|an? ))|新增|添加|支持|实现|增加",
        ),
    )
)
_MENDS = re.compile(r"\bfix(?:e[sd])?:? (?:\S+/\S+)?#\d", re.IGNORECASE)
_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|testdata|fixtures)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.[^/.]+$|(?:Test|Spec)s?\.\w+$"
)
_DOCS_PATH = re.compile(
    r"(?:^|/)docs?/|\.(?:md|markdown|rst|txt|adoc|org)$|(?:^|/)(?:changes|changelog|news|authors|license|readme)[^/]*$",
    re.IGNORECASE,
)


class Touches(IntFlag):
    """What a commit's files are."""

    CODE = 1
    TESTS = 2
    DOCS = 4


def touched(paths: Iterable[str]) -> Touches:
    found = 0
    for kind in {_what_it_is(path) for path in paths}:
        found |= kind
    return Touches(found)


@lru_cache(maxsize=16_384)
def _what_it_is(path: str) -> int:
    """The paths of a history come again and again."""
    if _TEST_PATH.search(path):
        return Touches.TESTS.value
    return Touches.DOCS.value if _DOCS_PATH.search(path) else Touches.CODE.value


def change_kind(subject: str, body: str, touches: Touches, files: int, added: int) -> str:
    """One of filters' kinds: fix, feature, refactor, test, docs, revert, release, other.

    `touches` and `files`: what it changed, and how many of them; `added`: how many are new.
    """
    if _REVERT.search(subject):
        return "revert"
    prefix = _PREFIX.match(subject)
    if prefix and (kind := _OF_PREFIX.get(prefix[1].lower())):
        return kind
    if _RELEASE.search(subject):
        return "release"
    if touches in (Touches.DOCS, Touches.TESTS):
        return "docs" if touches is Touches.DOCS else "test"
    for kind, pattern in _WORDS:
        if pattern.search(subject):
            return kind
    if _MENDS.search(body):
        return "fix"
    return "feature" if files and 2 * added > files else "other"
