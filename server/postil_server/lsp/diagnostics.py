"""Hints at links that lead nowhere: pulled by clients that ask again when told to, pushed to all others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from postil_server.lsp.calls import guarded
from postil_server.lsp.logs import event
from postil_server.lsp.scene import Ready, has, on_note

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

_QUIET_S = 0.4  # after a change before hints are made anew: they are of no use while one types
_SOURCE = "postil"


class Hints:
    """Of the open notes. Called in the event loop."""

    def __init__(self, server: PostilServer) -> None:
        self._server = server
        self._due: dict[str, asyncio.TimerHandle] = {}  # by URI; "" is the request to ask again
        self._shown: set[str] = set()  # documents that have hints

    @property
    def _is_pulled(self) -> bool:
        """One way for a client, or it would show each hint twice. One that can't be told that links have come to mean
        something else since it asked is pushed to."""
        capabilities = self._server.client_capabilities
        return has(capabilities, "text_document", "diagnostic") and has(
            capabilities, "workspace", "diagnostics", "refresh_support"
        )

    def edited(self, uri: str) -> None:
        if not self._is_pulled:
            self._soon(uri, partial(self._push, uri))

    def indexed(self) -> None:
        if self._is_pulled:
            self._soon("", self._ask_again)
            return
        for document in self._server.documents:
            self.edited(document.uri)

    def _soon(self, key: str, call: Callable[[], Coroutine[Any, Any, None]]) -> None:
        waiting = self._due.pop(key, None)
        if waiting is not None:
            waiting.cancel()
        self._due[key] = asyncio.get_running_loop().call_later(_QUIET_S, self._begin, key, call)

    def _begin(self, key: str, call: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._due.pop(key, None)
        self._server.start(call())

    async def _ask_again(self) -> None:
        try:
            await self._server.workspace_diagnostic_refresh_async(None)
        except JsonRpcException as error:
            event("diagnostics", refused=type(error).__name__)

    async def _push(self, uri: str) -> None:
        document = self._server.documents.get(uri)
        version = document.version if document else None
        found = await self._of(uri) if document else []
        now = self._server.documents.get(uri)
        if (now.version if now else None) != version:
            return  # changed or closed meanwhile, and will be looked at again
        if found or uri in self._shown:
            (self._shown.add if found else self._shown.discard)(uri)
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    async def pull(self, params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
        found = await self._of(params.text_document.uri) if self._is_pulled else []
        return lsp.RelatedFullDocumentDiagnosticReport(found)

    async def _of(self, uri: str) -> list[lsp.Diagnostic]:
        return await on_note(self._server, uri, self._server.requests, _hints) or []


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
    method = lsp.TEXT_DOCUMENT_DIAGNOSTIC
    options = lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=_SOURCE)
    server.feature(method, options)(guarded(method, hints.pull))
