"""Printing: JSON lines for programs, and the one place where an error becomes an exit status."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.text import Text

from postil_indexers.errors import IndexBusyError, NotIndexedError, PostilError, SettingsError

# DESIGN of the command line: 0 done, 1 failed, 2 wrong usage, 3 not indexed yet, 4 index busy elsewhere
_STATUS = {NotIndexedError: 3, IndexBusyError: 4, SettingsError: 2}
_INTERRUPTED = 130  # 128 + SIGINT, as shells report it

console = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


@contextmanager
def shown_errors(as_json: bool) -> Iterator[None]:
    """Show a PostilError in the form that was asked for and end with its status."""
    try:
        yield
    except PostilError as error:
        if as_json:
            print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
        else:
            errors.print(Text.assemble(("postil: ", "bold red"), error.message))
            if error.hint:
                errors.print(Text(f"  {error.hint}"))
        raise typer.Exit(next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 1)) from error
    except KeyboardInterrupt as error:
        errors.print("\npostil: stopped; what was done so far is kept")
        raise typer.Exit(_INTERRUPTED) from error
    except BrokenPipeError as error:  # the reader went away: `postil search | head`
        sys.stderr.close()
        raise typer.Exit(1) from error


def warn(messages: list[str] | tuple[str, ...]) -> None:
    for message in messages:
        errors.print(Text.assemble(("postil: ", "bold yellow"), message))
