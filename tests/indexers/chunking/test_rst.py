from __future__ import annotations

from postil_indexers.chunking.rst import parse_rst
from postil_indexers.types import Document, Parsed


def parsed(text: str) -> Parsed:
    return parse_rst(Document("docs/usage.rst", text, "rst"))


def test_levels_follow_the_order_of_the_adornments() -> None:
    text = "=====\nTitle\n=====\n\nA\n~\n\nNot\n\nB b\n~~~\n\nC c c\n^^^^^\n\nD dd\n====\n\n1. E e\n~~~~~~\n"
    found = [(heading.text, heading.level, heading.line) for heading in parsed(text).headings]
    assert found == [("Title", 1, 0), ("A", 2, 4), ("B b", 2, 9), ("C c c", 3, 12), ("D dd", 4, 15), ("1. E e", 2, 18)]


def test_what_only_looks_like_a_heading() -> None:
    text = (
        "T\n=\n\npara\ntwo\n----\n\n----\n\n.. note:: x\n   ---------\n\n- item\n------\n\n"
        "a::\n\n  H\n  ---\n\n== ==\nx  y\n== ==\n"
    )
    assert [heading.text for heading in parsed(text).headings] == ["T"]


def test_a_chinese_heading_counts_in_columns() -> None:
    assert [heading.text for heading in parsed("存储\n====\n\n向量\n--\n").headings] == ["存储"]


def test_sections_take_their_labels_and_the_title_its_preamble() -> None:
    words = "Words that say something. " * 20
    text = f".. highlight:: x\n\n.. _top:\n\nTitle\n=====\n\n{words}\n\n.. _second:\n\nSecond\n------\n\n{words}\n"
    note = parsed(text)
    assert [(chunk.name, chunk.symbol, chunk.span.start_line) for chunk in note.chunks] == [
        ("Title", "lead", 0),
        ("Second", "section", 9),
    ]


def test_literal_text_stays_whole_and_has_no_links() -> None:
    code = "    line of code https://no.example\n\n" * 40
    links = "After `a b <c.html#d>`_ and :doc:`e </f>`.\n\n.. image:: g.png\n"
    text = f"T\n=\n\n{'Words. ' * 100}\n\nLike this::\n\n{code}\n{links}"
    note = parsed(text)
    assert sum(code.strip() in text[chunk.start : chunk.end] for chunk in note.chunks) == 1
    assert [(link.style, link.target, link.anchor, link.text) for link in note.links] == [
        ("inline", "c.html", "d", "a b"),
        ("reference", "/f", "", "e"),
        ("image", "g.png", "", ""),
    ]
