"""eval: questions with known answers, asked and judged."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

import typer
from rich.text import Text

from postil_indexers.errors import SettingsError
from postil_server.answering.context import SOURCES
from postil_server.answering.corpus import Corpus
from postil_server.answering.evaluation import differences, judge, load_cases, summary
from postil_server.answering.modelled import with_model
from postil_server.cli.modelling import NoModel, wish_of
from postil_server.cli.opened import opened_roots
from postil_server.cli.output import console, print_json, shown_errors


def register(app: typer.Typer) -> None:
    app.command("eval")(eval_command)


def eval_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML list of questions.")],
    root: Annotated[str, typer.Option(help="The indexed folder that they are asked of.")] = ".",
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many sources an answer has.")] = SOURCES,
    compare: Annotated[
        str | None, typer.Option(help="The JSON that an earlier run printed: what is otherwise.")
    ] = None,
    no_model: NoModel = False,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON line.")] = False,
) -> None:
    """Ask questions whose sources and facts are known, and tell how good the answers are, and how soon they came."""
    with shown_errors(as_json):
        cases = load_cases(file)
        earlier = _earlier(compare) if compare else None
        with opened_roots(root) as opened:
            corpora = [Corpus(each.root, each.index, each.embedders) for each in opened]
            settings, wish = opened[0].app.settings.llm, wish_of(opened, no_cache=True)
            write = None if no_model else lambda question: with_model(corpora, question, settings, wish)
            judged = [judge(corpora, case, limit, write) for case in cases]
        model = next((each.model for each in judged if each.model), "")
        questions = [dataclasses.asdict(each) for each in judged]
        record: dict[str, Any] = {"model": model, "summary": summary(judged), "questions": questions}
        other = list(differences(earlier, record)) if earlier else []
        if as_json:
            print_json({**record, "otherwise": other} if earlier else record)
            return
        _show(record)
        for question, what, old, new in other:
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
    console.print(Text(f"{'model':16} {record['model'] or 'none; extracts'}"))
    for name, value in record["summary"].items():
        console.print(Text(f"{name:16} {'-' if value is None else value}"))


def _faults(judged: dict[str, Any]) -> dict[str, bool]:
    return {
        "answered, and is not there": judged["refuse"] and not judged["refused"],
        "refused, and is there": judged["refused"] and judged["refuse"] is False,
        "a source is missing": judged["recall"] is not None and judged["recall"] < 1 and not judged["refused"],
        "a citation leads nowhere": judged["valid"] is not None and judged["valid"] < 1,
        "a fact is missing": judged["facts"] is not None and judged["facts"] < 1 and not judged["refused"],
    }
