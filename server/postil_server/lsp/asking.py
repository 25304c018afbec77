"""postil/ask and summarise, and the commands that ask and stop asking for editors without a plugin."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.commands import PREFIX
from postil_server.lsp.lane import DroppedError, Token
from postil_server.lsp.scene import open_buffers
from postil_server.lsp.streams import Tell
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_server.lsp.answering import By, Here
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_MOST_SOURCES, _SOURCES = 20, 6


async def ask(server: PostilServer, params: Any) -> dict[str, Any]:
    """`{question, textDocument?, range?, previous?, stream?, limit?, view?, model?, cache?}`: an answer, its events
    told as it is made. `view` names the place it is for, whose older question it replaces; `model: false` asks none."""
    given = Arguments(params)
    question, limit = given.text("question"), given.number("limit", 1, _MOST_SOURCES, _SOURCES)
    before = given.inside("previous")
    previous = (before.text("question"), before.string("text")) if "previous" in given else None
    here, by = place(server, given), _by(given)

    def work(desk: Desk, tell: Tell, token: Token) -> dict[str, Any]:
        from postil_server.lsp import answering

        return answering.ask_all(desk, answering.Asked(question, previous, limit, by), here, tell, token)

    return await answered(server, given, work)


async def answered(server: PostilServer, given: Arguments, work: Any) -> dict[str, Any]:
    """Make an answer under the stream that is named, and keep it as a document."""
    try:
        answer = await server.streams.run(given.name("stream"), work)
    except DroppedError:  # its stream was stopped before anything came
        from postil_server.lsp.answering import stopped

        answer = stopped()
    server.answer_pages.add(answer["id"], answer.pop("page"))
    return answer


async def summarise(server: PostilServer, params: Any) -> dict[str, Any]:
    """Of `textDocument` (a file or a folder), of the lines in `range`, or of what was changed `{since, author?}` a day,
    commit or tag: of `textDocument` alone where that is given, by the author where one is."""
    given = Arguments(params)
    since, author = given.text("since") if "since" in given else "", given.string("author").strip()
    if "textDocument" not in given and not since:
        raise WrongArgumentError("textDocument is missing, and so is since")
    here, by = place(server, given, folders=True), _by(given)

    def work(desk: Desk, tell: Tell, token: Token) -> dict[str, Any]:
        from postil_server.lsp import answering

        return answering.summarise_all(desk, answering.Changes(since, author), here, by, tell, token)

    return await answered(server, given, work)


def _by(given: Arguments) -> By:
    from postil_server.lsp.answering import By

    view = given.text("view") if "view" in given else ""
    return By(given.flag("model", True), view, given.flag("cache", True))


def place(server: PostilServer, given: Arguments, *, folders: bool = False) -> Here:
    """Where a request is made from: the open folders, the document's own first, and the texts that stand in editors."""
    from postil_server.lsp.answering import Here

    roots = list(dict.fromkeys(folder.root for folder in server.folders))
    buffers = {spot: buffer.text for spot, buffer in open_buffers(server).items()}
    if "textDocument" not in given:
        if "range" in given:
            raise WrongArgumentError("range needs a textDocument")
        return Here(tuple(roots), buffers)
    uri = given.inside("textDocument").text("uri")
    document, found = server.documents.get(uri), server.folders.place(path_of(uri))
    if found is None and folders:
        found = next(((folder, "") for folder in server.folders if folder.path == path_of(uri)), None)
    if document is None and found is None:
        if folders or "range" in given:
            raise WrongArgumentError("textDocument.uri is no open document and in no open folder")
        return Here(tuple(roots), buffers)  # a question that was asked beside a log, say, is one to the workspace
    root, path = (found[0].root, found[1]) if found else ("", "")
    text = document.buffer().text if document is not None else None
    ordered = dict.fromkeys(([root] if found else []) + roots)
    return Here(tuple(ordered), buffers, (root, path) if found else None, uri, text, given.lines())


async def _command(server: PostilServer, request: Any, *arguments: Any) -> dict[str, Any]:
    return dict(await request(server, arguments[0] if arguments else None))


async def cancel(server: PostilServer, *arguments: Any) -> dict[str, bool]:
    """`{stream}`: stop the answer of that name."""
    stream = Arguments(arguments[0] if arguments else None, "arguments[0].").name("stream")
    if stream is None:
        raise WrongArgumentError("arguments[0].stream must be a string or a whole number")
    return {"cancelled": server.streams.cancel(stream)}


def register(server: PostilServer) -> None:
    server.feature("postil/ask")(guarded("postil/ask", partial(ask, server)))
    server.command(f"{PREFIX}ask")(guarded(f"{PREFIX}ask", partial(_command, server, ask)))
    server.feature("postil/summarise")(guarded("postil/summarise", partial(summarise, server)))
    server.command(f"{PREFIX}summarise")(guarded(f"{PREFIX}summarise", partial(_command, server, summarise)))
    server.command(f"{PREFIX}cancel")(guarded(f"{PREFIX}cancel", partial(cancel, server)))
