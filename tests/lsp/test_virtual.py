"""`postil:` documents: a commit, a file as it was, and what is refused: other folders, other paths, secrets."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from fixtures.editor import Editor
from fixtures.workspace import AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN
from postil_server.lsp.virtual_uris import AnswerPage, CommitPage, FilePage, commit_uri, file_uri, page_of, root_key

KEY, SHA = "0123456789abcdef", "a" * 40


def sha_of(editor: Editor, subject: str) -> str:
    found = editor.ask("postil/history", {"query": subject})["commits"]
    return str(next(commit["sha"] for commit in found if commit["subject"].startswith(subject)))


def content(editor: Editor, uri: str) -> str:
    return str(editor.ask("postil/content", {"uri": uri})["text"])


def test_the_server_says_that_it_has_these_documents(editor: Editor) -> None:
    workspace = editor.initialized.capabilities.workspace
    assert list(workspace.text_document_content.schemes) == ["postil"]


def test_a_commit_is_its_message_and_its_changed_lines(editor: Editor, desk: Any) -> None:
    uri = commit_uri(desk.workspace.root, sha_of(editor, "scheduler: promote due jobs"))
    assert content(editor, uri) == (
        f"commit {uri.rpartition('/')[2].removesuffix('.diff')}\n"
        "Author: Jonas Brandt\n"
        "Date:   2024-04-11 09:20:00 UTC\n\n"
        "    scheduler: promote due jobs in batches of 100\n\n"
        "diff --git a/internal/scheduler/scheduler.go b/internal/scheduler/scheduler.go\n"
        "--- a/internal/scheduler/scheduler.go\n"
        "+++ b/internal/scheduler/scheduler.go\n"
        "@@ -10,0 +11,3 @@ import (\n"
        "+// batchSize bounds the time one queue can hold up the others.\n"
        "+const batchSize = 100\n"
        "+\n"
        "@@ -53 +56 @@ func (s *Scheduler) promoteDue(ctx context.Context, queue string, now time.Time)\n"
        "-\tdue, err := s.store.Due(ctx, queue, now, 1)\n"
        "+\tdue, err := s.store.Due(ctx, queue, now, batchSize)\n"
    )


def test_the_standard_request_gives_the_same(editor: Editor, desk: Any) -> None:
    uri = commit_uri(desk.workspace.root, sha_of(editor, "Draw the architecture"))
    asked = editor.client.protocol.send_request_async(
        lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, lsp.TextDocumentContentParams(uri)
    )
    assert editor.wait(asked).text == content(editor, uri)
    assert "Binary files differ" in content(editor, uri)


def test_a_file_as_it_was_at_a_commit(editor: Editor, desk: Any) -> None:
    sha = sha_of(editor, "Add RetryPolicy with exponential backoff")
    old = content(editor, file_uri(desk.workspace.root, sha, "millrace/backoff_policy.py"))
    assert "return attempt > self.max_attempts" in old
    assert "jitter" not in old
    note = content(editor, file_uri(desk.workspace.root, sha_of(editor, "新增笔记"), "notes/Redis内存碎片整理.md"))
    assert note.startswith("---\n标签: [redis, 内存]\n")


def test_what_was_secret_is_masked_wherever_it_stands(editor: Editor, desk: Any) -> None:
    sha = sha_of(editor, "Add production settings for the backup job")
    for uri in (commit_uri(desk.workspace.root, sha), file_uri(desk.workspace.root, sha, "config/production.toml")):
        text = content(editor, uri)
        assert 'bucket = "millrace-backups"' in text
        assert not any(secret in text for secret in (AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("docs/architecture.png", "is not text"),
        ("docs/nothing.md", "there is no file"),
        (".env", "holds keys or credentials"),
        ("docs", "there is no file"),
    ],
)
def test_a_file_that_can_not_be_shown_says_why(editor: Editor, desk: Any, path: str, said: str) -> None:
    sha = sha_of(editor, "Draw the architecture")
    with pytest.raises(JsonRpcException, match=said):
        content(editor, file_uri(desk.workspace.root, sha, path))


def test_only_open_folders_and_commits_of_the_index_are_shown(editor: Editor, desk: Any) -> None:
    with pytest.raises(JsonRpcException, match="is not open"):
        content(editor, commit_uri("/somewhere/else", SHA))
    for uri in (commit_uri(desk.workspace.root, SHA), file_uri(desk.workspace.root, SHA, "README.md")):
        with pytest.raises(JsonRpcException, match="no commit aaaaaaaaaa is in the index"):
            content(editor, uri)


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "postil:/commit/../../etc/passwd",
        f"postil:/commit/{KEY}/HEAD.diff",
        f"postil:/commit/{KEY}/{SHA}.diff?x",
        f"postil:/commit/{KEY}/{SHA}.diff#x",
        f"postil://host/commit/{KEY}/{SHA}.diff",
        f"postil:/commit/{KEY}/{SHA.upper()}.diff",
        f"postil:/file/{KEY}/{SHA}/../secret",
        f"postil:/file/{KEY}/{SHA}/a/%2e%2e/b",
        f"postil:/file/{KEY}/{SHA}//etc/passwd",
        f"postil:/file/{KEY}/{SHA}/a%00b",
        f"postil:/file/{KEY}/{SHA}/a%2",
        f"postil:/file/{KEY}/{SHA}/",
        f"postil:/file/{KEY}/--output=x/a",
        "postil:/answer/../x.md",
        "",
    ],
)
def test_a_uri_that_is_not_just_so_is_none(editor: Editor, uri: str) -> None:
    assert page_of(uri) is None
    with pytest.raises(JsonRpcInvalidParams, match="uri"):
        content(editor, uri)


def test_uris_are_read_as_they_are_written() -> None:
    root, path = "/home/me/caf\u00e9 notes", "docs/a b#?%\udcff.md"
    assert page_of(commit_uri(root, SHA)) == CommitPage(root_key(root), SHA)
    assert page_of(file_uri(root, SHA, path)) == FilePage(root_key(root), SHA, path)
    assert page_of("postil:///answer/0123456789abcdef.md") == AnswerPage("0123456789abcdef")
    assert "home" not in file_uri(root, SHA, path)
