"""What fits into a model's window, in tokens: known before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from postil_server.llm.base import ChatModel, Message, Options
from postil_server.llm.errors import PromptTooLongError

_PER_MESSAGE = 8  # tokens that chat templates put around each: <|im_start|>user\n … <|im_end|>\n and the like
_RESERVE = 16  # and before the answer begins
_MIN_SHARE = 48  # tokens of a source below which it says too little to be worth its label


def prompt_tokens(model: ChatModel, messages: Sequence[Message]) -> int:
    return _RESERVE + sum(_PER_MESSAGE + model.count(message.content) for message in messages)


def room(model: ChatModel, messages: Sequence[Message], options: Options) -> int:
    """Tokens that are left for sources beside these messages and the answer."""
    return model.window() - options.max_tokens - prompt_tokens(model, messages)


def checked(model: ChatModel, messages: Sequence[Message], options: Options) -> int:
    """The tokens of a prompt that fits. Raises PromptTooLongError: one that does not would lose its front unseen."""
    tokens, window = prompt_tokens(model, messages), model.window()
    if tokens + options.max_tokens > window:
        over = f"{tokens} tokens and {options.max_tokens} for the answer, in a window of {window}"
        raise PromptTooLongError(
            f"the prompt does not fit {model.name}: {over}", "ask about less, or raise context in the settings"
        )
    return tokens


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """How many of `total` tokens each text gets: the short ones all they need, the long ones what is left in equal
    parts. The last texts get none where the parts would be too small to say anything."""
    for count in range(len(sizes), 0, -1):
        given = _equal_parts(sizes[:count], total)
        if all(part >= min(size, _MIN_SHARE) for part, size in zip(given, sizes, strict=False)):
            return given + [0] * (len(sizes) - count)
    return [0] * len(sizes)


def _equal_parts(sizes: Sequence[int], total: int) -> list[int]:
    given = [0] * len(sizes)
    left, waiting = total, sorted(range(len(sizes)), key=lambda n: sizes[n])
    while waiting:
        part = left // len(waiting)
        given[waiting[0]] = min(sizes[waiting[0]], part)
        left -= given[waiting.pop(0)]
    return given


def shortened(lines: Sequence[str], count: Callable[[str], int], most: int, rank: Sequence[float]) -> str:
    """The lines of a text that say most, in their order, within `most` tokens; "…" stands for what is left out.

    `rank`: how much each line says; the higher, the longer it stays.
    """
    sizes = [count(line) + 1 for line in lines]
    kept: set[int] = set()
    used = 2
    for number in sorted(range(len(lines)), key=lambda n: (-rank[n], n)):
        gap = 0 if number - 1 in kept or number == 0 else 2
        if used + sizes[number] + gap <= most:
            kept.add(number)
            used += sizes[number] + gap
    out: list[str] = []
    for number, line in enumerate(lines):
        if number in kept:
            out.append(line)
        elif not out or out[-1] != "…":
            out.append("…")
    return "\n".join(out)
