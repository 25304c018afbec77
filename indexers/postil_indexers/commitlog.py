"""Commits with what they changed, out of `git log` over lists of ids.

A merge is compared with each of its parents, and between branches that grew apart git's search for renames takes most
of its time: on a history of many merges three quarters of it. It tells something new only of a merge that has a file
which some parent has not, or lacks one that all of them have. So merges are first listed without that search, by ids
alone; the few that need it are read with all other commits, and the rest beside them in a second run.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from postil_indexers.diffparse import FORMAT, RawCommit, RawFile, parse_log
from postil_indexers.errors import GitError
from postil_indexers.git import DIFF_FLAGS, stream_git
from postil_indexers.hunktext import finish, keeps_text
from postil_indexers.repository_state import RepositoryState
from postil_indexers.types import Commit

# Each overrides a key of the repository's or the user's configuration that would change what is printed.
_LOG = (
    "log",
    FORMAT,
    "--encoding=UTF-8",
    "--no-notes",
    "--no-follow",
    "--root",
    "--raw",
    "--no-relative",
    "--abbrev=16",
    "--ignore-submodules=none",
    *DIFF_FLAGS,
)
_PATCH = (
    *("--patch", "--unified=0", "--inter-hunk-context=0", "--diff-algorithm=myers"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
_MERGES = ("--no-renames", "--diff-merges=combined")
_RENAMES = ("--find-renames", "--diff-merges=combined")
# Renames without edits are told by ids alone; for others the content would be needed
_NAMES_ONLY = ("--find-renames=100%", "--diff-merges=off")
_LISTED = ("--no-walk=unsorted", "--stdin")
_FIRST, _GROWTH, _LATER = 250, 4, 4_000  # ids a round: the first commits come soon, and git is not started often
_FEW = 32  # ids that are read in one run: to start git again takes longer than its search for renames
_PATIENCE_S = 3_600.0  # git compares the lines that a merge dropped in pairs: 60,000 of them take it minutes
_MISSING_TEXTS = 16  # after so many commits whose text is not here, no further one is tried


@dataclass(frozen=True, slots=True)
class CommitLog:
    """The commits of a repository as the folder `root` sees them."""

    root: str
    state: RepositoryState

    def listed(self, *revisions: str) -> Iterator[str]:
        """Ids of the commits that touch the folder, newest first."""
        with stream_git(self.root, "log", "--format=%H", *revisions, *self._folder) as lines:
            for line in lines:
                yield line.decode("ascii").rstrip("\n")

    def elsewhere(self, refs: Sequence[str]) -> Iterator[tuple[str, str]]:
        """(id, the full name of one of `refs` that has it) of the commits that touch the folder and that HEAD does not
        reach, newest first. A ref that is gone meanwhile is passed over."""
        given = os.fsencode("".join(f"{name}\n" for name in (*refs, f"^{self.state.head}")))
        listing = ("--format=%H %S", "--source", "--ignore-missing", "--stdin")
        with stream_git(self.root, "log", *listing, *self._folder, stdin=given) as lines:
            for line in lines:
                sha, _, ref = os.fsdecode(line.rstrip(b"\n")).partition(" ")
                yield sha, ref

    def names(self, *revisions: str) -> Iterator[Commit]:
        """The same commits with the names of their files, without hunks."""
        return map(self._finished, self._printed((*_NAMES_ONLY, *revisions)))

    def patches(self, shas: Iterable[str]) -> Iterator[Commit]:
        """Commits in this order, with hunks. In a partial clone some, and after some all, are `text_missing`."""
        missing = 0
        for round_ in _rounds(shas):
            left: Sequence[str] = round_
            while left and missing < _MISSING_TEXTS:
                done = 0
                try:
                    for raw in self._read(left):
                        done += 1
                        yield self._finished(raw)
                    left = ()
                except GitError:
                    if not self.state.is_partial or done == len(left):
                        raise
                    missing += 1
                    yield from self._without_text(left[done : done + 1])
                    left = left[done + 1 :]
            yield from self._without_text(left)

    @property
    def _folder(self) -> tuple[str, ...]:
        # naming "." at the top would drop empty commits and merges
        return ("--full-history", "--", ".") if self.state.prefix else ("--",)

    def _finished(self, raw: RawCommit) -> Commit:
        return finish(raw, self.state.prefix.encode("utf-8", "surrogateescape"))

    def _without_text(self, shas: Sequence[str]) -> Iterator[Commit]:
        if shas:
            for raw in self._printed((*_NAMES_ONLY, *_LISTED), shas):
                yield replace(self._finished(raw), text_missing=bool(raw.files))

    def _read(self, shas: Sequence[str]) -> Iterator[RawCommit]:
        """The commits of one round. Where git fails, those before come first."""
        merges = self._merges(shas) if len(shas) > _FEW else {}
        needless = {sha for sha, merge in merges.items() if not any(map(_may_be_renamed, merge.files))}
        conflicts = [sha for sha in shas if sha in needless and merges[sha].files]
        others = [sha for sha in shas if sha not in needless]
        with (
            closing(self._printed((*_PATCH, *_RENAMES, *_LISTED), others)) as with_renames,
            closing(self._printed((*_PATCH, *_MERGES, *_LISTED), conflicts)) as without,
        ):
            for sha in shas:
                if sha not in needless:
                    yield _next(with_renames, sha)
                else:
                    yield _next(without, sha) if merges[sha].files else merges[sha]

    def _merges(self, shas: Sequence[str]) -> dict[str, RawCommit]:
        """The merges among some commits, with the files that they took from no parent whole; no renames are seen."""
        try:
            found = list(self._printed((*_MERGES, "--merges", *_LISTED), shas))
        except GitError:
            return {}  # read one after the other, each commit before the damage comes
        return {merge.sha: merge for merge in found}

    def _printed(self, options: tuple[str, ...], shas: Sequence[str] | None = None) -> Generator[RawCommit, None, None]:
        """Commits of one run of git. Where it fails, those that were printed whole come first."""
        if shas is not None and not shas:
            return
        ids = None if shas is None else "".join(f"{sha}\n" for sha in shas).encode("ascii")
        patches = "--patch" in options
        held: RawCommit | None = None
        try:
            with stream_git(self.root, *_LOG, *options, *self._folder, stdin=ids, timeout_s=_PATIENCE_S) as stream:
                for commit in parse_log(stream, patches=patches, keeps_text=keeps_text):
                    if held is not None:
                        yield held
                    held = commit
        except GitError as error:
            if held is not None and held.complete:
                yield held
            raise GitError(error.message, error.hint or "`git fsck` says whether the repository is damaged") from error
        if held is not None:
            yield held


def _may_be_renamed(merged: RawFile) -> bool:
    """Whether a parent lacks this file of a merge, or the merge lacks it: a modified one is no half of a rename."""
    return "A" in merged.status or "D" in merged.status


def _next(commits: Iterator[RawCommit], sha: str) -> RawCommit:
    commit = next(commits, None)
    if commit is None or commit.sha != sha:
        raise GitError(f"git log did not print commit {sha}")
    return commit


def _rounds(shas: Iterable[str]) -> Iterator[list[str]]:
    """Runs of ids. What could be listed comes before the error that ended the list."""
    size, run = _FIRST, list[str]()
    try:
        for sha in shas:
            run.append(sha)
            if len(run) == size:
                yield run
                size, run = min(size * _GROWTH, _LATER), []
    except GitError:
        if run:
            yield run
        raise
    if run:
        yield run
