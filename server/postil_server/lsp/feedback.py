"""postil/feedback: what somebody says of an answer, kept beside it."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import guarded

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_VERDICTS = {"good": "good", "bad": "bad"}


async def feedback(server: PostilServer, params: Any) -> dict[str, bool]:
    """`{answer, verdict, comment?}`: of the answer with that id, `"good"` or `"bad"`; whether it was kept."""
    given = Arguments(params)
    answer, comment = given.text("answer"), given.string("comment")
    verdict = given.choice("verdict", _VERDICTS, "")

    def work(desk: Desk) -> dict[str, bool]:
        from postil_server.answering.library import open_library

        with open_library() as library:
            return {"kept": library.judge(answer, verdict, comment, int(time.time()))}

    return await server.requests.run(work)


def register(server: PostilServer) -> None:
    server.feature("postil/feedback")(guarded("postil/feedback", partial(feedback, server)))
