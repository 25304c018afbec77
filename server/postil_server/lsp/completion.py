"""textDocument/completion: what `[[`, `](` and `#` can lead to, the notes that are related to the paragraph first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_server.lsp.calls import guarded
from postil_server.lsp.scene import Ready, on_note

if TYPE_CHECKING:
    from postil_server.lsp.completing import Offer
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_TRIGGERS = ("[", "(", "#", "^", "/")
_KINDS = {
    "note": lsp.CompletionItemKind.File,
    "alias": lsp.CompletionItemKind.Reference,
    "file": lsp.CompletionItemKind.File,
    "heading": lsp.CompletionItemKind.Text,
    "block": lsp.CompletionItemKind.Reference,
    "tag": lsp.CompletionItemKind.Keyword,
}


def prepare(desk: Desk, roots: list[str]) -> None:
    """Read and load what the first keys would wait for."""
    from postil_server.lsp import completing

    completing.prepare(desk, roots)


async def completion(server: PostilServer, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    context = params.context
    typed = context.trigger_character if context else None

    def task(ready: Ready) -> lsp.CompletionList | None:
        from postil_server.lsp import completing

        found = completing.offers(ready, params.position, typed)
        if found is None or not found.offers:
            return None
        items = [_item(ready, rank, offer) for rank, offer in enumerate(found.offers)]
        return lsp.CompletionList(found.is_incomplete, items)

    return await on_note(server, params.text_document.uri, server.typing, task)


def _item(ready: Ready, rank: int, offer: Offer) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        offer.label,
        kind=_KINDS[offer.kind],
        detail=offer.detail or None,
        sort_text=f"{rank:04}",
        filter_text=offer.filter,
        text_edit=lsp.TextEdit(ready.note.range(offer.place, ready.encoding), offer.text),
    )


def register(server: PostilServer) -> None:
    method = lsp.TEXT_DOCUMENT_COMPLETION
    options = lsp.CompletionOptions(trigger_characters=list(_TRIGGERS))
    server.feature(method, options)(guarded(method, partial(completion, server)))
