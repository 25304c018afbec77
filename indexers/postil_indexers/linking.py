"""Resolving the links of all notes against the workspace as it is now."""

from __future__ import annotations

from postil_indexers.links import LinkResolver, LinkTarget
from postil_indexers.store.index import Index


def resolve_links(index: Index) -> None:
    """Set the target of every link; a link may come to mean another note by a note that was added far away."""
    files = index.documents.link_targets()
    resolver = LinkResolver(LinkTarget(f.path, f.title, f.aliases, f.note_id) for f in files)
    ids = {file.path: file.id for file in files}
    changes = []
    for document_id, ordinal, path, link, former in index.documents.links():
        found = resolver.resolve(path, link)
        target = ids.get(found.path) if found.path else None
        now = (target, found.how, found.ambiguous)
        if now != former:
            changes.append((*now, document_id, ordinal))
    index.documents.set_targets(changes)
