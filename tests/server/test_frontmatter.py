"""Tags and a summary put into a note: every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil_indexers.chunking.frontmatter import read_front_matter
from postil_server.answering.frontmatter import FrontMatterError, inserted, insertions


def filed(text: str, *tags: str, summary: str = "") -> str:
    return inserted(text, insertions(text, tags, summary))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Leases\n", "---\ntags: [queue, 租约]\n---\n# Leases\n"),
        ("# Leases\r\n\r\nText", "---\r\ntags: [queue, 租约]\r\n---\r\n# Leases\r\n\r\nText"),
        ("\ufeff# Leases\n", "\ufeff---\ntags: [queue, 租约]\n---\n# Leases\n"),
        ("", "---\ntags: [queue, 租约]\n---\n"),
        ("---\ntitle: 'A'   # said so\n---\nText\n", "---\ntitle: 'A'   # said so\ntags: [queue, 租约]\n---\nText\n"),
        ("---\ntags: [a]\n---\n", "---\ntags: [a, queue, 租约]\n---\n"),
        ("---\ntags: []\n---\n", "---\ntags: [queue, 租约]\n---\n"),
        ("---\ntags: [ a , \"b c\" ]  # mine\nx: 1\n---\n",
         "---\ntags: [ a , \"b c\", queue, 租约 ]  # mine\nx: 1\n---\n"),
        ("---\ntags: [\n  a,\n  b,\n]\n---\n", "---\ntags: [\n  a,\n  b, queue, 租约,\n]\n---\n"),
        ("---\ntags:\n  - a\n  - b   # last\nx: 1\n---\n",
         "---\ntags:\n  - a\n  - b   # last\n  - queue\n  - 租约\nx: 1\n---\n"),
        ("---\ntags:\n- a\n---\n", "---\ntags:\n- a\n- queue\n- 租约\n---\n"),
        ("---\r\ntags:\r\n  - a\r\nx: 1\r\n---\r\n",
         "---\r\ntags:\r\n  - a\r\n  - queue\r\n  - 租约\r\nx: 1\r\n---\r\n"),
        ("---\ntags: a, b\n---\n", "---\ntags: a, b, queue, 租约\n---\n"),
        ("---\ntags: a b\n---\n", "---\ntags: a b queue 租约\n---\n"),
        ("---\ntags: 'a, b'\n---\n", "---\ntags: 'a, b, queue, 租约'\n---\n"),
        ("---\ntags:\nx: 1\n---\n", "---\ntags: [queue, 租约]\nx: 1\n---\n"),
        ("---\n标签: [甲]\n---\n", "---\n标签: [甲, queue, 租约]\n---\n"),
        ("---\n---\nText\n", "---\ntags: [queue, 租约]\n---\nText\n"),
        ("+++\ntitle = 'A'\n+++\n", "+++\ntags = [\"queue\", \"租约\"]\ntitle = 'A'\n+++\n"),
        ("+++\ntags = ['a', \"b]\"]\n[extra]\nx = 1\n+++\n",
         "+++\ntags = ['a', \"b]\", \"queue\", \"租约\"]\n[extra]\nx = 1\n+++\n"),
        ("---\n\nA rule, then text.\n", "---\ntags: [queue, 租约]\n---\n---\n\nA rule, then text.\n"),
    ],
)  # fmt: skip
def test_tags_are_added_in_the_form_that_is_there(before: str, after: str) -> None:
    assert filed(before, "queue", "租约") == after


def test_tags_that_are_there_are_not_added_again() -> None:
    assert filed("---\ntags: [Queue, a]\n---\n", "queue", "b") == "---\ntags: [Queue, a, b]\n---\n"
    assert insertions("---\ntags: [queue]\n---\n", ["queue"]) == []


@pytest.mark.parametrize("tag", ["2024", "yes", "true", "a/b", "c-d"])
def test_a_tag_that_yaml_would_take_for_something_else_is_quoted(tag: str) -> None:
    text = filed("# A\n", tag)
    assert [each.name for each in read_front_matter(text.split("\n")).tags] == [tag]


def test_a_summary_is_added_where_there_is_none() -> None:
    summary = 'Leases: "30 seconds" — # and \\ stay'
    text = filed("---\ntags: [a]\n---\nText\n", summary=summary)
    assert text == '---\ntags: [a]\nsummary: "Leases: \\"30 seconds\\" — # and \\\\ stay"\n---\nText\n'
    for key in ("summary", "description"):
        kept = f"---\n{key}: mine\n---\n"
        assert filed(kept, summary=summary) == kept


@pytest.mark.parametrize(
    "text",
    [
        "---\ntags: [a\n---\n",  # broken
        "---\ntags: |\n  a\n  b\n---\n",  # a text of several lines
        "---\ntags: {a: 1}\n---\n",
        "---\n{tags: [a]}\n---\n",
        "---\ntags: *x\n---\n",
        "+++\ntags = [['a']]\n+++\n",
    ],
)
def test_what_cannot_be_changed_without_harm_is_left_alone(text: str) -> None:
    with pytest.raises(FrontMatterError) as caught:
        insertions(text, ["queue"])
    assert caught.value.hint


_LINE = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)
_BLOCK = st.sampled_from(
    [
        "title: x",
        "tags: [a]",
        "tags:\n  - a",
        "tags: a, b",
        "x: {y: [1]}",
        "# comment",
        "summary: s",
        "tags: ''",
        "aliases: [q]",
    ]
)


@given(st.lists(_BLOCK, max_size=5), st.lists(_LINE, max_size=5), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_without_the_insertions_the_text_is_what_it_was(
    blocks: list[str], lines: list[str], end: str, mark: bool
) -> None:
    text = "\n".join([*(["---", *blocks, "---"] if blocks else []), *lines]).replace("\n", end)
    text = "\ufeff" + text if mark else text
    try:
        made = insertions(text, ["queue", "2024"], "What it says")
    except FrontMatterError:
        return
    after = inserted(text, made)
    for each in sorted(made, key=lambda insertion: insertion.at):
        assert after[each.at : each.at + len(each.text)] == each.text
        after = after[: each.at] + after[each.at + len(each.text) :]
    assert after == text
