"""What lenses and actions run: a client's own command where it says that it has it, else the server's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from postil_server.lsp.commands import PREFIX

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

CLIENT_PREFIX = "postil."
OF_CLIENTS = ("related", "backlinks", "summarise", "history", "ask")


def own_command(server: PostilServer, what: str, title: str, arguments: dict[str, Any]) -> lsp.Command:
    """`postil.WHAT` or `postil.server.WHAT`, with the same one argument."""
    has_own = what in OF_CLIENTS and server.configuration.has_client_command(CLIENT_PREFIX + what)
    return lsp.Command(title, (CLIENT_PREFIX if has_own else PREFIX) + what, arguments=[arguments])
