"""textDocument/rename, prepareRename, workspace/willRenameFiles: headings, files and tags, with all that names them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.calls import guarded
from postil_server.lsp.lane import DroppedError
from postil_server.lsp.scene import Ready, on_note, open_buffers
from postil_server.lsp.uris import path_of

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_EVERYTHING = [
    lsp.FileOperationFilter(lsp.FileOperationPattern("**/*", matches=kind), scheme="file")
    for kind in (lsp.FileOperationPatternKind.File, lsp.FileOperationPatternKind.Folder)
]


async def prepare(server: PostilServer, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
    def task(ready: Ready) -> lsp.PrepareRenamePlaceholder | None:
        from postil_server.lsp import renaming

        found = renaming.renamed_at(ready, ready.note.offset(params.position, ready.encoding))
        if found is None:
            return None
        return lsp.PrepareRenamePlaceholder(ready.note.range(found.place, ready.encoding), found.name)

    return await on_note(server, params.text_document.uri, server.requests, task)


async def rename(server: PostilServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    versioned, renames_files = _takes(server)

    def task(ready: Ready) -> lsp.WorkspaceEdit | None:
        from postil_server.lsp import renaming
        from postil_server.lsp.edits import workspace_edit

        offset = ready.note.offset(params.position, ready.encoding)
        plan = renaming.rename_at(ready, offset, params.new_name, renames_files=renames_files)
        return workspace_edit(plan, ready.encoding, versioned=versioned)

    return await on_note(server, params.text_document.uri, server.requests, task)


async def will_rename_files(server: PostilServer, params: lsp.RenameFilesParams) -> lsp.WorkspaceEdit | None:
    """The links to files that are about to get another name or place, and those inside of them."""
    versioned, _ = _takes(server)
    moves = []
    for file in params.files:
        old, new = (server.folders.place(path_of(uri)) for uri in (file.old_uri, file.new_uri))
        if old is not None and new is not None and old[0].root == new[0].root:
            moves.append((old[0].root, old[1], new[1]))
    buffers, encoding = open_buffers(server), server.protocol.encoding

    def work(desk: Desk) -> lsp.WorkspaceEdit | None:
        from postil_server.lsp import moving
        from postil_server.lsp.edits import Plan, workspace_edit

        plan = Plan()
        for root in dict.fromkeys(root for root, _, _ in moves):
            opened = desk.at(root)
            if opened.app.settings.features.rename:
                pairs = {old: new for folder, old, new in moves if folder == root}
                moving.move(opened, moving.with_contents(opened, pairs), buffers, plan, keeps_others=True)
        return workspace_edit(plan, encoding, versioned=versioned) if plan.changes else None

    if not moves:
        return None
    try:
        return await server.requests.run(work)
    except (DroppedError, NotIndexedError):
        return None


def _takes(server: PostilServer) -> tuple[bool, bool]:
    """Whether the client takes documentChanges, and renames files in them. Neovim says the second and means both."""
    workspace = server.client_capabilities.workspace
    edit = workspace.workspace_edit if workspace else None
    operations = (edit.resource_operations if edit else None) or ()
    return bool(edit and (edit.document_changes or operations)), lsp.ResourceOperationKind.Rename in operations


def register(server: PostilServer) -> None:
    for method, call in ((lsp.TEXT_DOCUMENT_PREPARE_RENAME, prepare), (lsp.TEXT_DOCUMENT_RENAME, rename)):
        server.feature(method)(guarded(method, partial(call, server)))
    method = lsp.WORKSPACE_WILL_RENAME_FILES
    options = lsp.FileOperationRegistrationOptions(_EVERYTHING)
    server.feature(method, options)(guarded(method, partial(will_rename_files, server)))
