"""The `postil` command: its subcommands, and one place where an error is shown."""

from __future__ import annotations

import logging
import sys

import typer

import postil_indexers
from postil_server.cli import (
    answering,
    asking,
    evaluating,
    filing,
    history,
    indexing,
    inspecting,
    remembering,
    serving,
    working,
)

app = typer.Typer(
    help="Notes, code and commits of a folder, found by words and by meaning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
indexing.register(app)
asking.register(app)
history.register(app)
answering.register(app)
filing.register(app)
remembering.register(app)
evaluating.register(app)
inspecting.register(app)
working.register(app)
serving.register(app)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        print(postil_indexers.__version__)
        raise typer.Exit


def run() -> None:
    """What the console script does, with the arguments of this process."""
    logging.getLogger("onnxruntime").setLevel(logging.ERROR)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    app()
