"""postil/search, related, status: decode, ask in a thread, encode."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from postil_indexers.types import Kind
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.logs import log_file
from postil_server.lsp.scene import open_buffers
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_KINDS = {
    "any": (Kind.CODE, Kind.NOTE, Kind.COMMIT),
    "code": (Kind.CODE,),
    "note": (Kind.NOTE,),
    "commit": (Kind.COMMIT,),
}


def open_all(desk: Desk, roots: list[str]) -> None:
    """Import and load what the first request of a thread would wait for."""
    from postil_server.lsp import answers

    answers.open_all(desk, roots)


async def search(server: PostilServer, params: Any) -> dict[str, Any]:
    given = Arguments(params)
    query, limit = given.text("query"), given.limit()
    kinds, buffers = given.inside("filters").choice("kind", _KINDS, "any"), open_buffers(server)

    def work(desk: Desk) -> dict[str, Any]:
        from postil_server.lsp import answers

        return answers.search_all(desk, _roots(server), query, kinds, limit, buffers)

    return await server.requests.run(work)


async def related(server: PostilServer, params: Any) -> dict[str, Any]:
    """For `query`, a text; or for a document, open or not, as a whole or for the paragraph where `range` starts."""
    given = Arguments(params)
    limit, line = given.limit(), given.line()
    asked: tuple[str | None, tuple[str, str] | None]
    if "query" in given:
        asked = given.text("query"), None
    else:
        if "textDocument" not in given:
            raise WrongArgumentError("textDocument is missing, and so is query")
        asked = _document(server, given.inside("textDocument").text("uri"))

    def work(desk: Desk) -> dict[str, Any]:
        from postil_server.lsp import answers

        return answers.related_all(desk, _roots(server), answers.Asked(*asked, line), limit)

    told = await server.requests.run(work)
    worded = [{**record, "reason": server.wording.reason(record["reason"])} for record in told["related"]]
    return {**told, "related": worded}


async def status(server: PostilServer, params: Any) -> dict[str, Any]:
    Arguments(params)
    folders = [(each.name, each.uri, each.root, each.outside, each.status) for each in server.folders]

    def work(desk: Desk) -> dict[str, Any]:
        from postil_server.lsp import answers
        from postil_server.lsp.sent import sent

        told = [answers.folder_status(desk, *folder) for folder in folders]
        return {"folders": told, "log": str(log_file()), "sent": sent(log_file())}

    return await server.requests.run(work)


REQUESTS: dict[str, Callable[[PostilServer, Any], Awaitable[dict[str, Any]]]] = {
    "postil/search": search,
    "postil/related": related,
    "postil/status": status,
}


def register(server: PostilServer) -> None:
    for method, answer in REQUESTS.items():
        server.feature(method)(guarded(method, partial(answer, server)))


def _roots(server: PostilServer) -> list[str]:
    return list(dict.fromkeys(folder.root for folder in server.folders))


def _document(server: PostilServer, uri: str) -> tuple[str | None, tuple[str, str] | None]:
    """(the text that the editor has, (root, path in it)) of a document. Raises WrongArgumentError where neither is."""
    document = server.documents.get(uri)
    place = server.folders.place(path_of(uri))
    if document is None and place is None:
        raise WrongArgumentError("textDocument.uri is no open document and in no open folder")
    text = document.buffer().text if document is not None else None
    return text, (place[0].root, place[1]) if place else None
