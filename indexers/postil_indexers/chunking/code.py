"""Source text to chunks that follow its syntax, with the names it defines and uses."""

from __future__ import annotations

from postil_indexers.chunking.definitions import find_symbols
from postil_indexers.chunking.embedded import embedded_syntaxes
from postil_indexers.chunking.lines import Lines, offset_ranges, parse_lines
from postil_indexers.chunking.naming import Namer
from postil_indexers.chunking.syntax import LONGEST_PARSED_LINE, encode, parse_syntax
from postil_indexers.chunking.tiling import tile
from postil_indexers.dialects import dialect_of
from postil_indexers.languages import grammar_of
from postil_indexers.types import Document, Kind, Parsed


def parse_code(document: Document) -> Parsed:
    """Chunks, definitions and references of a source file; never raises, whatever the text is."""
    text, title = document.text, document.path.rpartition("/")[2]
    if not text or text.isspace():
        return Parsed(title)
    grammar = grammar_of(dialect_of(document.language, document.path, text))
    if grammar is None:
        return Parsed(title, parse_lines(text, Kind.CODE))
    lines = Lines(text)
    if lines.long and max(map(len, lines.lines)) > LONGEST_PARSED_LINE:
        return Parsed(title, parse_lines(text, Kind.CODE), warnings=("a line is too long to be parsed",))
    syntax = parse_syntax(encode(text), grammar)
    symbols = find_symbols(syntax, *embedded_syntaxes(syntax))
    namer = Namer(lines, symbols)
    chunks = tuple(
        namer.chunk(start, end, span)
        for first, last in tile(lines, syntax.tree.root_node)
        for start, end, span in offset_ranges(lines, first, last)
    )
    return Parsed(title, chunks, definitions=symbols.definitions, references=symbols.references)
