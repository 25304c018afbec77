"""Positions of all that notes are asked and told, in every encoding, after characters that count differently in each.

Lines end at LF, CRLF and CR only: vertical tabs, form feeds, U+0085, U+2028 and U+2029 stand inside of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor, eventually
from fixtures.writing import complete, relative, rename

LINE = "🚀 内e\u0301\f\u2028 [[eins#Über 🚀|x]] [y](eins.md#über-) [[ges🚀]] \x0b\x85 #täg🚀x"
EINS = "first\x0bline\u2029still\r\n## Über 🚀\r\r\ntext\n"
ZWEI = f"a\x85b\r\nc\r{LINE}\r\nend"
HEADING = "Über 🚀"


@dataclass(frozen=True)
class Encoded:
    """An editor that counts in one encoding, with both notes open."""

    editor: Editor
    root: Path
    codec: str
    bytes: int  # of a unit

    def width(self, text: str) -> int:
        return len(text.encode(self.codec)) // self.bytes

    def column(self, upto: str) -> int:
        return self.width(LINE[: LINE.index(upto)])

    def span(self, first: str, end: str) -> tuple[int, int, int]:
        """Of LINE, from one text to where another starts."""
        return 2, self.column(first), self.column(end)

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier((self.root / name).as_uri())


@pytest.fixture(scope="module")
def root(desk: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = desk.with_notes(tmp_path_factory.mktemp("positions"), {"eins.md": EINS, "zwei.md": ZWEI}).root
    return made


@pytest.fixture(scope="module", params=["utf-8", "utf-16", "utf-32"])
def encoded(desk: Any, root: Path, request: pytest.FixtureRequest) -> Iterator[Encoded]:
    codec = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[request.param]
    machine = replace(desk.machine, folder=root.parent / "machine")
    editor = Editor(machine, [str(root)], encodings=[request.param])
    with editor:
        for name in ("eins.md", "zwei.md"):
            editor.open_file(root / name)
        yield Encoded(editor, root, *codec)


def span(place: lsp.Range) -> tuple[int, int, int]:
    assert place.start.line == place.end.line
    return place.start.line, place.start.character, place.end.character


def test_definition(encoded: Encoded) -> None:
    at = lsp.Position(2, encoded.column("Über"))
    params = lsp.DefinitionParams(encoded.document("zwei.md"), at)
    (found,) = encoded.editor.wait(encoded.editor.client.text_document_definition_async(params))
    assert span(found.origin_selection_range) == encoded.span("[[eins", " [y]")
    assert span(found.target_selection_range) == (1, 0, encoded.width(f"## {HEADING}"))
    assert relative(encoded.root, found.target_uri) == "eins.md"


def test_references(encoded: Encoded) -> None:
    context = lsp.ReferenceContext(include_declaration=True)
    params = lsp.ReferenceParams(context, encoded.document("eins.md"), lsp.Position(1, 4))
    found = encoded.editor.wait(encoded.editor.client.text_document_references_async(params))
    assert [(relative(encoded.root, each.uri), span(each.range)) for each in found] == [
        ("eins.md", (1, 0, encoded.width(f"## {HEADING}"))),
        ("zwei.md", encoded.span("[[eins", " [y]")),
        ("zwei.md", encoded.span("[y]", " [[ges")),
    ]


def test_rename(encoded: Encoded) -> None:
    found = {}
    for at, new in ((encoded.column("Über"), "Ü"), (encoded.column("täg"), "tag")):
        edit = rename(encoded.editor, encoded.document("zwei.md").uri, lsp.Position(2, at), new)
        assert edit is not None
        for change in edit.document_changes or ():
            assert isinstance(change, lsp.TextDocumentEdit)
            path = relative(encoded.root, change.text_document.uri)
            found[path, new] = [(span(each.range), each.new_text) for each in change.edits]
    assert found == {
        ("eins.md", "Ü"): [((1, 3, 3 + encoded.width(HEADING)), "Ü")],
        ("zwei.md", "Ü"): [(encoded.span("Über", "|x"), "Ü"), (encoded.span("über-", ") [[ges"), "ü")],
        ("zwei.md", "tag"): [((2, encoded.column("täg"), encoded.width(LINE)), "tag")],
    }


def test_hints(encoded: Encoded) -> None:
    uri = encoded.document("zwei.md").uri
    found = eventually(lambda: encoded.editor.client.diagnostics.get(uri))
    assert [(each.code, span(each.range)) for each in found] == [("link-to-nothing", encoded.span("ges🚀", "]] \x0b"))]


def test_headings(encoded: Encoded) -> None:
    params = lsp.DocumentSymbolParams(encoded.document("eins.md"))
    (found,) = encoded.editor.wait(encoded.editor.client.text_document_document_symbol_async(params))
    assert found.name == HEADING
    assert span(found.selection_range) == (1, 3, 3 + encoded.width(HEADING))


def test_completion(encoded: Encoded) -> None:
    at = lsp.Position(2, encoded.column("🚀]] \x0b"))
    found = complete(encoded.editor, encoded.document("zwei.md").uri, at)
    assert found is None  # nothing is called so
    before = "🚀 内e\u0301\f\u2028 [["
    uri = encoded.editor.open((encoded.root / "drei.md").as_uri(), f"x\u2028y\r{before}ei🚀]] z")
    found = complete(encoded.editor, uri, lsp.Position(1, encoded.width(f"{before}ei")))
    encoded.editor.close(uri)
    assert found is not None
    (item,) = (item for item in found.items if item.detail == "eins.md")
    assert isinstance(item.text_edit, lsp.TextEdit)
    assert span(item.text_edit.range) == (1, encoded.width(before), encoded.width(f"{before}ei🚀]]"))
    assert item.text_edit.new_text == "eins]]"
