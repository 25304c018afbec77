"""Source text to chunks that follow its syntax, with the names it defines and uses."""

from __future__ import annotations

from postil_indexers.chunking.definitions import Symbols, find_symbols
from postil_indexers.chunking.embedded import embedded_syntaxes
from postil_indexers.chunking.lines import Lines, offset_ranges, parse_lines, split_range
from postil_indexers.chunking.macros import without_macros
from postil_indexers.chunking.naming import Namer
from postil_indexers.chunking.outlines import outline_of, with_outline
from postil_indexers.chunking.syntax import LONGEST_PARSED_LINE, Syntax, encode, parse_syntax
from postil_indexers.chunking.tiling import tile
from postil_indexers.dialects import dialect_of
from postil_indexers.languages import grammar_of
from postil_indexers.types import Document, Kind, Parsed


def parse_code(document: Document) -> Parsed:
    """Chunks, definitions and references of a source file; never raises, whatever the text is."""
    text, title = document.text, document.path.rpartition("/")[2]
    if not text or text.isspace():
        return Parsed(title)
    lines = Lines(text)
    language = dialect_of(document.language, document.path, text)
    if max(map(len, lines.lines)) > LONGEST_PARSED_LINE:
        return Parsed(title, parse_lines(text, Kind.CODE))
    syntaxes = _syntaxes(text, language)
    if syntaxes:
        ranges, symbols = tile(lines, syntaxes[0].tree.root_node), find_symbols(*syntaxes)
    else:
        ranges, symbols = list(split_range(lines, 0, lines.count)), Symbols((), (), ())
    symbols = with_outline(symbols, lines, language)
    namer = Namer(lines, symbols)
    chunks = tuple(
        namer.chunk(start, end, span)
        for first, last in ranges
        for start, end, span in offset_ranges(lines, first, last)
    )
    return Parsed(title, chunks, definitions=symbols.definitions, references=symbols.references)


def syntaxes_of(document: Document) -> list[Syntax]:
    """The trees that tell all definitions of a source file, its own first; none where they can't."""
    language = dialect_of(document.language, document.path, document.text)
    if outline_of(language) or max(map(len, document.text.split("\n"))) > LONGEST_PARSED_LINE:
        return []
    return _syntaxes(document.text, language)


def _syntaxes(text: str, language: str) -> list[Syntax]:
    grammar = grammar_of(language)
    if grammar is None:
        return []
    syntax = parse_syntax(without_macros(encode(text), grammar), grammar)
    return [syntax, *embedded_syntaxes(syntax)]
