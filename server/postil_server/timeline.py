"""Questions to the commit history: filters out of words, then words and meaning over what those leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

import numpy as np

from postil_indexers.embedding.base import Embedder
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.store.terms import inverse_frequency
from postil_indexers.text import is_function_word, query_terms
from postil_indexers.types import FileChange, Kind
from postil_server.history.filters import Filter, checked
from postil_server.history.kinship import kinship
from postil_server.history.known import Known, Person
from postil_server.history.missing import missing_of_clone
from postil_server.history.narrowing import narrowed, suggestions, time_spanned
from postil_server.history.question import Question, parse_question
from postil_server.history.weighing import behind, folded, weigh
from postil_server.types import FoundCommit

_WORDS = 300  # candidates by words; of 282 answers known, one was further back
_NEAR = 300  # candidates by each model; as many as the words', so that either may find what the other does not
_FEW = 2_000  # commits that filters leave, up to which each of them is compared
_SPARE = 3  # times the limit is arranged: folding takes some away
_SOFT = frozenset({"kind", "file", "symbol", "issue", "sha"})  # inferred ones order an answer and don't cut it
_OF_KIND = 1.4  # for the kind of change that a sentence speaks of: what a commit is was itself guessed
_SATURATED = 2.2  # what BM25 gives a term at most, times its weight
_WEAKEST = 0.05  # where meaning alone speaks
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """`filters` and `words` are what the question was read as; typed in their place they ask the same."""

    filters: tuple[Filter, ...]
    words: str
    notes: tuple[str, ...]  # what is not known, with the nearest that is; fit to show
    commits: tuple[FoundCommit, ...]  # best first

    @property
    def typed(self) -> str:
        """What asks the same when it is typed."""
        return " ".join((*map(str, self.filters), self.words)).strip()


def history(
    index: Index,
    query: str,
    embedders: Mapping[str, Embedder],
    limit: int,
    path: str | None = None,
    given: Sequence[Filter] | None = None,
    now: datetime | None = None,
    tell: Callable[[FoundCommit], object] | None = None,
) -> HistoryAnswer:
    """The commits that answer a question; with `path`, those that touched it, under its earlier names too, or a file
    below it.

    `given`: filters beside the words, in place of those that the words would give. `now`: when and where it is asked.
    `tell` is called with each commit as it is found, in their order, within the snapshot.
    """
    with index.snapshot():
        moment = now or datetime.now().astimezone()
        question = read_question(index, query, moment, given)
        found = []
        for commit in _found(index, question, embedders, limit, path, moment):
            found.append(commit)
            if tell is not None:
                tell(commit)
        notes = [*question.wrong, *suggestions(index, question.unknown, only_near=True)]
        notes += [*([] if found else _unknown(index, question, path, moment)), *missing_of_clone(index)]
        return HistoryAnswer(question.filters, question.words, tuple(notes), tuple(found))


def _unknown(index: Index, question: Question, path: str | None, moment: datetime) -> list[str]:
    """Why nothing was found, as far as that can be told."""
    named = (Filter("file", path),) if path is not None else ()
    told = suggestions(index, (*named, *question.filters))
    if not told and any(one.name in ("after", "before") for one in question.filters):
        told = time_spanned(index, moment.tzinfo)
    return told


def found_commits(index: Index, query: str, embedders: Mapping[str, Embedder], limit: int) -> list[FoundCommit]:
    """The commits of a `history`, within a snapshot that the caller holds."""
    moment = datetime.now().astimezone()
    return list(_found(index, read_question(index, query, moment), embedders, limit, None, moment))


def names_commit(query: str, sha: str = "") -> bool:
    """Whether a query has the start of a commit's id in it: of `sha`, or of any."""
    return any(sha.startswith(start) or not sha for start in _SHA.findall(query.lower()))


def read_question(index: Index, query: str, now: datetime, given: Sequence[Filter] | None = None) -> Question:
    known = Known(
        people=[Person(*each) for each in index.surroundings.people()],
        releases=[release.name for release in index.surroundings.releases()],
        paths=index.commit_filters.paths,
    )
    question = parse_question(query, now.date(), known)
    if not given:
        return question
    good, wrong = checked(given, now.date(), known.releases)
    stay = [one for one in question.filters if not one.inferred]
    return question._replace(filters=(*good, *stay), wrong=(*question.wrong, *wrong))


def _found(
    index: Index,
    question: Question,
    embedders: Mapping[str, Embedder],
    limit: int,
    path: str | None,
    moment: datetime,
) -> Iterator[FoundCommit]:
    hard = [one for one in question.filters if not (one.inferred and one.name in _SOFT)]
    allowed = narrowed(index, hard, moment.tzinfo)
    if path is not None:
        touching = index.history.touching(path, everywhere=True) | index.file_changes.before_renames(path)
        allowed = touching if allowed is None else allowed & touching
    soft = [one for one in question.filters if one not in hard]
    of_kind = narrowed(index, [one for one in soft if one.name == "kind"], moment.tzinfo)
    preferred = _preferred(index, [one for one in soft if one.name != "kind"], moment.tzinfo, allowed)
    if not question.words:
        left = _most_of(allowed, (preferred, of_kind))
        ids = (_all(index) if question.filters else set()) if left is None else left
        return _listed(index, ids, limit, question)
    scores = _scores(index, question, embedders, allowed)
    if preferred:
        first = _scores(index, question, embedders, preferred)
        wanted = preferred if len(preferred) <= limit else first.keys()
        above = max(scores.values(), default=0.0)
        scores = {**scores, **{i: above + first.get(i, 0.0) for i in wanted}}
    if of_kind:
        scores = {i: score * (_OF_KIND if i in of_kind else 1.0) for i, score in scores.items()}
    return _arranged(index, scores, limit, question)


def _preferred(index: Index, soft: Sequence[Filter], zone: tzinfo | None, allowed: set[int] | None) -> set[int] | None:
    """Of `allowed` those that a sentence speaks of: what would leave none of them, a name misread, is passed over."""
    each = [narrowed(index, [one], zone) or set() for one in soft]
    within = [found if allowed is None else found & allowed for found in each]
    return _most_of(None, within)


def _most_of(hard: set[int] | None, soft: Iterable[set[int] | None]) -> set[int] | None:
    """What `hard` leaves and each of `soft` that would leave something; None where there are none."""
    left = hard
    for each in soft:
        if each:
            left = each if left is None else (left & each or left)
    return left


def _all(index: Index) -> set[int]:
    return index.commit_filters.all()


def _listed(index: Index, ids: Collection[int], limit: int, question: Question) -> Iterator[FoundCommit]:
    """Commits without words to rank them by: the newest first, or where the first is asked for, the oldest."""
    oldest = question.order == "oldest"
    best = index.commit_filters.in_time(ids, limit, oldest=oldest)
    rows = index.history.rows(best)
    return _as_found(index, best, rows, {i: 1.0 / n for n, i in enumerate(best, 1)}, {}, _telling(question))


def _scores(
    index: Index, question: Question, embedders: Mapping[str, Embedder], allowed: set[int] | None
) -> dict[int, float]:
    terms = query_terms(question.words)
    telling = [term for term in terms if not is_function_word(term)] or terms
    words = {m.rowid: m.bm25 for m in index.history.match(telling, _WORDS, allowed)}
    few = sorted(allowed) if allowed is not None and len(allowed) <= _FEW else []
    nearby: dict[str, dict[int, float]] = {}
    for role, embedder in embedders.items():
        model = index.vectors.serving(role)
        if model is None or model.fingerprint != embedder.fingerprint or not embedder.knows(question.words):
            continue
        vector = embedder.embed([question.words], query=True)[0]
        if not np.any(vector):
            continue
        near = few or [n.rowid for n in index.vectors.nearest(model, vector, Kind.COMMIT, _NEAR)]
        near = near if allowed is None else [i for i in near if i in allowed]
        ids, vectors = index.vectors.exact(model, list({*near, *words}), Kind.COMMIT)
        nearby[role] = dict(zip(ids, (vectors @ vector).tolist(), strict=True))
    traits = index.history.traits({*words, *(i for cosines in nearby.values() for i in cosines)})
    scores = weigh(words, nearby, traits, index.surroundings.ignored(), question.words, question.order)
    strength = _strength(index, telling, max(words.values(), default=0.0))
    return {i: score * strength for i, score in scores.items()}


def _strength(index: Index, terms: Sequence[str], best: float) -> float:
    """How much of the question's words the best commit holds (0-1): what makes scores of two roots comparable."""
    commits, frequency = index.history.count(), index.history.frequency(terms)
    weight = sum(inverse_frequency(commits, max(1, frequency[term])) for term in terms)
    return max(_WEAKEST, min(1.0, best / (_SATURATED * weight))) if weight else 1.0


def _arranged(index: Index, scores: Mapping[int, float], limit: int, question: Question) -> Iterator[FoundCommit]:
    """The best ones: copies folded, reverts and merges behind what they undo and merge."""
    best = sorted(scores, key=lambda i: -scores[i])[: _SPARE * limit]
    rows = index.history.rows(best)
    best.sort(key=lambda i: (-scores[i], -rows[i].committed_at, rows[i].sha))
    kept, copies = folded(best, rows)
    kin = kinship(index, kept, rows, copies)
    asks_reverts = any(one.name == "kind" and one.value == "revert" for one in question.filters)
    order = behind(kept, {i: leader for i, leader in kin.items() if not (asks_reverts and rows[i].kind == "revert")})
    return _as_found(index, order[:limit], rows, scores, copies, _telling(question))


def _telling(question: Question) -> str:
    """The words by which the files of a commit are ordered: what is asked of a file or a function is shown first."""
    named = (one.value for one in question.filters if one.name in ("file", "symbol", "change") and not one.negated)
    return " ".join((question.words, *named))


def _as_found(
    index: Index,
    ids: Sequence[int],
    rows: Mapping[int, CommitRow],
    scores: Mapping[int, float],
    copies: Mapping[int, Sequence[int]],
    words: str,
) -> Iterator[FoundCommit]:
    """One after the other, so that who waits for them gets the first one before the last is read."""
    wanted = {word for word in _WORD.findall(words.casefold()) if not is_function_word(word)}
    least = float("inf")
    undone = index.surroundings.reverts_of([rows[i].sha for i in ids])
    for i in ids:
        row = rows[i]
        least = min(least, scores[i])  # what stands behind another for another reason than its score has no higher one
        yield FoundCommit(
            sha=row.sha,
            committed_at=row.committed_at,
            author=row.author_name,
            subject=row.subject,
            score=least,
            files=telling_first(index.history.files(i), wanted),
            kind=row.kind,
            release=row.release,
            reverted_by=undone.get(row.sha, ""),
            copies=tuple(rows[copy].sha for copy in copies.get(i, ())),
            text_missing=row.text_missing,
            branch=row.branch,
        )


def telling_first(files: Sequence[FileChange], words: set[str]) -> tuple[FileChange, ...]:
    """Files whose path or changed lines hold more of the words first; otherwise as git has them."""
    if len(files) < 2 or not words:
        return tuple(files)

    def held(change: FileChange) -> int:
        text = "\n".join((change.path, *(f"{hunk.symbol}\n{hunk.text}" for hunk in change.hunks))).casefold()
        return sum(word in text for word in words)

    return tuple(sorted(files, key=lambda change: -held(change)))
