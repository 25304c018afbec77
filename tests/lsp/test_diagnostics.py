"""Hints at links that lead nowhere, to several notes, or to no place in a note."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor, eventually

NOTES = {
    "home.md": "# Home\n\n## Part\n\nText. ^block\n\n## Part\n\n<a id='spot'></a> See {#set}.\n",
    "a/same.md": "# One\n",
    "b/same.md": "# Two\n",
    "b/mine.md": "# Mine\n",
    "left/out.bin": "\0\1",
    "code.py": "x = 1\n",
}


QUIET_S = 2.0  # longer than a document is left alone before its hints are made
LAST = "\n\n[[the last link]]\n"  # leads nowhere: when its hint is there, so are all others


@pytest.fixture(scope="module")
def notes(desk: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Editor]]:
    """A folder of notes with an editor."""
    made = desk.with_notes(tmp_path_factory.mktemp("hints"), NOTES)
    with Editor(made.machine, [made.workspace.root]) as editor:
        yield made.root, editor


def shown(editor: Editor, uri: str) -> list[lsp.Diagnostic]:
    """What the editor shows of a document in the end, without the hint at its last link."""

    def look() -> list[lsp.Diagnostic] | None:
        found = editor.client.diagnostics.get(uri) or []
        return found if any("the last link" in each.message for each in found) else None

    return [each for each in eventually(look) if "the last link" not in each.message]


def hinted(notes: tuple[Path, Editor], text: str, path: str = "b/new.md") -> list[tuple[str, str, str]]:
    """(code, the text it stands at, message)"""
    root, editor = notes
    editor.client.diagnostics.pop((root / path).as_uri(), None)  # of an earlier text
    uri = editor.open_file(root / path, text=text + LAST)
    found = shown(editor, uri)
    editor.close(uri)
    lines = text.split("\n")
    assert {each.severity for each in found} <= {lsp.DiagnosticSeverity.Hint}
    assert {each.source for each in found} <= {"postil"}
    return [
        (
            str(each.code),
            lines[each.range.start.line][each.range.start.character : each.range.end.character],
            each.message,
        )
        for each in found
    ]


def test_a_link_to_nothing(notes: tuple[Path, Editor]) -> None:
    assert hinted(notes, "See [[gone]], [x](gone/too.md#y) and [z][l].\n\n[l]: ../last.md\n") == [
        ("link-to-nothing", "gone", "Nothing in this folder is called “gone”"),
        ("link-to-nothing", "gone/too.md", "Nothing in this folder is called “gone/too.md”"),
        ("link-to-nothing", "../last.md", "Nothing in this folder is called “../last.md”"),
    ]


def test_a_link_to_one_of_several_names_them(notes: tuple[Path, Editor]) -> None:
    assert hinted(notes, "[[same]]\n", "new.md") == [
        ("ambiguous-link", "same", "“same” is a/same.md, the nearest; or b/same.md")
    ]
    assert hinted(notes, "[[same]] [[a/same]]\n") == []  # the path beside the note is no guess


def test_a_missing_heading_or_block(notes: tuple[Path, Editor]) -> None:
    text = "[[home#Part]] [[home#Nope]] [[home#^block]] [[home#^no]] [x](../home.md#part-1) [y](../home.md#part-2) "
    text += "[[home#spot]] [[home#set]] [[#Own]] [[#Other]] [z](../code.py#L3)\n\n# Own\n"
    assert hinted(notes, text) == [
        ("missing-anchor", "Nope", "home.md has no heading “Nope”"),
        ("missing-anchor", "^no", "home.md has no block “no”"),
        ("missing-anchor", "part-2", "home.md has no heading “part-2”"),
        ("missing-anchor", "Other", "b/new.md has no heading “Other”"),
    ]


def test_what_is_open_counts_and_not_what_is_on_disk(notes: tuple[Path, Editor]) -> None:
    root, editor = notes
    home = editor.open_file(root / "home.md", text="# Home\n\n## New part\n")
    assert [code for code, *_ in hinted(notes, "[[home#New part]] [[home#Part]]\n")] == ["missing-anchor"]
    editor.close(home)


@pytest.mark.parametrize(
    "text",
    [
        "`[[gone]]`\n\n```\n[[gone]]\n```\n\n    [[gone]]\n",
        "---\nx: '[[gone]]'\n---\n",
        "[x](https://example.org/gone.md) <mailto:a@b.c> [y](obsidian://gone)\n",
        "[x](../left/out.bin) ![[out.bin]] [y](../left) [z](../left/)\n",
        "[x](../../outside.md) [y](/guide/start)\n",
        "[[{{date}}]] [x](<% tp.file %>.md) [[note-${1}]]\n",
        "[ ] task, [x] done, [no link], [^1]\n\n[^1]: note\n",
        "[[mine]] [[Two]] [[home.md]] [x](mine) [y](same.md)\n",
    ],
)
def test_no_hint(notes: tuple[Path, Editor], text: str) -> None:
    assert hinted(notes, text) == []


def test_no_hint_in_code_and_in_notes_outside_of_all_folders(notes: tuple[Path, Editor]) -> None:
    root, editor = notes
    others = [((root / "more.py").as_uri(), "python"), ("untitled:Untitled-1", "markdown")]
    for uri, language in others:
        editor.open(uri, "[[gone]]\n", language)
    assert hinted(notes, "") == []  # it was opened after them
    for uri, _ in others:
        assert uri not in editor.client.diagnostics
        editor.close(uri)


def test_hints_follow_the_text_and_the_index_and_are_asked_for_by_nobody(desk: Any, tmp_path: Path) -> None:
    notes = desk.with_notes(tmp_path, {"one.md": "[[two]]\n"})
    root = notes.root
    with Editor(notes.machine, [str(root)], "neovim") as editor:
        assert editor.initialized.capabilities.diagnostic_provider is None  # or it would ask with every key
        uri = editor.open_file(root / "one.md")

        def told() -> list[str] | None:
            found = editor.client.diagnostics.get(uri)
            return None if found is None else [each.message for each in found]

        eventually(lambda: told() == ["Nothing in this folder is called “two”"])
        whole = lsp.TextDocumentContentChangeWholeDocument("[[two]] and [[three]]\n")
        editor.change(uri, 2, whole)
        eventually(lambda: len(told() or ()) == 2)
        (root / "two.md").write_text("# Two\n", encoding="utf-8")
        eventually(lambda: told() == ["Nothing in this folder is called “three”"])
        editor.close(uri)
        eventually(lambda: told() == [])


@pytest.mark.parametrize("switch", ["diagnostics", "markdown_links"])
def test_switches(desk: Any, switch: str) -> None:
    machine = replace(desk.machine, settings=f'[embedding]\nprose = ""\n[features]\n{switch} = false\n')
    try:
        with Editor(machine, [desk.workspace.root]) as editor:
            uri = editor.open_file(desk.root / "docs/new.md", text="[[gone]] [x](gone.md)\n" + LAST)
            if switch == "markdown_links":
                assert [each.range.start.character for each in shown(editor, uri)] == [2]
            else:
                time.sleep(QUIET_S)
                assert editor.client.diagnostics == {}
    finally:
        desk.machine.environment()
