"""postil.server.*: orders to the workers of the open folders, for editors with and without a plugin."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.folders import Folder, Status

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

PREFIX = "postil.server."  # client commands are `postil.*`: equal ids fail when an extension starts
ORDERS = ("pause", "resume", "index", "status")


async def order(server: PostilServer, what: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Tell the workers of all open folders, or of the one whose URI is given; what each of them does now."""
    chosen = _folders(server, arguments)
    if what == "index":
        for folder in chosen:
            folder.want()
    answers = await asyncio.gather(*(tell(folder, what) for folder in chosen))
    return {
        "folders": [
            {"name": folder.name, "uri": folder.uri, "worker": answer, "held": folder.held}
            for folder, answer in zip(chosen, answers, strict=True)
        ]
    }


async def tell(folder: Folder, what: str) -> Status | None:
    """The worker's status after an order, waiting for one that just starts; None where only its status is asked for and
    none runs. Raises PostilError with its words."""
    return await asyncio.to_thread(_tell, folder.root, what)


def _tell(root: str, what: str) -> Status | None:
    from postil_indexers.store.location import index_folder
    from postil_indexers.worker.client import call_worker
    from postil_server.starting import attach

    client = call_worker(index_folder(root)) if what == "status" else attach(root)
    if client is None:
        return None
    with client:
        return client.request(what, wait=False)


def register(server: PostilServer) -> None:
    for what in ORDERS:
        name = PREFIX + what
        server.command(name)(guarded(name, partial(_order, server, what)))


async def _order(server: PostilServer, what: str, *arguments: Any) -> dict[str, Any]:
    return await order(server, what, arguments)


def _folders(server: PostilServer, arguments: tuple[Any, ...]) -> list[Folder]:
    if not arguments or arguments[0] is None:
        return list(server.folders)
    given = arguments[0]
    uri = given.get("uri") if isinstance(given, dict) else given
    chosen = [folder for folder in server.folders if folder.uri == uri]
    if not chosen:
        raise WrongArgumentError("arguments[0] must be the URI of an open folder, as a string or as {uri}")
    return chosen
