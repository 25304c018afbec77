"""Our line scanner against markdown-it-py: the same headings, fences and links on tricky and on generated notes."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from postil_indexers.chunking.blocks import scan_blocks
from postil_indexers.chunking.linekinds import CODE
from postil_indexers.chunking.markdown import parse_markdown
from postil_indexers.types import Document

_REFERENCE = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")


def _headings(text: str) -> list[tuple[int, int, str]]:
    """(line, level, content) of the headings outside lists and quotes, as the reference sees them."""
    tokens = _REFERENCE.parse(text)
    found = []
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0:
            assert token.map is not None
            found.append((token.map[0], int(token.tag[1]), " ".join(content.content.split())))
    return found


def _our_headings(text: str) -> list[tuple[int, int, str]]:
    blocks = scan_blocks(text.split("\n"))
    return [(heading.line, heading.level, " ".join(heading.text.split())) for heading in blocks.headings]


def _fence_lines(text: str) -> set[int]:
    lines: set[int] = set()
    for token in _REFERENCE.parse(text):
        if token.type == "fence":
            assert token.map is not None
            lines.update(range(*token.map))
    return lines


def _destinations(tokens: list[Token]) -> list[str]:
    found: list[str] = []
    for token in tokens:
        if token.type == "link_open" and not str(token.attrs["href"]).startswith("mailto:"):
            found.append(unquote(str(token.attrs["href"])))
        elif token.type == "image":
            found.append(unquote(str(token.attrs["src"])))
            found.extend(_destinations(token.children or []))
        elif token.children:
            found.extend(_destinations(token.children))
    return found


def _our_destinations(text: str) -> list[str]:
    links = parse_markdown(Document("note.md", text, "markdown")).links
    return [
        unquote(link.target + ("#" + link.anchor if link.anchor else ""))
        for link in links
        if link.style not in ("wiki", "embed") and (link.style != "autolink" or text[link.start] == "<")
    ]


TRICKY = {
    "closing hashes": "# a #\n## b ##  \n### c #d\n#### e \\#\n#f\n####### g\n#\n## ##",
    "indents": "   # a\n    # b\n\n    # c\n\ttab\n# d",
    "setext": "a\n===\nb\nc\n---\n\n---\nd\n\n===\n> e\n---\n- f\n---\n  g\n  ===",
    "setext under a table row": "| a | b |\n| - | - |\n| c | d |\n\ne | f\n--|--\ng\n---",
    "setext of a definition": "[a]: /b\n===\n\n[c]: /d\nreal\n---\n\n[a] [c]",
    "fences": "```\n# a\n````\n# b\n\n~~~ x\n```\n# c\n~~~\n# d\n````md\n```\n# e\n````\n# f",
    "fence with a backtick": "``` a`b\n# h\n```\n# i",
    "unclosed fence": "# a\n```\n# b\n\n# c",
    "fence in a list": "- a\n  ```\n  # b\n  ```\n# c\n1. d\n\n   ~~~\n# e\n   ~~~",
    "fence in a quote": "> ```\n> # a\n# b\n> ```\n# c",
    "comments": "<!-- # a\n# b\n\n# c\n--> d\n# e\nf <!--\n# g\n-->",
    "HTML": "<div>\n# a\n\n# b\n</div>\n<pre>\n\n# c\n</pre>\n# d\n<b>x\n# e\n</b>\n# f\n<script>\n# g\n",
    "HTML interrupts": "a\n<b>\n# c\n<div>\n# d\n\n<span>\n# e",
    "lists": "- # a\n\n  # b\n# c\n* d\n+ e\n\n # f\n1) g\n\n   # h\n2) i",
    "list items that begin empty": "-\n  # a\n-\n\n  # b\n1.\n# c",
    "number interrupts": "a\n2. b\n# c\n\na\n1. # d",
    "lazy": "> a\nb\n===\n> - c\nd\n---\n- e\n  > f\ng\n===",
    "deep": "> > > # a\n- - - # b\n- > 1. # c\n# d",
    "breaks": "* * *\n# a\n- - -\n_ _ _\n# b\n***\nc\n***\n# d",
    "inline": "[a](b) [c](<d e> 'f') [g](h(i)j) ![k](l) [![m](n)](o) <http://p>",
    "references": "[q] [r][] [s][t] [t](u [v][w]\n\n[q]: u\n[R]: <v w>\n[t]: x 'y'",
    "links hold no links": "[a [b](c) d](e) [![f](g) [h](i)](j) ![k [l](m)](n)",
    "code hides": "`[a](b)` ``[c](d) ` e`` [f`](g)` \\`[h](i)\\` `[j](k)",
    "escapes": "\\[a](b) [c\\](d) [e](f\\)g) [h\\]](i) \\![j](k) [l](\\#m)",
    "HTML hides": '<a href="[b](c)"> <!-- [d](e) --> <f [g](h)> [i](<j)',
    "entities": "[a](b&amp;c) [d](&auml;.md)",
    "broken destinations": "[a]( b) [c](d e) [f](<g\nh>) [i](j 'k) [l](m\n'n') [o]() [p](<>) [q](r\"s\")",
    "references across lines": "[a\nb][c] [d] [e]\n[f]\n\n[c]: g\n[d]:\n  h\n  'title\n  more'\n[f]: i j\n> [e]: k",
    "percent": "[a](b%20c.md#d%20e) [f](%E4%B8%AD.md) [g](中文.md#标题)",
    "nesting of brackets": "[[a](b)](c) [d[e]f](g) [h]] [i](j)] [k",
    "a backslash hides no space": "[a](\\ \\(b)) [c](\\)",
    "a table's head is not indented": "a\n\t| b | c |\n|---|---|\n===\n\nd\n   | e | f |\n|---|---|\n| g | h |\n---",
    "tables": "| [a](b) | `c \\| d` |\n|---|---|\n| [e](f | g) |\n\n[h](i)",
}


@pytest.mark.parametrize("name", TRICKY)
def test_tricky_notes_have_the_headings_of_the_reference(name: str) -> None:
    assert _our_headings(TRICKY[name]) == _headings(TRICKY[name])


@pytest.mark.parametrize("name", TRICKY)
def test_tricky_notes_have_the_links_of_the_reference(name: str) -> None:
    assert sorted(_our_destinations(TRICKY[name])) == sorted(_destinations(_REFERENCE.parse(TRICKY[name])))


@pytest.mark.parametrize("name", TRICKY)
def test_lines_in_fences_are_code(name: str) -> None:
    kinds = scan_blocks(TRICKY[name].split("\n")).kinds
    assert {line for line in _fence_lines(TRICKY[name]) if kinds[line] != CODE} == set()


_PREFIX = st.sampled_from(
    [" ", "", "", "  ", "   ", "    ", "\t", "> ", ">", "- ", "* ", "1. ", "10) ", "  - ", "> - "]
)
_MARKS = ",,a,b c,# d,## e ##,#,===,---,***,```,````,~~~,``` x,| a | b |,|---|---|,| - |,-,1.,2. f,[g]: h"
_HTML = "<!--,-->,<div>,</div>,<b>,<pre>,</pre>,<?,?>"
_LINE = st.sampled_from([*_MARKS.split(","), *_HTML.split(",")])
_NOTES = st.lists(st.tuples(_PREFIX, _LINE), max_size=12).map(lambda parts: "\n".join(a + b for a, b in parts))


@settings(max_examples=1500, deadline=None)
@given(_NOTES)
def test_generated_notes_have_the_headings_and_fences_of_the_reference(text: str) -> None:
    assert _our_headings(text) == _headings(text)
    kinds = scan_blocks(text.split("\n")).kinds
    assert {line for line in _fence_lines(text) if kinds[line] != CODE} == set()


_PIECES = [
    "[",
    "]",
    "![",
    "a",
    "b",
    "`",
    "``",
    "\\",
    "<",
    ">",
    "<c>",
    "'d'",
    '"e"',
    "<http://i>",
    "<!--",
    " -->",
    "*",
    "&amp,",
    "%20",
    " ",
    "\n",
    "<k l='m'>",
]
_INLINE = st.lists(st.sampled_from([*_PIECES, "(", ")", "](", "(j)", "[g](h)"]), max_size=20)
_REFERENCES = st.lists(st.sampled_from([*_PIECES[3:], "]", "[f]", "[]", "[F]"]), max_size=20)


@settings(max_examples=1500, deadline=None)
@given(_INLINE)
def test_generated_paragraphs_have_the_links_of_the_reference(pieces: list[str]) -> None:
    text = "x" + re.sub(r"\[(?=\[)", "[ ", "".join(pieces)) + " y"  # two brackets would be a wiki link
    assert sorted(_our_destinations(text)) == sorted(_destinations(_REFERENCE.parse(text)))


@settings(max_examples=1500, deadline=None)
@given(_REFERENCES)
def test_generated_paragraphs_have_the_references_of_the_reference(pieces: list[str]) -> None:
    text = "x" + re.sub(r"\[(?=\[)", "[ ", "".join(pieces)) + " y\n\n[f]: n"
    assert sorted(_our_destinations(text)) == sorted(_destinations(_REFERENCE.parse(text)))
