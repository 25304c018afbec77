"""Jupyter notebooks by cell. Chunks tile the JSON; what is searched is the source of the cells, never their outputs."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from postil_indexers.chunking.code import parse_code
from postil_indexers.chunking.lines import parse_lines
from postil_indexers.chunking.notebook_cells import Cell, Notebook, read_notebook
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Chunk, Definition, Document, Kind, Parsed, Reference, Span

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.M)
_LANGUAGES = {"ipython": "python", "c++": "cpp", "c++17": "cpp", "c#": "csharp", "f#": "fsharp", "sas": "text"}


def parse_notebook(document: Document) -> Parsed:
    """A chunk a cell, more for a long one; lines where the file is not a notebook. Never raises."""
    title, text = document.path.rpartition("/")[2], document.text
    notebook = read_notebook(text)
    if notebook is None or not any("".join(cell.lines).strip() for cell in notebook.cells):
        warnings = () if notebook or not text.strip() else ("not a notebook: read as lines",)
        return Parsed(title, parse_lines(text, Kind.CODE), warnings=warnings)
    reader = _Reader(text, notebook)
    headings = [
        found[1] for cell in notebook.cells if cell.kind == "markdown" for found in [_first_heading(cell)] if found
    ]
    return Parsed(
        title=headings[0] if headings else title,
        chunks=tuple(reader.chunks()),
        definitions=tuple(reader.definitions),
        references=tuple(reader.references),
    )


def _first_heading(cell: Cell) -> re.Match[str] | None:
    return _HEADING.search("".join(cell.lines))


class _Reader:
    """One notebook while its cells are gone through."""

    def __init__(self, text: str, notebook: Notebook) -> None:
        self._text, self._notebook = text, notebook
        self._index = LineIndex(text)
        self._language = _LANGUAGES.get(notebook.language, notebook.language or "python")
        self.definitions: list[Definition] = []
        self.references: list[Reference] = []

    def chunks(self) -> list[Chunk]:
        """Chunks that tile the JSON: each reaches to where the next one starts."""
        pieces: list[tuple[int, Chunk]] = []
        heading = ""
        for number, cell in enumerate(self._notebook.cells, 1):
            if cell.kind == "markdown" and (found := _HEADING.findall("".join(cell.lines))):
                heading = found[-1]
            pieces += self._pieces(cell, number, heading)
        starts = [0, *(self._line_start(start) for start, _ in pieces[1:]), len(self._text)]
        return [
            replace(piece, start=start, end=end, span=self._span(start, end))
            for (start, end), (_, piece) in zip(pairwise(starts), pieces, strict=True)
        ]

    def _pieces(self, cell: Cell, number: int, heading: str) -> list[tuple[int, Chunk]]:
        """(where it starts in the JSON, the chunk of what is searched) for each part of a cell."""
        source = "".join(cell.lines)
        name = f"cell {number}"
        if not source.strip():
            return []
        language = self._language if cell.kind == "code" else "text"
        parsed = parse_code(Document(name, source, language))
        lines = [self._index.line_of(offset) for offset in cell.offsets]
        self.definitions += (_moved(item, lines) for item in parsed.definitions)
        self.references += (Reference(use.name, lines[min(use.line, len(lines) - 1)]) for use in parsed.references)
        pieces: list[tuple[int, Chunk]] = []
        for chunk in parsed.chunks:
            start = cell.start if not pieces else cell.offsets[min(chunk.span.start_line, len(lines) - 1)]
            text = source[chunk.start : chunk.end]
            if (
                pieces and start <= pieces[-1][0]
            ):  # all of the source is one string: its parts have no place of their own
                start, last = pieces.pop()
                text, chunk = f"{last.text}{text}", replace(last, names=(*last.names, *chunk.names))
            pieces.append((start, replace(chunk, name=name, symbol="cell", context=heading, text=text)))
        return pieces

    def _line_start(self, offset: int) -> int:
        """The beginning of the line where only blanks stand before `offset`; else `offset`."""
        start = self._index.offset_of(self._index.line_of(offset))
        return start if not self._text[start:offset].strip() else offset

    def _span(self, start: int, end: int) -> Span:
        return Span(self._index.line_of(start), self._index.line_of(max(start, end - 1)) + 1)


def _moved(item: Definition, lines: list[int]) -> Definition:
    """The definition at the lines of the JSON that hold it."""
    last = len(lines) - 1
    span = Span(lines[min(item.span.start_line, last)], lines[min(item.span.end_line - 1, last)] + 1)
    return replace(item, span=span, line=lines[min(item.line, last)])
