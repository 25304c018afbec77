"""A model behind the command line: who writes an answer, its text as it comes, and what would be sent."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.text import Text

from postil_indexers.embedding.endpoint import is_loopback
from postil_indexers.errors import SettingsError
from postil_server.answering.answer import Writer
from postil_server.answering.context import gather
from postil_server.answering.corpus import Corpus
from postil_server.answering.draft import Event
from postil_server.answering.modelled import Wish
from postil_server.answering.question import Question
from postil_server.answering.safetext import unescaped
from postil_server.answering.writing import ModelWriter
from postil_server.cli.opened import Opened
from postil_server.cli.output import console, errors
from postil_server.llm.base import StopSignal
from postil_server.llm.errors import BadReplyError, NotRunningError
from postil_server.llm.offline import OfflineModel
from postil_server.settings import LlmSettings
from postil_server.types import Answer

NoModel = Annotated[bool, typer.Option("--no-model", help="Extracts alone, whatever the settings name.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask the model anew, whatever it replied before.")]
ShowPrompt = Annotated[bool, typer.Option("--show-prompt", help="Print what a model would be sent, and send nothing.")]


def wish_of(opened: Sequence[Opened], no_cache: bool, *, asking: bool = True) -> Wish:
    never_send = {each.root: each.app.settings.llm.never_send for each in opened}
    return Wish(cached=not no_cache, asking=asking, never_send=never_send)


def show_prompt(
    corpora: Sequence[Corpus], question: Question, limit: int, writer: Writer | None, settings: LlmSettings
) -> None:
    """Raises ChatError."""
    if not isinstance(writer, ModelWriter):
        errors.print("no model is set, or none that can be used: nothing would be sent", style="yellow")
        return
    context = gather(corpora, question, limit)
    try:
        prompt = writer.prompt(context)
    except NotRunningError as error:
        local = is_loopback(settings.endpoint) or not settings.endpoint
        unreached = OfflineModel(writer.model, settings.endpoint, local, settings.context)
        prompt = writer.by(unreached).prompt(context)
        errors.print(Text(f"{error.message}, so its window is taken from the settings", style="yellow"))
    sys.stdout.write(prompt.text + "\n")
    sent = ", ".join(dict.fromkeys(source.path or source.sha[:10] for source in prompt.sources))
    errors.print(Text(f"{prompt.tokens:,} tokens for {writer.model}, from {sent}; {prompt.mask.count} texts masked"))


def shown_as_it_comes(events: Iterator[Event]) -> Answer:
    """Print the text of an answer piece by piece, and give the answer back."""
    answer = None
    for event in events:
        if event.kind == "text":
            console.print(Text(unescaped(event.text)), end="")
        elif event.kind == "replace":
            console.print(Text(f"\n\n{unescaped(event.text)}"), end="")
        elif event.kind == "status":
            errors.print(Text(event.text, style="dim"))
        answer = event.answer or answer
    console.print()
    assert answer is not None
    return answer


def pull_model(settings: LlmSettings) -> None:
    """Let the Ollama server that the settings name fetch their model. Raises ChatError, SettingsError."""
    if settings.provider != "ollama":
        raise SettingsError("only a model of an Ollama server can be pulled", "set llm.provider to ollama")
    from postil_server.llm.ollama import OllamaModel

    model = OllamaModel(settings.model, settings.endpoint, temperature=0.0, context=settings.context)
    stream = model.pull(StopSignal())
    last = ""
    for step in stream:
        if step != last:
            errors.print(Text(step, style="dim"))
        last = step
    if stream.finish.reason != "stop":
        raise BadReplyError(
            f"{model.name} was not pulled whole: {stream.finish.note}", "run it again; it goes on from there"
        )
    console.print(f"{model.name} is there")
