"""Who refers to a heading, a file, a block, a tag."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor
from fixtures.writing import place, shown

ARCHITECTURE = [
    "README.md:14:2-26",
    "docs/design.md:6:0-20",
    "docs/index.md:2:2-12",
    "docs/lease protocol.md:32:9-28",
    "notes/\U0001f680 launch checklist.md:8:11-21",
    "notes/Cafe\u0301 conversations.md:7:9-19",
    "notes/meetings/2024-03-04 planning.md:10:29-54",
    "notes/rate limits.md:8:4-26",
]


def references(editor: Editor, uri: str, at: lsp.Position, *, declared: bool = True) -> Any:
    context = lsp.ReferenceContext(include_declaration=declared)
    params = lsp.ReferenceParams(context, lsp.TextDocumentIdentifier(uri), at)
    return editor.wait(editor.client.text_document_references_async(params))


def referring(editor: Editor, desk: Any, path: str, text: str, *, declared: bool = True) -> list[str]:
    uri = editor.open_file(desk.root / path)
    found = shown(desk.root, references(editor, uri, place(desk.root, path, text), declared=declared))
    editor.close(uri)
    return found


@pytest.mark.parametrize("text", ["# Design of Millrace", "Design of Millrace\n\nOne"])
def test_the_title_of_a_note_stands_for_the_file(editor: Editor, desk: Any, text: str) -> None:
    assert referring(editor, desk, "docs/design.md", text) == ARCHITECTURE


def test_the_name_in_a_link_stands_for_its_file(editor: Editor, desk: Any) -> None:
    assert referring(editor, desk, "notes/rate limits.md", "Design of Millrace]]") == ARCHITECTURE
    assert referring(editor, desk, "docs/lease protocol.md", "design#Delivery") == ARCHITECTURE


def test_of_a_note_without_headings_the_first_line_stands_for_the_file(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/glossary.md", text="---\ntags: x\n---\n\nWords alone.\n\nMore.\n")
    found = [references(editor, uri, lsp.Position(line, 2), declared=False) for line in (1, 4, 6)]
    editor.close(uri)
    assert [each.split(":")[0] for each in shown(desk.root, found[1])] == [
        "docs/index.md",
        "docs/retries.md",
        "notes/任务队列的可靠性.md",
        "notes/daily/2024-03-05.md",
        "notes/daily/2024-03-06.md",
        "notes/daily/2024-04-15.md",
        "notes/daily/2024-04-16.md",
        "notes/templates/daily.md",
    ]
    assert found[::2] == [None, None]


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("docs/design.md", "## Delivery", ["docs/design.md:25:0-11", "docs/lease protocol.md:32:9-28"]),
        ("docs/lease protocol.md", "Delivery]]", ["docs/design.md:25:0-11", "docs/lease protocol.md:32:9-28"]),
        (
            "docs/design.md",
            "^at-least-once",
            ["docs/design.md:29:0-39", "notes/meetings/2024-03-04 planning.md:10:29-54"],
        ),
        (
            "docs/design.md",
            "millrace/core",
            ["docs/design.md:3:15-28", "docs/lease protocol.md:2:0-14", "docs/retries.md:3:4-17"],
        ),
        (
            "docs/runbooks/redis-failover.md",
            "redis]",
            [
                "docs/lease protocol.md:2:15-21",
                "docs/runbooks/redis-failover.md:1:24-29",
                "notes/Redis内存碎片整理.md:1:5-10",
                "notes/Redis内存碎片整理.md:32:40-49",
            ],
        ),
        ("docs/design.md", "architecture.png", ["docs/design.md:10:0-21"]),
        ("docs/design.md", "object storage", []),
    ],
    ids=[
        "heading",
        "link to a heading",
        "block",
        "tag in front matter and text",
        "tag with one nested in it",
        "picture",
        "words",
    ],
)
def test_what_refers_to(editor: Editor, desk: Any, path: str, text: str, found: list[str]) -> None:
    assert referring(editor, desk, path, text) == found


def test_the_declaration_is_left_out_where_it_is_not_asked_for(editor: Editor, desk: Any) -> None:
    assert referring(editor, desk, "docs/design.md", "## Delivery", declared=False) == [
        "docs/lease protocol.md:32:9-28"
    ]


def test_buffers_count_and_not_what_is_on_disk_below_them(editor: Editor, desk: Any) -> None:
    text = "# New\n\nOne [[design#Delivery]] and [two](design.md#delivery).\n"
    new = editor.open_file(desk.root / "docs/new.md", text=text)
    protocol = editor.open_file(desk.root / "docs/lease protocol.md", text="# Lease protocol\n\nNo link.\n")
    try:
        assert referring(editor, desk, "docs/design.md", "## Delivery") == [
            "docs/design.md:25:0-11",
            "docs/new.md:2:4-23",
            "docs/new.md:2:28-53",
        ]
    finally:
        editor.close(new)
        editor.close(protocol)


def test_footnotes(editor: Editor, desk: Any) -> None:
    text = "Said.[^1] Again.[^1] `[^1]`\n\n[^1]: By whom.\n[^2]: Nobody.\n"
    uri = editor.open_file(desk.root / "docs/new.md", text=text)
    found = references(editor, uri, lsp.Position(0, 7))
    assert shown(desk.root, found) == ["docs/new.md:0:5-9", "docs/new.md:0:16-20", "docs/new.md:2:0-4"]
    editor.close(uri)


def test_code_is_left_to_code_servers(editor: Editor, desk: Any) -> None:
    assert referring(editor, desk, "millrace/retry.py", "RetryPolicy") == []


@pytest.mark.parametrize("switch", ["definition", "references", "markdown_links"])
def test_switches(desk: Any, switch: str) -> None:
    machine = replace(desk.machine, settings=f'[embedding]\nprose = ""\n[features]\n{switch} = false\n')
    try:
        with Editor(machine, [desk.workspace.root]) as editor:
            uri = editor.open_file(desk.root / "docs/new.md", text="[[glossary]] [x](glossary.md)\n")
            document = lsp.TextDocumentIdentifier(uri)
            asked = [lsp.DefinitionParams(document, lsp.Position(0, column)) for column in (4, 18)]
            leads = [bool(editor.wait(editor.client.text_document_definition_async(each))) for each in asked]
            assert leads == {"definition": [False, False], "markdown_links": [True, False]}.get(switch, [True, True])
            found = shown(desk.root, references(editor, uri, lsp.Position(0, 4)))
            own = [each for each in found if each.startswith(("docs/new.md", "docs/glossary.md"))]
            assert own == {
                "references": [],
                "markdown_links": ["docs/new.md:0:0-12"],  # the editor itself knows where the heading is
            }.get(switch, ["docs/glossary.md:3:0-10", "docs/new.md:0:0-12", "docs/new.md:0:13-29"])
    finally:
        desk.machine.environment()
