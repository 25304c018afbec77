"""Keeping what surrounds the commits up to the repository: people by .mailmap, releases, its web page."""

from __future__ import annotations

import hashlib

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

_MANY = 20  # commits that came at once, as with a pull: an old tag may lie among them


def update_surroundings(index: Index, root: str, written: int) -> None:
    """After a run over the commits, of which `written` are new. Nothing is written where nothing changed."""
    state = repository_state(root)
    if state is None:
        return
    top = top_folder(root, state)
    known_tags, mailmap, ignored, page = tags(root), mailmap_text(top), ignored_revisions(top), web_address(root)
    now = {
        "mailmap": _digest(mailmap, str(index.surroundings.count_people())),
        "releases": _digest(*(f"{tag.sha} {tag.name}" for tag in known_tags)),
        "ignored_commits": _digest(*ignored),
        "web_address": page,
        "is_shallow": "yes" if state.is_shallow else "",
        "texts_missing": str(index.commit_filters.count_without_text()) if state.is_partial else "",
    }
    changed = {key for key, value in now.items() if (index.get(key) or "") != value}
    if written > _MANY:
        changed.add("releases")
    if not changed:
        return
    with index.transaction():
        if "mailmap" in changed:
            index.surroundings.name_people(parse_mailmap(mailmap).person)
        if "releases" in changed:
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
