"""Answers made in a reading thread: from the open folders, told event by event, with uri and range."""

from __future__ import annotations

import datetime
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import apsw

from postil_indexers.chunking.notes import split_lines
from postil_indexers.errors import NotIndexedError
from postil_indexers.types import Span
from postil_server.answering.answer import ask, summarise
from postil_server.answering.changes import summarise_changes
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest
from postil_server.answering.draft import Event
from postil_server.answering.library import remember
from postil_server.answering.modelled import Wish, leaves_machine, summary_writer, with_model
from postil_server.answering.question import Exchange, Focus, Question
from postil_server.answering.summary import summarise_file, summarise_folder
from postil_server.llm.base import StopSignal
from postil_server.lsp.desk import Desk
from postil_server.lsp.lane import DroppedError, Token
from postil_server.lsp.pages import answer_page
from postil_server.lsp.records import answer_record, citation
from postil_server.lsp.streams import Tell
from postil_server.lsp.virtual_uris import answer_uri
from postil_server.records import sentence_record
from postil_server.settings import LlmSettings
from postil_server.types import Answer, Sentence, Source


@dataclass(frozen=True, slots=True)
class Here:
    """Where an answer is asked for."""

    roots: tuple[str, ...]  # of the open folders, the document's own first
    buffers: Mapping[tuple[str, str], str]  # (root, path) -> the text that stands in an editor
    place: tuple[str, str] | None = None  # (root, path) of the document
    uri: str = ""  # of the document; "" where none was given
    text: str | None = None  # of the document, where it is open
    lines: Span | None = None  # that are selected; None for the whole


@dataclass(frozen=True, slots=True)
class By:
    """Who writes: the model of the settings or none, for which view, and whether an old reply will do."""

    model: bool = True
    view: str = ""
    cached: bool = True


@dataclass(frozen=True, slots=True)
class What:
    """What an answer is kept as."""

    kind: str  # "ask" or "summarise"
    title: str
    root: str


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    previous: tuple[str, str] | None = None  # question and answer before it
    limit: int = 6
    by: By = field(default_factory=By)


@dataclass
class _Told:
    """What was told of an answer so far: it is what is left where the rest was stopped."""

    text: str = ""
    sources: tuple[Source, ...] = ()
    sentences: list[Sentence] = field(default_factory=list)


def ask_all(desk: Desk, asked: Asked, here: Here, tell: Tell, token: Token) -> dict[str, Any]:
    question = Question(asked.question, _focus(here), Exchange(*asked.previous) if asked.previous else None)
    every, writer = corpora(desk, here), None
    if asked.by.model:
        every = _sendable(every, here, _settings(desk, every))
        question, writer = with_model(every, question, _settings(desk, every), _wish(desk, every, asked.by, token))
    return made(ask(every, question, asked.limit, writer), What("ask", asked.question, every[0].root), tell, token)


@dataclass(frozen=True, slots=True)
class Changes:
    """What was changed since a day, a commit or a tag; "" for what is there. `author`: by this person alone."""

    since: str
    author: str = ""


def summarise_all(desk: Desk, changes: Changes, here: Here, by: By, tell: Tell, token: Token) -> dict[str, Any]:
    """Raises PostilError where there is nothing to summarise."""
    every = corpora(desk, here)
    corpus = next((each for each in every if here.place is None or each.root == here.place[0]), None)
    if corpus is None:
        raise NotIndexedError("the folder of that document is not indexed yet", "wait for it, and ask again")
    if by.model:
        (corpus,) = _sendable([corpus], here, _settings(desk, [corpus]))
    digest = _digest(corpus, changes, here)
    wish = _wish(desk, [corpus], by, token)
    writer = summary_writer([corpus], _settings(desk, [corpus]), wish) if by.model else None
    return made(summarise([corpus], digest, writer), What("summarise", digest.title, corpus.root), tell, token)


def _sendable(corpora: list[Corpus], here: Here, settings: LlmSettings) -> list[Corpus]:
    """For a model on another machine, without the unsaved texts of documents that the question is not about."""
    if not leaves_machine(settings):
        return corpora
    return [
        replace(each, buffers={path: text for path, text in each.buffers.items() if (each.root, path) == here.place})
        for each in corpora
    ]


def _settings(desk: Desk, corpora: list[Corpus]) -> LlmSettings:
    return desk.at(corpora[0].root).app.settings.llm


def _wish(desk: Desk, corpora: list[Corpus], by: By, token: Token) -> Wish:
    """Cancelling the request stops the model."""
    signal = StopSignal()
    token.hold(signal)
    never_send = {each.root: desk.at(each.root).app.settings.llm.never_send for each in corpora}
    return Wish(by.view, signal, by.cached, never_send=never_send)


def _digest(corpus: Corpus, changes: Changes, here: Here) -> Digest:
    if changes.since:
        path = here.place[1] if here.place is not None else ""
        today = datetime.datetime.now(datetime.UTC).date()
        return summarise_changes(corpus, changes.since, today, path, changes.author)
    focus = _focus(here)
    assert focus is not None  # a summary without a document is one of changes
    if here.place is not None and os.path.isdir(os.path.join(*here.place)):
        return summarise_folder(corpus, here.place[1])
    return summarise_file(corpus, focus.path, focus.span, focus.text)


def corpora(desk: Desk, here: Here) -> list[Corpus]:
    """Raises NotIndexedError where no folder has an index."""
    return [
        Corpus(
            opened.root,
            opened.index,
            opened.embedders(local=False),
            {path: text for (root, path), text in here.buffers.items() if root == opened.root},
        )
        for opened in desk.indexed(list(here.roots))
    ]


def made(events: Iterator[Event], what: What, tell: Tell, token: Token) -> dict[str, Any]:
    """Tell the events of an answer and give it back; cut short by its token, with what came until then."""
    started, number, told = time.perf_counter(), uuid.uuid4().hex[:16], _Told()
    answer: Answer | None = None
    try:
        for event in events:
            if token.cancelled:
                raise DroppedError
            answer = event.answer or answer
            if record := _told(event, told):
                tell(record)
    except (DroppedError, apsw.InterruptError, apsw.ExecTraceAbort):
        if not token.cancelled:
            raise
        cited = {each for sentence in told.sentences for each in sentence.citations}
        kept = tuple(source for source in told.sources if source.number in cited)
        answer = Answer(told.text, "", kept, tuple(told.sentences), (), "cancelled")
    assert answer is not None
    elapsed = round((time.perf_counter() - started) * 1e3, 2)
    record = _record(number, what.title, answer, elapsed)
    if answer.finish != "cancelled":
        remember(number, what.root, what.kind, what.title, answer_record(answer))
    return record


def stopped() -> dict[str, Any]:
    """An answer that was stopped before anything of it came."""
    return _record(uuid.uuid4().hex[:16], "", Answer("", "", (), (), (), "cancelled"), 0.0)


def _record(number: str, title: str, answer: Answer, elapsed_ms: float) -> dict[str, Any]:
    document = {"id": number, "document": answer_uri(number)}
    return {**document, **answer_record(answer), "elapsed_ms": elapsed_ms, "page": answer_page(title, answer)}


def _told(event: Event, told: _Told) -> dict[str, Any] | None:
    if event.kind == "sources":
        told.sources = event.sources
        return {"kind": "sources", "citations": [citation(source) for source in event.sources]}
    if event.kind == "text":
        told.text += event.text
        return {"kind": "text", "text": event.text}
    if event.kind == "replace":
        told.text, told.sentences = event.text, []
        return {"kind": "replace", "text": event.text}
    if event.kind == "sentence" and event.sentence is not None:
        told.sentences.append(event.sentence)
        return {"kind": "sentence", "sentence": sentence_record(event.sentence)}
    if event.kind == "status":
        return {"kind": "status", "status": event.text}
    return None


def _focus(here: Here) -> Focus | None:
    if not here.uri:
        return None
    root, path = here.place or (here.roots[0] if here.roots else "", here.uri)
    text = None
    if here.lines is not None and here.text is not None:
        text = "\n".join(split_lines(here.text)[here.lines.start_line : here.lines.end_line])
    elif here.place is None and here.text is not None:
        text = here.text
    span = here.lines or (Span(0, len(split_lines(here.text))) if here.place is None and here.text else None)
    return Focus(root, path, text, span)
