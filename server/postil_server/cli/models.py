"""models: the language and embedding models to choose from, and taking another one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.text import Text

from postil_server.app import open_app
from postil_server.choosing import (
    Chosen,
    choice_record,
    embedding_models,
    language_model,
    server_records,
    servers,
    share_not_latin,
)
from postil_server.cli.output import console, errors, print_json, shown_errors
from postil_server.cli.working import Json
from postil_server.llm.found import FoundServer
from postil_server.settings import load_settings, settings_path
from postil_server.taking import taken


def register(app: typer.Typer) -> None:
    app.command("models")(models_command)


def models_command(
    root: Annotated[str | None, typer.Argument(help="Recommend for the notes of this indexed folder.")] = None,
    take: Annotated[
        str, typer.Option("--take", metavar="SETTING", help="Make this the model for prose, fetching it if need be.")
    ] = "",
    pull: Annotated[bool, typer.Option("--pull", help="Let Ollama fetch the chat model of the settings.")] = False,
    as_json: Json = False,
) -> None:
    """The models to choose from: language models that are found, embedding models with the speed measured here."""
    with shown_errors(as_json):
        settings = open_app(root).settings if root else load_settings(settings_path())[0]
        if pull:
            from postil_server.cli.modelling import pull_model

            pull_model(settings.llm)
            return
        if take:
            _take(take, root, as_json)
            return
        found = servers(settings)
        share = _share_not_latin(root) if root else 0.0
        rows = [choice_record(choice, measured=True) for choice in embedding_models(found, settings.embedding, share)]
        if as_json:
            print_json({"models": rows, "servers": server_records(found)})
            return
        _show_servers(found, language_model(settings.llm, found))
        _show_models(rows)
        console.print(Text("take one with: postil models --take SETTING", style="dim"))


def _take(setting: str, root: str | None, as_json: bool) -> None:
    settings, _ = load_settings(settings_path())
    for step in taken(setting, settings.embedding, settings_path()):
        if as_json:
            print_json({"step": step})
            sys.stdout.flush()  # who reads it shows it as it comes
        else:
            errors.print(Text(step, style="dim"))
    if not as_json:
        where = root or "ROOT"
        console.print(
            f"{setting} is set in {settings_path()}; an editor's worker goes over to it, or: postil index {where}"
        )


def _show_servers(found: Iterable[FoundServer], model: Chosen) -> None:
    said = {"none": "none is set: answers are extracts", "missing": f"{model.problem}; {model.hint}", "ready": "ready"}
    name = f"{model.provider}:{model.name}  " if model.provider else ""
    console.print(Text.assemble(("language model  ", "bold"), name, (said[model.state], _STYLE[model.state])))
    for server in found:
        for each in server.models:
            size = f"{each.megabytes:>6,} MB  " if each.megabytes else ""
            if not each.embeds:
                console.print(Text(f"  {size}{server.provider}:{each.name}  {each.parameters}"))


_STYLE = {"none": "dim", "missing": "yellow", "ready": "green"}


def _show_models(rows: Iterable[dict[str, Any]]) -> None:
    """A line a model; the setting stands last because it is the longest, and is what one copies."""
    head = f"{'MB':>5} {'dimensions':>10} {'passages/s':>10}  {'here':6}  {'languages':12}  setting"
    console.print(Text(head, "dim"))
    for row in rows:
        here = {True: "yes", False: "no", None: "server"}[row["here"]]
        speed, dimensions = row["passages_per_second"], row["dimensions"]
        rate, width = f"{speed:,.0f}" if speed else "", f"{dimensions:,}" if dimensions else ""
        text = Text(f"{row['megabytes']:>5,} {width:>10} {rate:>10}  {here:6}  {row['languages']:12}  ")
        text.append(row["setting"], "bold" if row["recommended"] else "")
        text.append("  recommended" if row["recommended"] else "", "green")
        console.print(text)


def _share_not_latin(root: str) -> float:
    with open_app(root).open_reader() as index:
        return share_not_latin(index)
