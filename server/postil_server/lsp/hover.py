"""textDocument/hover: a newer one of a document drops the older; nothing to say is null."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.calls import guarded
from postil_server.lsp.documents import OpenDocument
from postil_server.lsp.lane import DroppedError, Token
from postil_server.lsp.positions import character_of, column_of
from postil_server.lsp.where import where

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer
    from postil_server.lsp.shown import Shown


async def hover(server: PostilServer, params: lsp.HoverParams) -> lsp.Hover | None:
    uri, at = params.text_document.uri, params.position
    older = server.newest_hover.pop(uri, None)
    if older is not None:
        older.cancel()
    document = server.documents.get(uri)
    if document is None or not document.line(at.line).strip():
        return None
    here = where(server, uri)
    if here is None or not here.roots:
        return None
    column = column_of(document.line(at.line), at.character, here.encoding)

    def work(desk: Desk) -> Shown | None:
        from postil_server.lsp import hovering

        return hovering.hover_at(desk, here, at.line, column)

    token = server.newest_hover[uri] = Token()
    try:
        shown = await server.hovers.run(work, token)
    except (DroppedError, NotIndexedError):
        return None
    finally:
        if server.newest_hover.get(uri) is token:
            del server.newest_hover[uri]
    if shown is None:
        return None
    shown = shown.worded(server.wording)
    return lsp.Hover(_contents(server, shown), _range(document, at.line, shown, here.encoding))


def _contents(server: PostilServer, shown: Shown) -> lsp.MarkupContent:
    text = server.client_capabilities.text_document
    formats = text.hover.content_format if text and text.hover else None
    if formats and lsp.MarkupKind.Markdown not in formats:
        return lsp.MarkupContent(lsp.MarkupKind.PlainText, shown.plain)
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, shown.markdown)


def _range(document: OpenDocument, line: int, shown: Shown, encoding: str) -> lsp.Range | None:
    """What the hover speaks of, where that is a part of the line."""
    if shown.columns is None:
        return None
    start, end = (character_of(document.line(line), column, encoding) for column in shown.columns)
    return lsp.Range(lsp.Position(line, start), lsp.Position(line, end))


def register(server: PostilServer) -> None:
    server.feature(lsp.TEXT_DOCUMENT_HOVER)(guarded(lsp.TEXT_DOCUMENT_HOVER, partial(hover, server)))
