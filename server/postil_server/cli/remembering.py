"""answers: what was asked before, and what was said of it, as questions for `eval`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import typer
import yaml
from rich.text import Text

from postil_server.answering.library import Feedback, PastAnswer, open_library
from postil_server.cli.output import console, print_json, shown_errors
from postil_server.days import day


def register(app: typer.Typer) -> None:
    app.command("answers")(answers_command)


def answers_command(
    root: Annotated[str, typer.Argument(help="The indexed folder.")],
    limit: Annotated[int, typer.Option(min=1, max=2_000, help="How many.")] = 20,
    feedback: Annotated[bool, typer.Option("--feedback", help="Those that were judged, as a file for eval.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Delete them, and what was said of them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an answer.")] = False,
) -> None:
    """The questions that were asked in editors, the newest first; or what was said of their answers."""
    with shown_errors(as_json), open_library() as library:
        real = os.path.realpath(root)
        if forget:
            library.forget(real)
            return
        if feedback:
            cases = list(as_cases(library.feedback(real), real))
            console.out(yaml.safe_dump(cases, allow_unicode=True, sort_keys=False) if cases else "[]", end="")
            return
        for answer in library.past(real, limit):
            if as_json:
                print_json(_record(answer))
            else:
                at = f"{day(answer.answered_at)}  "
                console.print(Text.assemble((at, "dim"), answer.question, (f"  {answer.model or 'extracts'}", "dim")))


def as_cases(judged: list[Feedback], root: str) -> Iterator[dict[str, Any]]:
    """What was called good as a question with the sources that its answer cites, or that is to be refused; what was
    called bad without them, for somebody to say which they are."""
    for number, each in enumerate(judged, 1):
        case: dict[str, Any] = {"id": f"feedback-{number}", "question": each.question}
        sources = list(dict.fromkeys(_source(cited, root) for cited in each.record.get("citations", ())))
        if each.verdict == "good" and sources:
            case["sources"] = sources[:5]
        elif each.verdict == "good":
            case["refuse"] = True
        else:
            case["said"] = each.comment or "bad"
        yield case


def _source(cited: Mapping[str, Any], root: str) -> str:
    """As `eval` names it: a path, or commit#subject."""
    if cited.get("sha"):
        return f"commit#{cited.get('title', '')}"
    if "path" in cited:
        return str(cited["path"])
    return os.path.relpath(unquote(urlsplit(str(cited.get("uri", ""))).path), root)


def _record(answer: PastAnswer) -> dict[str, Any]:
    return {"id": answer.name, "question": answer.question, "answered_at": answer.answered_at, "answer": answer.record}
