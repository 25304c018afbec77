"""The fallback: text split by lines."""

from __future__ import annotations

from postil_indexers.chunking.lines import CAP, TARGET, parse_lines
from postil_indexers.types import Kind, Span


def test_text_is_cut_at_the_blank_line_nearest_to_the_target() -> None:
    paragraph = "one two three four five six seven eight nine ten\n" * 10 + "\n"
    chunks = parse_lines(paragraph * 3, Kind.NOTE, name="log", context="somewhere")
    assert [chunk.span for chunk in chunks] == [Span(0, 11), Span(11, 22), Span(22, 33)]
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 491), (491, 982), (982, 1473)]
    assert {(chunk.kind, chunk.name, chunk.context) for chunk in chunks} == {(Kind.NOTE, "log", "somewhere")}


def test_a_line_without_any_break_is_cut_at_the_cap() -> None:
    chunks = parse_lines("x" * (3 * CAP + 10), Kind.CODE)
    assert [chunk.end - chunk.start for chunk in chunks] == [CAP, CAP, CAP, 10]
    assert {chunk.span for chunk in chunks} == {Span(0, 1)}


def test_a_long_line_is_cut_between_sentences_or_words() -> None:
    text = "碎片整理会移动内存。" * 1000
    assert all(text[chunk.start : chunk.end].endswith("。") for chunk in parse_lines(text, Kind.NOTE))


def test_blank_lines_alone_are_no_chunk_and_many_are_no_trouble() -> None:
    assert parse_lines("\n \r\n\t\n", Kind.NOTE) == ()
    text = "a\n" + "\n" * 100_000 + "b\n"
    chunks = parse_lines(text, Kind.NOTE)
    assert (chunks[0].start, chunks[-1].end) == (0, len(text))
    assert max(chunk.end - chunk.start for chunk in chunks) <= TARGET + 1
