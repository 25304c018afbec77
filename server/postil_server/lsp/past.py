"""postil/past: the answers that were given in the open folders, the newest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import guarded

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

METHOD = "postil/past"
_KINDS = {"ask": ("ask",), "summarise": ("summarise",), "any": ("ask", "summarise")}


async def past(server: PostilServer, params: Any) -> dict[str, Any]:
    """`{limit?, kind?}`: `{answers: [{kind, question, answered_at, answer}]}`, each as it was given, with its id."""
    given = Arguments(params)
    limit, kinds = given.limit(), given.choice("kind", _KINDS, "ask")
    roots = list(dict.fromkeys(folder.root for folder in server.folders))

    def work(desk: Desk) -> dict[str, Any]:
        from postil_server.answering.library import open_library

        with open_library() as library:
            found = [each for root in roots for kind in kinds for each in library.past(root, limit, kind)]
        found.sort(key=lambda each: -each.answered_at)
        return {
            "answers": [
                {
                    "kind": each.kind,
                    "question": each.question,
                    "answered_at": each.answered_at,
                    "answer": {"id": each.name, **each.record},
                }
                for each in found[:limit]
            ]
        }

    return await server.requests.run(work)


def register(server: PostilServer) -> None:
    server.feature(METHOD)(guarded(METHOD, partial(past, server)))
