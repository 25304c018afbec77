"""postil/tags: tags and a summary for a note, as an edit of its front matter; and the command that makes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from postil_indexers.errors import PostilError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.commands import PREFIX
from postil_server.lsp.lane import Token
from postil_server.lsp.scene import has
from postil_server.lsp.streams import Tell
from postil_server.lsp.where import where

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer


async def tags(server: PostilServer, params: Any) -> dict[str, Any]:
    """`{textDocument, model?, cache?, stream?}`: `{tags, summary, model, edit}`, of an open note in an open folder."""
    given = Arguments(params)
    uri = given.inside("textDocument").text("uri")
    by_model, cached = given.flag("model", True), given.flag("cache", True)
    here = where(server, uri)
    if here is None:
        raise WrongArgumentError("textDocument.uri is no open document")
    if here.place is None:
        raise PostilError("the note is in no open folder", "open the folder that it is in")
    versioned = has(server.client_capabilities, "workspace", "workspace_edit", "document_changes")
    at, place = here, here.place

    def work(desk: Desk, tell: Tell, token: Token) -> dict[str, Any]:
        from postil_server.lsp import proposing

        return proposing.proposed(desk, at, place, proposing.How(by_model, cached, versioned), token)

    return await server.streams.run(given.name("stream"), work)


async def add_tags(server: PostilServer, *arguments: Any) -> dict[str, Any]:
    """Ask the editor to make the edit; `applied` says whether it did."""
    found = await tags(server, arguments[0] if arguments else None)
    if found["edit"] is None:
        return {**found, "applied": False}
    params = lsp.ApplyWorkspaceEditParams(found["edit"], label="Tags and summary")
    answer = await server.workspace_apply_edit_async(params)
    return {**found, "applied": answer.applied}


def register(server: PostilServer) -> None:
    server.feature("postil/tags")(guarded("postil/tags", partial(tags, server)))
    server.command(f"{PREFIX}tags")(guarded(f"{PREFIX}tags", partial(add_tags, server)))
