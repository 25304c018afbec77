"""What holds for the chunks, definitions and references of any source file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil_indexers.chunking.code import parse_code
from postil_indexers.chunking.lines import CAP, TARGET
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Document, Kind, Parsed, Span

_PYTHON = '''\
import os

# why it is there
@cached
def connect(url):
    """Opens."""
    return os.open(url)


class Client(Base):
    timeout = 10

    def fetch(self, url: Url) -> Page:
        return self.parse(connect(url))
'''


def _parse(text: str, language: str = "python", path: str = "a.py") -> Parsed:
    return parse_code(Document(path, text, language))


def assert_tiles(text: str, parsed: Parsed) -> None:
    """Chunks cover the text without gap or overlap, and their lines are those of their offsets."""
    if not text.strip():
        assert parsed.chunks == ()
        return
    assert parsed.chunks[0].start == 0
    assert parsed.chunks[-1].end == len(text)
    index = LineIndex(text)
    for before, after in zip(parsed.chunks, parsed.chunks[1:], strict=False):
        assert before.end == after.start
    for chunk in parsed.chunks:
        assert chunk.start < chunk.end
        assert chunk.span == Span(index.line_of(chunk.start), index.line_of(chunk.end - 1) + 1)


@contextmanager
def counting_calls() -> Iterator[Counter[str]]:
    """How often each kind of call happened within: the same on a busy machine."""
    counted: Counter[str] = Counter()

    def count(_: FrameType, event: str, __: object) -> None:
        if event in ("call", "c_call"):
            counted[event] += 1

    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(None)


def test_a_definition_has_its_comment_decorator_and_docstring() -> None:
    connect, client, timeout, fetch = _parse(_PYTHON).definitions
    assert (connect.qualified_name, connect.kind, connect.span, connect.line) == ("connect", "function", Span(2, 7), 4)
    assert (client.qualified_name, client.span, client.line) == ("Client", Span(9, 14), 9)
    assert (timeout.qualified_name, timeout.kind) == ("Client.timeout", "constant")
    assert (fetch.name, fetch.qualified_name, fetch.kind, fetch.line) == ("fetch", "Client.fetch", "method", 12)


def test_references_are_calls_types_and_imports_once_a_line() -> None:
    found = [(use.name, use.line) for use in _parse(_PYTHON + "print(connect(1), connect(2))\n").references]
    assert sorted(found) == [
        *(("Base", 9), ("Page", 12), ("Url", 12), ("cached", 3), ("connect", 13), ("connect", 14), ("open", 6)),
        *(("os", 0), ("parse", 13), ("print", 14)),
    ]


def test_blank_text_has_no_chunks() -> None:
    assert _parse(" \n\f\n\t\r\n") == Parsed("a.py")


def test_a_small_file_is_one_chunk_named_after_most_of_it() -> None:
    (chunk,) = _parse(_PYTHON).chunks
    assert (chunk.name, chunk.symbol, chunk.kind, chunk.context) == ("Client", "class", Kind.CODE, "")
    assert chunk.names == ("connect", "Client", "timeout", "fetch")


def test_the_parts_of_a_long_method_carry_its_signatures_and_its_name() -> None:
    body = "".join(f"        self.value_{i} = compute_{i}(self.other_{i}, 'some text')\n" for i in range(60))
    text = f"class Client(Base):\n    def fetch(self, url):\n{body}        return 1\n"
    first, *rest = _parse(text).chunks
    assert (first.name, first.context) == ("Client.fetch", "") or first.name == "Client"
    assert first.names == ("Client", "fetch")
    assert len(rest) >= 3
    for chunk in rest:
        assert (chunk.name, chunk.symbol, chunk.names) == ("Client.fetch", "method", ())
        assert chunk.context == "class Client(Base):\ndef fetch(self, url):"


def test_lines_end_at_lf_crlf_and_cr_and_at_no_form_feed() -> None:
    text = 'x = 1\rdef one():\r    return "\u2028\x0c"\r\ndef two():\n    return 2\r\x0c\ndef three(): pass\n'
    assert [(d.name, d.line) for d in _parse(text).definitions] == [("x", 0), ("one", 1), ("two", 3), ("three", 6)]


def test_offsets_are_code_points_where_the_parser_counts_bytes() -> None:
    text = "".join(f'def größe_{i}():\n    return "碎片整理 {i} 😀" * {i}\n\n\n' for i in range(60))
    parsed = _parse(text)
    assert_tiles(text, parsed)
    assert len(parsed.chunks) > 2
    assert [name for chunk in parsed.chunks for name in chunk.names] == [f"größe_{i}" for i in range(60)]
    for chunk in parsed.chunks:
        assert text[chunk.start : chunk.end].startswith(f"def {chunk.names[0]}")


@pytest.mark.parametrize(
    ("language", "text", "good"),
    [
        (
            "python",
            "def good():\n    pass\n\ndef broken(:\n    return\n\ndef last():\n    return 1\n",
            ["good", "last"],
        ),
        ("javascript", "function good() { return 1 }\nlet = = 3 ] ;\nclass Last { m() {} }\n", ["good", "Last"]),
        ("go", "package a\nfunc Good() {}\nfunc Broken( {\n\nfunc Last() {}\n", ["Good"]),
        ("c", "int good(void) { return 1; }\nint broken( { if }\nint last(void) { return 2; }\n", ["good"]),
        ("java", "class Good { void m() {} void broken( { } void last() {} }\n", ["Good", "m"]),
    ],
)
def test_a_file_with_errors_yields_its_good_definitions(language: str, text: str, good: list[str]) -> None:
    names = [definition.name for definition in _parse(text, language).definitions]
    assert [name for name in good if name not in names] == []


def test_a_long_line_is_split_inside_the_line() -> None:
    text = "x = 1\ny = [" + ", ".join(f"'word {i}'" for i in range(400_000)) + "]\nz = 2\n"
    parsed = _parse(text)
    assert_tiles(text, parsed)
    assert max(chunk.end - chunk.start for chunk in parsed.chunks) <= CAP
    assert len(parsed.chunks) < len(text) / CAP * 1.3


def test_a_line_longer_than_a_chunk_keeps_its_definitions_apart() -> None:
    text = " ".join(f"function name_{i}() {{ return {i}; }}" for i in range(200))
    parsed = _parse(text, "javascript", "a.js")
    assert_tiles(text, parsed)
    assert [name for chunk in parsed.chunks for name in chunk.names] == [f"name_{i}" for i in range(200)]
    assert all(f"function {name}" in text[c.start : c.end + 20] for c in parsed.chunks for name in c.names)


@pytest.mark.parametrize(
    "language", ["python", "javascript", "c", "rust", "java", "json", "haskell", "clojure", "html", "ruby"]
)
@pytest.mark.parametrize("opening", ["(", "[", "{", "f(", "<a>", "if x:\n "])
def test_deep_nesting_neither_raises_nor_loses_text(language: str, opening: str) -> None:
    text = opening * 3_000 + "\n" + f"\n{opening}" * 3_000
    assert_tiles(text, _parse(text, language))


def test_chunks_are_near_the_target_and_never_above_the_cap() -> None:
    text = "".join(f"def function_{i}(value):\n    return value * {i} + other_{i}(value)\n\n\n" for i in range(300))
    sizes = [chunk.end - chunk.start for chunk in _parse(text).chunks]
    assert max(sizes) <= CAP
    assert TARGET * 0.6 < sum(sizes) / len(sizes) < TARGET * 1.3


_LANGUAGES = (
    "python",
    "c",
    "cpp",
    "javascript",
    "tsx",
    "ruby",
    "yaml",
    "haskell",
    "elixir",
    "vue",
    "objc",
    "tcl",
    "prolog",
    "notebook",
)
_WORDS = (
    *(
        "def f(x):\n",
        "class A {",
        "}",
        "\n",
        "\r",
        "\r\n",
        "\f",
        "\u2028",
        "\0",
        "  ",
        "\t",
        "# c\n",
        "/* c */",
        "'",
        '"',
        "`",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        "<script>",
        "</script>",
        "end\n",
        "do\n",
        "é",
        "碎",
        "😀",
        "\ud800",
        "FOO_API ",
        "x = 1;\n",
        "@a\n",
        "=>",
        "%{",
        "::",
    ),
)
_TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_WORDS), max_size=60).map("".join))


@pytest.mark.parametrize("language", _LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(text=_TEXTS, repeat=st.sampled_from([1, 1, 40]))
def test_any_text_in_any_language_is_tiled_and_never_raises(language: str, text: str, repeat: int) -> None:
    text *= repeat
    parsed = _parse(text, language)
    assert_tiles(text, parsed)
    last = len(LineIndex(text).starts)
    for definition in parsed.definitions:
        assert 0 <= definition.span.start_line <= definition.line < definition.span.end_line <= last
    assert len(set(parsed.references)) == len(parsed.references)


@pytest.mark.parametrize("language", ["python", "c", "javascript"])
def test_a_text_that_the_parser_gives_up_on_costs_no_quadratic_time(language: str) -> None:
    calls = []
    for lines in (30_000, 120_000):
        text = "(\n" * lines
        with counting_calls() as counted:
            parsed = _parse(text, language)
        calls.append(counted.total())
        assert_tiles(text, parsed)
    assert calls[1] < 5 * calls[0]  # four times the text


def test_the_keys_of_large_data_are_no_definitions() -> None:
    small, large = ("{" + ",\n".join(f'"key_{i}": {i}' for i in range(count)) + "}" for count in (3, 3_000))
    assert [d.name for d in _parse(small, "json").definitions] == ["key_0", "key_1", "key_2"]
    assert _parse(large, "json").definitions == ()


def test_attributes_written_as_macros_do_not_hide_what_they_stand_on() -> None:
    text = (
        "NLOHMANN_JSON_NAMESPACE_BEGIN\n#define FOO_API 1\nclass MY_EXPORT Ring : public Base {\n public:\n"
        "  FOO_ATTRIBUTE_PURE int size() const;\n  int top() FOO_REQUIRES(lock(a)) { return 1; }\n};\n"
        'FOO_WARNING_PUSH("x")\nFOO_INLINE int count(void) { return 2; }\n'
    )
    assert [(d.qualified_name, d.kind, d.line) for d in _parse(text, "cpp").definitions] == [
        *(("FOO_API", "constant", 1), ("Ring", "class", 2), ("Ring.top", "method", 5), ("count", "function", 8)),
    ]
