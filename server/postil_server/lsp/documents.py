"""The documents that are open in the editor, by URI, as they stand there: edited line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsprotocol import types as lsp

from postil_server.lsp.positions import column_of
from postil_server.lsp.uris import path_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Buffer:
    """An open document at one moment, for a thread to read."""

    uri: str
    path: str | None  # absolute; None where its URI names no file of this system
    language_id: str  # as the editor calls it
    version: int
    text: str


class OpenDocument:
    """Keeps its lines apart, so that a change costs the lines it touches and not the whole text."""

    def __init__(self, item: lsp.TextDocumentItem) -> None:
        self.uri = item.uri
        self.path = path_of(item.uri)
        self.language_id = item.language_id
        self.version = item.version
        self._lines = split_keeping_ends(item.text)
        self._text: str | None = item.text

    def buffer(self) -> Buffer:
        if self._text is None:
            self._text = "".join(self._lines)
        return Buffer(self.uri, self.path, self.language_id, self.version, self._text)

    def line(self, number: int) -> str:
        """A line without its end; "" for one that isn't there."""
        return self._lines[number].rstrip("\r\n") if 0 <= number < len(self._lines) else ""

    def apply(self, changes: Iterable[lsp.TextDocumentContentChangeEvent], version: int, encoding: str) -> None:
        for change in changes:
            if isinstance(change, lsp.TextDocumentContentChangePartial):
                self._replace(change.range, change.text, encoding)
                self._text = None
            else:
                self._lines, self._text = split_keeping_ends(change.text), change.text
        self.version = version

    def _replace(self, where: lsp.Range, text: str, encoding: str) -> None:
        start, end = sorted((self._clamped(where.start, encoding), self._clamped(where.end, encoding)))
        # one line more on either side: a "\n" typed after a "\r" joins the line end before it
        first, last = max(start[0] - 1, 0), min(end[0] + 1, len(self._lines) - 1)
        before = "".join(self._lines[first : start[0]]) + self._lines[start[0]][: start[1]]
        after = self._lines[end[0]][end[1] :] + "".join(self._lines[end[0] + 1 : last + 1])
        lines = split_keeping_ends(before + text + after)
        if last < len(self._lines) - 1:
            lines.pop()  # what follows the last line end is the next line, which is there
        self._lines[first : last + 1] = lines

    def _clamped(self, position: lsp.Position, encoding: str) -> tuple[int, int]:
        """(line, column) within the text."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = max(position.line, 0)
        return line, column_of(self.line(line), position.character if position.line >= 0 else 0, encoding)


class Documents:
    def __init__(self) -> None:
        self._open: dict[str, OpenDocument] = {}

    def open(self, item: lsp.TextDocumentItem) -> None:
        self._open[item.uri] = OpenDocument(item)

    def change(self, params: lsp.DidChangeTextDocumentParams, encoding: str) -> None:
        document = self._open.get(params.text_document.uri)
        if document is not None:  # a change of what was never opened can't be placed
            document.apply(params.content_changes, params.text_document.version, encoding)

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)

    def get(self, uri: str) -> OpenDocument | None:
        return self._open.get(uri)

    def __iter__(self) -> Iterator[OpenDocument]:
        """The one that was opened last comes first."""
        return iter(list(self._open.values())[::-1])


def split_keeping_ends(text: str) -> list[str]:
    """Lines with their ends (LF, CRLF and CR only), as many as LineIndex has: the last one has no end."""
    if "\r" not in text:
        lines = [f"{line}\n" for line in text.split("\n")]
        lines[-1] = lines[-1][:-1]
        return lines
    lines = _LINE.findall(text)
    if text[-1] in "\r\n":
        lines.append("")
    return lines
