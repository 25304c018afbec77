"""What is offered while a link or a tag is being written, and what becomes of the text when it is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fixtures.editor import Editor
from fixtures.writing import CURSOR, accepted, complete, cut

POISON = "An entry with many deliveries in XPENDING is poisoning the queue"


def offered(editor: Editor, root: Path, text: str, path: str = "docs/new.md", typed: str | None = None) -> Any:
    """(the text, what is offered at its cursor)"""
    text, at = cut(text)
    uri = editor.open_file(root / path, text=text)
    found = complete(editor, uri, at, typed)
    editor.close(uri)
    return text, found


def labels(editor: Editor, root: Path, text: str, path: str = "docs/new.md") -> list[str]:
    _, found = offered(editor, root, text, path)
    return [item.label for item in found.items] if found else []


def taken(editor: Editor, root: Path, text: str, label: str, path: str = "docs/new.md") -> str:
    """The text after the item was accepted."""
    text, found = offered(editor, root, text, path)
    (item,) = (item for item in found.items if item.label == label)
    return accepted(text, item)


def test_trigger_characters_are_declared(editor: Editor) -> None:
    options = editor.initialized.capabilities.completion_provider
    assert list(options.trigger_characters) == ["[", "(", "#", "^", "/"]


def test_notes_that_are_related_to_the_paragraph_come_first(editor: Editor, desk: Any) -> None:
    text, found = offered(editor, desk.root, f"# New\n\n{POISON}, see [[{CURSOR}")
    assert found.is_incomplete
    first = found.items[0]
    assert (first.label, first.detail) == ("Runbook: a queue is stuck", "docs/runbooks/stuck-queue.md")
    assert accepted(text, first) == f"# New\n\n{POISON}, see [[stuck-queue]]"
    assert [item.sort_text for item in found.items] == sorted(item.sort_text for item in found.items)
    assert "Design of Millrace" in [item.label for item in found.items]
    assert labels(editor, desk.root, f"{POISON}, see [[r{CURSOR}")[0] == "Runbook: a queue is stuck"


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (f"x [[des{CURSOR} and more", "Design of Millrace", "x [[design]] and more"),
        (f"x [[des{CURSOR}]] y", "Design of Millrace", "x [[design]] y"),
        (f"x [[des{CURSOR}ert]] y", "Design of Millrace", "x [[design]] y"),
        (f"x [[des{CURSOR}ert#Delivery]] y", "Design of Millrace", "x [[design#Delivery]] y"),
        (f"x [[des{CURSOR}ert|shown]] y", "Design of Millrace", "x [[design|shown]] y"),
        (f"x [[{CURSOR}]] [[glossary]]", "Design of Millrace", "x [[design]] [[glossary]]"),
        (f"x [[{CURSOR} [[glossary]]", "Design of Millrace", "x [[design]] [[glossary]]"),
        (f"[[dead{CURSOR}", "dead letter", "[[retries|dead letter]]"),
        (f"[[dead{CURSOR}|it]]", "dead letter", "[[retries|it]]"),
        (f"[[docs/gl{CURSOR}", "Glossary", "[[glossary]]"),
        (f"[[任务{CURSOR}", "任务队列的可靠性", "[[任务队列的可靠性]]"),
        (f"[[cafe{CURSOR}", "Café conversations", "[[Cafe\u0301 conversations]]"),
        (f"![[archi{CURSOR}", "architecture.png", "![[architecture.png]]"),
        (f"[[retries#De{CURSOR}]] y", "Dead letters", "[[retries#Dead letters]] y"),
        (f"[[backoff#{CURSOR}", "Attempts", "[[backoff#Attempts]]"),
        (f"[[retries#^{CURSOR}]]", "^full-jitter", "[[retries#^full-jitter]]"),
        (f"[[#{CURSOR}\n\n## My [own] part\n", "My [own] part", "[[#my-own-part]]\n\n## My [own] part\n"),
        (f"- [x]({CURSOR})", "Retries", "- [x](retries.md)"),
        (f"[x](laun{CURSOR})", "🚀 Launch checklist", "[x](../notes/🚀%20launch%20checklist.md)"),
        (f"[x](<laun{CURSOR}>)", "🚀 Launch checklist", "[x](<../notes/🚀 launch checklist.md>)"),
        (
            f"[x](../notes/laun{CURSOR} 'title')",
            "🚀 Launch checklist",
            "[x](../notes/🚀%20launch%20checklist.md 'title')",
        ),
        (f"[x](scheduler.g{CURSOR}o)", "scheduler.go", "[x](../internal/scheduler/scheduler.go)"),
        (f"[x](retries.md#{CURSOR})", "Dead letters", "[x](retries.md#dead-letters)"),
        (f"About #mill{CURSOR} now", "millrace/core", "About #millrace/core now"),
        (f"---\ntags: [a, des{CURSOR}]\n---\n", "design", "---\ntags: [a, design]\n---\n"),
        (f"---\ntags:\n  - a\n  - des{CURSOR}\n---\n", "design", "---\ntags:\n  - a\n  - design\n---\n"),
    ],
)
def test_what_becomes_of_the_text(editor: Editor, desk: Any, text: str, label: str, after: str) -> None:
    assert taken(editor, desk.root, text, label) == after


@pytest.mark.parametrize(
    "text",
    [
        f"```\n[[des{CURSOR}\n```\n",
        f"`[[des{CURSOR}`",
        f"    [[des{CURSOR}\n",
        f"---\ntitle: [[des{CURSOR}\n---\n",
        f"---\ntitle: #des{CURSOR}\n---\n",
        f"plain des{CURSOR}",
        f"[[design|des{CURSOR}]]",
        f"[[design|#des{CURSOR}]]",
        f"[x](https://exa{CURSOR}",
        f"[x](design.md 'tit{CURSOR}",
        f"## On #mill{CURSOR}",
        f"word#mill{CURSOR}",
        f"`#mill{CURSOR}`",
        f"[[nothing at all#{CURSOR}",
    ],
)
def test_nothing_is_offered(editor: Editor, desk: Any, text: str) -> None:
    assert labels(editor, desk.root, text) == []


def test_nothing_is_offered_in_code(editor: Editor, desk: Any) -> None:
    text, at = cut(f"x = [[des{CURSOR}\n")
    uri = editor.open(f"{(desk.root / 'millrace/new.py').as_uri()}", text, "python")
    assert complete(editor, uri, at) is None
    editor.close(uri)


def test_tags_with_how_many_notes_carry_them(editor: Editor, desk: Any) -> None:
    _, found = offered(editor, desk.root, f"Text #{CURSOR}", typed="#")
    assert not found.is_incomplete
    assert [(item.label, item.detail) for item in found.items[:5]] == [
        ("millrace/core", "3 notes"),
        ("redis", "3 notes"),
        ("meeting", "2 notes"),
        ("oncall", "2 notes"),
        ("runbook", "2 notes"),
    ]
    assert labels(editor, desk.root, f"Text #red{CURSOR}") == ["redis", "redis/内存", "reading"]
    assert offered(editor, desk.root, f"#{CURSOR}", typed="#")[1] is None  # a heading begins
    assert "redis" in labels(editor, desk.root, f"#{CURSOR}")


def test_what_was_typed_is_in_front_of_what_editors_filter_by(editor: Editor, desk: Any) -> None:
    _, found = offered(editor, desk.root, f"[[ret{CURSOR}")
    assert [item.label for item in found.items][:1] == ["Retries"]
    assert all(item.filter_text.startswith("ret ") for item in found.items)
    assert found.items[0].filter_text == "ret retries Retries docs/retries.md"


STYLES = {
    "paths": {
        "a/one.md": "[[b/two]] [[c/three]] [x](/b/two) [y](/c/three)\n",
        "b/two.md": "[[a/one]] [z](/a/one)\n",
        "c/three.md": "# Third\n",
    },
    "extensions": {
        "a/one.md": "[[two.md]] [[three.md]] [x](./four.md)\n",
        "b/two.md": "[[one.md]]\n",
        "b/three.md": "# Third\n",
        "a/four.md": "[x](./one.md)\n",
        "c/mine.md": "# Mine\n",
    },
    "none": {"a/three.md": "# Third\n", "b/three.md": "# Other third\n", "c/new.md": "# Mine\n"},
}


@pytest.fixture(scope="module")
def styled(desk: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Editor]]:
    """Folders whose notes link in different styles, all open in one window."""
    folder = tmp_path_factory.mktemp("styles")
    machine = replace(desk.machine, folder=folder / "machine")
    for name, files in STYLES.items():
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text, encoding="utf-8")
        assert machine.postil("index", str(folder / name)).status == 0
    with Editor(machine, [str(folder / name) for name in STYLES]) as editor:
        yield folder, editor


@pytest.mark.parametrize(
    ("folder", "text", "label", "after"),
    [
        ("paths", f"[[thi{CURSOR}", "Third", "[[c/three]]"),
        ("paths", f"[x](thi{CURSOR})", "Third", "[x](/c/three)"),
        ("extensions", f"[[thi{CURSOR}", "Third", "[[three.md]]"),
        ("extensions", f"[x](thi{CURSOR})", "Third", "[x](../b/three.md)"),
        ("extensions", f"[x](min{CURSOR})", "Mine", "[x](./mine.md)"),
        ("none", f"[[thi{CURSOR}", "Third", "[[a/three]]"),
        ("none", f"[[thi{CURSOR}", "Other third", "[[b/three]]"),
        ("none", f"[x](thi{CURSOR})", "Third", "[x](../a/three.md)"),
    ],
)
def test_links_are_written_as_they_are_in_the_folder(
    styled: tuple[Path, Editor], folder: str, text: str, label: str, after: str
) -> None:
    root, editor = styled
    assert taken(editor, root / folder, text, label, "c/new.md") == after


@pytest.mark.parametrize("switch", ["completion", "markdown_links"])
def test_switches(desk: Any, switch: str) -> None:
    machine = replace(desk.machine, settings=f'[embedding]\nprose = ""\n[features]\n{switch} = false\n')
    try:
        with Editor(machine, [desk.workspace.root]) as editor:
            wiki, inline = labels(editor, desk.root, f"[[des{CURSOR}"), labels(editor, desk.root, f"[x](des{CURSOR})")
            assert (bool(wiki), bool(inline)) == (switch == "markdown_links", False)
    finally:
        desk.machine.environment()
