"""textDocument/codeLens: one line above a note or a code file, there at once; what it counts is found when shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import guarded
from postil_server.lsp.lane import DroppedError
from postil_server.lsp.logs import event
from postil_server.lsp.own_commands import own_command
from postil_server.lsp.scene import has
from postil_server.lsp.where import where

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.lensing import Lens
    from postil_server.lsp.server import PostilServer

_NAMES = ("related", "backlinks", "summarise", "change", "history", "definition")


async def lenses(server: PostilServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
    """From the text alone: nothing moves when more is known."""
    uri = params.text_document.uri
    here = where(server, uri)
    if here is None or not here.roots:
        return None

    def work(desk: Desk) -> list[Lens]:
        from postil_server.lsp import lensing

        return lensing.lenses(here, server.configuration.open_app(here.roots[0]).settings.lens)

    try:
        found = await server.requests.run(work)
    except DroppedError:
        return None
    return [_lens(server, uri, each) for each in found]


def _lens(server: PostilServer, uri: str, lens: Lens) -> lsp.CodeLens:
    at = lsp.Range(lsp.Position(lens.line, 0), lsp.Position(lens.line, 0))
    document = {"textDocument": {"uri": uri}}
    if lens.what == "summarise":
        return lsp.CodeLens(at, own_command(server, "summarise", server.wording.said("Summarise"), document))
    data = {"what": lens.what, "uri": uri, "line": lens.line, "name": lens.name}
    return lsp.CodeLens(at, data=data)


async def resolve(server: PostilServer, lens: lsp.CodeLens) -> lsp.CodeLens:
    """The same lens with its title; before the folder is indexed, without a count."""
    if lens.command is not None:
        return lens  # has all already
    given = Arguments(lens.data, "data.")
    what = given.choice("what", {name: name for name in _NAMES}, "")
    uri, line = given.text("uri"), given.number("line", 0, (1 << 31) - 1, 0)
    name = given.text("name") if "name" in given and what == "definition" else ""
    here = where(server, uri)

    def work(desk: Desk) -> str:
        from postil_server.lsp import lensing

        return lensing.title(desk, here, what, line, name) if here is not None else ""

    try:
        title = await server.requests.run(work)
    except (DroppedError, NotIndexedError):
        title = ""
    arguments: dict[str, Any] = {"textDocument": {"uri": uri}}
    if what == "definition":
        arguments["range"] = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    command = {"change": "history", "definition": "history"}.get(what, what)
    lens.command = own_command(server, command, server.wording.said(title or UNCOUNTED[what]), arguments)
    return lens


UNCOUNTED = {
    "related": "Related",
    "backlinks": "Backlinks",
    "change": "Last change",
    "history": "History",
    "definition": "Last change",
    "summarise": "Summarise",
}


class _Refreshing:
    """Tells the client to ask again when an index has changed, one request at a time."""

    def __init__(self, server: PostilServer) -> None:
        self._server = server
        self._asking = False
        self._changed = False  # since the client was asked last

    def indexed(self) -> None:
        self._changed = has(self._server.client_capabilities, "workspace", "code_lens", "refresh_support")
        if self._changed and not self._asking:
            self._asking = True
            self._server.start(self._ask())

    async def _ask(self) -> None:
        try:
            while self._changed:
                self._changed = False
                await self._server.workspace_code_lens_refresh_async(None)
        except JsonRpcException as error:
            event("lens", refused=type(error).__name__)
        finally:
            self._asking = False


def register(server: PostilServer) -> None:
    server.when_indexed.append(_Refreshing(server).indexed)
    options = lsp.CodeLensOptions(resolve_provider=True)
    server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, options)(guarded(lsp.TEXT_DOCUMENT_CODE_LENS, partial(lenses, server)))
    server.feature(lsp.CODE_LENS_RESOLVE)(guarded(lsp.CODE_LENS_RESOLVE, partial(resolve, server)))
