"""A prompt as it would be sent, to the letter: sources masked, fitted to the window, and checked against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from postil_indexers.text import index_terms
from postil_indexers.types import Kind
from postil_server.answering.asking import Asking
from postil_server.answering.extractive import label
from postil_server.answering.privacy import Mask
from postil_server.answering.prompts import Passage, for_family
from postil_server.answering.safetext import clean
from postil_server.answering.sentences import units_of
from postil_server.llm.base import Message, Options
from postil_server.llm.budget import checked, room, shares, shortened
from postil_server.llm.errors import PromptTooLongError
from postil_server.types import Source

SOURCE_TOKENS = 3_000  # a 7B model reads some 50 tokens a second without a GPU, and confuses more sources than this
LABEL_TOKENS = 30  # of the two lines around a source
_TIGHTER = 0.85  # of the room, where an estimate turned out too low
_TRIES = 4

Make = Callable[[Sequence[Passage], Callable[[str], str]], Sequence[Message]]


@dataclass(frozen=True, slots=True)
class Prompt:
    messages: tuple[Message, ...]
    tokens: int
    sources: tuple[Source, ...]  # that are in it, as a whole or in part
    mask: Mask

    @property
    def text(self) -> str:
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.messages)


def compose(
    asking: Asking,
    sources: Sequence[Source],
    said: Sequence[str],
    make: Make,
    options: Options,
    weights: Mapping[str, float],
) -> Prompt:
    """`make(passages, hide)`: the messages; it hides each of `said`, the other texts that go into them, itself.

    `weights`: what each word tells, by which long sources are shortened. Raises ChatError, and PromptTooLongError where
    not even the shortest form fits.
    """
    model = asking.model
    mask = Mask(asking.rules, [*said, *(text for each in sources for text in (where(each), each.text))])
    hidden = [Passage(each.number, mask.hide(clean(where(each))), mask.hide(clean(each.text))) for each in sources]

    def messages(passages: Sequence[Passage]) -> list[Message]:
        return for_family(make(passages, mask.hide), model.name)

    space = min(SOURCE_TOKENS, room(model, messages(()), options))
    for attempt in range(_TRIES):
        passages = _fitted(asking, hidden, [each.kind for each in sources], int(space * _TIGHTER**attempt), weights)
        made = messages(passages)
        try:
            tokens = checked(model, made, options)
            break
        except PromptTooLongError:
            if attempt == _TRIES - 1:
                raise
    numbers = {passage.number for passage in passages}
    return Prompt(tuple(made), tokens, tuple(each for each in sources if each.number in numbers), mask)


def where(source: Source) -> str:
    """What stands beside the number of a source."""
    if source.sha:
        return f"commit {source.sha[:10]} by {source.name}: {source.title}"
    place = label(source)
    return place if source.path in place else f"{source.path}: {place}"


def _fitted(
    asking: Asking, passages: Sequence[Passage], kinds: Sequence[Kind], space: int, weights: Mapping[str, float]
) -> list[Passage]:
    count = asking.model.count
    passages = passages[: max(0, space // (2 * LABEL_TOKENS))]  # more would be labels rather than texts
    sizes = [count(passage.text) for passage in passages]
    given = shares(sizes, max(0, space - LABEL_TOKENS * len(passages)))
    fitted = []
    for passage, kind, size, part in zip(passages, kinds, sizes, given, strict=False):
        if part:
            text = passage.text if part >= size else _shortened(passage.text, kind, part, count, weights)
            fitted.append(Passage(passage.number, passage.where, text))
    return fitted


def _shortened(text: str, kind: Kind, most: int, count: Callable[[str], int], weights: Mapping[str, float]) -> str:
    """What of a text says most of what is asked; without words that tell, its beginning."""
    lines = [unit.text for unit in units_of(text, kind)] or text.split("\n")
    ranks = [sum(weights.get(term, 0.0) for term in set(index_terms(line).split())) for line in lines]
    return shortened(lines, count, most, ranks)
