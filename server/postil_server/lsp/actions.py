"""textDocument/codeAction: links to related notes, the note that a link lacks, questions, history, places to open."""

from __future__ import annotations

import os
import posixpath
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.lane import DroppedError
from postil_server.lsp.own_commands import own_command
from postil_server.lsp.scene import Ready, has, on_note, open_buffers
from postil_server.lsp.uris import uri_of
from postil_server.lsp.where import where

if TYPE_CHECKING:
    from postil_server.lsp.acting import Act
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_KINDS = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite, "postil"]
_QUESTION = "What else is known about this?"  # of a client that can't ask its user for one


async def actions(server: PostilServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    uri, at = params.text_document.uri, params.range
    here = where(server, uri)
    if here is None or not here.roots:
        return None
    asked_for = params.context.trigger_kind is not lsp.CodeActionTriggerKind.Automatic
    buffers = open_buffers(server) if asked_for else {}

    def on_note_task(ready: Ready) -> list[Act] | None:
        from postil_server.lsp import acting

        return acting.note_acts(ready, at, asked_for=asked_for) if _is_on(ready.opened[0]) else []

    def elsewhere(desk: Desk) -> list[Act]:
        from postil_server.lsp import acting
        from postil_server.lsp.kinds import language_in

        opened = desk.indexed(list(here.roots))
        if not _is_on(opened[0]):
            return []
        path = here.place[1] if here.place else here.buffer.path or ""
        selected = acting.selection_acts(at, has_place=here.place is not None)
        is_code = asked is None and here.place is not None
        found = acting.code_acts(here, at, path, language_in(here.buffer, path), asked_for=asked_for) if is_code else []
        if asked_for and here.place is not None and opened[0].root == here.place[0]:
            found += acting.naming_acts(opened[0], path) if is_code else []
            found += acting.partner_acts(opened[0], path, buffers)
        return [*found, *selected]

    asked = await on_note(server, uri, server.requests, on_note_task)
    try:
        found = [*(asked or []), *await server.requests.run(elsewhere)]
    except (DroppedError, NotIndexedError):
        return None
    made = (_action(server, uri, at, act) for act in found if _is_wanted(act.kind, params.context.only))
    return [each for each in made if each is not None] or None


def _is_on(opened: Any) -> bool:
    return bool(opened.app.settings.features.actions)


def _is_wanted(kind: str, only: Any) -> bool:
    """Kinds form a tree by their dots."""
    return not only or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in map(str, only))


def _action(server: PostilServer, uri: str, at: lsp.Range, act: Act) -> lsp.CodeAction | None:
    """None for what this client can't do."""
    client, title = server.client_capabilities, server.wording.said(act.title)
    if act.what in ("link", "create"):
        if act.what == "create" and not _creates_files(server):
            return None
        from postil_server.lsp.records import plain_range

        action = lsp.CodeAction(title, act.kind)
        action.data = {"what": act.what, "uri": uri, "range": plain_range(at), **act.arguments}
        return action
    if act.what == "show" and not has(client, "window", "show_document", "support"):
        return None
    follows = server.configuration.has_client_command("postil.related")  # the hover's links, with its plugin
    if act.what == "open" and (follows or not has(client, "window", "show_document", "support")):
        return None
    opens = act.what in ("open", "show")
    told = act.arguments if opens else {"textDocument": {"uri": uri}, **act.arguments}
    command = own_command(server, "open" if opens else act.what, title, told)
    if act.what == "ask" and command.command.startswith("postil.server."):
        command.arguments = [{"question": _QUESTION, **told}]
    return lsp.CodeAction(title, act.kind, command=command)


async def resolve(server: PostilServer, action: lsp.CodeAction) -> lsp.CodeAction:
    """The edit of an action that was chosen. Raises WrongArgumentError for data that is not ours."""
    if action.command is not None:
        return action  # VS Code asks about each that has no edit
    given = Arguments(action.data, "data.")
    what = given.choice("what", {"link": "link", "create": "create"}, "")
    uri, root, path = given.text("uri"), given.text("root"), given.text("path")
    if root not in server.folders.roots():
        raise WrongArgumentError("data.root is no open folder")
    if what == "create":
        action.edit = _created(root, path)
        return action
    title, at = given.text("title"), _range(given.inside("range"))
    versioned = has(server.client_capabilities, "workspace", "workspace_edit", "document_changes")

    def task(ready: Ready) -> lsp.WorkspaceEdit | None:
        from postil_server.lsp import acting

        edit = acting.link_edit(ready, at, root, path, title)
        if edit is None:
            return None
        if not versioned:
            return lsp.WorkspaceEdit(changes={uri: [edit]})
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri, ready.note.version)
        return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, [edit])])

    action.edit = await on_note(server, uri, server.requests, task)
    return action


def _created(root: str, path: str) -> lsp.WorkspaceEdit:
    """A new note with its title, never over one that is there. Raises WrongArgumentError for a path outside."""
    if posixpath.normpath(path) != path or path.startswith(("/", "../")) or "\0" in path:
        raise WrongArgumentError("data.path must be a path inside of data.root")
    uri = uri_of(os.path.join(root, path))
    title = posixpath.splitext(posixpath.basename(path))[0]
    start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    text = lsp.TextDocumentEdit(
        lsp.OptionalVersionedTextDocumentIdentifier(uri, None), [lsp.TextEdit(start, f"# {title}\n\n")]
    )
    options = lsp.CreateFileOptions(overwrite=False, ignore_if_exists=False)
    return lsp.WorkspaceEdit(document_changes=[lsp.CreateFile(uri, options=options), text])


def _creates_files(server: PostilServer) -> bool:
    workspace = server.client_capabilities.workspace
    edit = workspace.workspace_edit if workspace else None
    kinds = (edit.resource_operations or []) if edit and edit.document_changes else []
    return lsp.ResourceOperationKind.Create in kinds


def _range(given: Arguments) -> lsp.Range:
    edges = []
    for edge in ("start", "end"):
        numbers = [given.inside(edge).number(part, 0, (1 << 31) - 1, 0) for part in ("line", "character")]
        edges.append(lsp.Position(*numbers))
    return lsp.Range(*edges)


def register(server: PostilServer) -> None:
    method = lsp.TEXT_DOCUMENT_CODE_ACTION
    options = lsp.CodeActionOptions(code_action_kinds=_KINDS, resolve_provider=True)
    server.feature(method, options)(guarded(method, partial(actions, server)))
    server.feature(lsp.CODE_ACTION_RESOLVE)(guarded(lsp.CODE_ACTION_RESOLVE, partial(resolve, server)))
