"""What a repository says of its commits outside of them: releases, .mailmap, what blame passes over, its web page."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from postil_indexers.git import run_git
from postil_indexers.opening import read_small
from postil_indexers.repository_state import RepositoryState

_IGNORED_FILE = ".git-blame-ignore-revs"
_SHA = re.compile(r"^\s*([0-9a-f]{40}|[0-9a-f]{64})\b", re.MULTILINE)
_PREVIEW = re.compile(r"(?:rc|alpha|beta|dev|pre|preview|nightly|canary|snapshot|(?<=\d)[ab])[.\d-]*$", re.IGNORECASE)
_MOST = 5_000  # tags; a repository that tags each build has more, and none of them is a release
_REMOTE = re.compile(
    r"^(?:https?://(?:[^@/]*@)?|ssh://(?:[^@/]*@)?|git://|(?:[\w.-]+@)?(?=[\w.-]+:[^/]))([\w.-]+)(?::\d+(?=/))?[:/]+(.+?)(?:\.git)?/?$"
)


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    sha: str  # of the commit
    tagged_at: int

    @property
    def is_preview(self) -> bool:
        return _PREVIEW.search(self.name) is not None


def tags(root: str) -> list[Tag]:
    """The tags of commits, the oldest first. Raises GitError."""
    form = "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00%(creatordate:unix)"
    out = run_git(root, "for-each-ref", "--sort=-creatordate", f"--count={_MOST}", f"--format={form}", "refs/tags")
    found = []
    for line in out.decode("utf-8", "replace").splitlines():
        name, kind, sha, inner_kind, inner, at = line.split("\0")
        if "commit" in (kind, inner_kind):
            found.append(Tag(name.removeprefix("refs/tags/"), inner or sha, int(at or 0)))
    return sorted(found, key=lambda tag: (tag.tagged_at, tag.name))


def parents_of_all(root: str, state: RepositoryState) -> dict[str, list[str]]:
    """Every commit that HEAD or a tag reaches -> its parents. Releases are often made on branches of their own."""
    if state.head is None:
        return {}
    lines = run_git(root, "rev-list", "--parents", state.head, "--tags").decode("ascii").splitlines()
    return {sha: parents for sha, *parents in map(str.split, lines)}


def first_releases(releases: Iterable[Tag], parents: dict[str, list[str]]) -> dict[str, str]:
    """Commit -> the name of the first release that has it; previews only where no release has it."""
    found: dict[str, str] = {}
    releases = list(releases)
    for tag in (*(t for t in releases if not t.is_preview), *(t for t in releases if t.is_preview)):
        waiting = [tag.sha]
        while waiting:
            sha = waiting.pop()
            if sha in found or sha not in parents:
                continue
            found[sha] = tag.name
            waiting += parents[sha]
    return found


def top_folder(root: str, state: RepositoryState) -> str:
    """The top of the work tree that `root` is in."""
    depth = state.prefix.count("/")
    return os.path.normpath(os.path.join(root, *[os.pardir] * depth))


def mailmap_text(top: str) -> str:
    return read_small(os.path.join(top, ".mailmap"), follow=False).decode("utf-8", "replace")


def ignored_revisions(top: str) -> list[str]:
    """Commits that reformat and mean nothing, as `.git-blame-ignore-revs` lists them."""
    text = read_small(os.path.join(top, _IGNORED_FILE), follow=False).decode("utf-8", "replace")
    return list(dict.fromkeys(_SHA.findall(text)))


def web_address(root: str) -> str:
    """The page of the repository on its host, "" where its remote tells none; never a name or a key in it."""
    out = run_git(root, "config", "--get", "remote.origin.url", ok=(0, 1))
    match = _REMOTE.match(out.decode("utf-8", "replace").strip())
    if match is None or "." not in match[1]:
        return ""
    return f"https://{match[1]}/{match[2].strip('/')}"
