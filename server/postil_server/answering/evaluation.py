"""How good answers are: questions with the sources and facts that a good one has, asked and judged.

A file of questions is a YAML list. Each has `id` and `question`, and either `refuse: true` or `sources`: files, or
commits as `commit#subject`, of which each is to be among the first five that the answer cites; several that serve
as well are a list. `facts` are regular expressions that its text must match. Of a question that says nothing of these,
only the citations are judged.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from postil_indexers.chunking.notes import split_lines
from postil_indexers.errors import SettingsError
from postil_server.answering.answer import Writer, ask
from postil_server.answering.context import SOURCES
from postil_server.answering.corpus import Corpus
from postil_server.answering.question import Question
from postil_server.freshness import LiveText
from postil_server.types import Answer, Source, Support

_FIRST = 5  # documents of an answer among which its sources are to be
_LONGER = 1.5  # times, from which on a time is another one: a machine is never equally busy twice

Write = Callable[[Question], tuple[Question, Writer | None]]


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    question: str
    sources: tuple[tuple[str, ...], ...] = ()  # each a choice of those that serve as well
    facts: tuple[str, ...] = ()
    refuse: bool | None = False  # None where it is not said what a good answer is


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer. Shares are 0-1; None where there is nothing to be a share of."""

    id: str
    refuse: bool | None  # it was to be refused
    refused: bool
    model: str  # that wrote it; "" for extracts
    recall: float | None  # of the sources, among the first five documents
    valid: float | None  # of the citations
    supported: float | None  # of the sentences that cite something
    facts: float | None
    first_ms: float  # until the first text; of a model, its first token
    total_ms: float


def load_cases(path: str) -> list[Case]:
    """Raises SettingsError where a file is not such a list."""
    try:
        with open(path, encoding="utf-8") as handle:
            entries = yaml.safe_load(handle)
        return [_case(entry) for entry in entries]
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError, KeyError, re.error) as error:
        raise SettingsError(f"{path} is no list of questions: {error}", "see benchmarks/questions") from error


def _case(entry: dict[str, Any]) -> Case:
    sources = tuple((each,) if isinstance(each, str) else tuple(map(str, each)) for each in entry.get("sources", ()))
    facts = tuple(map(str, entry.get("facts", ())))
    for fact in facts:
        re.compile(fact)
    told = bool(sources or facts or "refuse" in entry)
    refuse = bool(entry.get("refuse", False)) if told else None
    return Case(str(entry["id"]), str(entry["question"]), sources, facts, refuse)


def judge(corpora: Sequence[Corpus], case: Case, limit: int = SOURCES, write: Write | None = None) -> Judged:
    """`write`: who writes the answer to a question; None for extraction."""
    started = time.perf_counter()
    first, answer = 0.0, None
    question, writer = write(Question(case.question)) if write else (Question(case.question), None)
    for event in ask(corpora, question, limit, writer):
        first = first or _since(started) * (event.kind in ("text", "replace"))
        answer = event.answer or answer
    assert answer is not None
    first_named = set(_first(answer))
    cited = [sentence for sentence in answer.sentences if sentence.citations]
    return Judged(
        case.id,
        case.refuse,
        refused=not answer.citations,
        model=answer.model,
        recall=_share(bool(set(choice) & first_named) for choice in case.sources),
        valid=_share(resolves(corpora, source) for source in answer.citations),
        supported=_share(sentence.support is Support.SUPPORTED for sentence in cited),
        facts=_share(re.search(fact, answer.text) is not None for fact in case.facts),
        first_ms=first,
        total_ms=_since(started),
    )


def _first(answer: Answer) -> list[str]:
    """The names of the first documents that an answer cites."""
    seen: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for source in answer.citations:
        seen.setdefault((source.root, source.path if not source.sha else "", source.sha), _names(source))
    return [name for names in list(seen.values())[:_FIRST] for name in names]


def _names(source: Source) -> tuple[str, ...]:
    return (f"commit#{source.title}",) if source.sha else (source.path,)


def resolves(corpora: Sequence[Corpus], source: Source) -> bool:
    """Whether a citation leads to lines of an indexed file, or to a commit and lines that it changed."""
    index = next(corpus.index for corpus in corpora if corpus.root == source.root)
    if source.sha:
        commit = index.history.commit(source.sha)
        spans = {
            (change.path, hunk.new_start, hunk.new_start + hunk.new_lines)
            for change in (commit.files if commit else ())
            for hunk in change.hunks
        }
        return commit is not None and (
            not spans or (source.path, source.span.start_line, source.span.end_line) in spans
        )
    document = index.content.document(source.path)
    if document is None:
        return False
    newer = LiveText(index, source.root).changed(document.id, source.path)
    text = "".join(row.text for row in index.content.chunks_of(document.id)) if newer is None else newer
    return 0 <= source.span.start_line < source.span.end_line <= len(split_lines(text))


def summary(judged: Sequence[Judged]) -> dict[str, float | int | None]:
    """The means over all questions; times are those of answers that were not refused, medians unless they say p95."""
    due = [each for each in judged if each.refuse is False]
    foreign = [each for each in judged if each.refuse]
    answered = [each for each in judged if not each.refused]
    return {
        "questions": len(judged),
        "by_model": _mean(float(bool(each.model)) for each in answered),
        "recall_at_5": _mean(each.recall for each in due),
        "citations_valid": _mean(each.valid for each in judged),
        "supported": _mean(each.supported for each in judged),
        "facts": _mean(each.facts for each in due),
        "answered": _mean(float(not each.refused) for each in due),
        "refused": _mean(float(each.refused) for each in foreign),
        "first_ms": _at(0.5, [each.first_ms for each in answered]),
        "first_p95_ms": _at(0.95, [each.first_ms for each in answered]),
        "total_ms": _at(0.5, [each.total_ms for each in answered]),
    }


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[tuple[str, str, Any, Any]]:
    """(question, or "" for the whole; what; before; now) of all that is another figure; of times those of the whole
    that are much longer or shorter."""
    if before.get("model") != now.get("model"):
        yield "", "model", before.get("model"), now.get("model")
    for name, value in now["summary"].items():
        old = before["summary"].get(name)
        if old != value and not (name.endswith("_ms") and old and value and 1 / _LONGER < value / old < _LONGER):
            yield "", name, old, value
    earlier = {each["id"]: each for each in before["questions"]}
    for each in now["questions"]:
        old = earlier.get(each["id"], {})
        for name, value in each.items():
            if not name.endswith("_ms") and old.get(name) != value:
                yield each["id"], name, old.get(name), value


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 1)


def _share(holds: Iterable[bool]) -> float | None:
    return _mean(float(each) for each in holds)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None


def _at(share: float, values: Sequence[float]) -> float | None:
    """The value below which this share of all lies."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else None
