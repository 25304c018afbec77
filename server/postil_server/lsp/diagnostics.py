"""Hints at links that lead nowhere, pushed once the document has been left alone for a moment.

Pulled, they would be asked for with every key: editors ask as soon as they have told of a change.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_server.lsp.scene import Ready, on_note

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

_QUIET_S = 0.4  # after a change before hints are made anew: they are of no use while one types
_SOURCE = "postil"


class Hints:
    """Of the open notes. Called in the event loop."""

    def __init__(self, server: PostilServer) -> None:
        self._server = server
        self._due: dict[str, asyncio.TimerHandle] = {}  # by URI
        self._shown: set[str] = set()  # documents that have hints

    def edited(self, uri: str) -> None:
        waiting = self._due.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._due[uri] = asyncio.get_running_loop().call_later(_QUIET_S, self._begin, uri)

    def indexed(self) -> None:
        for document in self._server.documents:
            self.edited(document.uri)

    def _begin(self, uri: str) -> None:
        self._due.pop(uri, None)
        self._server.start(self._push(uri))

    async def _push(self, uri: str) -> None:
        document = self._server.documents.get(uri)
        version = document.version if document else None
        found = (await on_note(self._server, uri, self._server.requests, _hints) or []) if document else []
        for hint in found:
            hint.message = self._server.wording.sentence(hint.message)
        now = self._server.documents.get(uri)
        if (now.version if now else None) != version:
            return  # changed or closed meanwhile, and will be looked at again
        if found or uri in self._shown:
            (self._shown.add if found else self._shown.discard)(uri)
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))


def _hints(ready: Ready) -> list[lsp.Diagnostic] | None:
    from postil_server.lsp.hinting import hints

    return [
        lsp.Diagnostic(
            ready.note.range(hint.place, ready.encoding),
            hint.message,
            severity=lsp.DiagnosticSeverity.Hint,
            code=hint.code,
            source=_SOURCE,
        )
        for hint in hints(ready)
    ]


def register(server: PostilServer) -> None:
    hints = Hints(server)
    server.when_edited.append(hints.edited)
    server.when_indexed.append(hints.indexed)
