"""Chunks tile every text, and no file breaks a run, whatever its bytes are."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from fixtures.index_dump import dump
from fixtures.repository import Workspace
from postil_indexers.chunking.parse import parse
from postil_indexers.files import read_text, scan
from postil_indexers.indexer import index_workspace
from postil_indexers.languages import language_of
from postil_indexers.pool import Lost
from postil_indexers.reading import ReadFile, ReadTask, read_file
from postil_indexers.seen import FileEntry, Skip
from postil_indexers.store.index import write_index
from postil_indexers.types import Document, FileState

NAMES = [
    "a.md",
    "a.rst",
    "a.txt",
    "a.py",
    "a.go",
    "a.ts",
    "a.rs",
    "a.c",
    "a.sh",
    "a.ipynb",
    "a.toml",
    "a.json",
    "Makefile",
    "a.unknown",
    "a.html",
    "a.vue",
]
PIECES = [
    *("\n", "\r\n", "\r", "\f", "\u2028", "\x85", "\0", "\ufeff", "\t", " ", "\udcff"),
    *(
        "# Heading\n",
        "Title\n=====\n",
        "---\n",
        "```py\n",
        "~~~\n",
        "| a | b |\n|---|---|\n",
        "- item\n",
        "[[link|x]]",
        "#tag ",
        "^id\n",
    ),
    *(
        "def f(x):\n    return x\n",
        "class A:\n",
        "}\n",
        "{",
        "func main() {\n",
        "/* ",
        "*/",
        "'''",
        '"',
        "<script>",
        "</script>",
    ),
    *(
        '{"cells": [',
        '{"cell_type": "code", "source": ["a\\n"]}',
        "]}",
        "é",
        "e\u0301",
        "内存碎片。",
        "🚀",
        "x" * 300,
        "word " * 200,
    ),
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=200)
several = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_tiled(document: Document) -> None:
    _, parsed = parse(document)
    at, line = 0, 0
    lines = document.text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for chunk in parsed.chunks:
        assert chunk.start == at, (document.path, chunk)
        assert chunk.end > chunk.start
        assert line <= chunk.span.start_line + 1
        assert chunk.span.start_line < chunk.span.end_line <= lines
        at, line = chunk.end, chunk.span.end_line
    if parsed.chunks or document.text.strip():
        assert at == len(document.text), document.path


def test_the_chunks_of_the_fixture_tile_its_files(built_workspace: Workspace) -> None:
    seen = 0
    for entry in scan(built_workspace.root):
        if isinstance(entry, Skip):
            continue
        read = read_text(built_workspace.root, entry.path)
        assert not isinstance(read, Skip)
        assert_tiled(Document(entry.path, read.text, language_of(entry.path, read.text)))
        seen += 1
    assert seen == 49


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts)
def test_the_chunks_of_any_text_tile_it(name: str, text: str) -> None:
    assert_tiled(Document(name, text, language_of(name, text)))


@several
@given(
    name=st.sampled_from(NAMES),
    data=st.binary(max_size=400)
    | texts.map(lambda text: text.encode("utf-16", "replace"))
    | texts.map(lambda text: text.encode("utf-8", "surrogateescape")),
)
def test_any_bytes_are_read_or_left_out(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_bytes(data)
        entry = next(item for item in scan(folder))
        assert isinstance(entry, FileEntry)
        outcome = read_file(folder, frozenset(), ReadTask(entry, b""))
        assert isinstance(outcome, ReadFile | Skip), outcome


@settings(max_examples=6, deadline=None)
@given(
    files=st.lists(
        st.binary(max_size=300) | texts.map(lambda text: text.encode("utf-8", "surrogateescape")),
        min_size=4,
        max_size=12,
    )
)
def test_files_of_any_bytes_leave_the_rest_indexed(files: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        root.mkdir()
        for number, data in enumerate(files):
            Path(root, f"{number}-{NAMES[number % len(NAMES)]}").write_bytes(data)
        Path(root, "good.md").write_text("# Good\n\nA lease.\n")
        with write_index(Path(folder, "index.db")) as index:
            stats = index_workspace(index, str(root), {}, processes=0)
            assert (stats.failed, stats.files + stats.skipped) == (0, len(files) + 1)
            assert index.content.frequency(["leas"])["leas"] >= 1
            dump(index)  # every row hangs on a document that is there


def test_a_file_that_breaks_the_reader_costs_itself(tmp_path: Path) -> None:
    """A name that no path can be made of stands for whatever goes wrong inside."""
    entry = FileEntry("a\0b.md", 1, 1, 1, 0, 0)
    outcome = read_file(str(tmp_path), frozenset(), ReadTask(entry, b""))
    assert isinstance(outcome, Lost | Skip)
    if isinstance(outcome, Lost):
        assert (outcome.reason, "null" in outcome.detail) == ("error", True)


@pytest.mark.skipif(os.name == "nt", reason="names are not bytes there")
def test_hard_names_are_indexed_each_on_its_own(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    names = [
        "a b.md",
        "a_b.md",
        "README",
        "readme",
        "Café.md",
        "Cafe\u0301.md",
        "🚀.md",
        "\"quoted'.md",
        "no\udcffutf8.md",
        "new\nline.md",
        "-n.md",
        "100%.md",
        "folder/a b.md",
    ]
    for name in names:
        Path(os.fsencode(str(root)).decode() + "/" + name).write_bytes(f"# {names.index(name)}\n".encode())
    with write_index(tmp_path / "index.db") as index:
        assert index_workspace(index, str(root), {}, processes=0).files == len(names)
        assert set(index.documents.known()) == set(names)
        (root / "a b.md").rename(root / "A B.md")
        index_workspace(index, str(root), {}, processes=0)
        assert set(index.documents.known()) == {*names, "A B.md"} - {"a b.md"}
        assert {state for state, _ in index.ledger.counts()} == {FileState.INDEXED}
