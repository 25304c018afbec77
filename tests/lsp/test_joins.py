"""Commits, notes and code find each other in an editor: ids and issues under the cursor, pages, partners."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp

from fixtures.actions import actions
from fixtures.editor import Editor
from fixtures.hover_places import place
from postil_server.lsp.virtual_uris import commit_uri, file_uri

FIXED = "Fix off-by-one in counting attempts (#42)"


def line_of(text: str, words: str) -> tuple[int, int]:
    number = next(number for number, line in enumerate(text.split("\n")) if words in line)
    return number, text.split("\n")[number].index(words)


def test_an_issue_in_a_note_tells_its_commit(editor: Editor, desk: Any) -> None:
    sha = desk.workspace.sha("Fix off-by-one")
    line, column = place(desk.root, "docs/retries.md", "#42")
    uri = editor.open_file(desk.root / "docs/retries.md")
    hover = editor.hover(uri, line, column + 1)
    editor.close(uri)
    assert hover is not None
    assert hover.range == lsp.Range(lsp.Position(line, column), lsp.Position(line, column + 3))
    told = str(hover.contents.value)  # type: ignore[union-attr]
    assert "2024-03-20 Fix off-by-one in counting attempts" in told
    assert commit_uri(desk.workspace.root, sha) in told
    assert "`max_attempts` counts the first try" in told


def test_a_commit_id_in_a_comment_tells_its_commit(editor: Editor, desk: Any) -> None:
    sha = desk.workspace.sha("Claim jobs with a lease instead of a lock")
    uri = editor.open_file(desk.root / "millrace/new.py", "python", f"# since {sha[:8]}\nx = 0xdeadbeef1\n")
    told = editor.hover_text(uri, 0, 10)
    assert told is not None
    assert "2024-02-28 Claim jobs with a lease instead of a lock" in told
    assert editor.hover_text(uri, 1, 6) is None  # no commit of ours
    editor.close(uri)


def test_a_paragraph_that_names_a_commit_shows_it_among_what_is_related(editor: Editor, desk: Any) -> None:
    sha = desk.workspace.sha("Merge branch 'web-client'")
    uri = editor.open_file(desk.root / "notes/new.md", text=f"# New\n\nSomething about {sha[:9]}, with words.\n")
    told = editor.hover_text(uri, 2, 3)
    editor.close(uri)
    assert told is not None
    assert f"(named here: {sha[:9]})" in told


def test_the_page_of_a_commit_says_who_names_it_and_what_came_of_it(editor: Editor, desk: Any) -> None:
    def page(words: str) -> str:
        uri = commit_uri(desk.workspace.root, desk.workspace.sha(words))
        return str(editor.ask("postil/content", {"uri": uri})["text"])

    assert "\nNote:   docs/retries.md:20 names #42: body as `attempt`" in page("Fix off-by-one")
    undone = desk.workspace.git("rev-parse", f"{desk.workspace.sha('This reverts commit')}^").strip()
    text = editor.ask("postil/content", {"uri": commit_uri(desk.workspace.root, undone)})["text"]
    assert "\nLater:  " in text
    assert 'takes it back: Revert "Cache ready_count' in text


def test_a_path_in_a_note_leads_to_the_file_and_the_file_to_the_note(editor: Editor, desk: Any) -> None:
    line, column = place(desk.root, "docs/design.md", "`millrace/lease.py`")
    uri = editor.open_file(desk.root / "docs/design.md")
    told = editor.hover_text(uri, line, column + 4)
    editor.close(uri)
    assert told is not None
    assert f"[millrace/lease.py]({(desk.root / 'millrace/lease.py').as_uri()}#L1)" in told
    assert "2024-03-18 修复：续租失败后任务被重复执行" in told
    uri = editor.open_file(desk.root / "millrace/lease.py", "python")
    act = actions(editor, uri, lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)))["Notes that name lease.py"]
    assert act["command"]["command"] == "postil.server.backlinks"
    items = editor.command("postil.server.backlinks", act["command"]["arguments"][0])["items"]
    editor.close(uri)
    assert [(each["uri"], each["range"]["start"]["line"]) for each in items] == [
        ((desk.root / "docs/design.md").as_uri(), line)
    ]


def partners(editor: Editor, uri: str) -> list[dict[str, Any]]:
    found = actions(editor, uri, lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)))
    return [each for title, each in found.items() if "usually changes with this" in title]


def test_what_usually_changes_with_a_changed_file_is_offered(editor: Editor, desk: Any) -> None:
    retry, tests = desk.root / "millrace/retry.py", desk.root / "tests/test_retry.py"
    uri = editor.open_file(retry, "python")
    assert partners(editor, uri) == []  # as committed
    editor.change(uri, 2, lsp.TextDocumentContentChangeWholeDocument(retry.read_text() + "\n# more\n"))
    (partner,) = partners(editor, uri)
    assert partner["title"] == "Open tests/test_retry.py, which usually changes with this (4 of 5 times)"
    assert partner["command"]["command"] == "postil.server.open"
    assert partner["command"]["arguments"] == [{"uri": tests.as_uri(), "line": 0}]
    other = editor.open_file(tests, "python", tests.read_text() + "\n# more\n")
    assert partners(editor, uri) == []  # it is changed as well
    editor.close(other)
    editor.close(uri)


def test_hunks_lead_to_the_lines_as_they_were_and_as_they_are(editor: Editor, desk: Any) -> None:
    root, sha = desk.workspace.root, desk.workspace.sha("Fix off-by-one")
    answer = editor.ask("postil/history", {"query": "off-by-one", "filters": {"sha": sha}})
    hunk, _ = answer["commits"][0]["hunks"]
    now, _ = place(desk.root, "millrace/retry.py", "return attempt >= self.max_attempts")
    assert hunk["symbol"] == "RetryPolicy.exhausted"
    assert hunk["was"]["uri"] == file_uri(root, sha, "millrace/retry.py")
    assert (hunk["now"]["uri"], hunk["now"]["whole"]) == ((desk.root / "millrace/retry.py").as_uri(), True)
    assert hunk["now"]["range"]["start"]["line"] == now
    then = editor.ask("postil/content", {"uri": hunk["was"]["uri"]})["text"].split("\n")
    assert then[hunk["was"]["range"]["start"]["line"]].strip() == "return attempt >= self.max_attempts"


def test_lines_that_are_gone_are_told_as_gone(editor: Editor, desk: Any) -> None:
    answer = editor.ask("postil/history", {"filters": {"sha": desk.workspace.sha("Drop the polling design")}})
    (hunk,) = answer["commits"][0]["hunks"]
    assert hunk["followed"] is True
    assert hunk["now"] is None
    then = editor.ask("postil/content", {"uri": hunk["was"]["uri"]})["text"]
    assert then.startswith("# ")  # the page before it was dropped


def test_the_history_of_lines_says_what_changes_with_them_and_whom_to_blame(editor: Editor, desk: Any) -> None:
    line, _ = place(desk.root, "millrace/retry.py", "return attempt >= self.max_attempts")
    lines = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    document = {"uri": (desk.root / "millrace/retry.py").as_uri()}
    answer = editor.ask("postil/history", {"textDocument": document, "range": lines, "explain": True})
    assert answer["blame"] == desk.workspace.sha("Fix off-by-one")
    assert answer["commits"][0]["explanation"]["notes"][0]["names"] == "#42"


def test_a_file_that_no_commit_has_is_told_with_the_nearest(editor: Editor, desk: Any) -> None:
    lines = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    document = {"uri": (desk.root / "millrace/retries.py").as_uri()}
    answer = editor.ask("postil/history", {"textDocument": document, "range": lines})
    assert answer["commits"] == []
    assert answer["notes"][0].startswith("no commit changed a file 'millrace/retries.py'; nearest: ")


def test_commits_are_told_one_by_one_in_their_order(editor: Editor, desk: Any) -> None:
    events: list[dict[str, Any]] = []
    features = editor.client.protocol.fm.features
    features["postil/answer"] = lambda params: events.append(params)
    answer = editor.ask("postil/history", {"filters": {"author": "jonas"}, "stream": "jonas", "limit": 5})
    del features["postil/answer"]
    told = [[commit.sha for commit in event.commits] for event in events]
    assert told == [[commit["sha"]] for commit in answer["commits"]]
    dates = [commit["committed_at"] for commit in answer["commits"]]
    assert len(dates) == 5
    assert dates == sorted(dates, reverse=True)
