"""postil/why: why a file is or isn't found, in a sentence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

METHOD = "postil/why"


async def why(server: PostilServer, params: Any) -> dict[str, str]:
    """Of `textDocument`, a file or folder, whether it is there or not: `{uri, state, sentence}`."""
    uri = Arguments(params).inside("textDocument").text("uri")
    place = server.folders.place(path_of(uri))
    if place is None:
        raise WrongArgumentError("textDocument.uri is in no open folder")
    root, path = place[0].root, place[1]

    def work(desk: Desk) -> dict[str, str]:
        from postil_server.explaining import explained

        exclude = server.configuration.open_app(root).settings.index.exclude
        try:
            state, sentence = explained(desk.at(root).index, root, path, exclude)
        except NotIndexedError:
            state, sentence = explained(None, root, path, exclude)
        return {"uri": uri, "state": state, "sentence": server.wording.sentence(sentence)}

    return await server.requests.run(work)


def register(server: PostilServer) -> None:
    server.feature(METHOD)(guarded(METHOD, partial(why, server)))
