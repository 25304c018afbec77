"""The check of citations: what must agree to the letter, what may be said in other words, and what it leaves alone."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from postil_indexers.store.index import Index
from postil_server.answering.citations.check import check, judge
from postil_server.answering.citations.exact import unknown_identifiers, unknown_names, unquoted
from postil_server.answering.citations.polarity import denies
from postil_server.answering.citations.quantities import quantities, unmatched
from postil_server.types import Sentence, Support
from server.conftest import ROLES


def wrong_numbers(sentence: str, passage: str) -> list[str]:
    return [each.written for each in unmatched(quantities(sentence), quantities(passage, passage=True))]


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("after thirty seconds", "PX 30000"),
        ("after half a minute", "a lease of 30 s"),
        ("租约默认半分钟", "lease_seconds = 30"),
        ("a quarter of an hour", "cap_seconds: float = 900.0"),
        ("five minutes", "capMs: 300_000"),
        ("64 kilobytes", "MAX_PAYLOAD_BYTES = 64 * 1024"),
        ("六十四 KB", "over 64 KiB"),
        ("at fifty percent of it", "at half time"),
        ("百分之十", "10 %"),
        ("twice", "两次"),
        ("尝试八回", "at most 8 times"),
        ("on April 15", "date: 2024-04-15"),
        ("三月四日没有，3月4日有", "4 March"),
        ("2,000 jobs a second", "two thousand jobs"),
        ("issue 42", "Fix it (#42)"),
        ("within sixty minutes", "in its first hour"),
        ("version 7.2.4", "Redis 7.2.4"),
        ("ten minutes", "time.Sleep(10 * time.Minute)"),
        ("碎片率在一点五以上", "长期大于 1.5"),
        ("四点零版起", "Redis 4.0 起"),
        ("above one point two five", "1.25"),
        ("two and a half minutes", "150 s"),
        ("一个半小时", "90 minutes"),
        ("早上三点五分开会", "a meeting"),
        ("one of the workers, at once, 一起一致地", "nothing to count"),
    ],
)
def test_one_quantity_in_another_form(sentence: str, passage: str) -> None:
    assert wrong_numbers(sentence, passage) == []


@pytest.mark.parametrize(
    ("sentence", "passage", "wrong"),
    [
        ("after thirty minutes", "a lease of 30 s", ["thirty"]),
        ("after half an hour", "PX 30000", ["half an hour"]),
        ("sixty-four megabytes", "over 64 KiB", ["sixty-four"]),
        ("五次", "发送了两次", ["五"]),
        ("版本 7.2.8", "7.2.4 修复了", ["7.2.8"]),
        ("on April 16", "2024-04-15", ["April 16"]),
        ("a thousand jobs", "batches of 100", ["a thousand"]),
        ("比率高于三", "高于 2", ["三"]),
        ("在两点五以上", "长期大于 1.5", ["两点五"]),
        ("above one point three", "1.25", ["one point three"]),
        ("three and a half minutes", "150 s", ["three and a half"]),
    ],
)
def test_another_quantity_is_found_out(sentence: str, passage: str, wrong: list[str]) -> None:
    assert wrong_numbers(sentence, passage) == wrong


def test_identifiers_have_to_be_there_as_they_are_written() -> None:
    passage = "class LeaseKeeper:\n    def extend(self): `max_attempts` --queue XPENDING active-defrag-cycle-max"
    held = "`LeaseKeeper.extend` reads max_attempts with --queue and XPENDING, see active-defrag-cycle-max"
    assert unknown_identifiers(held, passage) == []
    assert unknown_identifiers("`Lease.keep` reads `min_attempts`, XACK", passage) == [
        "Lease.keep",
        "min_attempts",
        "XACK",
    ]


def test_names_have_to_be_there_whatever_their_case() -> None:
    passage = "jonas asked for it in Köln; 林晓雨 fixed it with jemalloc"
    assert unknown_names("Jonas said in Köln that 林晓雨修复 it. It was so.", passage) == []
    assert unknown_names("Tobias asked for it in Hamburg.", passage) == ["Tobias", "Hamburg"]
    assert unknown_names("陈志明修复了它，用的是 tcmalloc。", passage) == ["tcmalloc", "陈志明"]
    assert unknown_names("Randomness is added. Handlers asked. Retries were made. Everyone said so.", passage) == []


def test_quotations_have_to_be_there_word_for_word() -> None:
    passage = "Delivery is “at least once”, 做不到“恰好一次”。"
    assert unquoted('They say "At least  once" and 「恰好一次」.', passage) == []
    assert unquoted('They say "at most once".', passage) == ["at most once"]


@pytest.mark.parametrize(
    ("sentence", "passage", "denied"),
    [
        ("Handlers need not be idempotent.", "Handlers must be idempotent.", True),
        ("Jobs leave the dead letter list.", "Nothing leaves the dead letter list by itself.", True),
        ("处理函数不必是幂等的。", "因此处理函数必须是幂等的。", True),
        ("崩溃时任务不会丢。", "崩溃时任务就丢了。", True),
        ("Jobs never leave the dead letter list.", "Nothing leaves the dead letter list by itself.", False),
        ("Delays are never more than the cap.", "The delay of a retry is capped by the cap.", False),
        ("It showed nothing but zero.", "Every process showed zero.", False),
        ("不要超过 25。", "cycle-max 25", False),
        ("Where a kind has no policy, those of mail apply.", "The policy of a kind falls back to mail.", False),
        ("先确认的话，任务就丢了；没确认的话，任务还在。", "先确认再干活：崩溃时任务就丢了。", False),
        ("Otherwise jobs are lost. The policy keeps jobs.", "With the policy no jobs are lost.", False),
    ],
)
def test_a_negation_on_one_side_only(sentence: str, passage: str, denied: bool) -> None:
    assert denies(sentence, passage) is denied


@pytest.mark.parametrize(
    ("sentence", "passage", "wrong"),
    [
        (
            "The pause is random because the clocks disagree.",
            "A random pause keeps jobs from coming back together.",
            True,
        ),
        ("The pause is random since jobs would come back together.", "A random pause: jobs come back together.", False),
        (
            "A worker may misread it because the server keeps the time.",
            "Leases are kept by Redis.",
            False,
        ),
        ("The pause is random.", "A random pause keeps jobs from coming back together.", False),
        ("加随机抖动，是因为磁盘空间不够。", "加上随机抖动，避免所有任务同时重来。", True),
        ("加随机抖动，是因为所有任务会同时重来。", "加上随机抖动，避免所有任务同时重来。", False),
    ],
)
def test_a_reason_of_which_the_passages_have_nothing(sentence: str, passage: str, wrong: bool) -> None:
    found = judge(Sentence(sentence, (1,)), {1: passage}, ROLES["static"])
    assert any(each.startswith("cause ") for each in found.wrong) is wrong
    assert not wrong or found.support is Support.NOT_FOUND


def test_what_agrees_is_supported_and_what_is_about_something_else_is_not_found() -> None:
    passages = {1: "A claimed job belongs to one consumer until its lease runs out.", 2: "Palm up, pull the fingers."}
    said = "A job that was claimed belongs to its consumer while the lease runs."
    texts = [(said, (1,)), (said, (2,)), (said, (2, 1)), (said, ()), (said, (7,)), ("Ένας καταναλωτής κρατά.", (1,))]
    judged = check([Sentence(text, numbers) for text, numbers in texts], passages, ROLES["static"])
    assert [sentence.support for sentence in judged] == [
        Support.SUPPORTED,
        Support.NOT_FOUND,
        Support.SUPPORTED,
        Support.UNCHECKED,
        Support.UNCHECKED,
        Support.UNCHECKED,
    ]
    assert judge(Sentence("租约到期之前任务属于一个消费者。", (1,)), passages).support is Support.UNCHECKED
    assert (
        judge(Sentence("租约在 90 秒后到期。", (1,)), passages).support is Support.NOT_FOUND
    )  # numbers know no language


@pytest.fixture(scope="module")
def measured() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "citation_check.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("citation_check", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["citation_check"] = module
    spec.loader.exec_module(module)
    sys.path.remove(str(path.parent))
    return module


def test_the_hand_written_sentences_are_told_apart(measured: ModuleType, indexed: object) -> None:
    index: Index = indexed.index  # type: ignore[attr-defined]
    cases = list(measured.cases(index))
    assert len(cases) == 240
    true = [case for case in cases if case.kind == "true"]
    assert len(true) == 120
    assert sum(len(case.passages) > 1 for case in true) == 40
    assert max(measured.shared_words(case.text, case.passages) for case in true) <= 0.6
    figures = measured.figures(measured.measure(cases))
    assert measured.met(figures), figures
