"""Texts that nobody vouches for, shown as they are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from postil_server.lsp.shown import Line, Shown, escaped, fenced

RENDER = MarkdownIt("gfm-like", {"linkify": False})
HOSTILE = [
    "[run me](command:postil.evil)",
    "![](https://example.org/pixel.png)",
    "<img src=x onerror=alert(1)>",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "```fence",
    "a | b",
    "~~gone~~ **bold** _so_ `code` &lt; \\[",
    "snake_case_name stays",
    "===",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_and_not_rendered(text: str) -> None:
    rendered = RENDER.render(f"- item  \n  {escaped(text)}")
    assert re.findall(r"<(\w+)", rendered) == ["ul", "li", "br"]


@given(st.text("[](){}<>!#*_`~|&;.\\-+=1ax \n", max_size=30))
def test_any_text_comes_out_as_itself(text: str) -> None:
    (paragraph,) = [token for token in RENDER.parse(f"x {escaped(text)}") if token.type == "inline"]
    assert {child.type for child in paragraph.children or []} <= {"text", "text_special"}
    shown = "".join(child.content for child in paragraph.children or [])
    assert shown.split() == f"x {text}".split()


@given(st.text("`~a\n", max_size=40))
def test_a_text_stays_in_its_fence(text: str) -> None:
    tokens = RENDER.parse(fenced(text, "markdown"))
    assert [(token.type, token.content) for token in tokens] == [("fence", f"{text}\n")]


def test_the_plain_form_has_no_marks() -> None:
    shown = Shown("Related notes", (Line(link="A_b", path="/n/a.md", line=2, after=" (why)", item=True, below="# x"),))
    assert shown.plain == "Related notes\n- A_b (why)\n  # x"
    assert shown.markdown == "**Related notes**\n\n- [A_b](file:///n/a.md#L3) (why)  \n  \\# x"
