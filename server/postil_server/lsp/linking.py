"""What the links of an open note mean: as the index has it, and for those that were just written, resolved anew."""

from __future__ import annotations

from collections.abc import Iterable

from postil_indexers.links import LinkResolver
from postil_indexers.types import Link
from postil_server.lsp.desk import Opened

_NOTHING = LinkResolver(())


def linked_path(opened: Opened, own: str | None, link: Link) -> str | None:
    """The file that a link in the note at `own` means; None for an address and for nothing.

    What the index has of a link is asked first: a resolver takes all files, anew after each change of the index, which
    a hover would wait for.
    """
    if _NOTHING.resolve(own or "", link).how == "external":
        return None
    if not link.target.strip():
        return own
    if own is not None:
        document = opened.index.content.document(own)
        stored = opened.index.content.link_target(document.id, link.target) if document else None
        if stored is not None:
            return stored
    return opened.resolver().resolve(own or "", link).path


def linked_paths(opened: Opened, own: str | None, links: Iterable[Link]) -> set[str]:
    distinct = {link.target: link for link in links}
    return {path for link in distinct.values() if (path := linked_path(opened, own, link)) is not None}
