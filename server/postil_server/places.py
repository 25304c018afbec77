"""What the place of a file in the tree says of it: a test, an example, generated code, data, a declaration."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

# Of the log odds that a passage is the one that was meant.
_TEST_COST = 3.0
_ASIDE_COST = 3.0  # compat layers, examples, benchmarks, docs of code
_GENERATED_COST = 3.0
_REEXPORT_COST = 1.7  # a part of such a file without definitions only passes names on
_DATA_COST = 1.7  # values and manifests name what others do
_DECLARATION_COST = 0.9  # .d.ts: the thing, without its body

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


def place_cost(path: str, query: str, *, defines: bool) -> float:
    """What a path's place costs, 0 for nothing; a query that speaks of tests is not kept from them.

    `defines`: whether the passage has definitions of its own.
    """
    place = _place(path)
    cost = place.always
    if place.is_test and not _ABOUT_TESTS.search(query):
        cost += _TEST_COST
    if place.is_reexport and not defines:
        cost += _REEXPORT_COST
    return cost


class _Place(NamedTuple):
    is_test: bool
    is_reexport: bool
    always: float


@functools.lru_cache(maxsize=8_192)
def _place(path: str) -> _Place:
    always = sum(
        cost
        for pattern, cost in (
            (_ASIDE, _ASIDE_COST),
            (_GENERATED, _GENERATED_COST),
            (_DATA, _DATA_COST),
            (_DECLARATION, _DECLARATION_COST),
        )
        if pattern.search(path)
    )
    return _Place(_TEST.search(path) is not None, _REEXPORT.search(path) is not None, always)
