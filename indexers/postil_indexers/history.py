"""The commits of a workspace, newest first, out of `git log`.

A merge shows only what it has that none of its parents has (how a conflict was solved), with numbers against its first
parent; what it brought in stands in the commits that it merged. Of a file that both sides changed
(`--diff-merges=combined`) it also says how its lines differ from each parent's, so that lines can be followed.
In a partial clone a diff may need objects that are not here. Nothing is fetched: such a commit has the names of its
files, and `text_missing`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from postil_indexers.branches import matching_branches, short_name
from postil_indexers.commitlog import CommitLog
from postil_indexers.git import run_git
from postil_indexers.repository_state import RepositoryState, repository_state
from postil_indexers.types import Commit

__all__ = [
    "RepositoryState",
    "commits_elsewhere",
    "new_commits",
    "no_roots_any_more",
    "reachable_shas",
    "read_history",
    "repository_state",
]

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def read_history(
    root: str, *, exclude: Sequence[str] = (), limit: int | None = None, patches: bool = True
) -> Iterator[Commit]:
    """Commits reachable from HEAD that touch the folder `root`, and not from `exclude`, newest first, at most `limit`.

    Ids in `exclude` that don't exist (any more) are passed over. Without `patches` the files have no hunks, and only
    renames without edits are seen. Nothing comes of a folder in no repository or of a repository without commits. A
    damaged repository raises GitError after the last commit that could be read.
    """
    log = _log(root)
    if log is None:
        return
    excluded = (f"^{sha}" for sha in exclude if _SHA.fullmatch(sha))
    revisions = (*_at_most(limit), "--ignore-missing", str(log.state.head), *excluded)
    yield from log.patches(log.listed(*revisions)) if patches else log.names(*revisions)


def new_commits(root: str, known: Container[str], reachable: Sequence[str] | None = None) -> Iterator[Commit]:
    """Reachable commits that are not `known`, newest first: right after an amend, a rebase or a reset as well."""
    log = _log(root)
    if log is None:
        return
    shas = log.listed(str(log.state.head)) if reachable is None else reachable
    yield from log.patches(sha for sha in shas if sha not in known)


def reachable_shas(root: str, limit: int | None = None) -> list[str]:
    """Ids of the commits that `read_history` gives, newest first, at most `limit`."""
    log = _log(root)
    return [] if log is None else list(log.listed(*_at_most(limit), str(log.state.head)))


def commits_elsewhere(root: str, patterns: Sequence[str], reachable: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """What HEAD does not reach of the branches that some pattern matches: id -> the short name of one that has it,
    newest first; and the patterns that match no branch. `reachable`: what HEAD was found to reach."""
    log = _log(root) if patterns else None
    if log is None:
        return {}, []
    refs, unmatched = matching_branches(root, patterns)
    found = {sha: short_name(ref) for sha, ref in log.elsewhere(refs)} if refs else {}
    for sha in reachable if found else ():  # HEAD may have gone on since
        found.pop(sha, None)
    return found, unmatched


def no_roots_any_more(root: str, shas: Sequence[str]) -> set[str]:
    """Those of some commits without parents that have parents now: a shallow clone was deepened below them."""
    if not shas:
        return set()
    lines = run_git(root, "rev-list", "--no-walk", "--parents", *shas).decode("ascii").splitlines()
    return {line.split()[0] for line in lines if " " in line}


def _at_most(limit: int | None) -> tuple[str, ...]:
    return () if limit is None else (f"--max-count={limit}",)


def _log(root: str) -> CommitLog | None:
    """None in no repository, and in one without commits."""
    state = repository_state(root)
    return None if state is None or state.head is None else CommitLog(root, state)
