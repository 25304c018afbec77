"""What an answer is drawn from: passages as they read now, grouped by document, fitted to a budget, numbered."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from postil_indexers.chunking.notes import split_lines
from postil_indexers.store.content import DocumentRow
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import is_function_word, query_terms
from postil_indexers.types import Kind, Span
from postil_server.answering.commitsource import commit_source
from postil_server.answering.corpus import Corpus
from postil_server.answering.defining import is_named, thing_of
from postil_server.answering.finding import hits_for, time_asked
from postil_server.answering.question import Focus, Question
from postil_server.answering.sentences import units_of
from postil_server.confidence import evidence, term_weights
from postil_server.freshness import LiveText
from postil_server.history.filters import Filter
from postil_server.roots import merged
from postil_server.search import matched_terms
from postil_server.termvectors import file_stem
from postil_server.types import Hit, Source

SOURCES = 6  # what a reader looks at, and what a small model keeps apart
_BUDGET_CHARS = 12_000  # some 3,000 tokens: half the window that a local model is usually started with
_LONGEST = 4_000  # of one source, with the neighbours that complete it
_BESIDE = 0.5  # confidence of what is shown beside a file that the question itself names as what it is about
_LINKS, _LINKED_AT = 20, 3  # links of the best note that are followed; the passage found so comes so far in front
_MOST_READ = 200  # passages of those notes: a question is answered at once
_LINKED_WORDS = 2  # of the question that it has at least
_OF_FILE = 2  # passages of the file that the question is asked from


@dataclass(frozen=True, slots=True)
class Context:
    question: Question
    sources: tuple[Source, ...]
    hits: tuple[Hit, ...]  # what was found, best first, whether or not it became a source
    filters: tuple[Filter, ...] = ()  # the time that the question is about


def gather(corpora: Sequence[Corpus], question: Question, limit: int = SOURCES) -> Context:
    """At most `limit` sources: what the question is asked from, then what was found, documents kept together."""
    now = datetime.datetime.now().astimezone()
    time = time_asked(corpora, question, now)
    if time.filters:
        question = replace(question, words=time.words)
    found: list[tuple[Source, Hit | None]] = []
    hits: list[Hit] = []
    for corpus in corpora:
        with corpus.index.snapshot():
            live = LiveText(corpus.index, corpus.root, corpus.buffers)
            focus = question.focus
            if focus is not None and focus.root == corpus.root:
                found = [(source, None) for source in _focus_sources(corpus, live, question, focus)] + found
        own = hits_for(corpus, question, time, now) if time.filters or not question.is_of_here_alone else []
        if focus is not None and question.points_here:
            own = [hit for hit in own if hit.confidence >= _BESIDE]
        hits += own
        with corpus.index.snapshot():
            sources = _sources(corpus, live, own, query_terms(question.sought))
            found += _opened(corpus, live, question, _with_linked(corpus, live, question, sources))
    if len(corpora) > 1:
        hits = merged(hits, [corpus.root for corpus in corpora], len(hits))
        order = {id(hit): number for number, hit in enumerate(hits)}
        there = (item for item in found if item[1] is None or id(item[1]) in order)
        found = sorted(there, key=lambda item: -1 if item[1] is None else order[id(item[1])])
    kept = _fitted(_distinct(source for source, _ in found), limit)
    return Context(question, tuple(_numbered(_grouped(kept))), tuple(hits), time.filters)


def _sources(
    corpus: Corpus, live: LiveText, hits: Iterable[Hit], terms: Collection[str]
) -> list[tuple[Source, Hit | None]]:
    found: list[tuple[Source, Hit | None]] = []
    for hit in hits:
        source = commit_source(corpus.index, corpus.root, hit, terms) if hit.sha else _passage_source(corpus, live, hit)
        if source is not None:
            found.append((source, hit))
    return found


def _opened(
    corpus: Corpus, live: LiveText, question: Question, found: list[tuple[Source, Hit | None]]
) -> list[tuple[Source, Hit | None]]:
    """Where the question is what a thing is, the note of that name from its first passage on: there it is said."""
    thing = thing_of(question.standalone)
    for at, (source, hit) in enumerate(found):
        named = (
            thing
            and source.kind is Kind.NOTE
            and (is_named(source.title, thing) or is_named(file_stem(source.path), thing))
        )
        document = corpus.index.content.document(source.path) if named else None
        if document is None:
            continue
        for row in corpus.index.content.chunks_of(document.id):
            if row.symbol != "front_matter" and any(not unit.pointer for unit in units_of(row.text, row.kind)):
                opening = _joined_source(corpus, live, document, [row], source.confidence)
                return [*found[:at], (opening, hit), *found[at:]] if opening else found
    return found


def _with_linked(
    corpus: Corpus, live: LiveText, question: Question, found: list[tuple[Source, Hit | None]]
) -> list[tuple[Source, Hit | None]]:
    """With the passage that says most of what is asked in the notes that the best note links to."""
    content = corpus.index.content
    terms = {term for term in query_terms(question.sought) if not is_function_word(term)}
    best = next(((source, hit) for source, hit in found[:_LINKED_AT] if source.kind is Kind.NOTE), None)
    document = content.document(best[0].path) if best else None
    if best is None or document is None:
        return found
    targets = [target for target, way in content.linked(document.id).items() if way != "in"][:_LINKS]
    rows = [row for target in targets for row in content.chunks_of(target) if row.symbol != "front_matter"][:_MOST_READ]
    held = {row.id: len(terms.intersection(matched_terms(row))) for row in rows}
    row = max(rows, key=lambda row: held[row.id], default=None)
    if row is None or held[row.id] < _LINKED_WORDS:
        return found
    target = content.document(row.path)
    source = _joined_source(corpus, live, target, [row], best[0].confidence) if target else None
    if source is None or any(_covers(other, source) for other, _ in found[:SOURCES]):
        return found
    return [*found[:_LINKED_AT], (source, best[1]), *found[_LINKED_AT:]]


def _passage_source(corpus: Corpus, live: LiveText, hit: Hit) -> Source | None:
    document = corpus.index.content.document(hit.path)
    if document is None:
        return None
    rows = corpus.index.content.chunks_of(document.id)
    at = next((n for n, row in enumerate(rows) if row.span == hit.span), None)
    if at is None or rows[at].symbol == "front_matter":
        return None
    return _joined_source(corpus, live, document, _completed(rows, at), hit.confidence)


def _completed(rows: Sequence[ChunkRow], at: int) -> list[ChunkRow]:
    """A passage with the neighbours that belong to the same definition or section, as far as there is room."""
    first = end = at
    room = _LONGEST - len(rows[at].text)
    while rows[at].name:
        after = rows[end + 1] if end + 1 < len(rows) else None
        before = rows[first - 1] if first else None
        if after is not None and after.name == rows[at].name and len(after.text) <= room:
            end, room = end + 1, room - len(after.text)
        elif before is not None and before.name == rows[at].name and len(before.text) <= room:
            first, room = first - 1, room - len(before.text)
        else:
            break
    return list(rows[first : end + 1])


def _joined_source(
    corpus: Corpus, live: LiveText, document: DocumentRow, rows: Sequence[ChunkRow], confidence: float
) -> Source | None:
    passages = [live.passage(row) for row in rows]
    there = [passage for passage in passages if passage is not None]
    if not there:
        return None
    joined = len(there) == len(rows) and all(
        one.span.end_line <= other.span.start_line + 1 for one, other in itertools.pairwise(there)
    )
    kept = there if joined else there[:1]
    return Source(
        number=0,
        root=corpus.root,
        path=document.path,
        span=Span(kept[0].span.start_line, max(each.span.end_line for each in kept)),
        kind=document.kind,
        title=document.title,
        name=rows[0].name,
        text="".join(each.text for each in kept)[:_LONGEST],
        confidence=confidence,
        stale=any(each.stale for each in kept),
    )


def _focus_sources(corpus: Corpus, live: LiveText, question: Question, focus: Focus) -> list[Source]:
    """The selected lines; of a whole file the passages that share most with the question."""
    document = corpus.index.content.document(focus.path)
    if focus.span is not None:
        text = focus.text if focus.text is not None else _lines(corpus, live, document, focus.span)
        if not text.strip():
            return []
        title = document.title if document is not None else focus.path
        kind = document.kind if document is not None else Kind.NOTE
        return [Source(0, corpus.root, focus.path, focus.span, kind, title, "", text[:_LONGEST], 1.0)]
    if document is None:
        return []
    rows = [row for row in corpus.index.content.chunks_of(document.id) if row.symbol != "front_matter"]
    terms = query_terms(question.sought)
    weights = term_weights(terms, sum(corpus.index.content.counts().values()), corpus.index.content.frequency(terms))
    shares = {row.id: evidence(matched_terms(row), weights, None).words for row in rows}
    best = sorted((row for row in rows if shares[row.id] or question.points_here), key=lambda row: -shares[row.id])
    made = [_joined_source(corpus, live, document, [row], shares[row.id]) for row in best[:_OF_FILE]]
    return [source for source in made if source is not None]


def _lines(corpus: Corpus, live: LiveText, document: DocumentRow | None, span: Span) -> str:
    """Lines of a file as they are now."""
    if document is None:
        return ""
    text = live.changed(document.id, document.path)
    if text is None:
        text = "".join(row.text for row in corpus.index.content.chunks_of(document.id))
    return "\n".join(split_lines(text)[span.start_line : span.end_line])


def _distinct(sources: Iterable[Source]) -> list[Source]:
    """Without passages that lie in one that came before, and without equal texts (a copy, a revert's message)."""
    kept: list[Source] = []
    for source in sources:
        text = source.text.strip()
        if not any(_covers(other, source) or other.text.strip() == text for other in kept):
            kept.append(source)
    return kept


def _covers(one: Source, other: Source) -> bool:
    same = (one.root, one.path, one.sha) == (other.root, other.path, other.sha)
    return same and one.span.start_line <= other.span.start_line and other.span.end_line <= one.span.end_line


def _fitted(sources: Iterable[Source], limit: int) -> list[Source]:
    kept: list[Source] = []
    room = _BUDGET_CHARS
    for source in sources:
        if len(kept) == limit:
            break
        if len(source.text) <= room:
            kept.append(source)
            room -= len(source.text)
    return kept


def _grouped(sources: Sequence[Source]) -> list[Source]:
    """Passages of one document together, where its first one stood, in the document's order."""
    groups: dict[tuple[str, str, str], list[Source]] = {}
    for source in sources:
        groups.setdefault((source.root, source.path, source.sha), []).append(source)
    return [source for group in groups.values() for source in sorted(group, key=lambda s: s.span.start_line)]


def _numbered(sources: Iterable[Source]) -> list[Source]:
    return [replace(source, number=number) for number, source in enumerate(sources, 1)]
