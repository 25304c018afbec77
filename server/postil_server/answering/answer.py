"""ask and summarise: retrieve, fit, write, check. Extraction and models get the same sources and the same checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from postil_indexers.embedding.base import Embedder
from postil_indexers.errors import ModelError
from postil_server.answering.citations.check import check
from postil_server.answering.context import SOURCES, Context, gather
from postil_server.answering.corpus import Corpus
from postil_server.answering.dating import said
from postil_server.answering.digest import Digest
from postil_server.answering.draft import CUT_SHORT, Aside, Draft, Event, finished, holds
from postil_server.answering.extractive import NONE_SET, Extracts, question_terms
from postil_server.answering.question import Question
from postil_server.answering.refusal import holds_answer
from postil_server.answering.safetext import clean, literal
from postil_server.confidence import term_weights
from postil_server.history.filters import as_object
from postil_server.llm.errors import NotPulledError, NotRunningError
from postil_server.types import Answer, Sentence, Source

NOTHING_HOLDS = "what it wrote is not in the text"
NEAREST = 5  # passages that are shown where nothing answers


class Writer(Protocol):
    """Writes an answer from numbered sources: `[n]` behind what is taken from source n. Text comes as it is made."""

    @property
    def model(self) -> str:
        """Its name in the answer; "" for extraction."""
        ...

    @property
    def finish(self) -> str:
        """How the writing ended, as an answer says it; known when there are no more pieces."""
        ...

    @property
    def unasked(self) -> bool:
        """Whether nobody named this model: that it is not there is no news then."""
        ...

    def write(self, context: Context) -> Iterator[str]:
        """Raises ModelError before the first piece, or none."""
        ...


class SummaryWriter(Protocol):
    """Writes a summary of the sections of a digest, by the same rules."""

    @property
    def model(self) -> str: ...

    @property
    def finish(self) -> str: ...

    @property
    def unasked(self) -> bool: ...

    def write(self, digest: Digest) -> Iterator[str]: ...


def ask(
    corpora: Sequence[Corpus], question: Question, limit: int = SOURCES, writer: Writer | None = None
) -> Iterator[Event]:
    """Events of one answer: its sources first, its text and sentences, the whole at the end as "done".

    Extracts where there is no `writer`, or none that can be reached, which they say. Leaving the iteration stops it.
    """
    context = gather(corpora, question, limit)
    question, nearest = context.question, context.hits[:NEAREST]
    read = _read_as(context)
    refusal = not_here(question.chinese) + (f" {read}" if read else "")
    extracts = Extracts(question_weights(corpora, question), local_embedder(corpora))
    if not holds_answer(corpora, context, extracts):
        yield Event("sources")
        yield Event("text", text=refusal)
        yield Event("done", answer=Answer(refusal, "", (), (), nearest, "not_found", as_object(context.filters)))
        return
    yield Event("sources", sources=context.sources)
    draft = Draft(context.sources, checking(corpora), attributing=writer is not None)
    model, finish, reason = "", "complete", ""
    if writer is not None:
        try:
            for piece in writer.write(context):
                yield from draft.feed(piece)
            model, finish = writer.model, writer.finish
        except ModelError as error:  # before the first piece, so nothing was written yet
            reason = _reason(error, writer)
            yield from _told(reason)
    if writer is None or reason:
        for piece in extracts.write(context, reason):
            yield from draft.feed(piece, ours=True)
    if read:
        yield from draft.feed(Aside(f"\n{read}\n"), ours=True)
    yield from draft.close()
    for event in finished(draft, model, nearest, refusal, finish):
        answer = event.answer and replace(event.answer, filters=as_object(context.filters))
        yield replace(event, answer=answer)


def _read_as(context: Context) -> str:
    """The time that a question was read as being about, for whoever asked to see; "" for none."""
    if not context.filters:
        return ""
    told = literal(clean(said(context.filters)))
    return f"（时间：{told}）" if context.question.chinese else f"(Time: {told})"


def summarise(corpora: Sequence[Corpus], digest: Digest, writer: SummaryWriter | None = None) -> Iterator[Event]:
    """Events of a summary, as those of an answer. `corpora`: the folder that it is of first."""
    sources, model, finish, reason = digest.sources, "", "complete", ""
    if writer is not None:
        sections = digest.sections
        yield Event("sources", sources=sections)
        draft = Draft(sections, checking(corpora), attributing=True)
        try:
            for piece in writer.write(digest):
                yield from draft.feed(piece)
            model, finish = writer.model, writer.finish
        except ModelError as error:
            reason = _reason(error, writer)
            yield from _told(reason)
        else:
            yield from draft.close()
            if not holds(draft) and finish not in CUT_SHORT:  # unlike an answer, a text is there to be told
                reason, model, finish = NOTHING_HOLDS, "", "complete"
                yield from _told(reason)
                yield Event("replace")
    if writer is None or reason:
        yield Event("sources", sources=sources)
        draft = Draft(sources, checking(corpora))
        for piece in digest.pieces(reason):
            yield from draft.feed(piece, ours=True)
        yield from draft.close()
    yield from finished(draft, model, (), not_here(digest.chinese), finish)


def _reason(error: ModelError, writer: Writer | SummaryWriter) -> str:
    """Why a model did not write: what is wrong, and the way out."""
    if writer.unasked and isinstance(error, (NotRunningError, NotPulledError)):
        return NONE_SET
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _told(reason: str) -> Iterator[Event]:
    if reason != NONE_SET:
        yield Event("status", text=reason)


def answered(events: Iterator[Event]) -> Answer:
    """The answer at the end of its events."""
    *_, last = events
    assert last.answer is not None
    return last.answer


def not_here(chinese: bool) -> str:
    if chinese:
        return "工作区里没有这个问题的答案。"
    return "The workspace does not have this."


def question_weights(corpora: Sequence[Corpus], question: Question) -> dict[str, float]:
    """What each telling word of a question weighs, by how rare it is in the first folder that is asked."""
    terms = question_terms(question.sought)
    content = corpora[0].index.content
    return term_weights(terms, sum(content.counts().values()), content.frequency(terms))


def local_embedder(corpora: Sequence[Corpus]) -> Embedder | None:
    """The model of this process that embeds sentences by the thousand."""
    return next((corpus.embedders["static"] for corpus in corpora if "static" in corpus.embedders), None)


def checking(corpora: Sequence[Corpus]) -> Callable[[Sequence[Sentence], Mapping[int, Source]], Sequence[Sentence]]:
    """The check of citations with what it compares meanings by."""
    embedder = local_embedder(corpora)

    def checked(sentences: Sequence[Sentence], sources: Mapping[int, Source]) -> Sequence[Sentence]:
        passages = {number: passage_text(source) for number, source in sources.items()}
        return check(sentences, passages, embedder)

    return checked


def passage_text(source: Source) -> str:
    """All that a source says: where it stands is part of it."""
    return "\n".join(
        part for part in (source.title, source.name.replace(" > ", "\n"), source.path, source.text) if part
    )
