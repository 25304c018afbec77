"""The commits of a workspace, newest first, out of one stream of `git log`.

A merge shows only what it has that none of its parents has (how a conflict was solved), with numbers against its first
parent; what it brought in stands in the commits that it merged. Of a file that both sides changed
(`--diff-merges=combined`) it also says how its lines differ from each parent's, so that lines can be followed.
In a partial clone a diff may need objects that are not here. Nothing is fetched: such a commit has the names of its
files, and `text_missing`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from postil_indexers.diffparse import FORMAT, RawCommit, parse_log
from postil_indexers.errors import GitError
from postil_indexers.git import DIFF_FLAGS, run_git, stream_git
from postil_indexers.hunktext import finish, keeps_text
from postil_indexers.repository_state import RepositoryState, repository_state
from postil_indexers.types import Commit

__all__ = ["RepositoryState", "new_commits", "no_roots_any_more", "reachable_shas", "read_history", "repository_state"]

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
)
_PATCH = (
    *DIFF_FLAGS,
    *("--patch", "--unified=0", "--inter-hunk-context=0", "--find-renames", "--diff-merges=combined"),
    *("--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none"),
)
# Renames without edits are told by ids alone; for others the content would be needed
_NAMES_ONLY = (*DIFF_FLAGS, "--find-renames=100%", "--diff-merges=off", "--ignore-submodules=none")
_BATCH = 400  # ids on one command line: 16 kB, and Windows allows 32
_MISSING_TEXTS = 16  # after so many commits whose text is not here, no further one is tried
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Selection:
    root: str
    state: RepositoryState
    revisions: tuple[str, ...]
    limit: int | None = None

    def arguments(self, skip: int, count: int | None) -> tuple[str, ...]:
        bounds = (f"--skip={skip}", *(() if count is None else (f"--max-count={count}",)))
        return (*bounds, *self.revisions, *_folder(self.state))


def read_history(
    root: str, *, exclude: Sequence[str] = (), limit: int | None = None, patches: bool = True
) -> Iterator[Commit]:
    """Commits reachable from HEAD that touch the folder `root`, and not from `exclude`, newest first, at most `limit`.

    Ids in `exclude` that don't exist (any more) are passed over. Without `patches` the files have no hunks, and only
    renames without edits are seen. Nothing comes of a folder in no repository or of a repository without commits. A
    damaged repository raises GitError after the last commit that could be read.
    """
    state = repository_state(root)
    if state is None or state.head is None:
        return
    excluded = (f"^{sha}" for sha in exclude if _SHA.fullmatch(sha))
    yield from _read(_Selection(root, state, ("--ignore-missing", state.head, *excluded), limit), patches)


def new_commits(root: str, known: Container[str], reachable: Sequence[str] | None = None) -> Iterator[Commit]:
    """Reachable commits that are not `known`, newest first: right after an amend, a rebase or a reset as well."""
    state = repository_state(root)
    if state is None or state.head is None:
        return
    shas = reachable_shas(root) if reachable is None else reachable
    fresh = [sha for sha in shas if sha not in known]
    if len(fresh) == len(shas):
        yield from _read(_Selection(root, state, (state.head,)), True)
        return
    for start in range(0, len(fresh), _BATCH):
        batch = ("--no-walk=unsorted", *fresh[start : start + _BATCH])
        yield from _read(_Selection(root, state, batch), True)


def reachable_shas(root: str) -> list[str]:
    """Ids of the commits that `read_history` gives, newest first."""
    state = repository_state(root)
    if state is None or state.head is None:
        return []
    return run_git(root, "rev-list", state.head, *_folder(state)).decode("ascii").split()


def no_roots_any_more(root: str, shas: Sequence[str]) -> set[str]:
    """Those of some commits without parents that have parents now: a shallow clone was deepened below them."""
    if not shas:
        return set()
    lines = run_git(root, "rev-list", "--no-walk", "--parents", *shas).decode("ascii").splitlines()
    return {line.split()[0] for line in lines if " " in line}


def _folder(state: RepositoryState) -> tuple[str, ...]:
    # naming "." at the top would drop empty commits and merges
    return ("--full-history", "--", ".") if state.prefix else ("--",)


def _read(selection: _Selection, patches: bool) -> Iterator[Commit]:
    done = missing = 0
    while selection.limit is None or done < selection.limit:
        count = None if selection.limit is None else selection.limit - done
        readable = patches and missing < _MISSING_TEXTS
        try:
            for commit in _stream(selection, done, count, readable):
                done += 1
                yield replace(commit, text_missing=bool(commit.files)) if patches and not readable else commit
            return
        except GitError:
            if not (readable and selection.state.is_partial):
                raise
        missing += 1
        before = done
        for commit in _stream(selection, done, 1, False):
            done += 1
            yield replace(commit, text_missing=bool(commit.files))
        if done == before:
            return


def _stream(selection: _Selection, skip: int, count: int | None, patches: bool) -> Iterator[Commit]:
    """Commits of one run of git. Where it fails, those that were printed whole come first."""
    arguments = (*_LOG, *(_PATCH if patches else _NAMES_ONLY), *selection.arguments(skip, count))
    prefix = selection.state.prefix.encode("utf-8", "surrogateescape")
    held: RawCommit | None = None
    try:
        with stream_git(selection.root, *arguments) as stream:
            for commit in parse_log(stream, patches=patches, keeps_text=keeps_text):
                if held is not None:
                    yield finish(held, prefix)
                held = commit
    except GitError as error:
        if held is not None and held.complete:
            yield finish(held, prefix)
        raise GitError(error.message, error.hint or "`git fsck` says whether the repository is damaged") from error
    if held is not None:
        yield finish(held, prefix)
