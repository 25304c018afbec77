"""Filters of a question to the history: as typed (`author:anna -kind:docs #42`), and as they are shown."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from postil_server.history.calendar import bare_period, find_period

_KEPT_RELEASES = 10_000  # names of tags as they are compared
_VERSION = re.compile(r"\d+(?:[._]\d+)+.*")

KINDS = ("fix", "feature", "refactor", "test", "docs", "revert", "release", "other")
_KIND_WORDS = {
    "bugfix": "fix",
    "bug": "fix",
    "修复": "fix",
    "修正": "fix",
    "feat": "feature",
    "add": "feature",
    "新增": "feature",
    "功能": "feature",
    "重构": "refactor",
    "refactoring": "refactor",
    "tests": "test",
    "测试": "test",
    "doc": "docs",
    "documentation": "docs",
    "文档": "docs",
    "回滚": "revert",
    "撤销": "revert",
    "发布": "release",
    "chore": "other",
    "其他": "other",
}
_ALIASES = {
    "path": "file",
    "since": "after",
    "until": "before",
    "issue": "issue",
    "pr": "issue",
    "in": "release",
    "作者": "author",
    "提交者": "committer",
    "文件": "file",
    "符号": "symbol",
    "信息": "message",
    "改动": "change",
    "类型": "kind",
    "之后": "after",
    "之前": "before",
    "版本": "release",
    "合并": "merge",
}
NAMES = (
    *("author", "committer", "file", "symbol", "message", "change", "kind", "after", "before", "release", "merge"),
    *("issue", "sha"),
)
_YES = frozenset({"yes", "true", "only", "1", "是"})
_NO = frozenset({"no", "false", "0", "none", "否"})
_COMMIT_ID = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}", re.IGNORECASE)
_TYPED = re.compile(
    rf"""(?<![\w:/])(-?)(?:({"|".join(sorted((*NAMES, *_ALIASES), key=len, reverse=True))})[:：](?:"([^"]*)"|(\S+))"""
    r"|\#(\d{1,9})\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition. `inferred`: read out of a sentence, so that it orders an answer more than it cuts it."""

    name: str  # one of NAMES
    value: str
    negated: bool = False
    inferred: bool = False

    def __str__(self) -> str:
        sign = "-" if self.negated else ""
        if self.name == "issue" and self.value.isdigit():
            return f"{sign}#{self.value}"
        quoted = f'"{self.value}"' if re.search(r"\s", self.value) else self.value
        return f"{sign}{self.name}:{quoted}"


def typed_filters(text: str) -> tuple[list[Filter], str]:
    """The filters that stand in a text in typed form, and the text without them. Not yet `checked`."""
    found = []

    def take(match: re.Match[str]) -> str:
        sign, name, quoted, plain, number = match.groups()
        if number is not None:
            found.append(Filter("issue", number, bool(sign)))
        else:
            name = name.lower()
            value = plain if quoted is None else quoted
            found.append(Filter(_ALIASES.get(name, name), value.strip(), bool(sign)))
        return " "

    rest = _TYPED.sub(take, text)
    return [one for one in found if one.value], rest


def checked(filters: Iterable[Filter], today: date, releases: Iterable[str]) -> tuple[list[Filter], list[str]]:
    """Filters whose values mean something, in their plain form, and what is wrong with the others, fit to show."""
    known = {plain_release(name): name for name in releases}
    good, wrong = [], []
    for one in filters:
        if one.name in ("after", "before"):
            value = find_release(known, one.value) or _day(one.value, today)
            if value is None and is_commit_id(one.value):
                value = one.value.lower()
            problem = f"{one.value!r} is neither a date nor a release nor a commit"
        elif one.name == "release":
            value = find_release(known, one.value)
            near = nearest(one.value, releases)
            problem = f"no release is called {one.value!r}" + (f"; there are {', '.join(near)}" if near else "")
        elif one.name == "kind":
            value = _KIND_WORDS.get(one.value.casefold(), one.value.casefold())
            value, problem = (value if value in KINDS else None), f"there is no kind {one.value!r}: {', '.join(KINDS)}"
        elif one.name == "merge":
            folded = one.value.casefold()
            value = "yes" if folded in _YES else "no" if folded in _NO else one.value.lstrip("#")
            value, problem = (value if value in ("yes", "no") else None), "merge: takes yes or no"
        elif one.name == "sha":
            value = one.value.lower() if re.fullmatch(r"[0-9a-fA-F]{4,64}", one.value) else None
            problem = f"{one.value!r} is no commit id"
        else:
            value, problem = one.value, ""
        if value is None:
            wrong.append(problem)
        else:
            good.append(replace(one, value=value))
    return good, wrong


def is_commit_id(said: str) -> bool:
    """Whether somebody means a commit by that: a number alone, or a word alone, is none."""
    return _COMMIT_ID.fullmatch(said) is not None


def find_release(known: Mapping[str, str], said: str) -> str | None:
    """The release that somebody calls so, of `plain_release` -> name; who says 7.2 means 7.2.0 where that is one."""
    plain = plain_release(said)
    return known.get(plain) or (known.get(f"{plain}.0") if "." in plain else None)


@functools.lru_cache(maxsize=_KEPT_RELEASES)
def plain_release(name: str) -> str:
    """A release's name as it is compared: `v2.1`, `2.1`, `release-2.1` and `pkg@2.1` are one."""
    found = _VERSION.search(name)
    return (found[0].replace("_", ".") if found else name).casefold()


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """The three names that are written most like a word."""
    import difflib

    folded = {name.casefold(): name for name in names}
    parts: dict[str, str] = {}
    for key, name in folded.items():
        for part in (key, *re.split(r"[\s@./_-]+", key)):
            parts.setdefault(part, name)
    close = difflib.get_close_matches(word.casefold(), list(parts), n=6, cutoff=0.6)
    return list(dict.fromkeys(parts[part] for part in close))[:3]


def _day(value: str, today: date) -> str | None:
    """The first day of a date or a period, as ISO."""
    found = find_period(value, today)
    if found is not None and found[0] == 0 and found[1] == len(value):
        return found[2].start.isoformat()
    bare = bare_period(value, 0, today)
    return bare[1].start.isoformat() if bare is not None and bare[0] == len(value) else None


def as_object(filters: Iterable[Filter]) -> dict[str, str | list[str]]:
    """As an answer shows them: name, with "-" where it is negated, -> value, or several."""
    found: dict[str, list[str]] = {}
    for one in filters:
        found.setdefault(("-" if one.negated else "") + one.name, []).append(one.value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def from_object(given: Mapping[str, object]) -> list[Filter]:
    """The reverse, as a client sends it; names that are none, and values that are no text, are left out."""
    found = []
    for key, value in given.items():
        name = key.removeprefix("-").lower()
        name = _ALIASES.get(name, name)
        texts = [str(each).strip() for each in (value if isinstance(value, list) else [value]) if _is_text(each)]
        found += [Filter(name, text.lstrip("#"), key.startswith("-")) for text in texts if text and name in NAMES]
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
