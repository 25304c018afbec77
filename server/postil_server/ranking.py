"""Fusing lists and raising what a developer means: pure functions, every constant with its reason.

Sources of the starting point: reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) and the rules that
semble's public benchmark showed to work for code.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_RRF_K = 60  # flattens the lead of rank 1; the original paper's value

SYMBOL_VECTOR_WEIGHT = 0.3  # a bare identifier is matched by its letters
WORDS_VECTOR_WEIGHT = 0.5

_FILE_BOOST = 0.2  # of the best score, for the file whose candidates weigh most together
_DEFINITION_BOOST = 3.0  # of the best score: who types a name wants its definition before its uses
_DEFINITION_STEM = 1.5  # more where the file is called like the name
_MENTIONED_DEFINITION = 0.5  # a name inside a sentence is a hint, not the whole wish
_STEM_BOOST = 1.5  # of the best score, times the share of the query's words in file stem and directory
_STEM_LEAST = 0.1  # a tenth of the query's words: below it the match is chance

_TEST_PENALTY = 0.3
_ASIDE_PENALTY = 0.3  # compat layers, examples, benchmarks, docs of code
_GENERATED_PENALTY = 0.3
_REEXPORT_PENALTY = 0.5  # a part of such a file without definitions only passes names on
_DATA_PENALTY = 0.5  # values and manifests name what others do
_DECLARATION_PENALTY = 0.7  # .d.ts: the thing, without its body
_REPEAT_DECAY = 0.5  # each further chunk of one file; ten results should show more than one file

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|test_data|fixtures)/|(^|/)(test_[^/]*|[^/]*[._-](test|tests|spec))\.[^/.]+$"
    r"|(^|/)[^/]*(Test|Tests|Spec|TestCase)\.(java|kt|scala|cs|swift|php|groovy)$|(^|/)conftest\.py$",
)
_ABOUT_TESTS = re.compile(r"\b(tests?|specs?|testing|fixtures?)\b", re.IGNORECASE)
_ASIDE = re.compile(r"(^|/)(compat|_compat|legacy|examples?|samples?|demos?|benchmarks?|bench|docs?_src)(/|\.[^/]+$)")
_GENERATED = re.compile(r"(^|/)(generated|gen|vendor|third_party|node_modules)/|[._]pb2?\.|\.g\.dart$|_generated\.")
_REEXPORT = re.compile(r"(^|/)(__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|lib\.rs|package-info\.java)$")
_DATA = re.compile(r"\.(json|jsonc|toml|ya?ml|xml|ini|cfg|conf|properties|csv|tsv|lock|svg|plist)$|(^|/)\.[^/]+$")
_DECLARATION = re.compile(r"\.d\.[cm]?ts$|\.pyi$")


@dataclass(slots=True)
class Candidate:
    """A chunk on its way to a rank, with the reasons gathered for it."""

    id: int
    path: str
    names: tuple[str, ...] = ()  # bare names of the definitions that start in it
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


_SYMBOL = re.compile(r"[A-Za-z_$][\w$]*((::|\.|->|#|/|\\)[A-Za-z_$][\w$]*)*[!?=]?(\(\))?")

_VERSION = re.compile(r"v?\d+(\.\d+)+[\w.+-]*")


def is_symbol(query: str) -> bool:
    """Whether the whole query is one name, plain or qualified, or a version: something to be matched by its letters."""
    return _SYMBOL.fullmatch(query.strip()) is not None or _VERSION.fullmatch(query.strip()) is not None


_CODE_WORD = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*[A-Z]\w*|\w+_\w+|[A-Z]{2,}\w*[a-z]\w*)\b")


def mentioned_names(query: str) -> set[str]:
    """Words of a sentence that look like names in code: inner capitals or underscores."""
    return set(_CODE_WORD.findall(query))


def queried_names(query: str) -> set[str]:
    """The names a symbol query asks for: the last part of a qualified one."""
    return {re.split(r"::|\.|->|#|/|\\", query.strip().removesuffix("()"))[-1]}


def raise_files(candidates: Iterable[Candidate]) -> None:
    """Raise the best chunk of each file by how much the file's candidates weigh together."""
    totals: dict[str, float] = {}
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        totals[candidate.path] = totals.get(candidate.path, 0.0) + candidate.score
        if candidate.path not in best or candidate.score > best[candidate.path].score:
            best[candidate.path] = candidate
    most, top = max(totals.values(), default=0.0), max((c.score for c in best.values()), default=0.0)
    for path, candidate in best.items():
        _add(candidate, "file", top * _FILE_BOOST * totals[path] / most if most else 0.0)


def raise_definitions(
    candidates: Sequence[Candidate], defined: Mapping[int, tuple[str, str]], strength: float, stems: Mapping[str, str]
) -> None:
    """Raise chunks that define a queried name: `defined` is chunk -> (name, kind); `stems` is path -> folded stem."""
    top = max((c.score for c in candidates), default=0.0)
    for candidate in candidates:
        if candidate.id not in defined:
            continue
        name, kind = defined[candidate.id]
        alike = stems.get(candidate.path, "").replace("_", "") == name.casefold().replace("_", "")
        _add(candidate, "definition", top * strength * kind_weight(kind) * (_DEFINITION_STEM if alike else 1.0))


def kind_weight(kind: str) -> float:
    """How much a definition of this kind is the thing itself."""
    return _MINOR_KINDS.get(kind, 1.0)


# An impl is named after what is defined elsewhere; a field, a constant or a test often shares a name with the thing
_MINOR_KINDS = {"impl": 0.2, "property": 0.5, "field": 0.5, "constant": 0.5, "test": 0.2}


def definition_strength(symbol: bool) -> float:
    return _DEFINITION_BOOST if symbol else _DEFINITION_BOOST * _MENTIONED_DEFINITION


def raise_paths(candidates: Sequence[Candidate], words: set[str], path_words: Mapping[str, set[str]]) -> None:
    """Raise chunks whose file stem or directory has words of the query; `path_words` is path -> its words."""
    if not words:
        return
    top = max((c.score for c in candidates), default=0.0)
    for candidate in candidates:
        share = len(words & path_words[candidate.path]) / len(words)
        if share >= _STEM_LEAST:
            _add(candidate, "path", top * _STEM_BOOST * share)


def penalty(path: str, query: str, defines: bool) -> float:
    """What a path's place costs, 1 for nothing; a query that speaks of tests is not kept from them.

    `defines`: whether the passage has definitions of its own.
    """
    place = _place(path)
    factor = place.always
    if place.is_test and not _ABOUT_TESTS.search(query):
        factor *= _TEST_PENALTY
    if place.is_reexport and not defines:
        factor *= _REEXPORT_PENALTY
    return factor


class _Place(NamedTuple):
    is_test: bool
    is_reexport: bool
    always: float


@functools.lru_cache(maxsize=8_192)
def _place(path: str) -> _Place:
    always = 1.0
    for pattern, factor in (
        (_ASIDE, _ASIDE_PENALTY),
        (_GENERATED, _GENERATED_PENALTY),
        (_DATA, _DATA_PENALTY),
        (_DECLARATION, _DECLARATION_PENALTY),
    ):
        if pattern.search(path):
            always *= factor
    return _Place(_TEST.search(path) is not None, _REEXPORT.search(path) is not None, always)


def note_factor(notes: int, passages: int) -> float:
    """What a note counts in a workspace where `notes` of all `passages` are notes: 1 from a half on."""
    return max(_ASIDE_PENALTY, min(1.0, 2.0 * notes / passages)) if passages else 1.0


def lower_places(candidates: Iterable[Candidate], query: str) -> None:
    for candidate in candidates:
        factor = penalty(candidate.path, query, bool(candidate.names))
        if factor != 1.0:
            candidate.score *= factor
            candidate.ranks["place"] = factor


def spread(candidates: Iterable[Candidate], limit: int) -> list[Candidate]:
    """The `limit` best, where each further chunk of a file counts half of the one before."""
    seen: dict[str, int] = {}
    waiting = sorted(candidates, key=lambda c: (-c.score, c.path, c.id))
    scored = []
    for candidate in waiting:
        before = seen.get(candidate.path, 0)
        seen[candidate.path] = before + 1
        if before:
            candidate.score *= _REPEAT_DECAY**before
            candidate.ranks["repeat"] = _REPEAT_DECAY**before
        scored.append(candidate)
    return sorted(scored, key=lambda c: (-c.score, c.path, c.id))[:limit]


def _add(candidate: Candidate, reason: str, amount: float) -> None:
    candidate.score += amount
    candidate.ranks[reason] = candidate.ranks.get(reason, 0.0) + amount
