"""A language model as the writer of an answer or a summary. What it says is data: whoever feeds on it checks it."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from postil_server.answering.asking import Asking
from postil_server.answering.briefing import briefing
from postil_server.answering.context import Context
from postil_server.answering.draft import Aside, Status
from postil_server.answering.prompting import Prompt, compose
from postil_server.answering.prompts import REFUSAL, ask_prompt
from postil_server.answering.replying import replied
from postil_server.llm.base import ChatModel, Finish, Options
from postil_server.llm.turns import QueuedModel

_ENDS = re.compile(r"[.!?]\s|[。！？]|\n")
_TELLING, _REPEATED = 8, 3  # letters of a sentence, and how often it comes
_ANSWER_TOKENS = 500  # six sentences are 200; a model that goes on after 500 has lost the thread
_FINISHES = {"stop": "complete", "length": "length", "stopped": "cancelled", "cut": "error"}


def options_of(asking: Asking) -> Options:
    """Raises ChatError: what a model's window is may have to be asked for."""
    return Options(max_tokens=min(_ANSWER_TOKENS, asking.model.window() // 3), view=asking.view)


class ModelText:
    """One text that a model writes. `finish` is known when there are no more pieces."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._finish = Finish("stop")
        self.model = asking.model.name
        self.unasked = asking.unasked

    @functools.cached_property
    def _options(self) -> Options:
        return options_of(self._asking)

    @property
    def finish(self) -> str:
        return _FINISHES[self._finish.reason]

    def _replied(self, prompt: Prompt) -> Iterator[str]:
        self._finish = yield from replied(self._asking, prompt, self._options)

    def _note(self) -> Iterator[str]:
        """What the model's server said of how it ended."""
        if self._finish.note:
            yield Aside(f"\n\n({self._finish.note})\n")


class ModelWriter(ModelText):
    """Writes one answer."""

    def __init__(self, asking: Asking, weights: Mapping[str, float]) -> None:
        """`weights`: what each word of the question tells."""
        super().__init__(asking)
        self._weights = weights

    def by(self, model: ChatModel) -> ModelWriter:
        """The same asked of another model."""
        return ModelWriter(replace(self._asking, model=model), self._weights)

    def prompt(self, context: Context) -> Prompt:
        """Raises ChatError."""
        question, sources = context.question, briefing(self._asking.sendable(context.sources))
        text = question.standalone
        return compose(
            self._asking,
            sources,
            (text,),
            lambda passages, hide: ask_prompt(hide(text), passages, chinese=question.chinese),
            self._options,
            self._weights,
        )

    def write(self, context: Context) -> Iterator[str]:
        """Pieces of the answer; nothing where the model says that the sources do not have it. Raises ChatError before
        the first piece, or none. Leaving the iteration stops the model."""
        prompt = self.prompt(context)
        model = self._asking.model
        if isinstance(model, QueuedModel) and (ahead := model.ahead()):
            yield Status(_waiting(ahead, context.question.chinese))
        yield from _without_refusal(_until_repeating(self._replied(prompt)))
        yield from self._note()


def _waiting(ahead: int, chinese: bool) -> str:
    return f"前面还有 {ahead} 个回答" if chinese else f"waiting for {ahead} earlier answer{'s'[: ahead != 1]}"


def _until_repeating(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces until one sentence came for the third time: small models that lost the thread go on like that, and
    closing what they are read from stops them."""
    seen: Counter[str] = Counter()
    sentence = ""
    for piece in pieces:
        yield piece
        sentence += piece
        *ended, sentence = _ENDS.split(sentence)
        seen.update(each.strip() for each in ended if len(_letters(each)) >= _TELLING)
        if seen and max(seen.values()) >= _REPEATED:
            return


def _without_refusal(pieces: Iterator[str]) -> Iterator[str]:
    """Nothing for a reply that says no more than that the sources do not have it."""
    held: str | None = ""
    for piece in pieces:
        if held is None:
            yield piece
            continue
        held += piece
        if not _may_be_refusal(held):
            yield held
            held = None
    if held and not _letters(held).startswith(_letters(REFUSAL)):
        yield held


def _may_be_refusal(text: str) -> bool:
    said, refusal = _letters(text), _letters(REFUSAL)
    return refusal.startswith(said) or said.startswith(refusal)


def _letters(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalpha())
