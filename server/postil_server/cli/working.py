"""worker, pause, resume, wait: the process that keeps an index fresh, and orders to it."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from postil_indexers.errors import PostilError
from postil_indexers.store.location import index_folder
from postil_indexers.worker.client import call_worker
from postil_server.app import open_app
from postil_server.cli.output import console, print_json, shown_errors, warn
from postil_server.keeping import keep

Root = Annotated[str, typer.Argument(help="The folder.")]
Json = Annotated[bool, typer.Option("--json", help="As one JSON line.")]


def register(app: typer.Typer) -> None:
    app.command("worker")(worker_command)
    app.command("pause")(pause_command)
    app.command("resume")(resume_command)
    app.command("wait")(wait_command)


def worker_command(
    root: Root,
    attached: Annotated[bool, typer.Option("--attached", help="End when no editor or command needs it.")] = False,
) -> None:
    """Keep the index of a folder fresh until told to stop (Ctrl-C). Editors start one themselves."""
    with shown_errors(as_json=False):
        app = open_app(root)
        warn(app.warnings)
        keep(app, attached=attached)


def pause_command(root: Root, as_json: Json = False) -> None:
    """Let the worker of a folder do nothing until `postil resume`."""
    _order(root, "pause", as_json)


def resume_command(root: Root, as_json: Json = False) -> None:
    """Let the worker of a folder go on."""
    _order(root, "resume", as_json)


def wait_command(root: Root, as_json: Json = False) -> None:
    """Return when the worker of a folder has done all that has changed until now."""
    _order(root, "wait", as_json)


def _order(root: str, what: str, as_json: bool) -> None:
    with shown_errors(as_json):
        client = call_worker(index_folder(open_app(root).root))
        if client is None:
            raise PostilError("no worker runs for this folder", "an editor starts one, or: postil worker <folder>")
        with client:
            status = client.request(what)
        if as_json:
            print_json(status)
        else:
            console.print(Text(sentence(status)))


def sentence(status: Any) -> str:
    """What a worker does, in words."""
    done, total, stage = status["done"], status["total"], status["stage"]
    share = f" {stage} {done:,} of {total:,}" if total else f" {stage}" if stage else ""
    said = {
        "indexing": f"indexing{share}",
        "idle": "up to date",
        "paused": "paused; `postil resume` lets it go on",
        "on_battery": "waiting for the power supply",
        "root_missing": "the folder is not there; its index is kept",
    }[status["state"]]
    watched = f"; {status['watching_reason']}" if status["watching_reason"] else ""
    failure = f"; the last run failed: {status['failure']}" if status["failure"] else ""
    return f"process {status['pid']}, {said}{watched}{failure}"
