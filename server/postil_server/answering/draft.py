"""An answer as it is being written: safe text, sentences held against what they cite, and what is made of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from postil_server.answering.safetext import BRACKET, NOT_FOUND, WEAK, SafeText, clean, marks_of, without_marks
from postil_server.answering.sentences import plain
from postil_server.types import Answer, Hit, Sentence, Source, Support

_MARKS = {Support.NOT_FOUND: NOT_FOUND, Support.WEAK: WEAK}
_CITED = r"(?:\s*\[[\d\s,，、;]*\])*"
# A sentence ends before white space and more words; after a Chinese mark at once. What it cites goes with it.
_END = re.compile(
    rf"[.!?]+[\"'”’)\]]*{_CITED}(?=\s+[^\s\[a-z])|[。！？]+[”’」』）)]*{_CITED}(?=\s*[^\s\[”’」』）)])|\n"
)
_MAY_END = re.compile(r"[.!?。！？]+[\"'”’)」』）\]]*(?:\s*\[[\d\s,，、;]*\]?)*\s*$")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|st)|\b[A-Z])\.\s*$", re.IGNORECASE)
_PREFIX = re.compile(r"\s*(?:[-+*]|\d{1,3}[.)]|#{1,6}|>)?\s+|\s*")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
_HEADING = re.compile(r"\s*#{1,6}\s|.*[:：]\s*$|\s*\*\*[^*]*\*\*\s*$")

CUT_SHORT = ("cancelled", "error")  # ends of an answer of which what came is kept, whether it holds or not

Check = Callable[[Sequence[Sentence], Mapping[int, Source]], Sequence[Sentence]]


class Aside(str):
    """Text of an answer that claims nothing: a label, a list of where to look."""

    __slots__ = ()


class Status(str):
    """No text of an answer: how far its writer has got."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One step of an answer. The texts add up to the answer's, unless one replaces all that came before it."""

    kind: str  # "sources", "text", "sentence", "status", "replace"; "done" is the last
    text: str = ""
    sources: tuple[Source, ...] = ()
    sentence: Sentence | None = None
    answer: Answer | None = None


class Draft:
    """Give it the pieces of an answer, then close it. Each call gives back what happened.

    `attributing`: a sentence that cites nothing is given the first source that says it; small models forget to cite.
    """

    def __init__(self, sources: Sequence[Source], check: Check, *, attributing: bool = False) -> None:
        self.sentences: list[Sentence] = []
        self._sources = {source.number: source for source in sources}
        self._check = check
        self._attributing = attributing
        self._safe = SafeText(self._sources.keys())
        self._text: list[str] = []
        self._pending = ""  # of the sentence that is being written
        self._given = 0  # characters of it that went out
        self._in_fence = False

    @property
    def text(self) -> str:
        return "".join(self._text)

    def feed(self, piece: str, *, ours: bool = False) -> Iterator[Event]:
        """`ours`: a text that we made, with marks of safetext in it and a claim a line; else it may hold anything."""
        if isinstance(piece, Status):
            yield Event("status", text=piece)
            return
        if isinstance(piece, Aside):
            yield from self._sentence_ends()
            yield from self._say(piece if ours else clean(piece))
            return
        self._pending += piece if ours else clean(piece)
        while (end := self._pending.find("\n") + 1 or None if ours else self._end()) is not None:
            rest, self._pending = self._pending[end:], self._pending[:end]
            yield from self._sentence_ends()
            self._pending = rest
        held = _MAY_END.search(self._pending)
        upto = max(held.start() if held else len(self._pending), self._given)
        yield from self._say(self._pending[self._given : upto])
        self._given = upto

    def close(self) -> Iterator[Event]:
        yield from self._sentence_ends()
        yield from self._shown(self._safe.close())

    def cited(self) -> tuple[Source, ...]:
        """The sources that the text names, in order."""
        numbers = {number for sentence in self.sentences for number in sentence.citations} | set(marks_of(self.text))
        return tuple(source for number, source in self._sources.items() if number in numbers)

    def _end(self) -> int | None:
        for match in _END.finditer(self._pending):
            if match[0] == "\n" or not _ABBREVIATION.search(self._pending[: match.end()]):
                return match.end()
        return None

    def _sentence_ends(self) -> Iterator[Event]:
        """Give out the rest of the sentence, judge it, and set a mark behind it where it deserves one."""
        written, self._pending = self._pending, ""
        rest, self._given = written[self._given :], 0
        sentence = self._judged(written)
        if sentence is None:
            yield from self._say(rest)
            return
        added = ""
        if self._attributing and not sentence.citations and (found := self._source_of(sentence)) is not None:
            sentence, added = found, f" [{found.citations[0]}]"
        tail = len(rest.rstrip())
        yield from self._say(rest[:tail] + added + _MARKS.get(sentence.support, "") + rest[tail:])
        self.sentences.append(sentence)
        yield Event("sentence", sentence=sentence)

    def _judged(self, written: str) -> Sentence | None:
        """What a piece of text claims; None for a heading, a line of code, and nothing."""
        if _FENCE.match(written):
            self._in_fence = not self._in_fence
            return None
        if self._in_fence or _HEADING.match(written):
            return None
        numbers = tuple(number for number in marks_of(written) if number in self._sources)
        text = plain(_PREFIX.sub("", without_marks(written).replace(BRACKET, "["), count=1))
        if not re.search(r"\w", text):
            return None
        (judged,) = self._check([Sentence(text, numbers)], self._sources)
        return judged

    def _source_of(self, sentence: Sentence) -> Sentence | None:
        """The sentence as one that cites the first source that says it."""
        citing = [Sentence(sentence.text, (number,)) for number in self._sources]
        return next((each for each in self._check(citing, self._sources) if each.support is Support.SUPPORTED), None)

    def _say(self, text: str) -> Iterator[Event]:
        yield from self._shown(self._safe.feed(text))

    def _shown(self, text: str) -> Iterator[Event]:
        if text:
            self._text.append(text)
            yield Event("text", text=text)


def holds(draft: Draft) -> bool:
    """Whether anything of a text is said by what it cites, as far as that can be told."""
    return any(
        sentence.support in (Support.SUPPORTED, Support.WEAK)
        or (sentence.citations and sentence.support is Support.UNCHECKED)
        for sentence in draft.sentences
    )


def finished(draft: Draft, model: str, nearest: Sequence[Hit], refusal: str, finish: str) -> Iterator[Event]:
    """The end of an answer: as it was written, or, where nothing of it holds, that the workspace does not have it."""
    if holds(draft) or finish in CUT_SHORT:  # of those, what came is kept
        answer = Answer(draft.text, model, draft.cited(), tuple(draft.sentences), (), finish)
    else:
        answer = Answer(refusal, model, (), (), tuple(nearest), "not_found")
        yield Event("replace", text=refusal)
    yield Event("done", answer=answer)
