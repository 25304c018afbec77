"""Every language with named definitions: a small file of it, and exactly the definitions that a reader sees in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil_indexers.chunking.code import parse_code
from postil_indexers.chunking.syntax import query_names, query_of
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


@pytest.mark.parametrize("language", _LANGUAGES)
def test_the_definitions_of_a_small_file_are_exactly_these(language: str) -> None:
    document, expected = _read(language)
    assert _found(parse_code(document)) == expected


def test_every_grammar_that_has_a_query_has_a_small_file() -> None:
    documents = [_read(language)[0] for language in _LANGUAGES]
    shown = {grammar_of(dialect_of(item.language, item.path, item.text)) for item in documents}
    assert [name for name in query_names() if name not in shown] == []
    assert len(query_names()) > 90


@pytest.mark.parametrize("grammar", query_names())
def test_every_query_fits_its_grammar(grammar: str) -> None:
    assert query_of(grammar) is not None
