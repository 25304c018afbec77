"""What is searched of a commit: its words by field, and the text that a model is given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from postil_indexers.text import index_terms, path_terms
from postil_indexers.types import Commit

FIELDS = ("subject", "body", "log", "names", "paths", "diff")  # the columns of history_fts
_DIFF_CHARS = 8_000  # of a commit's changed lines that are searched by word; sweeping commits would match everything
_LOG_CHARS = 4_000  # of what it adds to change logs: the page of a whole release is about no commit
_EMBED_CHARS = 1_200  # what two windows of a small transformer read
_EMBED_BODY_CHARS = 400  # the first paragraph says what, the others how it came to be
_EMBED_LOG_CHARS = 600
_TERM_FILES = 200  # a commit that touches more files is about none of them
# A project's own words for what a commit means to its users: CHANGES, NEWS.md, changelog/123.bugfix.rst
_LOG_PATH = re.compile(
    r"(?:^|/)(?:change_?logs?|changes|news|history|whats_?new|release[_-]?notes|releases|newsfragments|\.changeset)(?:[./_-]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CommitTerms:
    """Terms of each field, joined by spaces."""

    subject: str
    body: str
    log: str
    names: str
    paths: str
    diff: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.subject, self.body, self.log, self.names, self.paths, self.diff)

    def distinct(self) -> set[str]:
        return set(" ".join(self.columns).split())


def commit_terms(commit: Commit) -> CommitTerms:
    """A function of the commit alone, so that removing undoes writing."""
    symbols = {hunk.symbol for change in commit.files for hunk in change.hunks if hunk.symbol}
    names = " ".join((*commit.added_names, *commit.removed_names, *sorted(symbols)))
    paths = {path for change in commit.files[:_TERM_FILES] for path in (change.path, change.old_path)}
    return CommitTerms(
        subject=index_terms(commit.subject),
        body=index_terms(commit.body),
        log=index_terms(change_log(commit)[:_LOG_CHARS]),
        names=index_terms(names),
        paths=" ".join(map(_path_terms, sorted(paths))),
        diff=index_terms(_diff(commit)),
    )


@lru_cache(maxsize=16_384)
def _path_terms(path: str) -> str:
    return path_terms(path)


@lru_cache(maxsize=16_384)
def is_change_log(path: str) -> bool:
    return _LOG_PATH.search(path) is not None


def change_log(commit: Commit) -> str:
    """The lines that a commit adds to change logs."""
    lines = [
        line[1:]
        for change in commit.files
        if is_change_log(change.path)
        for hunk in change.hunks
        for line in hunk.text.split("\n")
        if line.startswith("+")
    ]
    return "\n".join(lines)


def _diff(commit: Commit) -> str:
    parts: list[str] = []
    room = _DIFF_CHARS
    for change in commit.files:
        if is_change_log(change.path):
            continue
        for hunk in change.hunks:
            parts.append(hunk.text[:room])
            room -= len(hunk.text)
            if room <= 0:
                return "\n".join(parts)
    return "\n".join(parts)


def embedded_text(commit: Commit) -> str:
    """The message and what the change log says; where it says nothing, the names that the commit brought and took."""
    said = change_log(commit)[:_EMBED_LOG_CHARS] or " ".join((*commit.added_names, *commit.removed_names))
    return f"{commit.subject}\n{commit.body[:_EMBED_BODY_CHARS].strip()}\n{said}".strip()[:_EMBED_CHARS]
