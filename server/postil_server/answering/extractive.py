"""The answer without any model: the best sentences of the best passages, as they stand there, each with its number."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from postil_indexers.embedding.base import Embedder
from postil_indexers.text import index_terms, is_function_word, query_terms
from postil_indexers.types import Kind
from postil_server.answering.about import is_asked
from postil_server.answering.context import Context
from postil_server.answering.defining import defines, mentions, thing_of
from postil_server.answering.draft import Aside
from postil_server.answering.question import Question
from postil_server.answering.safetext import clean, literal
from postil_server.answering.sentences import Unit, is_label, units_of
from postil_server.types import Source

_MOST = 6  # sentences of one answer: more is a list of passages, which search gives
_MOST_OF_ONE = 2  # of one source
_LEAST_OF_BEST = 0.5  # of the best sentence's score: what is further off answers something else
_ANNOUNCED = 4  # lines of code shown below the sentence that leads to them
_AROUND = 0.5  # of its weight, for a word of the question in the heading or name above a sentence
_NEAR = 0.6  # what the cosine of meaning adds, beside a share of words between 0 and 1
_CODE, _CODE_WHY = 0.7, 0.4  # a line of code says it, and a sentence says why
_FITTING = 0.15  # for a number where one is asked for, a date or a name where the question is when or who
_NAMED = 1.0  # for what a commit says whose id is in the question
_HERE = 0.3  # for a sentence of the file or the lines that the question is about
_DEFINING = 0.3  # for a sentence that says what a thing is, where that is asked
_RANK = 0.06  # what each place further down costs: search has weighed whole passages, with more evidence
_ALIKE = 0.7  # share of words in common above which a sentence says what another has said

NONE_SET = "no model is set"  # the reason where nobody named a model, and the one that is tried unasked is not there
_REASON = 0.9  # of its subject's score, for what a commit says below, where the question is why

_ANSWERED = 2  # words beside a question that a text asks again: they answer it
_WHY = re.compile(r"\bwhy\b|为什么|为何|为啥", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow (?:many|much|long|often|large|big|far|old)\b|多少|几|多久|多大|多长", re.IGNORECASE)
_WHO_WHEN = re.compile(r"\b(?:who|whose|when)\b|谁|何时|什么时候|哪天", re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half|once|twice)\b|[一二两三四五六七八九十百千万半]"
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: Source
    unit: Unit
    terms: frozenset[str]
    score: float


class Extracts:
    """Writes an answer of sentences as they stand in its sources. `weights`: what each word of the question tells."""

    def __init__(self, weights: Mapping[str, float], embedder: Embedder | None) -> None:
        self.weights = weights
        self._embedder = embedder
        self._ranked: tuple[Context | None, list[_Candidate]] = (None, [])

    def fit(self, context: Context) -> float:
        """The score of the best sentence; 0 where there is none."""
        return max((candidate.score for candidate in self._best(context)[:1]), default=0.0)

    def write(self, context: Context, reason: str = "") -> Iterator[str]:
        """`reason`: why a model that was to write it did not."""
        chinese = context.question.chinese
        chosen = self._chosen(context)
        yield Aside(extract_label(reason, chinese) + "\n\n")
        for candidate in chosen:
            yield f"- {quoted(candidate.unit, candidate.source)} [{candidate.source.number}]\n"
            for unit in _announced(candidate):
                yield f"  - {quoted(unit, candidate.source)} [{candidate.source.number}]\n"
        shown = {candidate.source.number for candidate in chosen}
        further = [source for source in context.sources if source.number not in shown]
        if further:
            listed = "；" if chinese else "; "
            named = listed.join(f"{literal(clean(label(source)))} [{source.number}]" for source in further)
            yield Aside(f"\n{'另见：' if chinese else 'See also: '}{named}\n")

    def _chosen(self, context: Context) -> list[_Candidate]:
        """The best sentences, none saying what another says, in the order of their sources."""
        ranked = self._best(context)
        if context.question.words == "":
            return _firsts(ranked)
        chosen: list[_Candidate] = []
        for candidate in ranked:
            of_one = sum(other.source.number == candidate.source.number for other in chosen)
            if candidate.score < _LEAST_OF_BEST * ranked[0].score or len(chosen) == _MOST:
                break
            if is_label(candidate.unit) and not _announced(candidate):
                continue
            if of_one < _MOST_OF_ONE and not any(_alike(candidate, other) for other in chosen):
                chosen.append(candidate)
        best = {c.source.number: max(o.score for o in chosen if o.source.number == c.source.number) for c in chosen}
        return sorted(chosen, key=lambda c: (-best[c.source.number], c.source.number, c.unit.start_line))

    def _best(self, context: Context) -> list[_Candidate]:
        """All candidates, best first; made once for one context."""
        if self._ranked[0] is not context:
            self._ranked = (context, sorted(self._candidates(context), key=lambda c: -c.score))
        return self._ranked[1]

    def _candidates(self, context: Context) -> list[_Candidate]:
        units = [(source, unit) for source in context.sources for unit in units_of(source.text, source.kind)]
        near = self._nearness(context.question.sought, [unit.text for _, unit in units])
        thing = thing_of(context.question.standalone)
        is_why, asked = _WHY.search(context.question.text) is not None, asked_letters(context.question.text)
        found: list[_Candidate] = []
        for (source, unit), cosine in zip(units, near, strict=True):
            terms = frozenset(index_terms(unit.text).split())
            if unit.pointer or all(is_function_word(term) for term in terms):
                continue
            if asks_again(unit.text, asked) and len(_said_beside(terms, context.question)) < _ANSWERED:
                continue  # the question is no answer to itself
            if thing and not any(
                mentions(text, thing) for text in (unit.text, unit.heading, source.name, source.title)
            ):
                continue  # it is about something else
            score = self._share(source, unit, terms) + _NEAR * max(cosine, 0.0) + _fitness(context, source, unit)
            score += _DEFINING * (bool(thing) and not unit.code and defines(unit.text, thing))
            if is_why and source.sha and unit.start_line and found and found[-1].source is source:
                score = max(score, _REASON * found[-1].score)
            is_line = unit.code and source.kind is Kind.CODE
            worth = (_CODE_WHY if is_why else _CODE) if is_line else 1.0
            found.append(_Candidate(source, unit, terms, score * worth))
        return found

    def _share(self, source: Source, unit: Unit, terms: frozenset[str]) -> float:
        """What share of the question's weight a sentence has, with what stands above it."""
        around = set(index_terms(f"{source.title} {source.name} {unit.heading}").split()) - terms
        own = sum(weight for term, weight in self.weights.items() if term in terms)
        above = sum(weight for term, weight in self.weights.items() if term in around)
        return (own + _AROUND * above) / (sum(self.weights.values()) or 1.0)

    def _nearness(self, question: str, texts: Sequence[str]) -> list[float]:
        """The cosine of each text with the question; 0 where no vectors can be had in this process."""
        if self._embedder is None or not texts or not self._embedder.knows(question):
            return [0.0] * len(texts)
        vectors = self._embedder.embed([question, *texts])
        cosines: list[float] = np.asarray(vectors[1:] @ vectors[0]).tolist()
        return cosines


def _said_beside(terms: frozenset[str], question: Question) -> set[str]:
    """What a unit says that the question does not."""
    return {term for term in terms.difference(index_terms(question.text).split()) if not is_function_word(term)}


def asked_letters(question: str) -> str:
    """What a text must hold that asks the same again; "" of what is no question."""
    return _letters(question) if is_asked(question) else ""


def asks_again(text: str, letters: str) -> bool:
    """Whether a text holds a question word for word, of which these are the `asked_letters`."""
    return letters != "" and letters in _letters(text)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _is_here(question: Question, source: Source) -> bool:
    """Whether a source is what the question is about: what is selected, or the file that it speaks of."""
    here = question.focus
    if here is None or source.sha or source.path != here.path:
        return False
    return question.points_here or source.span == here.span


def _firsts(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The first sentence of each source: where all of a time is asked for, none has more of the question."""
    first: dict[int, _Candidate] = {}
    for each in sorted(candidates, key=lambda each: (each.unit.code, each.unit.open, each.unit.start_line)):
        first.setdefault(each.source.number, each)
    return [first[number] for number in sorted(first)]


def _fitness(context: Context, source: Source, unit: Unit) -> float:
    """What speaks for a sentence beside its words: where it stands, and whether it is of the kind that is asked for."""
    question, fitness = context.question, -_RANK * (source.number - 1)
    if _HOW_MANY.search(question.text) and _NUMBER.search(unit.text):
        fitness += _FITTING
    if source.sha and unit.start_line == 0 and _WHO_WHEN.search(question.text):
        fitness += _FITTING
    if source.sha and source.confidence == 1.0:  # the question names it
        fitness += _NAMED
    if not unit.code and _is_here(question, source):
        fitness += _HERE
    return fitness - _FITTING if unit.open else fitness  # a question is no answer


def _announced(candidate: _Candidate) -> list[Unit]:
    """The lines of code below a sentence that ends with a colon: it says what they are, and they say what to do."""
    if candidate.unit.code or not candidate.unit.text.endswith((":", "：")):
        return []
    units = units_of(candidate.source.text, candidate.source.kind)
    after = units[units.index(candidate.unit) + 1 :]
    return list(itertools.takewhile(lambda unit: unit.code, after))[:_ANNOUNCED]


def is_extract(answer: str) -> bool:
    """Whether a text is an answer that was made without a model."""
    return answer.lstrip().startswith(("Extracts; ", "摘录（"))


def extract_label(reason: str, chinese: bool) -> str:
    """What stands above an answer without a model. `reason`: why one that was to write it did not."""
    if not reason:
        return "摘录（没有询问模型）：" if chinese else "Extracts; no model was asked."
    if reason == NONE_SET:
        return (
            "摘录（没有设置模型；`postil models` 说明如何设置）："
            if chinese
            else "Extracts; no model is set (`postil models` tells how to have one)."
        )
    reason = literal(clean(" ".join(reason.split()))).rstrip(".")
    return f"摘录（模型没有回答：{reason}）：" if chinese else f"Extracts; the model did not answer: {reason}."


def question_terms(question: str) -> list[str]:
    """The words of a question that tell what it is about."""
    terms = query_terms(question)
    return [term for term in terms if not is_function_word(term)] or list(terms)


def quoted(unit: Unit, source: Source) -> str:
    """A unit as a line of an answer: code as code; a commit's subject with who made it and when."""
    text = clean(unit.text)
    if unit.code:
        return f"`` {text} ``" if "`" in text else f"`{text}`"
    if source.sha and unit.start_line == 0:
        return f"{literal(text.rstrip('.。'))} ({literal(clean(source.text.rpartition('— ')[2]))})"
    return literal(text)


def label(source: Source) -> str:
    """Where a source is, in words: its title and the heading, or what is defined there."""
    if source.sha:
        return source.title
    if source.kind is Kind.CODE:
        return f"{source.path} › {source.name}" if source.name else source.path
    heading = source.name.replace(" > ", " › ")
    return source.title if not heading or heading == source.title else f"{source.title} › {heading}"


def _alike(one: _Candidate, other: _Candidate) -> bool:
    shared = len(one.terms & other.terms)
    return shared >= _ALIKE * min(len(one.terms), len(other.terms))
