"""Where links and footnotes lead."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor
from fixtures.writing import CURSOR, cut, place, relative


def definition(editor: Editor, uri: str, at: lsp.Position) -> Any:
    params = lsp.DefinitionParams(lsp.TextDocumentIdentifier(uri), at)
    return editor.wait(editor.client.text_document_definition_async(params))


def leads(editor: Editor, desk: Any, text: str) -> list[str]:
    """`path:first-last` of the sections where the cursor in a text in docs/new.md leads."""
    text, at = cut(text)
    uri = editor.open_file(desk.root / "docs/new.md", text=text)
    found = definition(editor, uri, at) or []
    editor.close(uri)
    return [
        f"{relative(desk.root, each.target_uri)}:{each.target_range.start.line}-{each.target_range.end.line}"
        for each in found
    ]


def test_a_link_leads_to_the_section_it_means(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/design.md")
    (found,) = definition(editor, uri, place(desk.root, "docs/design.md", "protocol#What"))
    start = place(desk.root, "docs/design.md", "[[lease protocol#What")
    assert found == lsp.LocationLink(
        target_uri=(desk.root / "docs/lease protocol.md").as_uri(),
        target_range=lsp.Range(lsp.Position(23, 0), lsp.Position(33, 0)),
        target_selection_range=lsp.Range(lsp.Position(23, 0), lsp.Position(23, 17)),
        origin_selection_range=lsp.Range(start, lsp.Position(start.line, start.character + 54)),
    )


def test_a_client_without_location_links_gets_the_heading(desk: Any) -> None:
    editor = Editor(desk.machine, [desk.workspace.root])
    text = editor._params.capabilities.text_document
    assert text is not None
    text.definition = lsp.DefinitionClientCapabilities()
    with editor:
        uri = editor.open_file(desk.root / "docs/design.md")
        (found,) = definition(editor, uri, place(desk.root, "docs/design.md", "retries.md#B"))
    heading = lsp.Range(lsp.Position(10, 0), lsp.Position(10, 10))
    assert found == lsp.Location((desk.root / "docs/retries.md").as_uri(), heading)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (f"[[retries#^full{CURSOR}-jitter]]", ["docs/retries.md:14-14"]),
        (f"[x](../internal/scheduler/{CURSOR}scheduler.go)", ["internal/scheduler/scheduler.go:0-0"]),
        (f"![[archi{CURSOR}tecture.png]]", ["docs/architecture.png:0-0"]),
        (f"[[glossary#Lease|{CURSOR}it]]", ["docs/glossary.md:8-10"]),
        (f"[[glossary#No such{CURSOR}]]", ["docs/glossary.md:0-0"]),
        (f"[[#Ow{CURSOR}n]]\n\n# Own\n\nYes.\n", ["docs/new.md:2-5"]),
        (f"[it][gl{CURSOR}o]\n\n[GLO]: glossary.md#Job\n", ["docs/new.md:2-2"]),
        (f"[it][glo]\n\n[GLO]: gloss{CURSOR}ary.md#Job\n", ["docs/glossary.md:5-7"]),
        (f"Said.[^1{CURSOR}] Again.[^1]\n\n[^1]: By whom.\n", ["docs/new.md:2-2"]),
        (f"Said.[^1] Again.[^1]\n\n[^1{CURSOR}]: By whom.\n", ["docs/new.md:0-0", "docs/new.md:0-0"]),
        (f"`[[retr{CURSOR}ies]]`", []),
        (f"```\n[[retr{CURSOR}ies]]\n```\n", []),
        (f"[[no such{CURSOR} note]]", []),
        (f"<https://exam{CURSOR}ple.org>", []),
        (f"[out](../../..{CURSOR}/etc/passwd)", []),
        (f"plain{CURSOR} words and a #tag", []),
        (f"plain words and a #ta{CURSOR}g", []),
    ],
)
def test_links_of_each_kind(editor: Editor, desk: Any, text: str, where: list[str]) -> None:
    assert leads(editor, desk, text) == where


def test_code_is_left_to_code_servers(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "millrace/worker.py", "python")
    assert definition(editor, uri, place(desk.root, "millrace/worker.py", "RetryPolicy")) is None
