"""One ignore file (.gitignore, .postilignore, info/exclude ...): its rules, and which of them has the last word."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from postil_indexers.wildmatch import literal_length, to_regex

_Test = Callable[[bytes], Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """One line that can match something."""

    text: str  # as written, without line end
    line: int  # 1-based
    pattern: bytes  # without "!", leading and trailing slash; in lower case where case is ignored
    negated: bool
    directories_only: bool
    whole_path: bool  # has a slash: compared with the path below the ignore file's folder, else with the bare name
    regex: bytes | None  # None for a pattern that means itself
    test: _Test  # on the bare name or the path

    def may_reach_below(self, folder: bytes) -> bool:
        """Whether it could match something below `folder` (relative to the ignore file's folder). Errs towards yes,
        but for the bare name of a folder: `!build/` is meant for that folder, not for a search of all ignored ones."""
        if not self.whole_path:
            return not self.directories_only
        below = folder + b"/"
        if b"**" not in self.pattern and self.pattern.count(b"/") < below.count(b"/"):
            return False
        literal = self.pattern[: literal_length(self.pattern)]
        stem = literal[: literal.rfind(b"/") + 1]
        return below.startswith(stem) or stem.startswith(below)

    def names_something_below(self, folder: bytes) -> bool:
        """Whether its literal start leads through `folder`: it speaks of that folder and not of any."""
        return self.whole_path and (self.pattern + b"/").startswith(folder + b"/") and self.may_reach_below(folder)


class IgnoreFile:
    """The rules of one file, in order. Names and paths are bytes, as git compares them."""

    __slots__ = (
        "_fold",
        "_has_paths",
        "_name_test",
        "_names",
        "_path_test",
        "_paths",
        "_suffixes",
        "reopening",
        "rules",
    )

    def __init__(self, rules: tuple[Rule, ...], *, ignore_case: bool = False) -> None:
        self.rules = rules
        self._fold = ignore_case
        self.reopening = tuple(rule for rule in rules if rule.negated)
        # Nearly every file matches no rule at all: these sets and joined expressions say so in a few C calls.
        bare = [rule for rule in rules if not rule.whole_path]
        paths = [rule for rule in rules if rule.whole_path]
        self._names = frozenset(rule.pattern for rule in bare if rule.regex is None)
        self._suffixes = tuple({rule.pattern[1:] for rule in bare if _is_suffix(rule.pattern)})
        self._name_test = _any_of(rule.regex for rule in bare if not _is_suffix(rule.pattern))
        self._has_paths = bool(paths)
        self._paths = frozenset(rule.pattern for rule in paths if rule.regex is None)
        self._path_test = _any_of(rule.regex for rule in paths)

    def last_match(self, name: bytes, path: bytes, skip: int, is_directory: bool) -> Rule | None:
        """The rule that decides, or None. `path[skip:]` is the path below this file's folder, `name` its last part."""
        if self._fold:
            name, path = name.lower(), path.lower()
        if not (name in self._names or name.endswith(self._suffixes) or (self._name_test and self._name_test(name))):
            if not self._has_paths:
                return None
            below = path[skip:]
            if not (below in self._paths or (self._path_test and self._path_test(below))):
                return None
        for rule in reversed(self.rules):
            if rule.directories_only and not is_directory:
                continue
            if rule.test(path[skip:] if rule.whole_path else name):
                return rule
        return None


def _is_literal(pattern: bytes) -> bool:
    return literal_length(pattern) == len(pattern)


def _is_suffix(pattern: bytes) -> bool:
    return pattern.startswith(b"*") and _is_literal(pattern[1:])


def _any_of(regexes: Iterable[bytes | None]) -> _Test | None:
    joined = b"|".join(regex for regex in regexes if regex is not None)
    return re.compile(joined).fullmatch if joined else None


@functools.lru_cache(maxsize=4096)  # compiled once for all scans of a process; a big tree has some hundred files
def parse_ignore(content: bytes, *, ignore_case: bool = False) -> IgnoreFile:
    """The rules of an ignore file's bytes. Never raises: what git passes over is passed over."""
    rules = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        rule = _rule(line, number, ignore_case)
        if rule is not None:
            rules.append(rule)
    return IgnoreFile(tuple(rules), ignore_case=ignore_case)


def _rule(line: bytes, number: int, ignore_case: bool) -> Rule | None:
    if line.startswith(b"#"):
        return None
    line = _trimmed(line.removesuffix(b"\r").partition(b"\0")[0])
    pattern = line.removeprefix(b"!")
    directories_only = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    whole_path = b"/" in pattern
    pattern = pattern.removeprefix(b"/")
    if not pattern:
        return None
    regex = None if _is_literal(pattern) else to_regex(pattern, whole_path=whole_path, ignore_case=ignore_case)
    if regex is None and not _is_literal(pattern):
        return None  # nothing can match it
    pattern = pattern.lower() if ignore_case else pattern
    test = pattern.__eq__ if regex is None else _LazyTest(regex)
    text = line.decode("utf-8", "replace")
    return Rule(text, number, pattern, line.startswith(b"!"), directories_only, whole_path, regex, test)


class _LazyTest:
    """An expression that is compiled when it is first asked: most rules of most files never are."""

    __slots__ = ("_regex", "_test")

    def __init__(self, regex: bytes) -> None:
        self._regex = regex
        self._test: _Test | None = None

    def __call__(self, value: bytes) -> bool:
        if self._test is None:
            self._test = re.compile(self._regex).fullmatch
        return self._test(value) is not None


def _trimmed(line: bytes) -> bytes:
    """Without trailing spaces; a space after a backslash stays."""
    bare = line.rstrip(b" ")
    if bare == line or not bare.endswith(b"\\"):
        return bare
    backslashes = len(bare) - len(bare.rstrip(b"\\"))
    return bare + b" " if backslashes % 2 else bare
