"""What is found for a question, best first: passages, notes and commits, of all times or of one."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence

from postil_indexers.store.content import DocumentRow
from postil_indexers.types import Kind
from postil_server.answering.corpus import Corpus
from postil_server.answering.dating import Time, Within, said, time_of
from postil_server.answering.question import Question
from postil_server.answering.sentences import units_of
from postil_server.commit_hits import commit_hits
from postil_server.search import search
from postil_server.types import Hit, Query

_HITS = 12  # passages that are looked at for so many sources
_NOTES, _NOTES_AT = 3, (2, 4)  # the best notes are looked at, and two that code is before come so far in front ...
_NOTE_SHARE = 0.75  # ... where they are nearly as sure as the surest passage
_COMMITS, _ASIDE_COMMITS = 4, 1  # where the history is asked, and where it is not
_SURE_COMMIT, _COMMIT_AT = 0.65, 3  # one that is surer than this and all passages comes early: words alone speak for it
_OF_TIME, _OFTEN = 8, 5  # of a time: so many commits and notes at most, out of so many times the passages
_FIRST_OF_TIME = 4  # commits where changes are asked for, else notes, before the others come
_SNIPPET = 1_500


def hits_for(corpus: Corpus, question: Question, time: Time, now: datetime.datetime) -> list[Hit]:
    return _of_time(corpus, question, time, now) if time.filters else _anywhen(corpus, question)


def time_asked(corpora: Sequence[Corpus], question: Question, now: datetime.datetime) -> Time:
    """By the releases and people of the first folder that knows them."""
    for corpus in corpora:
        with corpus.index.snapshot():
            time = time_of(corpus.index, question, now)
        if time.filters:
            return time
    return Time()


def _of_time(corpus: Corpus, question: Question, time: Time, now: datetime.datetime) -> list[Hit]:
    """What is of a time: by the words that are left, or where there are none, its commits and the notes it dates."""
    with corpus.index.snapshot():
        within = Within(corpus.index, time.filters, now.tzinfo)
        asked = f"{said(time.filters)} {time.words}"
        commits = commit_hits(corpus.index, corpus.root, asked, corpus.embedders, _OF_TIME, words=time.words)
        if not time.words:
            notes = _all_of(corpus, within)
            first, then = (commits, notes) if question.wants_changes else (notes, commits)
            return [*first[:_FIRST_OF_TIME], *then, *first[_FIRST_OF_TIME:]]
    passages = _with_notes(*_searched(corpus, question.sought, question.kinds, _OFTEN))
    with corpus.index.snapshot():
        documents = {hit.path: corpus.index.content.document(hit.path) for hit in passages}
        there = {path for path, row in documents.items() if row is not None and within.has(row)}
        return _mixed(question, [hit for hit in passages if hit.path in there][:_HITS], commits[:_COMMITS])


def _all_of(corpus: Corpus, within: Within) -> list[Hit]:
    """The notes that are dated in a time, each at its first passage that says something."""
    return [hit for row in itertools.islice(within.named(), _OF_TIME) for hit in _first_passage(corpus, row)]


def _first_passage(corpus: Corpus, document: DocumentRow) -> Iterator[Hit]:
    for row in corpus.index.content.chunks_of(document.id):
        if row.symbol != "front_matter" and any(not unit.pointer for unit in units_of(row.text, row.kind)):
            yield Hit(row.path, corpus.root, row.span, row.kind, row.name, row.text[:_SNIPPET], 1.0, 1.0)
            return


def _anywhen(corpus: Corpus, question: Question) -> list[Hit]:
    """Passages, and commits: first where the history is asked, last where it is not."""
    text = question.sought
    passages = _with_notes(*_searched(corpus, text, question.kinds, 1))
    with corpus.index.snapshot():
        many = _COMMITS if question.wants_history else _ASIDE_COMMITS if len(question.kinds) > 1 else 0
        commits = commit_hits(corpus.index, corpus.root, text, corpus.embedders, many) if many else []
    return _mixed(question, passages, commits)


def _searched(
    corpus: Corpus, text: str, kinds: tuple[Kind, ...], times: int
) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
    """The best passages, and the best notes. `times` as many as are needed, where not all of them will do."""
    queries = [Query(text, kinds, times * _HITS)]
    queries += [Query(text, (Kind.NOTE,), times * _NOTES)] if Kind.NOTE in kinds else []
    first, *notes = (search(corpus.index, corpus.root, query, corpus.embedders).hits for query in queries)
    return first, notes[0] if notes else ()


def _mixed(question: Question, passages: Sequence[Hit], commits: Sequence[Hit]) -> list[Hit]:
    named, commits = [c for c in commits if c.evidence is None], [c for c in commits if c.evidence is not None]
    if not question.wants_history:
        surest = max((hit.confidence for hit in passages), default=0.0)
        above = [c for c in commits if c.confidence > max(surest, _SURE_COMMIT)]
        behind = [c for c in commits if c not in above]
        return [*named, *passages[:_COMMIT_AT], *above, *passages[_COMMIT_AT:], *behind]
    # who did something and when, only commits know; why it is so, a note or a comment tells as often
    first = list(commits[:1]) if question.wants_commit else []
    rest, mixed = commits[len(first) :], [*named, *first]
    for at in range(max(len(rest), -(-len(passages) // 2))):
        mixed += [*passages[2 * at : 2 * at + 2], *rest[at : at + 1]]
    return mixed


def _with_notes(passages: Sequence[Hit], notes: Sequence[Hit]) -> list[Hit]:
    """Search puts notes behind code where there is much code; who asks in words is answered by a note as often."""
    found = list(passages)
    least = _NOTE_SHARE * max((hit.confidence for hit in passages), default=0.0)
    places = iter(_NOTES_AT)
    for hit in notes:
        early = {(other.path, other.span) for other in found[: _NOTES_AT[-1]]}
        if hit.confidence >= least and (hit.path, hit.span) not in early and (at := next(places, None)) is not None:
            found.insert(at, hit)
    return found
