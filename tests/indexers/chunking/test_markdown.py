from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil_indexers.chunking.markdown import parse_markdown
from postil_indexers.chunking.plain import parse_plain
from postil_indexers.chunking.prose import MAX_WEIGHT, MAX_WHOLE_WEIGHT, weight
from postil_indexers.chunking.rst import parse_rst
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Chunk, Document, Parsed, Span

PARSERS = (parse_markdown, parse_rst, parse_plain)


def parsed(text: str, path: str = "notes/note.md") -> Parsed:
    return parse_markdown(Document(path, text, "markdown"))


def texts(text: str) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in parsed(text).chunks]


def check_tiling(text: str, chunks: tuple[Chunk, ...]) -> None:
    if not text or text.isspace():
        assert chunks == ()
        return
    assert chunks[0].start == 0
    assert chunks[-1].end == len(text)
    assert all(a.end == b.start for a, b in pairwise(chunks))
    index = LineIndex(text)
    for chunk in chunks:
        assert text[chunk.start : chunk.end].strip()
        assert chunk.span == Span(index.line_of(chunk.start), index.line_of(chunk.end - 1) + 1)


def test_front_matter_is_read_and_is_a_chunk_of_its_own() -> None:
    note = parsed(
        "---\ntitle: Design\naliases: [a b, c]\ntags:\n  - x/y\n  - '#z'\nid: 0042\ndate: 2024-01-01\n---\n"
        "# Other\n\ntext #t\n"
    )
    assert (note.title, note.aliases, note.note_id, note.warnings) == ("Design", ("a b", "c"), "0042", ())
    assert [(tag.name, tag.line) for tag in note.tags] == [("x/y", 4), ("z", 5), ("t", 11)]
    assert [(chunk.symbol, chunk.span) for chunk in note.chunks] == [
        ("front_matter", Span(0, 9)),
        ("lead", Span(9, 12)),
    ]


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("tags: a, b c", ["a", "b c"]),
        ("tags: a b", ["a", "b"]),
        ("tag: '#a'", ["a"]),
        ("keywords: [x, y]", ["x", "y"]),
        ("标签: [内存, redis]", ["内存", "redis"]),
        ("tags:", []),
        ("Tags: {a: b}", []),
        ("tags: [[a], b]", ["b"]),
    ],
)
def test_tags_of_the_front_matter_in_all_their_forms(written: str, names: list[str]) -> None:
    assert [tag.name for tag in parsed(f"---\n{written}\n---\n").tags] == names


def test_broken_front_matter_keeps_the_note_and_names_the_line() -> None:
    note = parsed("---\ntitle: A\nb: c: d\n---\n# H\n")
    assert note.title == "A"
    assert note.warnings == ("front matter is not YAML: line 3: mapping values are not allowed in this context",)
    assert [heading.text for heading in note.headings] == ["H"]


def test_toml_front_matter() -> None:
    note = parsed('+++\ntitle = "A"\ntags = ["b"]\n+++\ntext\n')
    assert (note.title, [tag.name for tag in note.tags]) == ("A", ["b"])
    assert parsed("+++\na = 1\nb = =\n+++\n").warnings == ("front matter is not TOML: Invalid value at line 3",)


def test_front_matter_executes_and_expands_nothing() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnopqrstuvwxyz")
    )
    note = parsed(f"---\n{bomb}title: !!python/object/apply:os.system ['exit 1']\ntags: *z\n---\n")
    assert (note.title, note.tags) == ("exit 1", ())
    assert parsed("---\na: " + "[" * 60_000 + "\n---\n# B\n").headings[0].text == "B"
    assert parsed("---\na: |\n" + " b\n" * 40_000 + "---\nc").warnings == ("front matter is over 64 KB: not read",)


def test_a_passage_between_two_rules_is_no_front_matter() -> None:
    assert [chunk.symbol for chunk in parsed("---\nJust words\n---\nmore\n").chunks] == ["section"]


def test_the_title_is_the_front_matter_s_the_heading_s_or_the_file_s() -> None:
    assert parsed("# A\n\n## B\n").title == "A"
    assert parsed("text\n\n# A\n\n# B\n").title == "note"
    assert parsed("# A\n\n# B\n").title == "A"
    assert parsed("## B\n", "202403041200 My note.md").title == "My note"
    assert parsed("## B\n", "202403041200 My note.md").note_id == "202403041200"


def test_chunks_follow_headings_and_carry_their_path() -> None:
    long = "Words that say something. " * 20
    note = parsed(f"# Title\n\n{long}\n\n## Storage\n\n{long}\n\n### Vectors\n\n{long}\n\n## Other\n\n{long}\n")
    assert [(c.name, c.symbol, c.names, c.context) for c in note.chunks] == [
        ("Title", "lead", ("Title",), ""),
        ("Storage", "section", ("Storage",), "Title"),
        ("Storage > Vectors", "section", ("Vectors",), "Title > Storage"),
        ("Other", "section", ("Other",), "Title"),
    ]


def test_tiny_sections_of_one_parent_share_a_chunk_and_a_bare_heading_leads_to_its_text() -> None:
    assert texts("# T\n\n## A\n\na\n\n## B\n\nb\n") == ["# T\n\n## A\n\na\n\n## B\n\nb\n"]
    long = "Words that say something. " * 20
    assert [chunk.name for chunk in parsed(f"# T\n## A\n### B\n{long}\n## C\n{long}\n").chunks] == ["A > B", "C"]


def test_long_sections_are_cut_at_paragraphs_then_sentences() -> None:
    paragraph = "One sentence of some length stands here, e.g. this one. " * 10
    first, *rest = texts(f"## A\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n")
    assert first.startswith("## A\n\nOne")
    assert all(part.startswith("One sentence") and part.endswith("\n") for part in rest)
    sentences = texts("# A\n\n" + "这是一个关于内存碎片的句子，说明了原因。" * 100)
    assert len(sentences) > 3
    assert all(part.endswith("。") and weight(part, 0, len(part)) <= MAX_WEIGHT for part in sentences)


def test_fences_and_table_rows_stay_whole_unless_they_are_giant() -> None:
    fence = "```\n" + "a line. Of code.\n\n" * 150 + "```\n"
    assert fence in "".join(part for part in texts(f"Words.\n\n{fence}\nWords.\n") if "```\na" in part)
    giant = texts("```\n" + "a line. Of code.\n" * 600 + "```\n")
    assert len(giant) > 4
    assert all(part.endswith("\n") and len(part) <= MAX_WEIGHT for part in giant)
    rows = [f"| {n} | {'One. Two. ' * 30} |\n" for n in range(9)]
    parts = texts("| a | b |\n|---|---|\n" + "".join(rows))
    assert len(parts) > 1
    assert all(sum(row in part for part in parts) == 1 for row in rows)


def test_lists_stay_whole_where_they_fit_and_are_cut_between_items() -> None:
    items = [f"- item {n} says something of a certain length, twice over and more\n" for n in range(15)]
    prose = "Words that say something. " * 40 + "\n\n"
    assert "".join(items) in texts(prose + "".join(items))[-1]
    assert all(part.startswith("- item") for part in texts("".join(items * 5)))


def test_links_of_all_styles() -> None:
    text = (
        "[[a#b|c]] ![[d.png|100]] [[#e]] [[f#^g]] [[h^i]] | [[j\\|k]] [l](m%20n.md#o) ![p](<q r>) [s][t] "
        "https://u.v/w#x.\n\n"
        "[t]: y\n`[[no]]` `` #no ``\n\n```\n[[no]] #no\n```\n\n    [[no]]\n\n<!-- [[no]] -->\n"
    )
    assert [(link.style, link.target, link.anchor, link.text) for link in parsed(text).links] == [
        ("wiki", "a", "b", "c"),
        ("embed", "d.png", "", "100"),
        ("wiki", "", "e", ""),
        ("wiki", "f", "^g", ""),
        ("wiki", "h", "^i", ""),
        ("wiki", "j", "", "k"),
        ("inline", "m n.md", "o", "l"),
        ("image", "q r", "", "p"),
        ("reference", "y", "", "s"),
        ("autolink", "https://u.v/w", "x", "https://u.v/w#x"),
    ]
    first = parsed(text).links[1]
    assert text[first.start : first.end] == "![[d.png|100]]"


def test_tags_and_what_only_looks_like_one() -> None:
    text = (
        "#a #b/c，#中文标签。(#d) #1984 #1984/x #c0ffee #add a#no &#35; http://x.y/#no [z](#no) \\#no `#no`\n"
        "## heading #e\n- #f-g_h/ #🎉\n#no-heading\n"
    )
    names = ["a", "b/c", "中文标签", "d", "1984/x", "add", "e", "f-g_h", "🎉", "no-heading"]
    assert [tag.name for tag in parsed(text).tags] == names


def test_block_ids_stand_at_line_ends_outside_code() -> None:
    text = "a ^one\nb ^no c\n- d ^two-2\n\n^three\n```\ne ^no\n```\n"
    assert [(block.name, block.line) for block in parsed(text).block_ids] == [("one", 0), ("two-2", 2), ("three", 4)]


def test_headings_are_shown_without_markup() -> None:
    text = "# **A** `b` [c](d) [[e|f]] {#id}\n## g_h \\*i\\* <a name='x'></a>\n"
    assert [heading.text for heading in parsed(text).headings] == ["A b c f", "g_h *i*"]


def test_mdx_imports_and_components() -> None:
    text = "import A from 'a'\nexport const b = '# c #d'\n\n<Tabs>\n# E\n[f](g.md)\n</Tabs>\n\n{/* # h\n# i */}\n# J\n"
    note = parsed(text, "a.mdx")
    assert [heading.text for heading in note.headings] == ["E", "J"]
    assert [link.target for link in note.links] == ["g.md"]
    assert note.tags == ()


def test_maths_and_admonitions() -> None:
    text = '$$\na\n=\n[[b]]\n$$\n\n!!! note "T"\n    [[c]]\n\n    # D\n\n$$\nunclosed\n\n# E\n'
    note = parsed(text)
    assert [heading.text for heading in note.headings] == ["E"]
    assert [link.target for link in note.links] == ["c"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_give_the_same_note(end: str) -> None:
    text = "---\ntitle: T\n---\n# A\n\n- b ^c\n\n```\n# d\n```\nE\n===\n#f [g][h]\n\n[h]: i\n\ffeed"
    note, other = parsed(text), parsed(text.replace("\n", end))
    assert [c.span for c in other.chunks] == [c.span for c in note.chunks]
    assert (other.headings, other.tags, other.block_ids) == (note.headings, note.tags, note.block_ids)
    assert [(link.target, link.line) for link in other.links] == [("i", 12)]


MARKS = (
    "---\n",
    "a: b\n",
    "# h\n",
    "```\n",
    "~~~",
    "> ",
    "- ",
    "\t",
    "    ",
    "|",
    "[[",
    "]]",
    "[a](b)",
    "^",
    "#t",
    "`",
)
OTHERS = (
    "$$\n",
    "<!--",
    "-->",
    "===\n",
    "----\n",
    "::\n",
    ".. x::\n",
    "。",
    ". ",
    "\r",
    "\n\n",
    "中文",
    "e\u0301",
    "\f",
)
PIECES = st.sampled_from([*MARKS, *OTHERS, "\u2028", "+++\n", "e\u0301", "`"])


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)), st.integers(1, 60))
def test_any_text_is_tiled_by_all_parsers(text: str, times: int) -> None:
    for whole in (text, text * times):
        for parse in PARSERS:
            check_tiling(whole, parse(Document("a.md", whole, "")).chunks)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab .\n中。😀\u0301", min_size=2000, max_size=6000))
def test_no_chunk_of_prose_is_over_the_maximum(text: str) -> None:
    for chunk in parse_plain(Document("a.txt", text, "")).chunks:
        assert weight(text.rstrip(), chunk.start, chunk.end) <= MAX_WEIGHT


N = 200_000  # of anything quadratic, minutes
HOSTILE = [
    *("[[[", "[a](", "[a](<", '[a](b "', "[[a|", "[a](&amp;)", "`", "<!--", "x<!-- ", '<a b="', "<a ", "> ", "- ", "|"),
    *(
        "#a ",
        "://",
        "http://",
        "\\",
        "。",
        "\n",
        "\r\n",
        "a\n",
        "```\n",
        "$$\n",
        "!!! a\n",
        "[a]: b\n",
        "[a] ",
        "# a\n",
    ),
    *("# a\n", "a::\n\n b\n\n", "`a <", ":doc:`", ".. _a:\n\n", "====\na\n", "---\n", "a^b ^c "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    text = "x " + piece * (N // len(piece))
    for parse in PARSERS:
        check_tiling(text, parse(Document("a.md", text, "")).chunks)


def test_other_hostile_shapes_take_linear_time() -> None:
    runs = "".join("`" * (n % 600) + "a" for n in range(1200))
    deep = "\n".join(" " * (2 * n) + "- a" for n in range(600))
    for text in (
        "[" * N + "]" * N,
        runs,
        deep,
        ">" * N + "\n" * N,
        "- " * N + "\n" * N,
        "x" * 5_000_000,
        "# " + "y" * N,
    ):
        for parse in PARSERS:
            check_tiling(text, parse(Document("a.md", text, "")).chunks)


def test_a_giant_heading_is_not_carried_by_the_chunks_below_it() -> None:
    note = parsed("# " + "word " * 100_000 + "\n\n" + "text. " * 2000)
    assert len(note.title) == 200
    assert all(len(chunk.name) + len(chunk.context) < 1000 for chunk in note.chunks)
    assert MAX_WHOLE_WEIGHT == 4 * MAX_WEIGHT
