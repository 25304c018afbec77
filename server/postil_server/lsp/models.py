"""postil/model, models, takeModel: what words answers and makes vectors, what else could, and going over to it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from postil_indexers.errors import NotIndexedError, PostilError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import guarded

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer


class ModelNotTakenError(PostilError):
    """The model could not be fetched, tried or set; the message is that of the command that tried."""

    code = "model_not_taken"


async def model(server: PostilServer, params: Any) -> dict[str, Any]:
    """The models that are set, `{language, prose}`, and whether each can be used now: a server of models is asked."""
    Arguments(params)
    settings = server.configuration.settings(_root(server))

    def work() -> dict[str, Any]:
        from postil_server.choosing import language_model, prose_model

        return {"language": asdict(language_model(settings.llm)), "prose": asdict(prose_model(settings.embedding))}

    return await asyncio.to_thread(work)  # waits for a server of models: no reading thread is kept from its work


async def models(server: PostilServer, params: Any) -> dict[str, Any]:
    """All there is to choose from. `measure`: with the speed of what is here, which takes a second a model."""
    measured = Arguments(params).flag("measure", False)
    settings = server.configuration.settings(_root(server))
    folders = [(each.name, each.uri, each.root) for each in server.folders]

    def work(desk: Desk) -> tuple[list[dict[str, Any]], float]:
        from postil_server.lsp import modelling

        return modelling.folder_models(desk, folders)

    try:
        told, share = await server.requests.run(work)
    except NotIndexedError:
        told, share = [], 0.0

    def asked() -> dict[str, Any]:
        from postil_server.lsp import modelling

        return modelling.choices(settings, share, measured)

    return {**await asyncio.to_thread(asked), "folders": told}


async def take(server: PostilServer, params: Any) -> dict[str, str]:
    """Take another model for prose: `{setting, workDoneToken?}`. Cancelled, what was fetched so far is kept."""
    given = Arguments(params)
    setting, token = given.text("setting"), given.name("workDoneToken")
    command = (sys.executable, "-m", "postil_server", "models", "--take", setting, "--json")
    safe = os.path.dirname(sys.executable)  # an editor starts the server in a folder of whose modules none is to run
    # a process of its own: a download can't be stopped in the middle otherwise, and a model that is loaded stays
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=safe,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )
    assert process.stdout is not None
    bars = server.work_done_progress
    if token is not None:
        bars.begin(token, lsp.WorkDoneProgressBegin(setting, cancellable=True))
    said: dict[str, Any] = {}
    try:
        async for line in process.stdout:
            said = json.loads(line)
            if token is not None and "step" in said:
                bars.report(token, lsp.WorkDoneProgressReport(message=server.wording.sentence(said["step"])))
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
        if token is not None:
            bars.end(token, lsp.WorkDoneProgressEnd())
            bars.tokens.pop(token, None)
    if error := said.get("error"):
        raise ModelNotTakenError(error["message"], error["hint"])
    if process.returncode != 0:
        raise ModelNotTakenError(f"the command that takes {setting} ended with status {process.returncode}")
    return {"setting": setting}


def _root(server: PostilServer) -> str | None:
    """The folder whose settings count: the first that is open."""
    return next((folder.root for folder in server.folders), None)


METHODS = {"postil/model": model, "postil/models": models, "postil/takeModel": take}


def register(server: PostilServer) -> None:
    for method, answer in METHODS.items():
        server.feature(method)(guarded(method, partial(answer, server)))
