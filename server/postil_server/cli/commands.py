"""The `postil` command: its subcommands, and one place where an error is shown."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Sequence

import typer

import postil_indexers

# The module of each subcommand. Only what is asked for is imported: answering alone takes half a second.
_MODULES = {
    "index": "indexing",
    "forget": "indexing",
    "search": "asking",
    "related": "asking",
    "history": "history",
    "ask": "answering",
    "summarise": "answering",
    "tags": "filing",
    "answers": "remembering",
    "eval": "evaluating",
    "status": "inspecting",
    "doctor": "inspecting",
    "why": "inspecting",
    "models": "models",
    "worker": "working",
    "pause": "working",
    "resume": "working",
    "wait": "working",
    "serve": "serving",
}


def command_line(arguments: Sequence[str]) -> typer.Typer:
    """The subcommand that these arguments name; all of them where they name none, for the help and for suggestions."""
    app = typer.Typer(
        help="Notes, code and commits of a folder, found by words and by meaning.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_root)
    named = next((word for word in arguments if not word.startswith("-")), "")
    every = () if "--version" in arguments else tuple(dict.fromkeys(_MODULES.values()))
    for module in (_MODULES[named],) if named in _MODULES else every:
        importlib.import_module(f"postil_server.cli.{module}").register(app)
    return app


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
    command_line(sys.argv[1:])()
