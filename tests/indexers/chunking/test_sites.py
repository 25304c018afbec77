"""Where links, tags and headings stand, against what the index stores of the same text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from postil_indexers.chunking.parse import parse
from postil_indexers.chunking.sites import Sites, find_sites
from postil_indexers.types import Document

NOTES = sorted((Path(__file__).parents[2] / "fixtures/workspace_files/notes").glob("*.md"))

TORTURE = """---
title: "A: b"
tags: [one, 'two/x', "three"]
keyword: one, four
---
# H `x` [[y|z]] ##

a [t][L] [L] [foo](<a b.md#x y> "t") ![i](p.png) `[[no]]` [[a#B^c|x\\|y]] [^1] `[^2]` \\[[esc]]
[x](a(b).md#q) [y]() [[z^blk]] <https://a.b> https://c.d/e. [n](a&#35;b.md) ![[pic.png|300]] ^here

| [[a\\|b]] | #tag/x |
|---|---|
| (#tagged) | word#no |

> - [ ] [q](<q.md>) #12 #fff #ok

    [[code]]

Two
lines
---

[L]: ../r.md#An 'x'
[M]: <q w.md>

[^1]: foot [[#own]]
"""


def cut(sites: Sites, place: tuple[int, int] | None) -> str | None:
    return None if place is None else sites.text[place[0] : place[1]]


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_the_same_is_found_as_is_stored(path: Path) -> None:
    agrees(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "text", [TORTURE, TORTURE.replace("\n", "\r\n"), TORTURE.replace("\n", "\r"), "", "---", "[[", "#"]
)
def test_the_same_in_hard_cases(text: str) -> None:
    agrees(text)


def agrees(text: str) -> None:
    _, parsed = parse(Document("note.md", text, "markdown"))
    sites = find_sites(text, "note.md", "markdown")
    assert [site.link for site in sites.links if site.link.style != "definition"] == list(parsed.links)
    assert [site.heading for site in sites.headings] == list(parsed.headings)
    assert list(sites.block_ids) == list(parsed.block_ids)
    assert [tag.name for tag in sites.tags] == [tag.name for tag in parsed.tags]
    assert [sites.text[tag.start : tag.end] for tag in sites.tags] == [tag.name for tag in parsed.tags]
    assert sites.title == parsed.title


def test_destinations_stand_where_they_are_written() -> None:
    sites = find_sites(TORTURE, "note.md", "markdown")
    found = [
        (site.link.style, cut(sites, site.target), cut(sites, site.anchor))
        for site in sites.links
        if site.destination is not None
    ]
    assert found == [
        ("definition", "../r.md", "An"),
        ("definition", "q w.md", ""),
        ("wiki", "y", ""),
        ("inline", "a b.md", "x y"),
        ("image", "p.png", ""),
        ("wiki", "a", "B^c"),
        ("inline", "a(b).md", "q"),
        ("inline", "", ""),
        ("wiki", "z", "^blk"),
        ("inline", "a&#35;b.md", ""),
        ("embed", "pic.png", ""),
        ("wiki", "a", ""),
        ("inline", "q.md", ""),
        ("wiki", "", "own"),
    ]
    assert {site.label for site in sites.links if site.link.style in ("reference", "definition")} == {"l", "m"}


def test_headings_stand_where_they_are_written() -> None:
    sites = find_sites(TORTURE, "note.md", "markdown")
    assert [(site.heading.text, cut(sites, site.place)) for site in sites.headings] == [
        ("H x z", "H `x` [[y|z]]"),
        ("Two lines", None),  # on two lines
    ]


def test_footnotes_outside_of_code() -> None:
    sites = find_sites(TORTURE, "note.md", "markdown")
    assert [(each.name, cut(sites, (each.start, each.end)), each.defines) for each in sites.footnotes] == [
        ("1", "[^1]", False),
        ("1", "[^1]", True),
    ]


def test_restructured_text() -> None:
    text = "=====\nTitle\n=====\n\nSee `this <a/b.rst#c>`_, :doc:`guide/start` and :doc:`x <y>`.\n\n.. image:: p.png\n"
    sites = find_sites(text, "note.rst", "rst")
    assert [(site.link.target, cut(sites, site.target), cut(sites, site.anchor)) for site in sites.links] == [
        ("a/b.rst", "a/b.rst", "c"),
        ("guide/start", "guide/start", ""),
        ("y", "y", ""),
        ("p.png", "p.png", ""),
    ]
    assert [cut(sites, site.place) for site in sites.headings] == ["Title"]


def test_plain_text() -> None:
    sites = find_sites("A title\n\nSee [[a#b]] #tag\n", "note.txt", "text")
    assert [(site.link.target, cut(sites, site.anchor)) for site in sites.links] == [("a", "b")]
    assert [tag.name for tag in sites.tags] == ["tag"]


PIECES = [
    "[[", "]]", "[", "]", "(", ")", "`", "``", "```", "#", "##", "|", "^a", "[^1]", "[l]:", "<", ">", "!",
    "\\", "a", "é", "🚀", "-", "***", "tags:", "[a,b]", "===", "$$", "<!--", "-->", "http://x.y", "%20",
    "&#35;", "x.md", "/", "?", "+++", "'", "---", "\"", "\u2028", "\f", "\n", "\n\n", "\r", "\r\n", "\t", " ",
    "    ", "> ", "- ", "# ", "---\n", "===\n", "|a|b|\n|-|-|\n",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_the_same_whatever_the_text_is(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        text = "".join(chance.choices(PIECES, k=chance.randrange(60)))
        _, parsed = parse(Document("note.md", text, "markdown"))
        sites = find_sites(text, "note.md", "markdown")
        assert [site.link for site in sites.links if site.link.style != "definition"] == list(parsed.links), text
        assert [site.heading for site in sites.headings] == list(parsed.headings), text
        inline = [tag for tag in sites.tags if not tag.is_in_front]
        assert [tag.name for tag in inline] == [tag.name for tag in parsed.tags[len(sites.front.tags) :]], text
        assert [text[tag.start - 1 : tag.end] for tag in inline] == [f"#{tag.name}" for tag in inline], text
        assert [cut(sites, s.place) for s in sites.headings if s.place] == [s.raw for s in sites.headings if s.place]
