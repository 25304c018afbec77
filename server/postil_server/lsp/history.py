"""postil/history: commits that answer a question, or that changed a file or some lines of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.lane import Token
from postil_server.lsp.streams import Tell
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

METHOD = "postil/history"


async def history(server: PostilServer, params: Any) -> dict[str, Any]:
    """`{query?, filters?, limit?, stream?}`, or of `textDocument` (a file) and perhaps a `range` of its lines.

    The lines are those of the file as it was committed last. With `stream`, commits are told as they are found; with
    `explain`, each says why it was made and what came of it.
    """
    given = Arguments(params)
    limit, filters = given.limit(), given.inside("filters")
    path = filters.text("path") if "path" in filters else None
    lines = given.lines() or filters.lines()
    roots = list(dict.fromkeys(folder.root for folder in server.folders))
    if "textDocument" in given:
        place = server.folders.place(path_of(given.inside("textDocument").text("uri")))
        if place is None:
            raise WrongArgumentError("textDocument.uri is in no open folder")
        roots, path = [place[0].root], place[1]
    query, explain = given.string("query").strip(), given.flag("explain", False)
    if not query and path is None and not filters.names():
        raise WrongArgumentError("query must be a string that is not empty")

    def work(desk: Desk, tell: Tell, token: Token) -> dict[str, Any]:
        from postil_server.lsp import histories

        asked = histories.Asked(query, filters.given(), path, lines if path is not None else None, limit, explain)
        return histories.history_all(desk, roots, asked, tell)

    return await server.streams.run(given.name("stream"), work)


def register(server: PostilServer) -> None:
    server.feature(METHOD)(guarded(METHOD, partial(history, server)))
