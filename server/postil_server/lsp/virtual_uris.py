"""`postil:` URIs: a commit, a file as it was at one, an answer. Read strictly: what is not just so is none.

    postil:/commit/<root>/<sha>.diff    postil:/file/<root>/<sha>/<path>    postil:/answer/<id>.md

`<root>` stands for an open folder, so that no path of the machine is in the URI.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

SCHEME = "postil"

_SHA, _ROOT, _ANSWER = "[0-9a-f]{40}(?:[0-9a-f]{24})?", "[0-9a-f]{16}", "[0-9a-f]{16}"
_COMMIT = re.compile(rf"postil:(?://)?/commit/({_ROOT})/({_SHA})\.diff")
_FILE = re.compile(rf"postil:(?://)?/file/({_ROOT})/({_SHA})/((?:[^%?#\s]|%[0-9A-Fa-f]{{2}})+)")
_ANSWERED = re.compile(rf"postil:(?://)?/answer/({_ANSWER})\.md")


@dataclass(frozen=True, slots=True)
class CommitPage:
    root: str  # `root_key` of its folder
    sha: str


@dataclass(frozen=True, slots=True)
class FilePage:
    root: str
    sha: str
    path: str  # relative to the folder, POSIX


@dataclass(frozen=True, slots=True)
class AnswerPage:
    id: str


def root_key(root: str) -> str:
    return hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()


def commit_uri(root: str, sha: str) -> str:
    return f"postil:/commit/{root_key(root)}/{sha}.diff"


def file_uri(root: str, sha: str, path: str) -> str:
    return f"postil:/file/{root_key(root)}/{sha}/{quote(os.fsencode(path))}"


def answer_uri(number: str) -> str:
    return f"postil:/answer/{number}.md"


def page_of(uri: str) -> CommitPage | FilePage | AnswerPage | None:
    """What a URI names, whether it is there or not; None for one that is not written as ours are."""
    if found := _COMMIT.fullmatch(uri):
        return CommitPage(found[1], found[2])
    if found := _ANSWERED.fullmatch(uri):
        return AnswerPage(found[1])
    if found := _FILE.fullmatch(uri):
        path = os.fsdecode(unquote_to_bytes(found[3]))
        plain = not any(part in ("", ".", "..") for part in path.split("/")) and "\0" not in path
        return FilePage(found[1], found[2], path) if plain else None
    return None
