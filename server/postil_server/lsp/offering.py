"""postil.server.related, backlinks, history and open, for editors without a plugin.

Each answers at once with what was found; a client that can open documents is asked which of it to open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.commands import PREFIX
from postil_server.lsp.logs import event
from postil_server.lsp.scene import has, open_buffers
from postil_server.lsp.where import where

if TYPE_CHECKING:
    from postil_server.lsp.choices import Asked, Choice
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_OFFERED = 8  # buttons; a message with more can't be read
_TITLES = {"related": "Related", "backlinks": "Links to this note", "history": "Last changes"}


async def offer(server: PostilServer, what: str, *arguments: Any) -> dict[str, Any]:
    """`{textDocument, range?}`, an open document; `{items: [{label, uri, range}]}`."""
    given = Arguments(arguments[0] if arguments else None, "arguments[0].")
    uri = given.inside("textDocument").text("uri")
    lines = given.lines()
    here = where(server, uri)
    if here is None:
        raise WrongArgumentError("arguments[0].textDocument.uri is no open document")
    buffers = open_buffers(server)

    def work(desk: Desk) -> list[Choice]:
        from postil_server.lsp import choices

        find: Callable[[Desk, Asked], list[Choice]] = getattr(choices, what)
        return find(desk, choices.Asked(here, lines, buffers))

    found = [_worded(server, each) for each in await server.requests.run(work)]
    if found and has(server.client_capabilities, "window", "show_document", "support"):
        server.start(_choose(server, server.wording.said(_TITLES[what]), found[:_OFFERED]))
    return {"items": [{"label": each.label, "uri": each.uri, "range": _at(each.line)} for each in found]}


def _worded(server: PostilServer, choice: Choice) -> Choice:
    """With its reason in the label."""
    said = f" ({server.wording.reason(choice.reason)})" if choice.reason else ""
    return replace(choice, label=f"{choice.label}{said}")


async def _choose(server: PostilServer, title: str, found: list[Choice]) -> None:
    """Ask which to open; two of the same words can't be told apart, so a number stands before each."""
    labels = {f"{number} {each.label}": each for number, each in enumerate(found, 1)}
    actions = [lsp.MessageActionItem(label) for label in labels]
    params = lsp.ShowMessageRequestParams(lsp.MessageType.Info, title, actions)
    try:
        chosen = await server.window_show_message_request_async(params)
        each = labels.get(chosen.title) if chosen is not None else None
        if each is not None:
            await _show(server, each.uri, each.line)
    except JsonRpcException as error:
        event("offer", refused=type(error).__name__)


async def open_place(server: PostilServer, *arguments: Any) -> dict[str, bool]:
    """`{uri, line?}`, 0-based: have the client show a place that is ours to show, as a link in a hover would."""
    given = Arguments(arguments[0] if arguments else None, "arguments[0].")
    uri, line = given.text("uri"), given.number("line", 0, (1 << 31) - 1, 0)
    if not _is_ours(server, uri):
        raise WrongArgumentError("arguments[0].uri is in no open folder, and no postil: document")
    if not has(server.client_capabilities, "window", "show_document", "support"):
        return {"success": False}
    return {"success": await _show(server, uri, line)}


def _is_ours(server: PostilServer, uri: str) -> bool:
    from postil_server.lsp.uris import path_of
    from postil_server.lsp.virtual_uris import page_of

    return page_of(uri) is not None or server.folders.place(path_of(uri)) is not None


async def _show(server: PostilServer, uri: str, line: int) -> bool:
    selection = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
    result = await server.window_show_document_async(
        lsp.ShowDocumentParams(uri, external=False, take_focus=True, selection=selection)
    )
    return bool(result.success)


def _at(line: int) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}


def register(server: PostilServer) -> None:
    for what in _TITLES:
        server.command(PREFIX + what)(guarded(PREFIX + what, partial(offer, server, what)))
    server.command(f"{PREFIX}open")(guarded(f"{PREFIX}open", partial(open_place, server)))
