"""Which passage was meant: a sum of what speaks for each, every weight with its reason; pure functions.

The sum is the log odds of a linear model over the passages found for one query, each file by its best. It was fitted
(softmax over files) on either half of 31 public repositories with judged queries and confirmed on the other: NDCG@10
0.888 and 0.893, where the rules before it had 0.849 and 0.879. These weights are rounded from what lies between the two
fits; a change of a quarter in any one moves the mean by 0.002 at most. What earned nothing went: how near a passage's
vector is, beside its place among the vectors, lost 0.003.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from postil_indexers.text import index_terms, path_terms
from postil_server.places import place_cost

_BY_VECTORS = ("static", "prose")
_RRF_K = 60  # flattens the lead of rank 1; Cormack, Clarke and Büttcher, 2009
_LEAST_NOTE_SHARE = 0.3  # what a note counts at least among code


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal is worth in log odds; unless it says otherwise, a signal is 0-1."""

    words: float  # rank by BM25, and how far below the best: a clear lead says more than a place
    match: float
    vectors: float  # rank by vectors, the best of all models
    path: float  # share of the query's weight that the file's path has: whoever named it said what it is about
    called: float  # share of the file name's words that the query has: `logger` before `error_log_handler`
    definition: float  # it defines a name that was asked for; less where many files define one
    named: float  # weight of the query's words that make up the whole name of something it defines
    file: float  # what all passages of its file weigh together: an answer is seldom one passage
    defines: float  # it defines anything: the thing before its uses, and before comments and imports
    namesake: float  # it defines what its file is called after: the main thing of the file
    place: float  # of what the place of the file costs
    note: float  # of the logarithm of `note_factor`
    repeat: float  # what each further passage of one file costs: ten results should show more than one file


@dataclass(frozen=True, slots=True)
class Model:
    """Weights for words and questions, and for a query that is one name."""

    words: Weights
    symbol: Weights

    def of(self, query: str) -> Weights:
        return self.symbol if is_symbol(query) else self.words


_WORDS = Weights(
    words=1.0,
    match=1.2,
    vectors=2.0,
    path=2.0,
    called=1.6,
    definition=1.6,
    named=0.6,
    file=1.5,
    defines=0.7,
    namesake=0.7,
    place=1.0,
    note=2.5,
    repeat=3.0,
)
# One name: matched by its letters, so vectors count a quarter, which helps where it is a plain word. Who types a name
# wants its definition before its uses.
_SYMBOL = replace(_WORDS, vectors=0.5, definition=3.0, named=2.0)
MODEL = Model(_WORDS, _SYMBOL)


@dataclass(slots=True)
class Candidate:
    """A chunk on its way to a rank, with the reasons gathered for it."""

    id: int
    path: str
    names: tuple[str, ...] = ()  # bare names of the definitions that start in it
    is_note: bool = False
    score: float = 0.0
    ranks: dict[str, float] = field(default_factory=dict)


def fuse(lists: Mapping[str, tuple[float, Sequence[int]]]) -> dict[int, tuple[float, dict[str, float]]]:
    """Reciprocal rank fusion of named lists of ids, each with its weight: id -> (score, rank in each list)."""
    fused: dict[int, tuple[float, dict[str, float]]] = {}
    for name, (weight, ids) in lists.items():
        for rank, item in enumerate(ids, 1):
            score, ranks = fused.get(item, (0.0, {}))
            fused[item] = (score + weight / (_RRF_K + rank), {**ranks, name: rank})
    return fused


_SYMBOL_QUERY = re.compile(r"[A-Za-z_$][\w$]*((::|\.|->|#|/|\\)[A-Za-z_$][\w$]*)*[!?=]?(\(\))?")

_VERSION = re.compile(r"v?\d+(\.\d+)+[\w.+-]*")


def is_symbol(query: str) -> bool:
    """Whether the whole query is one name, plain or qualified, or a version: something to be matched by its letters."""
    return _SYMBOL_QUERY.fullmatch(query.strip()) is not None or _VERSION.fullmatch(query.strip()) is not None


_CODE_WORD = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*[A-Z]\w*|\w+_\w+|[A-Z]{2,}\w*[a-z]\w*)\b")


def mentioned_names(query: str) -> set[str]:
    """Words of a sentence that look like names in code: inner capitals or underscores."""
    return set(_CODE_WORD.findall(query))


def queried_names(query: str) -> set[str]:
    """The names a symbol query asks for: the last part of a qualified one."""
    return {re.split(r"::|\.|->|#|/|\\", query.strip().removesuffix("()"))[-1]}


# An impl is named after what is defined elsewhere, and a module holds it; a field, a constant or a test often shares a
# name with the thing.
_MINOR_KINDS = {
    "impl": 0.2,
    "property": 0.5,
    "field": 0.5,
    "constant": 0.5,
    "test": 0.2,
    "module": 0.4,
    "namespace": 0.4,
    "package": 0.4,
}


def kind_weight(kind: str) -> float:
    """How much a definition of this kind is the thing itself."""
    return _MINOR_KINDS.get(kind, 1.0)


def weigh_files(candidates: Sequence[Candidate], shares: Mapping[str, float], weights: Weights) -> None:
    """Add what the passages of a file weigh together by their reciprocal ranks; `shares` is list -> what it counts.

    Before all others: `ranks` then holds nothing but the ranks in these lists.
    """
    totals: dict[str, float] = {}
    for candidate in candidates:
        fused = sum(shares[name] / (_RRF_K + rank) for name, rank in candidate.ranks.items())
        totals[candidate.path] = totals.get(candidate.path, 0.0) + fused
    most = max(totals.values(), default=0.0)
    for candidate in candidates:
        _add(candidate, "file", weights.file * totals[candidate.path] / most if most else 0.0)


def weigh_lists(
    candidates: Iterable[Candidate], bm25: Mapping[int, float], unread: Container[int], weights: Weights
) -> None:
    """Add what the lists say: the rank in each, and by words how well it fits.

    A passage that is `unread`, of a script that the models do not know, may mean anything: it gets half.
    """
    best = max(bm25.values(), default=0.0)
    for candidate in candidates:
        ranks = candidate.ranks
        if candidate.id in bm25:
            place, match = 1.0 / (1.0 + ranks["words"] / _RRF_K), bm25[candidate.id] / best if best > 0.0 else 0.0
            _add(candidate, "match", weights.words * place + weights.match * match)
        if by_vectors := [ranks[name] for name in _BY_VECTORS if name in ranks]:
            _add(candidate, "meaning", weights.vectors / (1.0 + min(by_vectors) / _RRF_K))
        elif candidate.id in unread:
            _add(candidate, "meaning", weights.vectors / 2.0)


def weigh_definitions(candidates: Iterable[Candidate], defined: Mapping[int, float], weights: Weights) -> None:
    """Add what it is worth to define a queried name: `defined` is chunk -> how much (0-1) its definition is meant."""
    for candidate in candidates:
        if candidate.id in defined:
            _add(candidate, "definition", weights.definition * defined[candidate.id])


def weigh_names(candidates: Iterable[Candidate], asked: Mapping[str, float], weights: Weights) -> None:
    """Add what names say: of the file, its folders, and what is defined in the passage.

    `asked`: term of the query -> what it weighs.
    """
    terms, total = frozenset(asked), sum(asked.values()) or 1.0
    of_paths: dict[str, tuple[float, float, str]] = {}
    for candidate in candidates:
        if candidate.path not in of_paths:
            words, stem, called = _path_words(candidate.path)
            held = sum(asked[term] for term in words & terms) / total
            of_paths[candidate.path] = held, len(called & terms) / len(called) if called else 0.0, stem
        held, share, stem = of_paths[candidate.path]
        _add(candidate, "path", weights.path * held)
        _add(candidate, "called", weights.called * share)
        if not candidate.names:
            continue
        _add(candidate, "defines", weights.defines)
        if stem in map(_folded, candidate.names):
            _add(candidate, "namesake", weights.namesake)
        whole = [name_terms(name) for name in candidate.names]
        most = max((sum(asked[term] for term in name) for name in whole if name <= terms), default=0.0)
        _add(candidate, "named", weights.named * most / total)


@functools.lru_cache(maxsize=8_192)
def _path_words(path: str) -> tuple[frozenset[str], str, frozenset[str]]:
    """The terms of a path, the name of its file without extension, folded, and that name's words."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return frozenset(path_terms(path).split()), _folded(stem), name_terms(stem)


@functools.lru_cache(maxsize=8_192)  # names; more of them only make a process grow for hours, and save a query nothing
def name_terms(name: str) -> frozenset[str]:
    """The words that a name is made of, without the name as a whole where it is made of several."""
    terms = frozenset(index_terms(name).split())
    return terms - {name.casefold()} or terms


def _folded(name: str) -> str:
    return name.casefold().replace("_", "")


def note_factor(notes: int, passages: int) -> float:
    """What a note counts in a workspace where `notes` of all `passages` are notes: 1 from a half on."""
    return max(_LEAST_NOTE_SHARE, min(1.0, 2.0 * notes / passages)) if passages else 1.0


def weigh_places(candidates: Iterable[Candidate], query: str, weights: Weights) -> None:
    """Take off what the place of a file costs: tests, examples, generated code, data, re-exports."""
    for candidate in candidates:
        cost = place_cost(candidate.path, query, defines=bool(candidate.names))
        _add(candidate, "place", -weights.place * cost)


def weigh_notes(candidates: Iterable[Candidate], factor: float, weights: Weights) -> None:
    """Among much code a note explains the code, and comes behind it; among notes it is what is looked for."""
    for candidate in candidates:
        if candidate.is_note:
            _add(candidate, "note", weights.note * math.log(factor))


def spread(candidates: Iterable[Candidate], limit: int, weights: Weights) -> list[Candidate]:
    """The `limit` best, where each further chunk of a file costs more than the one before."""
    seen: dict[str, int] = {}
    waiting = sorted(candidates, key=lambda c: (-c.score, c.path, c.id))
    for candidate in waiting:
        before = seen.get(candidate.path, 0)
        seen[candidate.path] = before + 1
        _add(candidate, "repeat", -weights.repeat * before)
    return sorted(waiting, key=lambda c: (-c.score, c.path, c.id))[:limit]


def _add(candidate: Candidate, reason: str, amount: float) -> None:
    if amount:
        candidate.score += amount
        candidate.ranks[reason] = candidate.ranks.get(reason, 0.0) + amount
