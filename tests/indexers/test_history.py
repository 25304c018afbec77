"""Reading the commits of the fixture workspace, and of repositories made for one trait each."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from fixtures.workspace import AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN
from postil_indexers.history import new_commits, reachable_shas, read_history
from postil_indexers.types import Commit, FileChange, Hunk


@pytest.fixture
def repo(tmp_path: Path) -> Workspace:
    return init(tmp_path / "repo")


def commits(workspace: Workspace) -> dict[str, Commit]:
    return {commit.subject: commit for commit in read_history(workspace.root)}


def last(workspace: Workspace) -> Commit:
    return next(iter(read_history(workspace.root, limit=1)))


def test_the_fixture_is_read_newest_first(built_workspace: Workspace) -> None:
    found = list(read_history(built_workspace.root))
    assert [commit.sha for commit in found] == built_workspace.git("rev-list", "HEAD").split()
    assert [commit.sha for commit in found] == reachable_shas(built_workspace.root)
    first = found[-1]
    assert (first.author_name, first.author_email) == ("Maya Okafor", "maya@millrace.example")
    assert first.parents == ()
    assert first.authored_at == first.committed_at == 1708956600
    assert first.subject == "Start Millrace, a job queue on Redis"
    assert first.body == "The design page says what we promise."
    assert {file.status for file in first.files} == {"A"}


def test_a_rename_with_edits(built_workspace: Workspace) -> None:
    commit = commits(built_workspace)["Rename backoff_policy to retry and add full jitter"]
    moved = next(file for file in commit.files if file.path == "millrace/retry.py")
    assert (moved.old_path, moved.status) == ("millrace/backoff_policy.py", "R")
    assert moved.hunks[0] == Hunk(2, 0, 2, 1, "", "+import random\n")
    assert moved.hunks[-1] == Hunk(
        16,
        1,
        18,
        2,
        "class RetryPolicy:",
        "-        return min(self.cap_seconds, self.base_seconds * self.factor ** attempt)\n"
        "+        ceiling = min(self.cap_seconds, self.base_seconds * self.factor ** attempt)\n"
        "+        return random.uniform(0.0, ceiling) if self.jitter else ceiling\n",
    )
    assert commit.added_names == ("jitter", "ceiling", "random", "retry", "uniform")
    assert commit.removed_names == ("backoff_policy",)


def test_the_turns_of_the_story(built_workspace: Workspace) -> None:
    found = commits(built_workspace)
    glossary = found["Add a glossary"]
    assert glossary.body == ""
    merge = found["Merge branch 'web-client'"]
    assert (len(merge.parents), merge.files) == (2, ())
    picked = found["Cap the backoff at five minutes"]
    assert picked.body.endswith(
        f"(cherry picked from commit {built_workspace.git('rev-parse', 'release-0.9').strip()})"
    )
    assert picked.authored_at < picked.committed_at
    assert found["Make backup.sh executable"].files == (FileChange("scripts/backup.sh", "scripts/backup.sh", "M"),)
    picture = found["Draw the architecture"].files[0]
    assert (picture.status, picture.binary, picture.hunks) == ("A", True, ())
    dropped = found["Drop the polling design, superseded by streams"].files[0]
    assert (dropped.status, dropped.hunks[0].old_lines, dropped.hunks[0].new_lines) == ("D", 6, 0)
    fix = found["修复：续租失败后任务被重复执行"]
    assert fix.author_name == "林晓雨"
    assert fix.body.startswith("续租脚本返回 0 时没有检查")
    assert "LeaseLost" in fix.added_names


def test_secrets_are_masked_wherever_they_stand(workspace: Workspace) -> None:
    workspace.commit(f"Note the key {AWS_KEY_ID}\n\nand {GITHUB_TOKEN} too")
    everything = repr(list(read_history(workspace.root)))
    assert "aws_access_key_id" in everything
    assert "Note the key AKIA" in everything
    for secret in (AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN):
        assert secret not in everything


def test_no_half_of_a_secret_is_left_in_the_context_line(repo: Workspace) -> None:
    name = "settings_of_the_service_that_mails_invoices_token"  # so long that git cuts the line within the token
    repo.write("a.py", f'{name} = "{GITHUB_TOKEN}"\n  x\n  y\n')
    repo.write("server.env", f"{name}={GITHUB_TOKEN}\n  x\n  y\n")
    repo.commit("one")
    for path in ("a.py", "server.env"):
        repo.replace(path, "  y\n", "  z\n")
    repo.commit("two")
    assert [file.hunks[0].symbol for file in last(repo).files] == [name, ""]


def test_exclude_and_limit(built_workspace: Workspace) -> None:
    shas = reachable_shas(built_workspace.root)
    tolerated = ["0" * 40, "1234567890" * 4, "--output=x", shas[3]]
    assert [commit.sha for commit in read_history(built_workspace.root, exclude=tolerated)] == shas[:3]
    assert [commit.sha for commit in read_history(built_workspace.root, limit=2)] == shas[:2]
    assert list(read_history(built_workspace.root, limit=0)) == []


def test_without_patches_only_names(built_workspace: Workspace) -> None:
    found = list(read_history(built_workspace.root, patches=False))
    assert len(found) == 33
    assert all(not file.hunks for commit in found for file in commit.files)
    assert not any(commit.text_missing for commit in found)
    sweep = next(commit for commit in found if commit.subject.startswith("Move journal"))
    assert ("R", "journal/2024-03-05.md", "notes/daily/2024-03-05.md") in {
        (file.status, file.old_path, file.path) for file in sweep.files
    }


def test_new_commits_after_an_amend(workspace: Workspace) -> None:
    known = set(reachable_shas(workspace.root))
    assert list(new_commits(workspace.root, known)) == []
    gone = workspace.head()
    workspace.git("commit", "-q", "--amend", "-m", "Another subject")
    workspace.write("a.md", "a\n")
    top = workspace.commit("One more")
    assert [commit.subject for commit in new_commits(workspace.root, known)] == ["One more", "Another subject"]
    reachable = reachable_shas(workspace.root)
    assert reachable[0] == top
    assert known - set(reachable) == {gone}
    assert [commit.sha for commit in new_commits(workspace.root, set())] == reachable


def test_messages_that_look_like_git_output(repo: Workspace) -> None:
    message = (
        "diff --git a/x b/x\n\n:100644 100644 0000000 1111111 M\tx\n\n@@ -1 +1 @@\n-a\n+b\n\ncommit "
        + "0" * 40
        + "\n\n\nend"
    )
    repo.write("x", "1\n")
    repo.commit(message)
    repo.write("y", "2\n")
    repo.commit("second")
    found = list(read_history(repo.root))
    assert [len(commit.files) for commit in found] == [1, 1]
    assert found[1].subject == "diff --git a/x b/x"
    assert found[1].body == message.partition("\n\n")[2].replace("\n\n\nend", "\n\nend")


def test_lines_that_look_like_headers(repo: Workspace) -> None:
    tricky = "@@ -1 +1 @@\ndiff --git a/b b/b\n\\ No newline at end of file\n-- a\n++ b\n\0\n" + "\0" + "0" * 40 + "\n"
    repo.write(".gitattributes", "* diff\n")  # NUL or not, as text
    repo.write("a.txt", tricky)
    repo.write("b", "b\n")
    repo.commit("one")
    repo.write("a.txt", "")
    repo.write("b", "c")
    repo.commit("two")
    two, one = read_history(repo.root)
    added = one.files[1].hunks
    assert (added[0].new_start, added[0].new_lines, len(added)) == (0, 7, 1)
    assert added[0].text == "".join(f"+{line}\n" for line in tricky.rstrip("\n").split("\n"))
    assert two.files[0].hunks[0].old_lines == 7
    assert two.files[1].hunks == (Hunk(0, 1, 0, 1, "", "-b\n+c\n"),)


def test_no_newline_at_the_end_of_either_side(repo: Workspace) -> None:
    repo.write("a", "one\ntwo")
    repo.commit("1")
    repo.write("a", "one\ntwo\n")
    repo.commit("2")
    repo.write("a", "one")
    repo.write("b", "x\n")
    repo.commit("3")
    three, two, one = read_history(repo.root)
    assert one.files[0].hunks == (Hunk(0, 0, 0, 2, "", "+one\n+two\n"),)
    assert two.files[0].hunks == (Hunk(1, 1, 1, 1, "one", "-two\n+two\n"),)
    assert [file.hunks for file in three.files] == [
        (Hunk(0, 2, 0, 1, "", "-one\n-two\n+one\n"),),
        (Hunk(0, 0, 0, 1, "", "+x\n"),),
    ]


def test_empty_sides_are_insertion_points(repo: Workspace) -> None:
    repo.write("a", "1\n2\n3\n")
    repo.commit("1")
    repo.write("a", "0\n1\n2\nnew\n3\n")
    repo.commit("2")
    repo.write("a", "0\n1\n3\n")
    repo.commit("3")
    three, two, _ = read_history(repo.root)
    assert [(h.old_start, h.old_lines, h.new_start, h.new_lines) for h in two.files[0].hunks] == [
        (0, 0, 0, 1),
        (2, 0, 3, 1),
    ]
    assert [(h.old_start, h.old_lines, h.new_start, h.new_lines) for h in three.files[0].hunks] == [(2, 2, 2, 0)]


def test_crlf_content_and_messages(repo: Workspace) -> None:
    repo.write("a", "one\r\ntwo\r\n")
    repo.git("add", "--all")
    repo.git("commit", "-q", "--cleanup=verbatim", "-m", "Subject\r\n\r\nBody\r\nmore\r\n")
    commit = last(repo)
    assert (commit.subject, commit.body) == ("Subject", "Body\nmore")
    assert commit.files[0].hunks == (Hunk(0, 0, 0, 2, "", "+one\n+two\n"),)


def test_a_resolved_conflict_is_shown_in_the_merge(repo: Workspace) -> None:
    repo.write("a", "1\n2\n3\n4\n")
    repo.write("other", "x\n")
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a", "1\nside\n3\n4\n")
    repo.write("other", "y\n")
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    repo.write("a", "1\nmain\n3\n4\n")
    repo.commit("main")
    repo.git("merge", "-q", "-s", "ours", "--no-commit", "side")
    repo.write("a", "1\nboth\nsolved\n3\n4\n")
    repo.write("other", "y\n")
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "Merge side")
    merge = last(repo)
    assert len(merge.parents) == 2
    assert [file.path for file in merge.files] == ["a"]
    hunk = merge.files[0].hunks[0]
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (1, 1, 1, 2)
    assert hunk.text.endswith("+both\n+solved\n")
