from __future__ import annotations

from postil_indexers.chunking.plain import parse_plain
from postil_indexers.chunking.repeated import distinct_text, line_fingerprints
from postil_indexers.types import Document


def test_lines_that_differ_in_numbers_and_marks_only_are_the_same() -> None:
    assert line_fingerprints("## Plan\n") == line_fingerprints("plan:")
    assert line_fingerprints("Created: 2024-03-04\n") == line_fingerprints("created 2025-12-31")
    assert line_fingerprints("Plan") != line_fingerprints("Log")
    assert line_fingerprints("---\n\n12\n| |\n") == []
    assert len(line_fingerprints("a\nb\na\r\nb\r")) == 2
    assert all(-(2**63) <= number < 2**63 for number in line_fingerprints("\n".join(f"{c}" for c in "abcdefgh")))


def test_repeated_lines_are_left_out() -> None:
    common = set(line_fingerprints("## Plan\n## Log\n"))
    assert distinct_text("## Plan\n\nBuy milk\n## Log\n", common) == "\nBuy milk\n"
    assert distinct_text("## Plan\n---\n## Log\n", common) == ""
    assert distinct_text("## Plan\n", set()) == "## Plan\n"


def test_plain_text_has_a_title_links_and_tags() -> None:
    note = parse_plain(Document("a/b.txt", "My title\n\nSee [[c]] #d\n", "text"))
    assert (note.title, note.links[0].target, note.tags[0].name) == ("My title", "c", "d")
    assert parse_plain(Document("a/b.txt", "A sentence.\n\nx\n", "text")).title == "b"
    assert parse_plain(Document("a/b.txt", "One\ntwo\n", "text")).title == "b"
