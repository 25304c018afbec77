"""Hovers in notes, as an editor shows them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from fixtures.editor import Editor


def place(root: Path, path: str, before: str) -> tuple[int, int]:
    """Where a text starts in a file: line and code point."""
    text = (root / path).read_text("utf-8")
    at = text.index(before)
    return text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1


def linked(root: Path, path: str, line: int) -> str:
    return f"{(root / path).as_uri()}#L{line}"


def test_a_link_shows_the_section_it_means(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/design.md")
    line, column = place(desk.root, "docs/design.md", "[[2024-03-04 planning]]")
    found = editor.hover(uri, line, column + 5)
    assert found is not None
    assert found.range == lsp.Range(lsp.Position(line, column), lsp.Position(line, column + 23))
    assert isinstance(found.contents, lsp.MarkupContent)
    head, _, rest = found.contents.value.partition("\n")
    target = linked(desk.root, "notes/meetings/2024-03-04 planning.md", 6)
    assert head == f"[Planning, 4 March]({target}) · 2024-04-08 · 1 backlink"
    quoted = rest.strip().split("\n")
    assert (quoted[0], quoted[1], quoted[-2], quoted[-1]) == ("```markdown", "# Planning, 4 March", "…", "```")
    assert len(quoted) == 14 + 3  # the fifteenth line is blank


@pytest.mark.parametrize(
    ("at", "path", "line", "title", "said"),
    [
        ("[[lease protocol#What", "docs/lease protocol.md", 24, "Lease protocol › What can go wrong", "5 backlinks"),
        ("[retries](retries.md#B", "docs/retries.md", 11, "Retries › Backoff", "7 backlinks"),
        ("[scheduler](../int", "internal/scheduler/scheduler.go", 1, "scheduler.go", "1 backlink"),
    ],
    ids=["wiki link to a heading", "inline link to a heading", "code"],
)
def test_links_of_each_style(editor: Editor, desk: Any, at: str, path: str, line: int, title: str, said: str) -> None:
    uri = editor.open_file(desk.root / "docs/design.md")
    where, column = place(desk.root, "docs/design.md", at)
    text = editor.hover_text(uri, where, column + 1)
    assert text is not None
    head = text.split("\n")[0]
    assert head.startswith(f"[{title}]({linked(desk.root, path, line)}) · 2024-")
    assert head.endswith(f" · {said}")


def test_links_that_are_being_written_are_resolved(editor: Editor, desk: Any) -> None:
    text = "# Design\n\n[[#Here]] and [[glossary]] and [ref][g] and [[nothing]] <https://example.org>\n\n"
    text += "## Here\n\nThis is it.\n\n[g]: glossary.md#Lease\n"
    uri = editor.open_file(desk.root / "docs/design.md", text=text)
    line = text.split("\n")[2]
    shown = {
        word: editor.hover_text(uri, 2, line.index(word) + 1)
        for word in ("#Here", "glossary", "ref", "nothing", "https")
    }
    assert shown["nothing"] is None
    assert shown["https"] is None
    assert shown["#Here"] is not None
    assert shown["#Here"].startswith(f"[Design of Millrace › Here]({linked(desk.root, 'docs/design.md', 5)})")
    assert "## Here\n\nThis is it." in shown["#Here"]
    assert shown["glossary"] is not None
    assert shown["glossary"].startswith(f"[Glossary]({linked(desk.root, 'docs/glossary.md', 4)})")
    assert shown["ref"] is not None
    assert shown["ref"].startswith("[Glossary › Lease](")
    editor.close(uri)


def test_prose_shows_related_notes_of_the_buffer_and_not_of_the_disk(editor: Editor, desk: Any) -> None:
    text = "# Design\n\nAn entry with many deliveries in XPENDING is poisoning the queue.\n"
    uri = editor.open_file(desk.root / "docs/design.md", text=text)
    shown = editor.hover_text(uri, 2, 5)
    assert shown is not None
    lines = shown.split("\n")
    assert lines[0] == "**Related**"
    runbook = linked(desk.root, "docs/runbooks/stuck-queue.md", 10)
    assert lines[2].startswith(f"- [Runbook: a queue is stuck › Check]({runbook}) (")
    assert "same topic: " in lines[2]
    assert lines[3].startswith(
        "  2\\. Is one job poisoning them? Look for an entry with many deliveries in \\`XPENDING"
    )
    assert 1 <= shown.count("\n- ") <= 5
    assert "docs/design.md" not in shown
    editor.close(uri)


def test_what_the_note_links_to_is_not_shown_again(editor: Editor, desk: Any) -> None:
    text = "An entry with many deliveries in XPENDING is poisoning the queue.\n\nSee [[stuck-queue]].\n"
    for uri in ("untitled:Untitled-1", (desk.root / "notes/new.md").as_uri()):
        editor.open(uri, text)
        assert "stuck-queue.md" not in (editor.hover_text(uri, 0, 5) or "")
        editor.close(uri)


def test_there_is_nothing_to_say_in_fences_front_matter_and_blank_space(editor: Editor, desk: Any) -> None:
    told = "An entry with many deliveries in XPENDING is poisoning the queue."
    text = f"---\ntitle: {told}\n---\n\n```\n{told}\n```\n \n{told}\n\nqwxz zzkk.\n"
    uri = editor.open_file(desk.root / "notes/new.md", text=text)
    assert [editor.hover(uri, line, 3) is not None for line in range(12)] == [False] * 8 + [True] + [False] * 3
    editor.close(uri)


ODD = "🚀 内e\u0301\f\u2028 see [[retries#Backoff]] now"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_in_every_encoding_after_odd_characters(desk: Any, encoding: str) -> None:
    text = f"first\x0bline\x85still\u2029first\r\nsecond\r{ODD}\n"
    units = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]

    def character(upto: str) -> int:
        return len(ODD[: ODD.index(upto)].encode(units[0])) // units[1]

    with Editor(desk.machine, [desk.workspace.root], "neovim", encodings=[encoding]) as editor:
        assert editor.initialized.capabilities.position_encoding == encoding
        uri = editor.open_file(desk.root / "docs/design.md", text=text)
        start, end = character("[["), character(" now")
        found = editor.hover(uri, 2, start)
        assert found is not None
        assert found.range == lsp.Range(lsp.Position(2, start), lsp.Position(2, end))
        assert editor.hover(uri, 2, end - 1) == found
        here = lsp.Position(2, start)
        edit = lsp.TextDocumentContentChangePartial(lsp.Range(here, here), "🚀\u2028")
        editor.change(uri, 2, edit)
        moved = start + len("🚀\u2028".encode(units[0])) // units[1]
        after = editor.hover(uri, 2, moved)
        assert after is not None
        assert after.range == lsp.Range(lsp.Position(2, moved), lsp.Position(2, end + moved - start))


def test_utf16_is_taken_wherever_it_is_offered(desk: Any) -> None:
    with Editor(desk.machine, None, encodings=["utf-8", "utf-16"]) as editor:
        assert editor.initialized.capabilities.position_encoding == "utf-16"


def test_a_client_without_markdown_gets_plain_text(desk: Any) -> None:
    editor = Editor(desk.machine, [desk.workspace.root], "neovim")
    text = editor._params.capabilities.text_document
    assert text is not None
    text.hover = lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.PlainText])
    with editor:
        uri = editor.open_file(desk.root / "docs/design.md")
        line, column = place(desk.root, "docs/design.md", "[[lease protocol#What")
        shown = editor.hover_text(uri, line, column)
        assert shown is not None
        assert shown.startswith("Lease protocol › What can go wrong · 2024-02-28 · 5 backlinks\n\nWhat can go wrong\n")


@pytest.mark.parametrize("switch", ["notes", "links", "code"])
def test_each_kind_of_hover_has_a_switch(desk: Any, switch: str) -> None:
    settings = f'[embedding]\nprose = ""\n\n[hover]\n{switch} = false\n'
    machine = replace(desk.machine, settings=settings)
    try:
        with Editor(machine, [desk.workspace.root]) as editor:
            design = editor.open_file(desk.root / "docs/design.md")
            retry = editor.open_file(desk.root / "millrace/retry.py", "python")
            seen = {
                "notes": editor.hover(design, *place(desk.root, "docs/design.md", "Leases\n")),
                "links": editor.hover(design, *place(desk.root, "docs/design.md", "[[lease protocol#What")),
                "code": editor.hover(retry, *place(desk.root, "millrace/retry.py", "RetryPolicy")),
            }
            assert {name for name, found in seen.items() if found is None} == {switch}
    finally:
        desk.machine.environment()  # writes its own settings again


def test_code_and_commits_that_the_paragraph_names_are_linked(editor: Editor, desk: Any) -> None:
    text = "# New\n\n`max_attempts` counts the first try; it was wrong by one in counting attempts until issue #42.\n"
    uri = editor.open_file(desk.root / "notes/new.md", text=text)
    shown = editor.hover_text(uri, 2, 5)
    assert shown is not None
    line, _ = place(desk.root, "millrace/retry.py", "max_attempts: int")
    code = linked(desk.root, "millrace/retry.py", line + 1)
    assert f"- [millrace/retry.py › RetryPolicy.max_attempts]({code}) (defines \\`max_attempts\\`)  \n" in shown
    said = r"- \[Fix off-by-one in counting attempts \(#42\) · bdb2fef2\]"
    said += r"\(postil:/commit/[0-9a-f]{16}/bdb2fef2[0-9a-f]{32}\.diff\)"
    assert re.search(said, shown) is not None
    assert editor.hover_text(uri, 2, 40) == shown
    editor.close(uri)
