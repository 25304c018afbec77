"""Buffers under incremental edits, against a model that keeps one string."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from postil_indexers.lineindex import LineIndex
from postil_server.lsp.documents import Documents, OpenDocument, split_keeping_ends
from postil_server.lsp.positions import ENCODINGS, UTF16, character_of

TEXTS = st.text(st.sampled_from("ab🚀内\u0301\f\u2028\r\n"), max_size=20)


def opened(text: str) -> OpenDocument:
    return OpenDocument(lsp.TextDocumentItem("untitled:1", "markdown", 1, text))


def partial(start: tuple[int, int], end: tuple[int, int], text: str) -> lsp.TextDocumentContentChangePartial:
    return lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(*start), lsp.Position(*end)), text)


@given(TEXTS)
def test_lines_are_those_of_the_line_index(text: str) -> None:
    lines = split_keeping_ends(text)
    starts = LineIndex(text).starts
    assert "".join(lines) == text
    assert [sum(map(len, lines[:n])) for n in range(len(lines))] == starts


@given(TEXTS, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), TEXTS), max_size=6), st.sampled_from(ENCODINGS))
def test_any_edits_leave_the_text_that_one_string_would_have(
    text: str, edits: list[tuple[float, float, str]], encoding: str
) -> None:
    document = opened(text)
    for version, (one, other, new) in enumerate(edits, 2):
        starts = LineIndex(text).starts
        lines = [line.rstrip("\r\n") for line in split_keeping_ends(text)]

        def place(share: float, starts: list[int] = starts, lines: list[str] = lines) -> tuple[int, tuple[int, int]]:
            number = int(share * (len(starts) - 1))
            column = int(share * 7) % (len(lines[number]) + 1)
            return starts[number] + column, (number, character_of(lines[number], column, encoding))

        (start, first), (end, last) = sorted((place(one), place(other)))
        text = text[:start] + new + text[end:]
        document.apply([partial(first, last, new)], version, encoding)
        assert document.buffer().text == text
        assert document.version == version
        assert [document.line(n) for n in range(3)] == [
            [*split_keeping_ends(text), "", ""][n].rstrip("\r\n") for n in range(3)
        ]


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [((9, 9), (99, 0), "one\ntwo!"), ((1, 99), (1, 99), "one\ntwo!"), ((1, 3), (0, 3), "one!")],
    ids=["past the last line", "past the end of a line", "end before start"],
)
def test_an_edit_out_of_range_is_clamped(start: tuple[int, int], end: tuple[int, int], text: str) -> None:
    document = opened("one\ntwo")
    document.apply([partial(start, end, "!")], 2, UTF16)
    assert document.buffer().text == text


def test_a_change_in_five_thousand_lines_costs_the_lines_it_touches() -> None:
    document = opened("a line of some length, with é and 内 in it\n" * 5_000)
    tracemalloc.start()
    try:
        for version in range(300):
            document.apply([partial((2_500, 3), (2_500, 3), "x")], version, UTF16)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000  # the text takes 420,000 bytes, and its list of lines 40,000
    assert len(document.buffer().text) == 5_000 * 42 + 300


def test_two_unnamed_buffers_are_two_documents() -> None:
    documents = Documents()
    for number in (1, 2):
        documents.open(lsp.TextDocumentItem(f"untitled:Untitled-{number}", "markdown", 1, f"text {number}"))
    texts = [document.buffer().text for document in documents]
    assert texts == ["text 2", "text 1"]
    documents.close("untitled:Untitled-1")
    assert documents.get("untitled:Untitled-1") is None
