"""Notebooks: one chunk a cell, the source is searched, the chunks tile the JSON."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil_indexers.chunking.notebook import parse_notebook
from postil_indexers.types import Document, Parsed, Span


def _cell(kind: str, *lines: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": list(lines), **more}


_CELLS = [
    _cell("markdown", "# Ring buffers\n", "Why they wrap."),
    _cell(
        "code",
        "import os\n",
        "def wrap(index):\n",
        "    return os.path(index)\n",
        outputs=[{"data": {"image/png": "iVBOR" * 500}}],
    ),
    _cell("code", outputs=[]),
    _cell("code", "wrap(3)"),
]


def _notebook(cells: list[dict[str, Any]], indent: int | None = 1, language: str = "python") -> str:
    return json.dumps({"cells": cells, "metadata": {"language_info": {"name": language}}, "nbformat": 4}, indent=indent)


def _parse(text: str) -> Parsed:
    return parse_notebook(Document("study/ring.ipynb", text, "notebook"))


def test_each_cell_is_a_chunk_of_its_source_on_the_lines_of_the_file() -> None:
    text = _notebook(_CELLS)
    parsed = _parse(text)
    assert parsed.title == "Ring buffers"
    assert [(c.name, c.symbol, c.text, c.names, c.context) for c in parsed.chunks] == [
        ("cell 1", "cell", "# Ring buffers\nWhy they wrap.", (), "Ring buffers"),
        ("cell 2", "cell", "import os\ndef wrap(index):\n    return os.path(index)\n", ("wrap",), "Ring buffers"),
        ("cell 4", "cell", "wrap(3)", (), "Ring buffers"),
    ]
    lines = text.split("\n")
    assert [chunk.span for chunk in parsed.chunks] == [Span(0, 10), Span(10, 32), Span(32, len(lines))]
    assert (parsed.chunks[0].start, parsed.chunks[-1].end) == (0, len(text))
    (wrap,) = parsed.definitions
    assert "def wrap" in lines[wrap.line]
    assert all(use.name in lines[use.line] for use in parsed.references)
    assert {use.name for use in parsed.references} == {"os", "path", "wrap"}


def test_a_long_cell_is_split_at_the_lines_of_the_file_that_hold_its_parts() -> None:
    source = [f"value_{i} = compute({i}, 'a text of some length')\n" for i in range(60)]
    text = _notebook([_cell("code", *source)])
    parsed = _parse(text)
    assert len(parsed.chunks) > 2
    assert "".join(chunk.text or "" for chunk in parsed.chunks) == "".join(source)
    for chunk in parsed.chunks[1:]:
        assert json.dumps((chunk.text or "").split("\n")[0])[:-1] in text.split("\n")[chunk.span.start_line]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_source_that_is_one_string_gives_the_same_searched_text(indent: int | None) -> None:
    cells = [dict(cell, source="".join(cell["source"])) for cell in _CELLS]
    assert [c.text for c in _parse(_notebook(cells, indent)).chunks] == [
        c.text for c in _parse(_notebook(_CELLS)).chunks
    ]


def test_the_cells_of_an_old_notebook_are_in_its_worksheets() -> None:
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["print(1)"]}]}], "nbformat": 3}
    assert [c.text for c in _parse(json.dumps(old)).chunks] == ["print(1)"]


def test_cells_are_in_the_language_of_the_kernel() -> None:
    parsed = _parse(_notebook([_cell("code", "fit <- function(x) x")], language="R"))
    assert [d.qualified_name for d in parsed.definitions] == ["fit"]


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", '{"cells": 3}', '{"cells": [', "not json", '{"cells": [[[', "[" * 100_000]
)
def test_what_is_no_notebook_is_read_as_lines(text: str) -> None:
    parsed = _parse(text)
    assert "".join(text[c.start : c.end] for c in parsed.chunks) == text
    assert all(c.text is None for c in parsed.chunks)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_cut_or_changed_notebook_still_tiles(data: st.DataObject) -> None:
    text = _notebook(_CELLS)
    position = data.draw(st.integers(0, len(text)))
    text = (
        text[:position]
        + data.draw(st.sampled_from(["", "}", '"', "\r", "]", "\\", "{", "null"]))
        + text[position + data.draw(st.integers(0, 3)) :]
    )
    chunks = _parse(text).chunks
    assert chunks[0].start == 0
    assert chunks[-1].end == len(text)
    assert all(before.end == after.start for before, after in pairwise(chunks))
