"""Headings, files and tags get other names, and all that names them follows."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from fixtures.editor import Editor
from fixtures.writing import changed, edited, place, relative, rename
from postil_indexers.chunking.parse import parse
from postil_indexers.links import LinkResolver, LinkTarget
from postil_indexers.types import Document, Parsed

FILES = {
    "0042.md": "# The old title\n\nText.\n",
    "sub/other.md": "[[The old title]] [[the old title|x]] [[0042]] [[Taken]]\n",
    "third.md": "# Taken\n",
    "a/one.md": "[[two]] [t](two.md) [[three]] [[../b/three]]\n",
    "a/two.md": "[[one]]\n",
    "b/three.md": "[[three]] [[a/two]] [[two.md]]\n",
    "c/far.md": "[[three]]\n",
    "tags/a.md": "---\ntags: [work, 'work/deep', homework]\n---\n#work and #work/deep, (#Work) `#work` #worker\n",
    "tags/b.md": '---\ntags:\n  - work\n  - "#work/x" # work\nkeywords: work, other\n---\n',
    "tags/c.md": '+++\ntags = ["work", "b"]\n+++\nText.\n',
    "tags/d.md": "---\ntags: work other\n---\n# On #work\n\n```\n#work\n```\n",
}


@pytest.fixture(scope="module")
def small(desk: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder of notes that link to each other in every way, indexed."""
    return desk.with_notes(tmp_path_factory.mktemp("small"), FILES)


@pytest.fixture(scope="module")
def code(small: Any) -> Iterator[Editor]:
    with Editor(small.machine, [small.workspace.root]) as editor:
        yield editor


def renamed(editor: Editor, desk: Any, path: str, text: str, new: str) -> dict[str, list[str]]:
    uri = editor.open_file(desk.root / path)
    try:
        return changed(desk.root, rename(editor, uri, place(desk.root, path, text), new))
    finally:
        editor.close(uri)


def refused(editor: Editor, desk: Any, path: str, text: str, new: str) -> str:
    with pytest.raises(JsonRpcException) as error:
        renamed(editor, desk, path, text, new)
    return re.sub(r" \(request .*", "", error.value.message)


def prepared(editor: Editor, desk: Any, path: str, text: str) -> tuple[str, str] | None:
    """(what the editor would replace, what it offers to change)"""
    uri = editor.open_file(desk.root / path)
    at = place(desk.root, path, text)
    found = editor.wait(
        editor.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(lsp.TextDocumentIdentifier(uri), at))
    )
    editor.close(uri)
    if found is None:
        return None
    line = (desk.root / path).read_text("utf-8").split("\n")[found.range.start.line]
    return line[found.range.start.character : found.range.end.character], found.placeholder


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("docs/design.md", "## Delivery", ("Delivery", "Delivery")),
        ("docs/lease protocol.md", "Delivery]]", ("Delivery", "Delivery")),
        ("docs/index.md", "0001-redis", ("0001-redis-streams", "0001-redis-streams")),
        ("README.md", "docs/retries.md", ("retries", "retries")),
        ("notes/rate limits.md", "Design of Millrace", ("Design of Millrace", "Design of Millrace")),
        ("docs/design.md", "millrace/core", ("millrace/core", "millrace/core")),
        ("docs/design.md", "architecture.png", ("architecture.png", "architecture.png")),
        ("docs/design.md", "object storage", None),
        ("docs/design.md", "scheduler](../", None),
        ("docs/design.md", "internal/scheduler/sch", None),
        ("docs/lease protocol.md", "example.org", None),
        ("docs/design.md", "| key | type", None),
    ],
)
def test_what_can_be_renamed(editor: Editor, desk: Any, path: str, text: str, found: tuple[str, str] | None) -> None:
    assert prepared(editor, desk, path, text) == found


@pytest.mark.parametrize("at", [("docs/design.md", "## Delivery"), ("docs/lease protocol.md", "Delivery]]")])
def test_a_heading_with_the_links_to_it(editor: Editor, desk: Any, at: tuple[str, str]) -> None:
    assert renamed(editor, desk, *at, "How *jobs* arrive") == {
        "docs/design.md": ["## How *jobs* arrive"],
        "docs/lease protocol.md": [
            "Related: [[design#How jobs arrive]], [[任务队列的可靠性]], "
            '[martin\'s article on distributed locks](https://example.org/locks "reading list").'
        ],
    }


def test_each_anchor_is_written_as_it_was(editor: Editor, desk: Any) -> None:
    text = (
        "[a](design.md#delivery) [b](<design.md#Delivery>) [c][l] [[design#Design of Millrace#Delivery]] "
        "[[design#^at-least-once]] ![[design#Delivery|x]] `[[design#Delivery]]` [[retries#Delivery]]\n\n"
        "[l]: design.md#Delivery 'title'\n"
    )
    new = editor.open_file(desk.root / "docs/new.md", text=text)
    design = editor.open_file(desk.root / "docs/design.md")
    try:
        edit = rename(editor, design, place(desk.root, "docs/design.md", "Delivery\n"), "At last (or not)")
    finally:
        editor.close(new)
        editor.close(design)
    assert edit is not None
    (change,) = (
        each
        for each in edit.document_changes or ()
        if isinstance(each, lsp.TextDocumentEdit) and each.text_document.uri == new
    )
    assert change.text_document.version == 1
    assert edited(text, change.edits) == (
        "[a](design.md#at-last-or-not) [b](<design.md#At last (or not)>) [c][l] "
        "[[design#Design of Millrace#At last (or not)]] "
        "[[design#^at-least-once]] ![[design#At last (or not)|x]] `[[design#Delivery]]` [[retries#Delivery]]\n\n"
        "[l]: design.md#At%20last%20(or%20not) 'title'\n"
    )


def test_a_setext_heading(editor: Editor, desk: Any) -> None:
    assert renamed(editor, desk, "docs/design.md", "What can go wrong", "What may fail") == {
        "docs/design.md": [
            "[[lease protocol#What may fail|what can go wrong]]. Exactly once was discussed and rejected in"
        ],
        "docs/lease protocol.md": ["What may fail"],
        "docs/runbooks/redis-failover.md": [
            "5. Leases that the new primary does not know are simply gone: expect duplicates for `lease_seconds`. "
            "See [[lease protocol#What may fail]]."
        ],
    }


def test_links_by_title_follow_the_title(code: Editor, small: Any) -> None:
    uri = code.open_file(small.root / "0042.md")
    at = lsp.Position(0, 4)
    assert changed(small.root, rename(code, uri, at, "A new one")) == {
        "0042.md": ["# A new one"],
        "sub/other.md": ["[[A new one]] [[A new one|x]] [[0042]] [[Taken]]"],
    }
    assert changed(small.root, rename(code, uri, at, "C# [and] more")) == {
        "0042.md": ["# C# [and] more"],
        "sub/other.md": ["[[0042]] [[0042|x]] [[0042]] [[Taken]]"],
    }


@pytest.mark.parametrize(
    ("path", "text", "new", "why"),
    [
        (
            "docs/design.md",
            "## Delivery",
            "storage",
            "line 13 of docs/design.md is the heading “Storage” already: links could not tell the two apart",
        ),
        (
            "docs/design.md",
            "## Delivery",
            "a]]b",
            "the link in line 33 of docs/lease protocol.md can't hold [, ] or |",
        ),
        ("docs/design.md", "## Delivery", "  ", "a name is one line that is not empty"),
        ("docs/design.md", "## Delivery", "a\n# b", "a name is one line that is not empty"),
        ("docs/lease protocol.md", "Acquire", "- it", "“- it” would not be read as this heading"),
        ("README.md", "docs/retries.md", "glossary", "there is a file docs/glossary.md already"),
        ("README.md", "docs/retries.md", "../../x", "the new name leads out of the folder"),
        (
            "README.md",
            "docs/retries.md",
            "a|b",
            "“a|b.md” has '|' in it, which links or other systems can't have in a file name",
        ),
        (
            "docs/design.md",
            "millrace/core",
            "design",
            "#design is in use already, in 1 note: the two could not be told apart any more",
        ),
        ("docs/design.md", "millrace/core", "12", "“12” is no tag: letters, digits, - _ and /, and not digits alone"),
        ("docs/design.md", "millrace/core", "a b", "“a b” is no tag: letters, digits, - _ and /, and not digits alone"),
        (
            "docs/design.md",
            "object storage",
            "x",
            "nothing here can be renamed: put the cursor on a heading, a tag, or the name in a link",
        ),
    ],
)
def test_what_would_break_something_is_refused(
    editor: Editor, desk: Any, path: str, text: str, new: str, why: str
) -> None:
    assert refused(editor, desk, path, text, new) == why


def test_a_file_with_the_links_to_it_and_inside_it(editor: Editor, desk: Any) -> None:
    assert renamed(editor, desk, "docs/design.md", "retries.md#B", "more/again (2)") == {
        "README.md": ["- [Retries](docs/more/again%20(2).md): backoff, attempts and the dead letter list"],
        "docs/design.md": [
            "How long it waits is decided by `RetryPolicy`, see [retries](more/again%20(2).md#Backoff)."
        ],
        "docs/glossary.md": ["Waiting longer after each failure. 退避。See [[again (2)#Backoff]]."],
        "docs/index.md": ["- [[again (2)]]"],
        "docs/retries.md": [
            "back, see [the runbook](../runbooks/stuck-queue.md#Requeue%20dead%20letters) or call `requeueDead` "
            "of the TypeScript client.",
            "-> docs/more/again (2).md",
        ],
        "notes/daily/2024-03-05.md": ["Talked with Jonas about [[again (2)]]."],
        "notes/rate limits.md": ["See [[Design of Millrace]] and [[again (2)]]."],
        "notes/reading/index.md": ["- Full jitter, from an old cloud architecture blog: [[again (2)#^full-jitter]]"],
    }


def test_a_name_that_is_not_alone_gets_its_folder(code: Editor, small: Any) -> None:
    uri = code.open_file(small.root / "b/three.md")
    with pytest.raises(JsonRpcException, match=r"“three” in a/one\.md, and 1 more would come to mean"):
        rename(code, uri, lsp.Position(0, 17), "three")
    assert changed(small.root, rename(code, uri, lsp.Position(0, 17), "/d/two")) == {
        "a/one.md": ["[[two]] [t](../d/two.md) [[three]] [[../b/three]]"],
        "a/two.md": ["-> d/two.md"],
        "b/three.md": ["[[three]] [[d/two]] [[two.md]]"],
    }
    moves = [lsp.FileRename((small.root / "a/two.md").as_uri(), (small.root / "a/three.md").as_uri())]
    edit = code.wait(code.client.workspace_will_rename_files_async(lsp.RenameFilesParams(moves)))
    assert changed(small.root, edit) == {
        "a/one.md": ["[[a/three]] [t](three.md) [[b/three]] [[../b/three]]"],
        "b/three.md": ["[[three]] [[a/three]] [[a/three.md]]"],
        "c/far.md": ["[[b/three]]"],
    }


def test_moves_in_the_file_explorer(editor: Editor, desk: Any) -> None:
    def moved(old: str, new: str) -> dict[str, list[str]]:
        moves = [lsp.FileRename((desk.root / old).as_uri(), (desk.root / new).as_uri())]
        edit = editor.wait(editor.client.workspace_will_rename_files_async(lsp.RenameFilesParams(moves)))
        return {} if edit is None else changed(desk.root, edit)

    assert moved("docs", "documents") == {
        "README.md": [
            "- [Design](documents/design.md): what we promise and how we keep it",
            "- [Retries](documents/retries.md): backoff, attempts and the dead letter list",
            "- [Runbooks](documents/runbooks/stuck-queue.md) for the person on call",
        ],
        "notes/\U0001f680 launch checklist.md": [
            "Depends on [[design]] and on [the failover drill](<../documents/runbooks/redis-failover.md>). #launch"
        ],
    }
    assert moved("docs/runbooks/stuck-queue.md", "notes/stuck-queue.md") == {
        "README.md": ["- [Runbooks](notes/stuck-queue.md) for the person on call"],
        "docs/retries.md": [
            "back, see [the runbook](../notes/stuck-queue.md#Requeue%20dead%20letters) or call `requeueDead` "
            "of the TypeScript client."
        ],
        "docs/runbooks/stuck-queue.md": [
            "Write down what happened in [today's note](daily/2024-04-16.md) and tell @jonas."
        ],
    }
    assert moved("docs/architecture.png", "docs/pictures/plan.png") == {"docs/design.md": ["![[plan.png]]"]}
    assert moved("internal/scheduler/scheduler.go", "scheduler.go") == {
        "docs/design.md": [
            "A failed job waits in the delayed set and is promoted by the [scheduler](../scheduler.go) when it is due."
        ]
    }
    assert moved("docs/nothing.md", "docs/else.md") == {}


def meanings(root: Path) -> dict[tuple[str, int], str | None]:
    """What each link of each note means: by note and the link's number in it."""
    paths = [
        path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and ".git" not in path.parts
    ]
    texts = {path: (root / path).read_bytes().decode() for path in paths if path.endswith(".md")}
    parsed = {path: parse(Document(path, text, "markdown"))[1] for path, text in texts.items()}
    nothing = Parsed("")
    notes = ((path, parsed.get(path, nothing)) for path in paths)
    resolver = LinkResolver(LinkTarget(path, note.title, note.aliases, note.note_id) for path, note in notes)
    return {
        (path, number): resolver.resolve(path, link).path
        for path, note in parsed.items()
        for number, link in enumerate(note.links)
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("docs", "notes/old docs (1)"),
        ("docs/design.md", "design.md"),
        ("docs/lease protocol.md", "notes/reading/100% lease & [1].md"),
        ("docs/retries.md", "docs/glossary and more.md"),
        ("docs/runbooks/redis-failover.md", "docs/runbooks/sub/stuck-queue.md"),
        ("notes", "docs/notes"),
        ("notes/reading/index.md", "notes/reading.md"),
        ("config/redis.conf", "deploy/redis (prod).conf"),
        ("docs/architecture.png", "pictures/architecture.png"),
    ],
)
def test_after_a_move_every_link_means_what_it_meant(
    editor: Editor, desk: Any, tmp_path: Path, old: str, new: str
) -> None:
    moves = [lsp.FileRename((desk.root / old).as_uri(), (desk.root / new).as_uri())]
    edit = editor.wait(editor.client.workspace_will_rename_files_async(lsp.RenameFilesParams(moves)))
    root = tmp_path / "millrace"
    shutil.copytree(desk.root, root, ignore=shutil.ignore_patterns(".git"))
    before = meanings(root)
    for change in edit.document_changes if edit else ():
        note = root / relative(desk.root, change.text_document.uri)
        note.write_bytes(edited(note.read_bytes().decode(), change.edits).encode())
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    (root / old).rename(root / new)

    def moved(path: str | None) -> str | None:
        inside = path == old or (path or "").startswith(f"{old}/")
        return f"{new}{path[len(old) :]}" if path and inside else path

    wanted = {(moved(path), number): moved(meant) for (path, number), meant in before.items()}
    assert {key: meant for key, meant in meanings(root).items() if meant != wanted[key]} == {}


def test_a_tag_and_those_nested_in_it(code: Editor, small: Any) -> None:
    uri = code.open_file(small.root / "tags/a.md")
    assert changed(small.root, rename(code, uri, lsp.Position(3, 2), "#job/paid")) == {
        "tags/a.md": [
            "tags: [job/paid, 'job/paid/deep', homework]",
            "#job/paid and #job/paid/deep, (#job/paid) `#work` #worker",
        ],
        "tags/b.md": ["  - job/paid", '  - "#job/paid/x" # work', "keywords: job/paid, other"],
        "tags/c.md": ['tags = ["job/paid", "b"]'],
        "tags/d.md": ["tags: job/paid other", "# On #job/paid"],
    }
    assert changed(small.root, rename(code, uri, lsp.Position(3, 14), "task")) == {
        "tags/a.md": ["tags: [work, 'task', homework]", "#work and #task, (#Work) `#work` #worker"],
    }


def test_an_older_client_gets_plain_changes_and_renames_no_file(desk: Any) -> None:
    editor = Editor(desk.machine, [desk.workspace.root])
    workspace = editor._params.capabilities.workspace
    assert workspace is not None
    workspace.workspace_edit = None
    with editor:
        uri = editor.open_file(desk.root / "docs/design.md")
        edit = rename(editor, uri, place(desk.root, "docs/design.md", "## Delivery"), "Arrival")
        assert edit is not None
        assert edit.document_changes is None
        assert list(changed(desk.root, edit)) == ["docs/design.md", "docs/lease protocol.md"]
        with pytest.raises(JsonRpcException, match="this editor can't rename files for a language server"):
            rename(editor, uri, place(desk.root, "docs/design.md", "retries.md#B"), "again")


def test_where_the_editor_serves_standard_links_only_wiki_links_change(desk: Any) -> None:
    machine = replace(desk.machine, settings='[embedding]\nprose = ""\n[features]\nmarkdown_links = false\n')
    try:
        with Editor(machine, [desk.workspace.root]) as editor:
            found = renamed(editor, desk, "docs/glossary.md", "retries#B", "again")
            assert list(found) == [
                "docs/glossary.md",
                "docs/index.md",
                "notes/daily/2024-03-05.md",
                "notes/rate limits.md",
                "notes/reading/index.md",
                "docs/retries.md",
            ]
            assert found["docs/retries.md"] == ["-> docs/again.md"]
            assert prepared(editor, desk, "README.md", "docs/retries.md") is None
    finally:
        desk.machine.environment()


def test_links_in_a_note_that_changed_on_disk_are_found_where_they_are_now(desk: Any, tmp_path: Path) -> None:
    root = tmp_path / "millrace"
    shutil.copytree(desk.root, root, ignore=shutil.ignore_patterns(".git"))
    machine = replace(desk.machine, folder=tmp_path / "machine")
    assert machine.postil("index", str(root)).status == 0
    glossary = root / "docs/glossary.md"
    glossary.write_text("New first line. [[retries]]\n\n" + glossary.read_text("utf-8"), encoding="utf-8")
    (root / "docs/index.md").unlink()
    with Editor(machine, [str(root)]) as editor:
        uri = editor.open_file(root / "docs/design.md")
        edit = rename(editor, uri, place(root, "docs/design.md", "retries.md#B"), "again")
        found = changed(root, edit)
    assert found["docs/glossary.md"] == [
        "New first line. [[again]]",
        "Waiting longer after each failure. 退避。See [[again#Backoff]].",
    ]
    assert "docs/index.md" not in found


def test_what_is_refused_stands_in_the_log_without_the_words_of_the_note(code: Editor, small: Any) -> None:
    uri = code.open_file(small.root / "0042.md")
    with pytest.raises(JsonRpcException) as error:
        rename(code, uri, lsp.Position(0, 4), "Taken")
    assert error.value.message.startswith("the link to “Taken” in sub/other.md would come to mean another note")
    (log,) = small.machine.folder.rglob("server.log")
    (line,) = (
        line
        for line in log.read_text("utf-8").splitlines()
        if error.value.data["request"] in line and "refused" in line
    )
    assert "Taken" not in line


def test_an_editor_that_asks_again_when_it_renames_the_file_gets_no_second_edit(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/glossary.md")
    edit = rename(editor, uri, place(desk.root, "docs/glossary.md", "retries#B"), "sub/again")
    editor.close(uri)
    assert edit is not None
    opened = []
    for change in edit.document_changes or ():
        if isinstance(change, lsp.TextDocumentEdit):
            path = desk.root / relative(desk.root, change.text_document.uri)
            text = edited(path.read_bytes().decode(), change.edits)
            opened.append(editor.open(change.text_document.uri, text))
        else:
            move = lsp.FileRename(change.old_uri, change.new_uri)
    assert len(opened) == 8
    again = editor.wait(editor.client.workspace_will_rename_files_async(lsp.RenameFilesParams([move])))
    for uri in opened:
        editor.close(uri)
    assert again is None
