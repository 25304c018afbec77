"""Columns in the three encodings, and URIs."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil_server.lsp.positions import ENCODINGS, UTF8, UTF16, UTF32, character_of, column_of
from postil_server.lsp.uris import path_of, uri_of

LINE = "é🚀e\u0301内\f\u2028x"  # 7 code points before x


@pytest.mark.parametrize(("encoding", "character"), [(UTF8, 16), (UTF16, 8), (UTF32, 7)])
def test_a_column_is_counted_in_the_units_of_the_encoding(encoding: str, character: int) -> None:
    assert character_of(LINE, LINE.index("x"), encoding) == character
    assert column_of(LINE, character, encoding) == LINE.index("x")


@pytest.mark.parametrize(("encoding", "inside"), [(UTF8, 4), (UTF16, 2)])
def test_inside_a_character_is_its_start(encoding: str, inside: int) -> None:
    assert column_of(LINE, inside, encoding) == LINE.index("🚀")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=30), st.data())
def test_there_and_back(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(line)))
    for encoding in ENCODINGS:
        units = len(line[:column].encode(f"{encoding}-le" if encoding != UTF8 else UTF8))
        units //= {UTF8: 1, UTF16: 2, UTF32: 4}[encoding]
        assert character_of(line, column, encoding) == units
        assert column_of(line, units, encoding) == column
        assert column_of(line, units + 10_000, encoding) == len(line)


@pytest.mark.skipif(sys.platform == "win32", reason="paths of a POSIX system")
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/a%20b.md", "/home/me/a b.md"),
        ("file:///home/me/a b#c.md", "/home/me/a b#c.md"),
        ("file:///home/me/%E4%BB%BB.md", "/home/me/任.md"),
        ("file:///home/me/%FF.md", os.fsdecode(b"/home/me/\xff.md")),
        ("file://localhost/home/me/a.md", "/home/me/a.md"),
        ("file:///c%3A/Users/me/a.md", None),
        ("file:///C:/Users/me/a.md", None),
        ("file://server/share/a.md", None),
        ("untitled:Untitled-1", None),
        ("git:/home/me/a.md?%7B%22path%22%3A%22a%22%7D", None),
        ("vscode-notebook-cell:/home/me/a.ipynb#W0", None),
        ("vscode-remote://ssh/home/me/a.md", None),
        ("file:///home/%00.md", None),
        ("http://[", None),
        ("", None),
    ],
)
def test_only_a_file_of_this_system_has_a_path(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


def test_a_path_becomes_a_uri_that_leads_to_a_line() -> None:
    assert uri_of("/a b/任.md", 4) == "file:///a%20b/%E4%BB%BB.md#L5"
    assert path_of(uri_of("/a #%/b.md")) == "/a #%/b.md"
