"""A hover of the running server, as an editor gets it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

_TRIES = 80  # paragraphs that are hovered over until one has something to say
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a document as it stands in an editor, saved or not."""

    uri: str
    text: str
    line: int  # 0-based


def first_hover(postil: str, root: str, spots: Iterable[Spot]) -> tuple[Spot, str] | None:
    """The first of these over which the server speaks, and what it says."""
    return asyncio.run(asyncio.wait_for(_first_hover(postil, root, list(spots)[:_TRIES]), _PATIENCE_S))


async def _first_hover(postil: str, root: str, spots: list[Spot]) -> tuple[Spot, str] | None:
    client = LanguageClient("demo", "1")
    await client.start_io(postil, "serve", "--stdio")
    text = lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.PlainText])
    await client.initialize_async(
        lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(text_document=lsp.TextDocumentClientCapabilities(hover=text)),
            process_id=os.getpid(),
            workspace_folders=[lsp.WorkspaceFolder(Path(root).resolve().as_uri(), "demo")],
        )
    )
    client.initialized(lsp.InitializedParams())
    try:
        for spot in spots:
            document = lsp.TextDocumentIdentifier(spot.uri)
            item = lsp.TextDocumentItem(spot.uri, "markdown", 1, spot.text)
            client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
            found = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(spot.line, 1)))
            client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
            if found is not None and isinstance(found.contents, lsp.MarkupContent):
                return spot, found.contents.value
        return None
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()
