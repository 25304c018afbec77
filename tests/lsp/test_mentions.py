"""Where other notes name a note without a link to it."""

from __future__ import annotations

from typing import Any

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from fixtures.editor import Editor

NEW = """---
title: Planning
about: lease protocol
---
# Planning

The LEASE
protocol needs a review 😀, and the lease protocol too; see [[lease protocol]] and `lease protocol`.

    lease protocol

A lease protocolled twice is none, nor is [a lease protocol](retries.md) in a link.
"""


def mentions(editor: Editor, desk: Any, path: str, **more: Any) -> list[dict[str, Any]]:
    params = {"textDocument": {"uri": (desk.root / path).as_uri()}, **more}
    found: list[dict[str, Any]] = editor.ask("postil/mentions", params)["mentions"]
    return found


def test_a_name_counts_in_prose_alone_and_as_a_whole(editor: Editor, desk: Any) -> None:
    uri = editor.open((desk.root / "docs/new.md").as_uri(), NEW)
    found = [each for each in mentions(editor, desk, "docs/lease protocol.md") if each["uri"] == uri]
    editor.close(uri)
    assert [(each["name"], each["range"]["start"], each["range"]["end"]) for each in found] == [
        ("LEASE protocol", {"line": 6, "character": 4}, {"line": 7, "character": 8}),
        ("lease protocol", {"line": 7, "character": 36}, {"line": 7, "character": 50}),
    ]
    assert {each["title"] for each in found} == {"Planning"}
    assert found[0]["snippet"] == "The LEASE"
    assert found[1]["snippet"].startswith("… needs a review 😀, and the lease protocol too; see")


def test_notes_that_are_only_in_the_index_count_too(editor: Editor, desk: Any) -> None:
    found = mentions(editor, desk, "docs/glossary.md")
    assert all(each["name"].lower() == "glossary" for each in found)
    assert not any(each["uri"].endswith("/glossary.md") for each in found)
    assert len(mentions(editor, desk, "docs/retries.md", limit=1)) == 1


def test_what_is_no_note_has_none_and_what_is_nowhere_is_named(editor: Editor, desk: Any) -> None:
    assert mentions(editor, desk, "millrace/retry.py") == []
    assert mentions(editor, desk, "docs/gone.md") == []
    with pytest.raises(JsonRpcInvalidParams, match=r"textDocument\.uri is in no open folder"):
        editor.ask("postil/mentions", {"textDocument": {"uri": "file:///etc/passwd"}})
