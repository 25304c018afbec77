"""pygls' protocol where ours differs: every request is answered, whatever it is, and documents are our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any

from cattrs import transform_error
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import JsonRPCRequestMessage, LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from postil_server.lsp.documents import Documents
from postil_server.lsp.logs import failure
from postil_server.lsp.positions import ENCODINGS, UTF16
from postil_server.lsp.virtual_uris import SCHEME

OWN_PREFIX = "postil/"


class PostilProtocol(LanguageServerProtocol):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.documents = Documents()
        self.encoding = UTF16
        self.exit_status: int | None = None  # set when the client has said `exit`
        self._initialized = False

    def receive(self, body: bytes) -> None:
        """One message as it came. Never raises."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, JsonRpcParseError("the message is not JSON"))
            return
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
            self._refuse(None, JsonRpcInvalidRequest("the message is not JSON-RPC 2.0"))
            return
        number = data.get("id")
        if "method" not in data and not isinstance(number, str | int):
            return  # an answer to nothing that we asked
        is_request = "method" in data and isinstance(number, str | int)
        refusal = self._refusal(data.get("method"))
        try:
            if refusal is None:
                self.handle_message(self._structured(data))
        except JsonRpcException as error:
            refusal = error
        except Exception as error:
            failure("message", error, method=data.get("method"))
            refusal = JsonRpcInternalError("the message could not be handled")
        if refusal is not None and is_request:
            self._refuse(number, refusal)

    def _refusal(self, method: object) -> JsonRpcException | None:
        """Why a message can't be taken now."""
        if method is None or method == lsp.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server was shut down")
        if method == lsp.INITIALIZE:
            return JsonRpcInvalidRequest("the server is initialized already") if self._initialized else None
        return None if self._initialized else JsonRpcServerNotInitialized("`initialize` comes first")

    def _structured(self, data: dict[str, Any]) -> Any:
        """As lsprotocol's types. Raises JsonRpcInvalidParams, naming the field."""
        method = data.get("method")
        if isinstance(method, str) and "id" in data and method.startswith(OWN_PREFIX):
            return JsonRPCRequestMessage(data["id"], method, "2.0", data.get("params"))
        try:
            return self.structure_message(data)
        except JsonRpcException as error:
            said = transform_error(error.__cause__, path="message") if error.__cause__ else []
            raise JsonRpcInvalidParams("; ".join(said[:3]).replace("message.params.", "") or "wrong params") from error

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Any,
        callback: Callable[[Any], object],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """pygls 2.1 forgets what came of requests alone, and keeps that of notifications and commands for ever: each
        key that is typed is one."""

        def done(future: Any) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        self._send_response(number, error=error.to_response_error())

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        general = params.capabilities.general
        offered = (general.position_encodings if general else None) or [UTF16]
        self.encoding = next((encoding for encoding in ENCODINGS if encoding in offered), UTF16)
        result: lsp.InitializeResult = yield from super().lsp_initialize(params)
        result.capabilities.position_encoding = self.encoding
        workspace = result.capabilities.workspace or lsp.WorkspaceOptions()
        workspace.text_document_content = lsp.TextDocumentContentOptions([SCHEME])  # pygls does not know of it yet
        result.capabilities.workspace = workspace
        self._initialized = True
        return result

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *_: object) -> Generator[Any, Any, None]:
        self.exit_status = 0 if self._shutdown else 1
        self._server.end()  # type: ignore[attr-defined]
        yield from self._then(lsp.EXIT, None)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        self.documents.open(params.text_document)
        yield from self._then(lsp.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        self.documents.change(params, self.encoding)
        yield from self._then(lsp.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        self.documents.close(params.text_document.uri)
        yield from self._then(lsp.TEXT_DOCUMENT_DID_CLOSE, params)

    def _then(self, method: str, params: object) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None
