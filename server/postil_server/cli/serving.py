"""serve: the language server."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("serve")(serve_command)


def serve_command(
    stdio: Annotated[bool, typer.Option("--stdio", help="Over standard input and output, as without it.")] = False,
    tcp: Annotated[
        int | None, typer.Option("--tcp", min=0, max=65_535, help="Over this port of this machine; 0 takes a free one.")
    ] = None,
) -> None:
    """Be the language server of one editor window. Editors start it themselves."""
    from postil_server.cli.output import shown_errors
    from postil_server.lsp.launch import serve

    with shown_errors(as_json=False):
        serve(tcp)
