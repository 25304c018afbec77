"""The words of a reason: the topic that two texts share, and nothing that every text has."""

from __future__ import annotations

import pytest

from postil_indexers.store.packing import pack_text
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms
from postil_indexers.types import Kind, Span
from postil_server.reasons import reason, topic


def row(text: str, title: str = "", heading: str = "") -> ChunkRow:
    return ChunkRow(1, 1, "a.md", Kind.NOTE, "markdown", title, Span(0, 1), heading, "section", (), "", pack_text(text))


def shared(passage: str, text: str, title: str = "") -> list[str]:
    """As if every word were equally rare."""
    return topic(passage, row(text, title), dict.fromkeys(index_terms(passage).split(), 5.0))


@pytest.mark.parametrize(
    ("passage", "text", "expected"),
    [
        # a sentence begins with a verb, and any text has it
        ("See the lease protocol.", "See also: a lease is never taken twice.", ["lease"]),
        ("Never extend a lease.", "Never take two of a lease.", ["lease"]),
        ("Leases held against all workers kept today.", "Today a lease against workers.", ["lease", "workers"]),
        # addresses, the targets of links and embeds, tags of HTML
        ("[guide](https://example.org/kiln) to glazes", "glazes: https://example.org/kiln", ["glazes"]),
        ("![[icon-kiln.svg]] glazes <div>", "![[icon-kiln.svg]] Glazes <div>", ["Glazes"]),
        # what is left of a contraction, single letters, bare numbers
        ("I've 24 kilns; you're x", "We've 24 Kilns, they're x", ["Kilns"]),
        # part of a compound is a word; the compound is not shown for it
        ("non-refundable time", "non-profit kiln time-coded", []),
        # versions and names are
        ("Redis 7.2.4 defrag", "since 7.2.4", ["7.2.4"]),
        ("call backup_ring", "backup_ring()", ["backup_ring"]),
        # Han in its longest run, as the note writes it
        ("Redis内存碎片整理", "記憶體與內存碎片", ["內存碎片"]),
    ],
)
def test_only_words_that_name_a_topic_are_shown(passage: str, text: str, expected: list[str]) -> None:
    assert shared(passage, text) == expected


def test_a_word_of_a_heading_comes_first() -> None:
    passage = "# Kilns\n\nfiring kilns with cobalt"
    assert shared(passage, "firing with cobalt in kilns")[0] == "kilns"
    assert shared("firing with cobalt", "firing with cobalt", title="Cobalt")[0] == "cobalt"


def test_a_word_that_tells_little_is_left_out() -> None:
    weights = {"kiln": 6.0, "glaze": 1.0}
    assert topic("a kiln, a glaze", row("a kiln and a glaze"), weights) == ["kiln"]


def test_a_reason_without_a_word_says_what_there_is() -> None:
    other = row("nothing alike")
    assert reason("kiln", other, {"kiln": 5.0}, None, 2.0) == "similar meaning"
    assert reason("kiln", other, {"kiln": 5.0}, None, None) == "words in common"
    assert reason("kiln", other, {"kiln": 5.0}, "in") == "links here"
    assert reason("kiln", row("the kiln"), {"kiln": 5.0}, "both") == "linked both ways; same topic: kiln"
