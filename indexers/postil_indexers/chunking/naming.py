"""What each chunk of a source file is called: the definition it holds, or the one that it is a part of."""

from __future__ import annotations

from bisect import bisect_left

from postil_indexers.chunking.definitions import Symbols
from postil_indexers.chunking.lines import Lines
from postil_indexers.types import Chunk, Definition, Kind, Span

_CONTEXT_CHARS = 200  # signatures of all enclosing definitions together; more would drown the chunk's own words


class Namer:
    """Makes the chunks of one text; they must be asked for in order."""

    def __init__(self, lines: Lines, symbols: Symbols) -> None:
        self._lines = lines
        self._definitions = sorted(symbols.definitions, key=lambda d: (d.span.start_line, -d.span.end_line))
        by_name = sorted(zip(symbols.name_offsets, symbols.definitions, strict=True), key=lambda pair: pair[0])
        self._offsets = [offset for offset, _ in by_name]
        self._by_offset = [definition for _, definition in by_name]
        self._next = 0  # the first definition that starts at or after the last chunk asked for
        self._open: list[Definition] = []  # those that began before it and go on, outermost first

    def chunk(self, start: int, end: int, span: Span) -> Chunk:
        """The chunk of an offset range."""
        starting = self._by_offset[bisect_left(self._offsets, start) : bisect_left(self._offsets, end)]
        within = set(map(id, starting))
        enclosing = [item for item in self._enclosing(span.start_line) if id(item) not in within]
        main = self._main(starting, enclosing, span)
        return Chunk(
            *(start, end, span, Kind.CODE),
            name=main.qualified_name if main else "",
            symbol=main.kind if main else "",
            names=tuple(dict.fromkeys(item.name for item in starting)),
            context=self._context(enclosing, span),
        )

    def _enclosing(self, line: int) -> list[Definition]:
        while self._next < len(self._definitions) and self._definitions[self._next].span.start_line < line:
            item = self._definitions[self._next]
            self._open = [outer for outer in self._open if outer.span.end_line > item.span.start_line]
            self._open.append(item)
            self._next += 1
        self._open = [outer for outer in self._open if outer.span.end_line > line]
        return self._open

    def _main(self, starting: list[Definition], enclosing: list[Definition], span: Span) -> Definition | None:
        """What most of the chunk is; else what all of it is in; else the first thing in it."""
        around = enclosing[-1] if enclosing else None
        if not starting:
            return around
        tops: list[Definition] = []
        for item in sorted(starting, key=lambda d: (d.span.start_line, -d.span.end_line)):
            if not tops or item.span.start_line >= tops[-1].span.end_line:
                tops.append(item)
        if len(tops) == 1 and around is None:
            return tops[0]
        heaviest = max(tops, key=lambda item: self._share(item, span))
        if 2 * self._share(heaviest, span) >= self._lines.weight(span.start_line, span.end_line):
            return heaviest
        return around or next((item for item in tops if item.kind != "constant"), tops[0])

    def _share(self, item: Definition, span: Span) -> int:
        start, end = max(item.span.start_line, span.start_line), min(item.span.end_line, span.end_line)
        return self._lines.weight(start, end) if start < end else 0

    def _context(self, enclosing: list[Definition], span: Span) -> str:
        """The lines that name what encloses the chunk, outermost first; the inner ones where not all fit."""
        signatures: list[str] = []
        room = _CONTEXT_CHARS
        for item in reversed(enclosing):
            if span.start_line <= item.line < span.end_line:
                continue
            signature = self._lines.lines[item.line].strip()[:_CONTEXT_CHARS]
            room -= len(signature) + 1
            if signatures and (room < 0 or signature == signatures[-1]):
                break
            signatures.append(signature)
        return "\n".join(reversed(signatures))[:_CONTEXT_CHARS]
