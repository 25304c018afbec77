"""textDocument/references: the links to a heading, a block or a file, and the uses of a tag or a footnote."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_server.lsp.calls import guarded
from postil_server.lsp.scene import Ready, on_note

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer


async def references(server: PostilServer, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    def task(ready: Ready) -> list[lsp.Location] | None:
        from postil_server.lsp import referring

        at = ready.note.offset(params.position, ready.encoding)
        return _sorted(referring.references(ready, at, declared=params.context.include_declaration))

    return await on_note(server, params.text_document.uri, server.requests, task)


def _sorted(found: Iterable[lsp.Location]) -> list[lsp.Location] | None:
    def place(each: lsp.Location) -> tuple[str, int, int]:
        return each.uri, each.range.start.line, each.range.start.character

    return sorted(found, key=place) or None


def register(server: PostilServer) -> None:
    method = lsp.TEXT_DOCUMENT_REFERENCES
    server.feature(method)(guarded(method, partial(references, server)))
