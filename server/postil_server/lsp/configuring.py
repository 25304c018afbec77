"""How an editor tells its settings (workspace/configuration and its changes) and shows what is wrong with some."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from postil_server.lsp.configuration import SECTION
from postil_server.lsp.logs import event

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

_ANSWER_S = 10.0  # for a client to say what its settings are; one that doesn't is served by the others
_GATHER_S = 0.1  # in which warnings come together in one message
_SHOWN = 5  # of them; the log has all


class Warnings:
    """What the user has to know, each once. Called in the event loop."""

    def __init__(self, server: PostilServer) -> None:
        self._server = server
        self._waiting: list[str] = []
        self._told: set[str] = set()

    def add(self, warning: str) -> None:
        if warning in self._told:
            return
        self._told.add(warning)
        event("warning", logging.WARNING, message=warning)
        if not self._waiting:
            asyncio.get_running_loop().call_later(_GATHER_S, self._show)
        self._waiting.append(warning)

    def _show(self) -> None:
        more = len(self._waiting) - _SHOWN
        said = self._waiting[:_SHOWN] + ([f"and {more} more, which the log tells"] if more > 0 else [])
        self._waiting.clear()
        message = "Postil: " + "\n".join(map(self._server.wording.sentence, said))
        self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, message))


async def set_out(server: PostilServer) -> None:
    """Ask for the settings, and be told when they change."""
    workspace = server.client_capabilities.workspace
    told = workspace.did_change_configuration if workspace else None
    await ask(server)
    if told is not None and told.dynamic_registration:
        wanted = lsp.Registration(
            f"{SECTION}-configuration",
            lsp.WORKSPACE_DID_CHANGE_CONFIGURATION,
            lsp.DidChangeConfigurationRegistrationOptions(section=SECTION),
        )
        try:
            await asyncio.wait_for(server.client_register_capability_async(lsp.RegistrationParams([wanted])), _ANSWER_S)
        except (TimeoutError, JsonRpcException) as error:
            event("configuration", logging.WARNING, unregistered=type(error).__name__)


async def ask(server: PostilServer) -> None:
    """Take the settings as the client has them now, where it can be asked."""
    if not _can_be_asked(server):
        return
    wanted = lsp.ConfigurationParams([lsp.ConfigurationItem(section=SECTION)])
    try:
        answer = await asyncio.wait_for(server.workspace_configuration_async(wanted), _ANSWER_S)
    except (TimeoutError, JsonRpcException) as error:
        event("configuration", logging.WARNING, unanswered=type(error).__name__)
        return
    server.configuration.section_given(_plain(answer[0]) if answer else None)
    server.settings_changed()


def changed(server: PostilServer, params: lsp.DidChangeConfigurationParams) -> None:
    if _can_be_asked(server):
        server.start(ask(server))
        return
    server.configuration.pushed(_plain(params.settings))
    server.settings_changed()


def _can_be_asked(server: PostilServer) -> bool:
    workspace = server.client_capabilities.workspace
    return bool(workspace and workspace.configuration)


def _plain(value: Any) -> Any:
    """pygls makes named tuples of objects that it has no type for."""
    if hasattr(value, "_asdict"):
        return {name: _plain(inside) for name, inside in value._asdict().items()}
    if isinstance(value, dict):
        return {name: _plain(inside) for name, inside in value.items()}
    return [_plain(inside) for inside in value] if isinstance(value, list | tuple) else value
