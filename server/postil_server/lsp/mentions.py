"""postil/mentions: where other notes name a note without a link to it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.scene import open_buffers
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

METHOD = "postil/mentions"


async def mentions(server: PostilServer, params: Any) -> dict[str, Any]:
    """Of `{textDocument, limit?}`, a note: `{mentions: [{uri, root, range, name, title, snippet}]}`."""
    given = Arguments(params)
    uri, limit = given.inside("textDocument").text("uri"), given.limit()
    place = server.folders.place(path_of(uri))
    if place is None:
        raise WrongArgumentError("textDocument.uri is in no open folder")
    root, path, buffers = place[0].root, place[1], open_buffers(server)

    def work(desk: Desk) -> dict[str, Any]:
        from postil_server.lsp import mentioning

        return {"mentions": mentioning.mentions(desk.at(root), path, buffers, server.protocol.encoding, limit)}

    return await server.requests.run(work)


def register(server: PostilServer) -> None:
    server.feature(METHOD)(guarded(METHOD, partial(mentions, server)))
