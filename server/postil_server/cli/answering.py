"""ask, summarise: answers with citations."""

from __future__ import annotations

import datetime
import os
import re
import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from postil_indexers.errors import SettingsError
from postil_indexers.types import Span
from postil_server.answering.answer import answered, ask, summarise
from postil_server.answering.changes import summarise_changes
from postil_server.answering.context import SOURCES
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest
from postil_server.answering.draft import Event
from postil_server.answering.modelled import summary_writer, with_model
from postil_server.answering.question import Exchange, Focus, Question
from postil_server.answering.summary import summarise_file, summarise_folder
from postil_server.cli.modelling import (
    NoCache,
    NoModel,
    ShowPrompt,
    show_prompt,
    shown_as_it_comes,
    wish_of,
)
from postil_server.cli.opened import opened_roots
from postil_server.cli.output import console, print_json, shown_errors
from postil_server.cli.records import answer_record
from postil_server.cli.requests import requests, workspace_path
from postil_server.cli.showing import show_answer, show_places

Root = Annotated[str, typer.Argument(help="The indexed folder.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a request.")]

_LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")


def register(app: typer.Typer) -> None:
    app.command("ask")(ask_command)
    app.command("summarise")(summarise_command)


def ask_command(
    root: Root,
    question: Annotated[str | None, typer.Argument(help="In words.")] = None,
    file: Annotated[
        str | None, typer.Option(metavar="PATH[:START-END]", help="The file, or its lines, that it is asked from.")
    ] = None,
    batch: Annotated[str | None, typer.Option(help="A file with one JSON request a line.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many sources.")] = SOURCES,
    no_model: NoModel = False,
    no_cache: NoCache = False,
    prompt: ShowPrompt = False,
    as_json: Json = False,
) -> None:
    """Answer a question from the folder, every sentence with the place that says it."""
    with shown_errors(as_json), opened_roots(root) as opened:
        corpora = [Corpus(each.root, each.index, each.embedders) for each in opened]
        for request in requests(batch, {"question": question, "file": file}, "question"):
            started = time.perf_counter()
            place = request.get("file")
            focus = focus_at(opened[0].root, str(place)) if place else None
            asked = Question(str(request["question"]), focus, _previous(request))
            writer = None
            if not no_model:
                asked, writer = with_model(
                    corpora, asked, opened[0].app.settings.llm, wish_of(opened, no_cache, asking=not prompt)
                )
            if prompt:
                show_prompt(corpora, asked, limit, writer, opened[0].app.settings.llm)
                continue
            events = ask(corpora, asked, limit, writer)
            _show(request.get("id"), events, started, writer is not None, as_json=as_json or bool(batch))


def summarise_command(
    root: Root,
    place: Annotated[
        str | None, typer.Argument(metavar="PATH[:START-END]", help="A file, some of its lines, or a folder.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE_OR_COMMIT", help="The changes since a day, a commit or a tag.")
    ] = None,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --since: only what this person wrote.")
    ] = None,
    no_model: NoModel = False,
    no_cache: NoCache = False,
    as_json: Json = False,
) -> None:
    """Sum up a file, some lines of it, a folder, or what was changed (there) since a day or a commit."""
    with shown_errors(as_json):
        if place is None and since is None:
            raise SettingsError("give a path, or --since", "as in: postil summarise . docs/design.md")
        if author is not None and since is None:
            raise SettingsError("--author needs --since", "as in: postil summarise . --since v1.0 --author Anna")
        with opened_roots(root) as opened:
            started = time.perf_counter()
            corpus = Corpus(opened[0].root, opened[0].index, opened[0].embedders)
            digest = _digest(corpus, place, since, author)
            settings, wish = opened[0].app.settings.llm, wish_of(opened, no_cache)
            writer = None if no_model else summary_writer([corpus], settings, wish)
            events = summarise([corpus], digest, writer)
            _show(None, events, started, writer is not None, as_json=as_json)


def _digest(corpus: Corpus, place: str | None, since: str | None, author: str | None) -> Digest:
    if since is not None:
        path = focus_at(corpus.root, place).path if place is not None else "."
        today = datetime.datetime.now(datetime.UTC).date()
        return summarise_changes(corpus, since, today, "" if path == "." else path, author or "")
    focus = focus_at(corpus.root, str(place))
    if os.path.isdir(os.path.join(corpus.root, focus.path)):
        return summarise_folder(corpus, "" if focus.path == "." else focus.path)
    return summarise_file(corpus, focus.path, focus.span)


def focus_at(root: str, place: str) -> Focus:
    """ "notes/a.md:3-9" as lines of a file. Raises SettingsError for what can't be, or is not in the folder."""
    found = _LINES.fullmatch(place)
    path = workspace_path(root, found[1] if found else place)
    if path == ".." or path.startswith("../") or os.path.isabs(path):
        raise SettingsError(f"{place} does not lie in {root}", "give a path of that folder")
    if found is None:
        return Focus(root, path)
    first, last = int(found[2]), int(found[3] or found[2])
    if not 1 <= first <= last:
        raise SettingsError(f"{place}: lines count from 1, and the first comes first", "as in notes/a.md:3-9")
    return Focus(root, path, span=Span(first - 1, last))


def _previous(request: Any) -> Exchange | None:
    before = request.get("previous")
    return Exchange(str(before.get("question", "")), str(before.get("text", ""))) if isinstance(before, dict) else None


def _show(number: Any, events: Iterator[Event], started: float, by_model: bool, *, as_json: bool) -> None:
    """What a model writes is shown as it comes."""
    if not as_json and by_model and console.is_terminal:
        show_places(shown_as_it_comes(events))
        return
    answer = answered(events)
    elapsed = round((time.perf_counter() - started) * 1e3, 2)
    if as_json:
        print_json({"id": number, **answer_record(answer), "elapsed_ms": elapsed})
    else:
        show_answer(answer)
