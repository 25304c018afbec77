"""What an answer is drawn from: passages as they read now, grouped by document, fitted to a budget, numbered."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from postil_indexers.chunking.notes import split_lines
from postil_indexers.store.content import DocumentRow
from postil_indexers.store.index import Index
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms, path_terms, query_terms
from postil_indexers.types import Commit, Hunk, Kind, Span
from postil_server.commit_hits import commit_hits
from postil_server.confidence import evidence, term_weights
from postil_server.freshness import LiveText
from postil_server.question import Focus, Question
from postil_server.roots import merged
from postil_server.search import Embedders, matched_terms, search
from postil_server.types import Hit, Query, Source

SOURCES = 6  # what a reader looks at, and what a small model keeps apart
_BUDGET_CHARS = 12_000  # some 3,000 tokens: half the window that a local model is usually started with
_LONGEST = 4_000  # of one source, with the neighbours that complete it
_HITS = 12  # passages that are looked at for so many sources
_NOTES, _NOTES_AT = 3, (2, 4)  # the best notes are looked at, and two that code is before come so far in front ...
_NOTE_SHARE = 0.75  # ... where they are nearly as sure as the surest passage
_COMMITS, _ASIDE_COMMITS = 4, 1  # where the history is asked, and where it is not
_BESIDE = 0.5  # confidence of what is shown beside a file that the question itself names as what it is about
_HUNKS = 50  # of a commit that are looked at for the one to show
_OF_FILE = 2  # passages of the file that the question is asked from


@dataclass(frozen=True, slots=True)
class Corpus:
    """One folder's index, the models that ask it, and the texts that stand in editors, by path."""

    root: str
    index: Index
    embedders: Embedders
    buffers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    question: Question
    sources: tuple[Source, ...]
    hits: tuple[Hit, ...]  # what was found, best first, whether or not it became a source


def gather(corpora: Sequence[Corpus], question: Question, limit: int = SOURCES) -> Context:
    """At most `limit` sources: what the question is asked from, then what was found, documents kept together."""
    found: list[tuple[Source, Hit | None]] = []
    hits: list[Hit] = []
    for corpus in corpora:
        with corpus.index.snapshot():
            live = LiveText(corpus.index, corpus.root, corpus.buffers)
            focus = question.focus
            if focus is not None and focus.root == corpus.root:
                found = [(source, None) for source in _focus_sources(corpus, live, question, focus)] + found
        own = _hits(corpus, question)
        if focus is not None and question.points_here:
            own = [hit for hit in own if hit.confidence >= _BESIDE]
        hits += own
        with corpus.index.snapshot():
            found += _sources(corpus, live, own, query_terms(question.standalone))
    if len(corpora) > 1:
        hits = merged(hits, [corpus.root for corpus in corpora], len(hits))
        order = {id(hit): number for number, hit in enumerate(hits)}
        kept = (item for item in found if item[1] is None or id(item[1]) in order)
        found = sorted(kept, key=lambda item: -1 if item[1] is None else order[id(item[1])])
    sources = _fitted(_distinct(source for source, _ in found), limit)
    return Context(question, tuple(_numbered(_grouped(sources))), tuple(hits))


def _hits(corpus: Corpus, question: Question) -> list[Hit]:
    """Passages, and commits: first where the history is asked, last where it is not."""
    text = question.standalone
    passages = _with_notes(
        search(corpus.index, corpus.root, Query(text, limit=_HITS), corpus.embedders).hits,
        search(corpus.index, corpus.root, Query(text, (Kind.NOTE,), _NOTES), corpus.embedders).hits,
    )
    with corpus.index.snapshot():
        many = _COMMITS if question.wants_history else _ASIDE_COMMITS
        commits = commit_hits(corpus.index, corpus.root, text, corpus.embedders, many)
    named, commits = [c for c in commits if c.evidence is None], [c for c in commits if c.evidence is not None]
    if not question.wants_history:
        return [*named, *passages, *commits]
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


def _sources(
    corpus: Corpus, live: LiveText, hits: Iterable[Hit], terms: Collection[str]
) -> list[tuple[Source, Hit | None]]:
    found: list[tuple[Source, Hit | None]] = []
    for hit in hits:
        source = _commit_source(corpus, hit, terms) if hit.sha else _passage_source(corpus, live, hit)
        if source is not None:
            found.append((source, hit))
    return found


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


def _commit_source(corpus: Corpus, hit: Hit, terms: Collection[str]) -> Source | None:
    """A commit, at the lines that have most to do with the question; who made it and when is part of its text."""
    commit = corpus.index.history.commit(hit.sha)
    if commit is None:
        return None
    hunks = [(change.path, hunk) for change in commit.files for hunk in change.hunks][:_HUNKS]
    best = max(hunks, key=lambda each: _fits(each[0], each[1], terms), default=None)
    return Source(
        number=0,
        root=corpus.root,
        path=best[0] if best else hit.path,
        span=Span(best[1].new_start, best[1].new_start + best[1].new_lines) if best else hit.span,
        kind=Kind.COMMIT,
        title=commit.subject,
        name=commit.author_name,
        text=message_of(commit),
        confidence=hit.confidence,
        sha=commit.sha,
    )


def message_of(commit: Commit) -> str:
    """What a commit says; who made it and when is its last line."""
    day = datetime.datetime.fromtimestamp(commit.committed_at, datetime.UTC).date().isoformat()
    said = f"{commit.subject}\n\n{commit.body}".strip()[:_LONGEST]
    return f"{said}\n\n— {commit.author_name}, {day}"


def _fits(path: str, hunk: Hunk, terms: Collection[str]) -> int:
    held = {*index_terms(hunk.text).split(), *index_terms(hunk.symbol).split(), *path_terms(path).split()}
    return len(held.intersection(terms))


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
    terms = query_terms(question.standalone)
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
