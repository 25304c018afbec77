"""What is found by which words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil_indexers.text import (
    fold,
    identifiers,
    index_terms,
    is_function_word,
    path_terms,
    query_terms,
    starts_term,
)


def finds(query: str, text: str) -> bool:
    """Whether every term of the query is a term of the text."""
    return set(query_terms(query)) <= set(index_terms(text).split(" "))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("HTTPServer", "http server httpserver"),
        ("getUserName", "get user name getusername"),
        ("snake_case", "snake case snake_case"),
        ("SCREAMING_SNAKE", "scream snake screaming_snake"),
        ("kebab-case", "kebab case kebab-case"),
        ("__init__", "init"),
        ("utf8 sha256 v2", "utf utf8 sha 256 sha256 v2"),
        ("URLs userIDs", "url user id userids"),
        ("iOS IPv4 x86_64", "ios ipv4 x86 64 x86_64"),
        ("version 1.0.21", "version 1 0 21 1.0.21"),
        ("v2.3.0-rc1", "v2 3 0 rc1 2.3.0-rc1"),
        ("os.path.join(a)", "os path join os.path.join a"),
        ("self.lease.renew()", "self leas renew"),
        ("E1101: ERR_CONN_RESET", "e1101 err conn reset err_conn_reset"),
        ("HTTP 503, 0x80070005", "http 503 80070005 0x80070005"),
        ("ann@example.com", "ann exampl com example.com"),
        ("std::vector<int>::operator==", "std vector int oper"),
        ("ptr->next--; i-1 ...", "ptr next i 1"),
    ],
)
def test_terms_of_names(text: str, terms: str) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("how commands are structured", "how the command structure is built: are"),
        ("redis", "Redis内存碎片"),
        ("内存", "Redis内存碎片"),
        ("碎片", "Redis内存碎片"),
        ("片", "Redis内存碎片"),
        ("記憶體", "记忆体不足"),
        ("记忆体", "記憶體不足"),
        ("api", "ＡＰＩ 网关"),
        ("ガギグ", "ｶﾞｷﾞｸﾞ"),
        ("café", "the cafe"),
        ("cafe", "the cafe\u0301"),
        ("елка", "Ёлка"),
        ("strasse", "Straße"),
        ("istanbul", "İstanbul"),
        ("검색", "한국어 검색 엔진"),
        ("cooperate", "co\u00adoperate"),
        ("lease.py", "see src/queue/lease.py:40"),
        ("queue lease", "src/queue/lease.py"),
        ("हिन्दी", "यह हिन्दी है"),
        ("ไทย", "ภาษาไทยง่าย"),
    ],
)
def test_found(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [("か", "がぎぐ"), ("й", "и"), ("存内", "内存"), ("leas", "release"), ("김", "기"), ("हिन्द", "हिन्दी")],
)
def test_not_found(query: str, text: str) -> None:
    assert not finds(query, text)


def test_a_query_asks_for_pairs_and_for_a_single_character_only_alone() -> None:
    assert query_terms("内存碎片 片 redis redis") == ("内存", "存碎", "碎片", "片", "redi")
    assert index_terms("内存碎片") == "内 存 碎 片 内存 存碎 碎片"


def test_hashes_stay_whole_and_a_short_one_means_a_prefix() -> None:
    sha = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
    assert index_terms(f"fixed in {sha}.") == f"fix in {sha}"
    assert query_terms(sha[:7]) == (sha[:7],)
    assert [starts_term(term) for term in (sha[:7], sha, "deadbeef", "1234567", "片")] == [True] + [False] * 4


def test_blobs_are_no_terms() -> None:
    assert index_terms("key " + "QUJD" * 30 + " end " + "ab12" * 16) == "key end " + "ab12" * 16
    assert index_terms("a." * 300 + "tail").split()[-1] == "tail"


def test_words_of_a_path() -> None:
    assert path_terms("src/taskQueue/lease_db.py") == "src task queue taskqueue leas db lease_db py lease_db.py"
    assert path_terms("docs/\udce9t\u00e9.md") == "doc te md te.md"


def test_identifiers_are_whole_and_folded() -> None:
    assert identifiers("renewLease(self, LEASE_TTL=9): Ｑueue(1)") == {"renewlease", "self", "lease_ttl", "queue"}


def test_fold() -> None:
    assert fold("Ｃafé İ ẞ 記憶體 が 한국 Ёлка Йод") == "cafe i ss 记忆体 が 한국 елка йод"


def test_function_words_are_known_as_terms() -> None:
    assert all(map(is_function_word, query_terms("how does this work in the end")[:3]))
    assert [is_function_word(term) for term in query_terms("如何 清理 的 lease")] == [True, False, True, False]


@given(st.text())
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    terms = index_terms(text)
    assert terms == " ".join(terms.split())
    assert finds(text, text) or not query_terms(text)
    assert all(len(term) <= 64 for term in terms.split())


@given(st.text())
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert index_terms(composed) == index_terms(decomposed)
    assert fold(composed) == fold(decomposed)


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,63}", fullmatch=True), st.text(), st.sampled_from("(){};:,+*/=<\"' \n"))
def test_every_identifier_finds_itself_in_any_text(name: str, around: str, mark: str) -> None:
    assert finds(name, f"{around}{mark}{name}{mark}{around}")


@given(st.text(alphabet="記憶體記號語言網路資料庫abc ,"))
def test_traditional_and_simplified_have_the_same_terms(text: str) -> None:
    assert index_terms(text) == index_terms(fold(text))
