"""tags: tags and a summary for a note, printed or written into its front matter."""

from __future__ import annotations

import os
import shutil
from typing import Annotated

import typer
from rich.text import Text

from postil_indexers.errors import PostilError
from postil_server.answering.corpus import Corpus
from postil_server.answering.filing import propose
from postil_server.answering.frontmatter import inserted, insertions
from postil_server.answering.modelled import filing_model
from postil_server.cli.modelling import NoCache, NoModel, wish_of
from postil_server.cli.opened import opened_roots
from postil_server.cli.output import console, print_json, shown_errors
from postil_server.cli.requests import workspace_path


def register(app: typer.Typer) -> None:
    app.command("tags")(tags_command)


def tags_command(
    root: Annotated[str, typer.Argument(help="The indexed folder.")],
    path: Annotated[str, typer.Argument(help="A Markdown note.")],
    write: Annotated[bool, typer.Option("--write", help="Put them into the front matter of the note.")] = False,
    no_model: NoModel = False,
    no_cache: NoCache = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Propose tags and a one-line summary for a note, out of the tags in use."""
    with shown_errors(as_json), opened_roots(root) as opened:
        relative = workspace_path(opened[0].root, path)
        file = os.path.join(opened[0].root, relative)
        text = _read(file)
        corpus = Corpus(opened[0].root, opened[0].index, opened[0].embedders, {relative: text})
        settings, wish = opened[0].app.settings.llm, wish_of(opened, no_cache)
        filing = propose(corpus, relative, text, None if no_model else filing_model([corpus], settings, wish))
        made = insertions(text, filing.tags, filing.summary)
        if write and made:
            _write(file, inserted(text, made))
        if as_json:
            record = {"tags": list(filing.tags), "summary": filing.summary, "model": filing.model}
            print_json({**record, "written": write and bool(made)})
            return
        console.print(Text.assemble(("tags     ", "dim"), ", ".join(filing.tags) or "none beyond those that it has"))
        console.print(Text.assemble(("summary  ", "dim"), filing.summary or "none"))


def _read(file: str) -> str:
    """Raises PostilError for what is no note, or not UTF-8: other encodings are read, and never written."""
    if not file.endswith((".md", ".markdown")):
        raise PostilError("only a Markdown note has front matter", "give the path of one")
    try:
        with open(file, encoding="utf-8", newline="") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        raise PostilError(f"{file} can't be read: {error}", "give a note in UTF-8") from error


def _write(file: str, text: str) -> None:
    """All of it or nothing: whoever reads meanwhile, and a crash, find the note as it was."""
    place = os.path.realpath(file)
    beside = f"{place}.postil-{os.getpid()}"
    try:
        with open(beside, "x", encoding="utf-8", newline="") as opened:
            opened.write(text)
        shutil.copymode(place, beside)
        os.replace(beside, place)
    except OSError as error:
        raise PostilError(f"{file} can't be written: {error.strerror}", "check its permissions") from error
    finally:
        if os.path.exists(beside):
            os.remove(beside)
