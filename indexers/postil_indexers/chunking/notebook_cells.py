"""Where the cells of a Jupyter notebook stand in its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from postil_indexers.lineindex import LineIndex

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Cell:
    start: int  # code points of the JSON, where its object starts
    kind: str  # "code", "markdown", "raw"
    lines: tuple[str, ...]  # the source, each with its line end
    offsets: tuple[int, ...]  # where the string that holds each of them starts in the JSON


@dataclass(frozen=True, slots=True)
class Notebook:
    language: str  # as its kernel says, in lower case; "" where it doesn't
    cells: tuple[Cell, ...]


def read_notebook(text: str) -> Notebook | None:
    """None where the text is not a notebook. Notebooks of format 3 keep their cells in worksheets."""
    try:
        root = dict(_members(text, _skip(text, 0)))
        cells = root.get("cells")
        if cells is None and "worksheets" in root:
            sheets = [dict(_members(text, sheet)) for sheet in _elements(text, root["worksheets"])]
            cells = sheets[0].get("cells") if sheets else None
        if cells is None:
            return None
        language = _language(_DECODER.raw_decode(text, root["metadata"])[0]) if "metadata" in root else ""
        return Notebook(language, tuple(_cell(text, start) for start in _elements(text, cells)))
    except (ValueError, RecursionError):
        return None


def _cell(text: str, start: int) -> Cell:
    members = dict(_members(text, start))
    kind = _DECODER.raw_decode(text, members["cell_type"])[0] if "cell_type" in members else ""
    place = members.get("source", members.get("input"))
    lines: list[str] = []
    offsets: list[int] = []
    if place is not None:
        for offset in _elements(text, place) if text[place] == "[" else (place,):
            value = _DECODER.raw_decode(text, offset)[0]
            if isinstance(value, str) and value:
                starts = [*LineIndex(value).starts, len(value)]
                found = [value[first:last] for first, last in pairwise(starts) if first < last]
                lines += found
                offsets += [offset] * len(found)
    return Cell(start, kind if isinstance(kind, str) else "", tuple(lines), tuple(offsets))


def _language(metadata: object) -> str:
    if not isinstance(metadata, dict):
        return ""
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        said = metadata.get(key)
        if isinstance(said, dict) and isinstance(said.get(name), str):
            return str(said[name]).lower()
    return ""


def _members(text: str, start: int) -> Iterator[tuple[str, int]]:
    """(key, where its value starts) of the JSON object at `start`. Raises ValueError."""
    position = _open(text, start, "{")
    while text[position : position + 1] != "}":
        key, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        if not isinstance(key, str) or text[position : position + 1] != ":":
            raise ValueError("not an object")
        position = _skip(text, position + 1)
        yield key, position
        position = _next(text, position, "}")


def _elements(text: str, start: int) -> Iterator[int]:
    """Where each element of the JSON array at `start` starts. Raises ValueError."""
    position = _open(text, start, "[")
    while text[position : position + 1] != "]":
        yield position
        position = _next(text, position, "]")


def _open(text: str, start: int, bracket: str) -> int:
    if text[start : start + 1] != bracket:
        raise ValueError(f"no {bracket} there")
    return _skip(text, start + 1)


def _next(text: str, start: int, closing: str) -> int:
    """Behind the value at `start`: the next member, or the closing bracket."""
    position = _skip(text, _DECODER.raw_decode(text, start)[1])
    if text[position : position + 1] == ",":
        return _skip(text, position + 1)
    if text[position : position + 1] != closing:
        raise ValueError(f"no {closing} there")
    return position


def _skip(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    assert found is not None  # it matches nothing as well
    return found.end()
