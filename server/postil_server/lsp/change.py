"""postil/change: a file before and after a commit, as documents to compare."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from postil_indexers.errors import PostilError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.uris import path_of
from postil_server.lsp.virtual_uris import commit_uri, file_uri

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

METHOD = "postil/change"


async def change(server: PostilServer, params: Any) -> dict[str, Any]:
    """Of `sha` and `textDocument`, a file by its name after the commit: `{commit, before, after}`, each the URI of a
    document; `before` is null where the commit added the file, `after` where it deleted it."""
    given = Arguments(params)
    sha, uri = given.text("sha"), given.inside("textDocument").text("uri")
    place = server.folders.place(path_of(uri))
    if place is None:
        raise WrongArgumentError("textDocument.uri is in no open folder")
    root, path = place[0].root, place[1]

    def work(desk: Desk) -> dict[str, Any]:
        history = desk.at(root).index.history
        commit = history.commit(sha)
        changed = next((each for each in commit.files if each.path == path), None) if commit else None
        if commit is None or changed is None:
            raise PostilError(f"no commit {sha[:10]} that changed {path} is in the index")
        parent = commit.parents[0] if commit.parents else None
        if changed.status != "A" and (parent is None or history.commit(parent) is None):
            raise PostilError(f"what {path} was before {sha[:10]} is not in the index")
        before = None if changed.status == "A" else file_uri(root, str(parent), changed.old_path)
        after = None if changed.status == "D" else file_uri(root, sha, path)
        return {"commit": commit_uri(root, sha), "before": before, "after": after}

    return await server.requests.run(work)


def register(server: PostilServer) -> None:
    server.feature(METHOD)(guarded(METHOD, partial(change, server)))
