"""Questions in plain words become filters that can be seen, and words."""

from __future__ import annotations

from datetime import date

import pytest

from postil_server.history.filters import Filter, as_object, from_object, typed_filters
from postil_server.history.known import Known, Person
from postil_server.history.question import parse_question

PATHS = ("src/payment/pay.py", "millrace/retry.py", "internal/scheduler/scheduler.go", "docs/x.md")
KNOWN = Known(
    [Person("Anna Berg", "anna@x.example"), Person("Maya Okafor", "maya@x.example"), Person("林晓雨", "xy@x.example")],
    ["v1.0", "v2.0", "v2.1", "v3.4.0"],
    lambda: PATHS,
)
NOW = date(2026, 11, 30)  # a Monday


def read(text: str) -> tuple[str, str]:
    question = parse_question(text, NOW, KNOWN)
    return " ".join(map(str, question.filters)), question.words


@pytest.mark.parametrize(
    ("text", "filters", "words"),
    [
        (
            "when did Anna fix the null pointer in the payment module last spring, and which lines",
            "after:2026-03-01 before:2026-06-01 author:Anna file:**/payment/** kind:fix",
            "the null pointer",
        ),
        ("who changed retry.py since v2.1", "after:v2.1 file:**/retry.py", ""),
        ("who touched retry.py most recently", "file:**/retry.py", ""),
        ("what happened before the rewrite in March", "before:2026-04-01", ""),
        ("commits by Maya in 2024", "after:2024-01-01 before:2025-01-01 author:Maya", ""),
        ("between March and May 2024", "after:2024-03-01 before:2024-06-01", ""),
        ("what changed yesterday", "after:2026-11-29 before:2026-11-30", ""),
        ("commits from last week", "after:2026-11-23 before:2026-11-30", ""),
        ("changes to function delay()", "symbol:delay", ""),
        ("when was the RetryPolicy class added?", "symbol:RetryPolicy", "added"),
        ("who changed the next_delay function", "symbol:next_delay", ""),
        ("which commit made the method returned by delay faster", "", "made the method returned by delay faster"),
        ("what did abc1234 change?", "sha:abc1234", "change"),
        ("fixes since commit abc1234", "after:abc1234 kind:fix", ""),
        ("what changed in retry.py before the commit ABC1234", "before:abc1234 file:**/retry.py", ""),
        ("since abc1234 and before 1234abc", "before:1234abc after:abc1234", "and"),
        ("was it cherry picked from abc1234", "sha:abc1234", "was it cherry picked from"),
        ("自提交 abc1234 以来的修复", "after:abc1234 kind:fix", ""),
        ("自提交abc1234 续租", "after:abc1234", "续租"),
        ("从 abc1234 以来的重构", "after:abc1234 kind:refactor", ""),
        ("提交 abc1234 之前改了什么", "before:abc1234", ""),
        ("提交 abc1234 改了什么", "sha:abc1234", ""),
        ("commits in early 2023 about caching", "after:2023-01-01 before:2023-05-02", "about caching"),
        ("谁在去年春天修复了续租失败", "after:2025-03-01 before:2025-06-01 kind:fix", "续租失败"),
        ("晓雨三月之前改了什么", "before:2026-03-01 author:晓雨", ""),
        ("上周 scheduler 模块有哪些提交", "after:2026-11-23 before:2026-11-30 file:**/scheduler/**", ""),
        ("v2.0之后 Maya 的提交", "after:v2.0 author:Maya", ""),
        ("what changed in retry.py between v1.0 and v2.0", "after:v1.0 before:v2.0 file:**/retry.py", ""),
        ("from 2.0 to 2.1 about leases", "after:v2.0 before:v2.1", "about leases"),
        ("从v1.0到v2.0之间的重构", "after:v1.0 before:v2.0 kind:refactor", ""),
        ("v2.0到v2.1 续租", "after:v2.0 before:v2.1", "续租"),
        ("fixes before 3.4", "before:v3.4.0 kind:fix", ""),
        ("since v1.0 and v2.0 about leases", "after:v1.0", "and v2.0 about leases"),
        ("从三月到五月的重构", "after:2026-03-01 before:2026-06-01 kind:refactor", ""),
        ("去年十二月的修复", "after:2025-12-01 before:2026-01-01 kind:fix", ""),
        ("三个月之前的提交", "after:2026-08-01 before:2026-09-01", ""),
        ("今年上半年的提交", "after:2026-01-01 before:2026-07-01", ""),
        ("2024年3月5日之后的提交", "after:2024-03-06", ""),
    ],
)
def test_sentences(text: str, filters: str, words: str) -> None:
    assert read(text) == (filters, words)


@pytest.mark.parametrize(
    "text",
    [
        "PolyFit is not robust to missing data",
        "Rewrite fails when first expression of file is a number",
        "may the spring march on",
        "by default the cache is kept",
        "error in 404 handler",
        "method = builtin_str(method) problem",
        "31 February",
    ],
)
def test_titles_are_left_as_they_are(text: str) -> None:
    assert read(text) == ("", text)


def test_what_is_typed_stays_and_comes_before_what_a_sentence_says() -> None:
    text = 'author:anna -kind:docs after:2024-03 file:"my notes" #42 lease in 2022'
    filters, words = read(text)
    assert filters == 'author:anna -kind:docs after:2024-03-01 file:"my notes" #42 before:2023-01-01'
    assert words == "lease"


def test_what_was_read_asks_the_same_when_it_is_typed() -> None:
    question = parse_question("when did Anna fix the null pointer in the payment module last spring", NOW, KNOWN)
    again = parse_question(" ".join((*map(str, question.filters), question.words)), NOW, KNOWN)
    assert list(map(str, again.filters)) == list(map(str, question.filters))
    assert again.words == question.words


def test_values_that_mean_nothing_are_told() -> None:
    question = parse_question("kind:foo after:blah release:v9.9 sha:xyz lease", NOW, KNOWN)
    assert (question.filters, question.words) == ((), "lease")
    assert [wrong.split(":")[0].split(";")[0] for wrong in question.wrong] == [
        "there is no kind 'foo'",
        "'blah' is neither a date nor a release nor a commit",
        "no release is called 'v9.9'",
        "'xyz' is no commit id",
    ]


def test_chinese_names_of_filters_and_full_width_colons() -> None:
    assert typed_filters("作者：晓雨 类型:修复 租约")[0] == [Filter("author", "晓雨"), Filter("kind", "修复")]


def test_filters_as_a_client_has_them() -> None:
    filters = [Filter("author", "Anna"), Filter("kind", "docs", True), Filter("issue", "1"), Filter("issue", "2")]
    shown = as_object(filters)
    assert shown == {"author": "Anna", "-kind": "docs", "issue": ["1", "2"]}
    assert from_object(shown) == filters
    assert from_object({"since": "2024", "nonsense": "x", "author": 3.5, "kind": ""}) == [Filter("after", "2024")]


def test_a_long_text_is_no_sentence() -> None:
    text = "Anna fixed it in March 2024. " * 4_000
    question = parse_question(text, NOW, KNOWN)
    assert (question.filters, question.words) == ((), text.strip())
