"""Keeping what surrounds the commits up to the repository: people by .mailmap, releases, its web page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from postil_indexers.mailmap import parse_mailmap
from postil_indexers.repository_context import (
    Tag,
    first_releases,
    ignored_revisions,
    mailmap_text,
    parents_of_all,
    tags,
    top_folder,
    web_address,
)
from postil_indexers.repository_state import RepositoryState, repository_state
from postil_indexers.store.index import Index

_RELEASES = "releases"  # digest of the tags that the releases of all commits are told by; unset: some are not told


def note_written(index: Index, times: Iterable[int]) -> None:
    """Within the transaction that writes commits, made at these times (seconds). One that was just made is younger
    than each release; one that came with a branch or a pull may be in one."""
    newest = index.surroundings.newest_release_at()
    if newest is not None and any(at <= newest for at in times):
        index.unset(_RELEASES)


def update_surroundings(index: Index, root: str) -> None:
    """After a run over the commits. Nothing is written where nothing changed."""
    state = repository_state(root)
    if state is None:
        return
    top = top_folder(root, state)
    known_tags, mailmap, ignored, page = tags(root), mailmap_text(top), ignored_revisions(top), web_address(root)
    now = {
        "mailmap": _digest(mailmap, str(index.surroundings.count_people())),
        _RELEASES: _digest(*(f"{tag.sha} {tag.name}" for tag in known_tags)),
        "ignored_commits": _digest(*ignored),
        "web_address": page,
        "is_shallow": "yes" if state.is_shallow else "",
        "texts_missing": str(index.commit_filters.count_without_text()) if state.is_partial else "",
    }
    changed = {key for key, value in now.items() if (index.get(key) or "") != value}
    if not changed:
        return
    with index.transaction():
        if "mailmap" in changed:
            index.surroundings.name_people(parse_mailmap(mailmap).person)
        if _RELEASES in changed:
            _write_releases(index, root, state, known_tags)
        if "ignored_commits" in changed:
            index.surroundings.set_ignored(ignored)
        for key in changed:
            index.set(key, now[key])


def _write_releases(index: Index, root: str, state: RepositoryState, known: list[Tag]) -> None:
    first = first_releases(known, parents_of_all(root, state)) if known else {}
    index.surroundings.set_releases([(tag.name, tag.sha, tag.tagged_at) for tag in known], first)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
