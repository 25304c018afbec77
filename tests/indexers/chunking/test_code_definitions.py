"""Every language with named definitions: a small file of it, and exactly the definitions that a reader sees in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil_indexers.chunking.code import parse_code, syntaxes_of
from postil_indexers.chunking.definitions import Symbols, find_symbols
from postil_indexers.chunking.outlines import outline_of
from postil_indexers.chunking.syntax import query_names, query_of, query_source
from postil_indexers.dialects import dialect_of
from postil_indexers.languages import grammar_of, language_of
from postil_indexers.types import Document, Parsed

_FOLDER = Path(__file__).parent / "golden" / "definitions"
_LANGUAGES = sorted(file.stem for file in _FOLDER.glob("*.txt"))


def _read(language: str) -> tuple[Document, list[str]]:
    """(the file, "kind qualified.name" in order): file name, text, a line "=== definitions", one definition a line."""
    file = (_FOLDER / f"{language}.txt").read_text(encoding="utf-8")
    source, _, expected = file.partition("=== definitions\n")
    path, _, text = source.partition("\n")
    return Document(path, text, language_of(path, text.partition("\n")[0])), expected.splitlines()


def _found(parsed: Parsed) -> list[str]:
    return [f"{item.kind} {item.qualified_name}" for item in parsed.definitions]


def _names(found: Parsed | Symbols, line: int, *, qualified: bool) -> tuple[set[str], set[str]]:
    """(what is defined on a line, what is used on it)"""
    defined = {item.qualified_name if qualified else item.name for item in found.definitions if item.line == line}
    return defined, {use.name for use in found.references if use.line == line}


@pytest.mark.parametrize("language", _LANGUAGES)
def test_the_definitions_of_a_small_file_are_exactly_these(language: str) -> None:
    document, expected = _read(language)
    assert _found(parse_code(document)) == expected


@pytest.mark.parametrize("language", _LANGUAGES)
def test_one_line_asked_for_alone_has_the_same_names(language: str) -> None:
    document, _ = _read(language)
    whole, syntaxes = parse_code(document), syntaxes_of(document)
    queries = "".join(query_source(each.grammar) for each in syntaxes)
    reaches_on = "@rest" in queries  # an owner that ended lines before
    assert syntaxes or outline_of(language) or grammar_of(language) is None
    for line in range(document.text.count("\n") if syntaxes else 0):
        alone = find_symbols(*syntaxes, line=line)
        expected, found = (_names(each, line, qualified=not reaches_on) for each in (whole, alone))
        if "@clause" in queries:  # each of the equations that make a function tells its name
            assert expected[0] <= found[0]
            assert expected[1] <= found[0] | found[1]
        else:
            assert found == expected


def test_every_grammar_that_has_a_query_has_a_small_file() -> None:
    documents = [_read(language)[0] for language in _LANGUAGES]
    shown = {grammar_of(dialect_of(item.language, item.path, item.text)) for item in documents}
    assert [name for name in query_names() if name not in shown] == []
    assert len(query_names()) > 90


@pytest.mark.parametrize("grammar", query_names())
def test_every_query_fits_its_grammar(grammar: str) -> None:
    assert query_of(grammar) is not None
