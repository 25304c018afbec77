"""eval: questions with known answers, asked and judged."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

import typer
from rich.text import Text

from postil_indexers.errors import SettingsError
from postil_server.cli.opened import opened_roots
from postil_server.cli.output import console, print_json, shown_errors
from postil_server.context import SOURCES, Corpus
from postil_server.evaluation import differences, judge, load_cases, summary


def register(app: typer.Typer) -> None:
    app.command("eval")(eval_command)


def eval_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML list of questions.")],
    root: Annotated[str, typer.Option(help="The indexed folder that they are asked of.")] = ".",
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many sources an answer has.")] = SOURCES,
    compare: Annotated[
        str | None, typer.Option(help="The JSON that an earlier run printed: what is otherwise.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON line.")] = False,
) -> None:
    """Ask questions whose sources and facts are known, and tell how good the answers are."""
    with shown_errors(as_json):
        cases = load_cases(file)
        earlier = _earlier(compare) if compare else None
        with opened_roots(root) as opened:
            corpora = [Corpus(each.root, each.index, each.embedders) for each in opened]
            judged = [judge(corpora, case, limit) for case in cases]
        record = {"summary": summary(judged), "questions": [dataclasses.asdict(each) for each in judged]}
        if as_json:
            print_json(record)
        else:
            _show(record)
        for question, what, old, new in differences(earlier, record) if earlier and not as_json else ():
            console.print(Text(f"{question or 'all'}: {what} {old} -> {new}", style="yellow"))


def _earlier(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as handle:
            found = json.load(handle)
        if {"summary", "questions"} <= set(found):
            return dict(found)
    except (OSError, ValueError, TypeError) as error:
        raise SettingsError(f"{path} can't be read: {error}", "give what an earlier --json printed") from error
    raise SettingsError(f"{path} is no result of postil eval", "give what an earlier --json printed")


def _show(record: dict[str, Any]) -> None:
    for each in record["questions"]:
        wrong = [name for name, is_wrong in _faults(each).items() if is_wrong]
        if wrong:
            console.print(Text.assemble((each["id"], "cyan"), "  ", (", ".join(wrong), "yellow")))
    for name, value in record["summary"].items():
        console.print(Text(f"{name:16} {'-' if value is None else value}"))


def _faults(judged: dict[str, Any]) -> dict[str, bool]:
    return {
        "answered, and is not there": judged["refuse"] and not judged["refused"],
        "refused, and is there": judged["refused"] and not judged["refuse"],
        "a source is missing": judged["recall"] is not None and judged["recall"] < 1 and not judged["refused"],
        "a citation leads nowhere": judged["valid"] is not None and judged["valid"] < 1,
        "a fact is missing": judged["facts"] is not None and judged["facts"] < 1 and not judged["refused"],
    }
