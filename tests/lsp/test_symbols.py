"""The headings of a note, and names of the whole workspace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor
from fixtures.writing import relative

TEXT = "Above.\n# One\n\n### Deep `code`\n\nText.\n\n## Two\n```\n# no\n```\n\nThree\n===\n#\nend"


def headings(editor: Editor, uri: str) -> Any:
    params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(uri))
    return editor.wait(editor.client.text_document_document_symbol_async(params))


def span(place: lsp.Range) -> tuple[int, int, int, int]:
    return place.start.line, place.start.character, place.end.line, place.end.character


def outline(symbols: Any) -> list[Any]:
    return [(each.name, span(each.range), span(each.selection_range), outline(each.children or ())) for each in symbols]


def test_headings_are_a_tree(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/new.md", text=TEXT)
    assert outline(headings(editor, uri)) == [
        (
            "One",
            (1, 0, 11, 0),
            (1, 2, 1, 5),
            [
                ("Deep code", (3, 0, 6, 0), (3, 4, 3, 15), []),
                ("Two", (7, 0, 11, 0), (7, 3, 7, 6), []),
            ],
        ),
        ("Three", (12, 0, 13, 3), (12, 0, 12, 5), []),
        ("(no text)", (14, 0, 15, 3), (14, 0, 14, 1), []),
    ]
    editor.close(uri)


def test_a_client_without_trees_gets_a_list(desk: Any) -> None:
    editor = Editor(desk.machine, [desk.workspace.root])
    text = editor._params.capabilities.text_document
    assert text is not None
    text.document_symbol = None
    with editor:
        uri = editor.open_file(desk.root / "docs/new.md", text=TEXT)
        found = headings(editor, uri)
    assert [(each.name, each.container_name) for each in found] == [
        ("One", None),
        ("Deep code", "One"),
        ("Two", "One"),
        ("Three", None),
        ("(no text)", None),
    ]
    assert found[1].location == lsp.Location(uri, lsp.Range(lsp.Position(3, 0), lsp.Position(6, 0)))


def test_code_is_left_to_code_servers(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "millrace/retry.py", "python")
    assert headings(editor, uri) is None
    editor.close(uri)


def test_restructured_text(editor: Editor, desk: Any) -> None:
    uri = editor.open(
        (desk.root / "docs/new.rst").as_uri(), "=====\nTitle\n=====\n\nPart 🚀\n-------\n\nText.\n", "rst"
    )
    assert outline(headings(editor, uri)) == [
        ("Title", (0, 0, 8, 0), (1, 0, 1, 5), [("Part 🚀", (4, 0, 8, 0), (4, 0, 4, 7), [])])
    ]
    editor.close(uri)


def named(editor: Editor, desk: Any, query: str) -> list[tuple[str, str, str]]:
    """(name, kind, path:line) of what a query finds."""
    found = editor.wait(editor.client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query)))
    return [
        (each.name, each.kind.name, f"{relative(desk.root, each.location.uri)}:{each.location.range.start.line}")
        for each in found or ()
    ]


@pytest.fixture(scope="module")
def code(desk: Any) -> Any:
    """Visual Studio Code, which compares names with the query itself."""
    client = lsp.ClientInfo("Visual Studio Code - Insiders", "1.99")
    with Editor(desk.machine, [desk.workspace.root], client_info=client) as editor:
        yield editor


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("RetryPolicy", ("RetryPolicy", "Class", "millrace/retry.py:7")),
        ("retrypolicy", ("RetryPolicy", "Class", "millrace/retry.py:7")),
        ("rtrypl", ("RetryPolicy", "Class", "millrace/retry.py:7")),
        ("delay", ("RetryPolicy.delay", "Method", "millrace/retry.py:16")),
        ("policy.del", ("RetryPolicy.delay", "Method", "millrace/retry.py:16")),
        ("Design of", ("Design of Millrace", "File", "docs/design.md:6")),
        ("millrace design", ("Design of Millrace", "File", "docs/design.md:6")),
        ("go wrong", ("What can go wrong", "String", "docs/lease protocol.md:23")),
        ("处理", ("处理步骤", "String", "notes/Redis内存碎片整理.md:17")),
        ("CAFÉ", ("Café conversations", "File", "notes/Cafe\u0301 conversations.md:0")),
        ("incident", ("#incident", "Key", "notes/daily/2024-03-06.md:9")),
        ("#incident", ("#incident", "Key", "notes/daily/2024-03-06.md:9")),
    ],
)
def test_the_closest_name_comes_first(code: Editor, desk: Any, query: str, first: tuple[str, str, str]) -> None:
    assert named(code, desk, query)[0] == first


def test_names_come_once_and_nothing_is_found_for_nothing(code: Editor, desk: Any) -> None:
    assert named(code, desk, "Jitter") == [
        ("Jitter", "String", "docs/glossary.md:23"),
        ("RetryPolicy.jitter", "Constant", "millrace/retry.py:14"),
    ]
    assert named(code, desk, "") == []
    assert named(code, desk, "zzqx") == []
    assert named(code, desk, "An entry with many deliveries") == []


def test_an_editor_that_takes_a_list_as_it_is_gets_hits_of_a_search_too(editor: Editor, desk: Any) -> None:
    found = named(editor, desk, "An entry with many deliveries poisoning the queue")
    assert ("Check", "String", "docs/runbooks/stuck-queue.md:9") in found[:3]
    assert named(editor, desk, "Jitter")[:2] == [
        ("Jitter", "String", "docs/glossary.md:23"),
        ("RetryPolicy.jitter", "Constant", "millrace/retry.py:14"),
    ]


@pytest.mark.parametrize("switch", ["symbols", "workspace_symbols", "search_in_symbols"])
def test_switches(desk: Any, switch: str) -> None:
    machine = replace(desk.machine, settings=f'[embedding]\nprose = ""\n[features]\n{switch} = false\n')
    try:
        with Editor(machine, [desk.workspace.root]) as editor:
            uri = editor.open_file(desk.root / "docs/design.md")
            seen = {
                "symbols": bool(headings(editor, uri)),
                "workspace_symbols": bool(named(editor, desk, "Jitter")),
                "search_in_symbols": bool(named(editor, desk, "entry deliveries poisoning")),
            }
            off = {"search_in_symbols", switch} if switch == "workspace_symbols" else {switch}
            assert {name for name, found in seen.items() if not found} == off
    finally:
        desk.machine.environment()
