"""A language model as the writer of a summary: at once where the text fits, else part by part and then as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from postil_server.answering.asking import Asking
from postil_server.answering.digest import Digest
from postil_server.answering.draft import Aside, Status
from postil_server.answering.prompting import LABEL_TOKENS, SOURCE_TOKENS, Prompt, compose
from postil_server.answering.prompts import map_prompt, reduce_prompt
from postil_server.answering.replying import replied
from postil_server.answering.safetext import clean, marks_of, without_marks
from postil_server.answering.writing import ModelText, options_of
from postil_server.llm.base import Finish
from postil_server.types import Source

_ROUNDS = 3  # of reading what was said of parts; each leaves a fifth or so
_PARTS = 24  # that a long text is read in: each takes a local model half a minute


class ModelSummary(ModelText):
    """Writes one summary."""

    def __init__(self, asking: Asking, small: Asking | None = None) -> None:
        """`small`: how the model is asked that reads the parts of a long text; None for the same."""
        super().__init__(asking)
        self._small = small or asking

    def write(self, digest: Digest) -> Iterator[str]:
        """Pieces of the summary of all sections, and how far it has got. Raises ChatError before the first piece of the
        summary itself, or none. Leaving the iteration stops the model."""
        parts = self._parts(self._asking.sendable(digest.sections))
        left_out = sum(map(len, parts[_PARTS:]))
        for _ in range(_ROUNDS):
            if len(parts) == 1:
                break
            points: list[Source] = []
            for number, part in enumerate(parts[:_PARTS], 1):
                yield Status(_progress(number, min(len(parts), _PARTS), digest.chinese))
                points += self._points(digest, part)
                if self._finish.reason != "stop":
                    return
            parts = self._parts(points)
        prompt = self._prompt(digest, parts[0], whole=True)
        yield from self._replied(prompt)
        if left_out:
            note = f"最后 {left_out} 节未读" if digest.chinese else f"the last {left_out} sections were not read"
            yield Aside(f"\n\n({note})\n")
        yield from self._note()

    def _parts(self, sections: Sequence[Source]) -> list[list[Source]]:
        """The sections in their order, as many together as fit into one prompt of either model."""
        count = self._asking.model.count
        space = min(SOURCE_TOKENS, *(each.model.window() // 2 for each in (self._asking, self._small)))
        parts: list[list[Source]] = [[]]
        used = 0
        for section in sections:
            size = LABEL_TOKENS + count(section.text)
            if parts[-1] and used + size > space:
                parts.append([])
                used = 0
            parts[-1].append(section)
            used += size
        return parts

    def _points(self, digest: Digest, part: Sequence[Source]) -> list[Source]:
        """What a model says of a part, as sources of the whole: each under the number of what it is said of."""
        reply = ""
        pieces = replied(self._small, self._prompt(digest, part, whole=False), options_of(self._small))
        while True:
            try:
                reply += next(pieces)
            except StopIteration as end:
                ended: Finish = end.value
                break
        if ended.reason in ("stopped", "cut"):
            self._finish = ended
        said: dict[int, list[str]] = {}
        numbers = {section.number: section for section in part}
        for line in clean(reply).split("\n"):
            number = next((each for each in marks_of(line) if each in numbers), None)
            if number is not None:
                said.setdefault(number, []).append(without_marks(line).strip())
        return [replace(numbers[number], text="\n".join(lines)) for number, lines in said.items()]

    def _prompt(self, digest: Digest, sources: Sequence[Source], *, whole: bool) -> Prompt:
        made, asking = (reduce_prompt, self._asking) if whole else (map_prompt, self._small)
        return compose(
            asking,
            sources,
            (digest.title,),
            lambda passages, hide: made(hide(digest.title), passages, chinese=digest.chinese),
            options_of(asking),
            {},
        )


def _progress(number: int, parts: int, chinese: bool) -> str:
    return f"正在阅读第 {number} 部分，共 {parts} 部分" if chinese else f"reading part {number} of {parts}"
