"""Commits that only another branch has: found and marked where the settings want them, and never taken for HEAD's."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.index_dump import differences, dump
from fixtures.repository import Workspace, init
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.progress import Progress
from postil_indexers.store.index import Index, write_index
from postil_indexers.types import Span
from postil_server.answering.changes import summarise_changes
from postil_server.answering.commitsource import commit_source
from postil_server.answering.corpus import Corpus
from postil_server.cochange import changed_together
from postil_server.commit_hits import commit_hits
from postil_server.explain import explain
from postil_server.linesnow import LineTracer
from postil_server.named import named_commits, told_commits
from postil_server.records import citation_record, hit_fields
from postil_server.spanhistory import last_changes
from postil_server.timeline import history
from postil_server.tracing import traced_hunks
from postil_server.types import FoundCommit
from postil_server.worktree import is_changed

QUEUE = "def claim():\n    return 1\n\n\ndef release():\n    return 2\n"
HARDEN = "Harden the lease handshake"  # on release/2 alone


@pytest.fixture
def repository(tmp_path: Path) -> Workspace:
    """`main` with three commits, and `release/2`, which has the first of them and one of its own that is younger."""
    made = init(tmp_path / "repository")
    made.write("queue.py", QUEUE)
    made.commit("Claim and release jobs")
    made.git("switch", "-q", "-c", "release/2")
    made.git("switch", "-q", "main")
    made.replace("queue.py", "return 2", "return 22")
    made.commit("Release jobs twice as fast")
    made.git("switch", "-q", "release/2")
    made.replace("queue.py", "return 1", "return handshake()")
    made.commit(HARDEN, date="2030-01-01T00:00:00 +0000")
    made.git("switch", "-q", "main")
    return made


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with write_index(tmp_path / "index.db") as opened:
        yield opened


def read(index: Index, repository: Workspace, *branches: str) -> list[int]:
    """Bring the index up to the repository; how many commits each step read."""
    steps: list[Progress] = []
    index_workspace(index, repository.root, {}, processes=0)
    index_history(index, repository.root, {}, branches=branches, listener=steps.append)
    return [step.done for step in steps if step.stage == "history"]


def found(index: Index, query: str, path: str | None = None) -> list[FoundCommit]:
    return list(history(index, query, {}, 10, path).commits)


def marked(index: Index) -> dict[str, str]:
    """Subject -> branch, of all commits."""
    ids = index.commit_filters.all()
    return {row.subject: row.branch for row in index.history.rows(ids).values()}


def unlike_anew(index: Index, repository: Workspace, *branches: str) -> str:
    """What an index that is made from nothing holds otherwise."""
    with write_index(index.path.with_name(f"{repository.head()}.db")) as anew:
        read(anew, repository, *branches)
        return differences(dump(index), dump(anew))


MAIN = {"Claim and release jobs": "", "Release jobs twice as fast": ""}


def test_only_the_current_branch_is_indexed_by_default(index: Index, repository: Workspace) -> None:
    read(index, repository)
    assert marked(index) == MAIN
    assert found(index, "lease handshake") == []
    assert index.warnings() == []


@pytest.mark.parametrize("pattern", ["release/2", "release/*", "*", "[qr]*2"])
def test_a_branch_of_a_pattern_is_found_and_marked(index: Index, repository: Workspace, pattern: str) -> None:
    read(index, repository, pattern)
    assert marked(index) == {**MAIN, HARDEN: "release/2"}
    assert [(commit.subject, commit.branch) for commit in found(index, "lease handshake")] == [(HARDEN, "release/2")]
    assert HARDEN in [commit.subject for commit in found(index, "", "queue.py")]


def test_remote_branches_are_matched_by_their_short_names(index: Index, repository: Workspace, tmp_path: Path) -> None:
    repository.git("clone", "-q", repository.root, str(tmp_path / "clone"))
    clone = Workspace(tmp_path / "clone")
    read(index, clone, "origin/*")
    assert marked(index) == {**MAIN, HARDEN: "origin/release/2"}
    assert index.warnings() == []


def test_a_pattern_without_a_branch_is_a_warning_until_it_has_one(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/3", "release/2", "elsewhere/*")
    assert index.warnings() == ["no branch matches elsewhere/*", "no branch matches release/3"]
    repository.git("branch", "release/3")
    read(index, repository, "release/3", "release/2")
    assert index.warnings() == []


def test_a_folder_in_no_repository_has_no_branches_to_miss(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    index_history(index, str(folder), {}, branches=("release/*",))
    assert (index.warnings(), marked(index)) == ([], {})


def test_a_deleted_branch_takes_its_commits_with_it(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    repository.git("branch", "-D", "release/2")
    read(index, repository, "release/*")
    assert marked(index) == MAIN
    assert index.warnings() == ["no branch matches release/*"]


def test_a_setting_that_is_taken_back_takes_them_too(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    assert read(index, repository) == []
    assert marked(index) == MAIN


def test_a_branch_that_moved_is_followed(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    repository.git("branch", "-f", "release/2", "main")
    read(index, repository, "release/*")
    assert marked(index) == MAIN
    repository.git("branch", "release/3", repository.git("rev-parse", "release/2@{1}").strip())
    assert read(index, repository, "release/*") == [1]
    assert marked(index) == {**MAIN, HARDEN: "release/3"}


def test_a_switch_reads_nothing_again(index: Index, repository: Workspace) -> None:
    read(index, repository, "main", "release/*")
    repository.git("switch", "-q", "release/2")
    assert read(index, repository, "main", "release/*") == []
    assert marked(index) == {"Claim and release jobs": "", "Release jobs twice as fast": "main", HARDEN: ""}
    assert [row.subject for row in last_changes(index, repository.root, "queue.py", Span(0, 2), 9)] == [
        *(HARDEN, "Claim and release jobs")
    ]
    assert unlike_anew(index, repository, "main", "release/*") == ""
    repository.git("switch", "-q", "main")
    assert read(index, repository, "main", "release/*") == []
    assert marked(index) == {**MAIN, HARDEN: "release/2"}
    assert unlike_anew(index, repository, "main", "release/*") == ""


def test_a_merge_makes_them_commits_of_head(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    repository.git("merge", "-q", "--no-edit", "release/2")
    assert read(index, repository, "release/*") == [1]
    assert marked(index) == {**MAIN, HARDEN: "", "Merge branch 'release/2'": ""}
    assert [row.subject for row in last_changes(index, repository.root, "queue.py", Span(0, 2), 1)] == [HARDEN]


def test_a_workspace_below_the_top_takes_what_touches_it(index: Index, repository: Workspace) -> None:
    repository.git("switch", "-q", "release/2")
    repository.write("sub/note.md", "# A note\n")
    repository.commit("Add a note below")
    repository.git("switch", "-q", "main")
    repository.write("sub/own.md", "# Another\n")
    repository.commit("Add another below")
    index_history(index, str(repository.path("sub")), {}, branches=("release/*",))
    assert marked(index) == {"Add another below": "", "Add a note below": "release/2"}


def test_they_are_no_part_of_what_lines_came_by_or_are(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    for span in (Span(0, 2), Span(0, 6)):
        assert HARDEN not in [row.subject for row in last_changes(index, repository.root, "queue.py", span, 9)]
    assert not is_changed(index, repository.root, "queue.py")
    assert index.file_changes.newest_blob("queue.py") == index.file_changes.of("queue.py")[_id(index, "twice")].new_blob
    assert len(index.history.touching("queue.py")) == 2
    assert len(index.file_changes.of("queue.py")) == 2
    assert index.cochanges.times_changed(index.cochanges.names_of("queue.py")).total() == 2
    assert (index.branches.count(), index.history.count()) == (2, 3)
    assert [row.subject for row in index.history.rows(index.history.newest(9)).values() if row.branch] == []


def test_lines_that_were_never_here_are_not_called_gone(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    (commit,) = found(index, "lease handshake")
    with index.snapshot():
        (hunk,) = traced_hunks(index, LineTracer(index, repository.root), commit)
    assert (hunk.followed, hunk.now) == (False, None)


def test_a_file_that_only_another_branch_deleted_or_renamed_is_here(index: Index, repository: Workspace) -> None:
    repository.git("switch", "-q", "release/2")
    repository.rename("queue.py", "lanes.py")
    repository.commit("Call it lanes")
    repository.git("switch", "-q", "main")
    read(index, repository, "release/*")
    assert index.cochanges.present_name("queue.py") == "queue.py"
    assert index.file_changes.newest_blob("queue.py")
    assert not index.file_changes.newest_blob("lanes.py")
    (commit,) = found(index, "twice as fast")
    with index.snapshot():
        (hunk,) = traced_hunks(index, LineTracer(index, repository.root), commit)
    assert hunk.now is not None
    assert (hunk.now.path, hunk.now.whole) == ("queue.py", True)


def test_what_changes_together_is_counted_on_head(index: Index, repository: Workspace) -> None:
    repository.write("lanes.py", "# none\n")
    repository.commit("Begin with lanes")
    for number in range(20):
        repository.git("commit", "-q", "--allow-empty", "-m", f"Think {number}")
    repository.git("switch", "-q", "release/2")
    for number in range(6):
        repository.write("queue.py", f"{QUEUE}# {number}\n")
        repository.write("lanes.py", f"# {number}\n")
        repository.commit(f"Turn {number}")
    repository.git("switch", "-q", "main")
    read(index, repository, "release/*")
    assert changed_together(index, "queue.py", 5) == []
    repository.git("merge", "-q", "-X", "theirs", "--no-edit", "release/2")
    read(index, repository, "release/*")
    assert [item.path for item in changed_together(index, "queue.py", 5)] == ["lanes.py"]


def test_a_revert_on_another_branch_takes_back_nothing_here(index: Index, repository: Workspace) -> None:
    fast = repository.head()
    repository.git("switch", "-q", "-c", "release/3")
    repository.git("revert", "--no-edit", fast)
    repository.git("switch", "-q", "main")
    read(index, repository, "release/*")
    by_subject = {commit.subject: commit for commit in found(index, "jobs twice as fast")}
    assert by_subject["Release jobs twice as fast"].reverted_by == ""
    told = explain(index, fast)
    assert told is not None
    assert [each.relation for each in told.later] == ["takes it back, on release/3 and not on HEAD"]
    repository.git("merge", "-q", "release/3")
    read(index, repository, "release/*")
    by_subject = {commit.subject: commit for commit in found(index, "jobs twice as fast")}
    assert by_subject["Release jobs twice as fast"].reverted_by == repository.head()


def test_of_two_copies_that_of_head_is_shown(index: Index, repository: Workspace) -> None:
    picked = repository.git("rev-parse", "main").strip()
    repository.git("switch", "-q", "release/2")
    repository.git("cherry-pick", "-x", picked)
    copy = repository.head()
    repository.git("switch", "-q", "main")
    read(index, repository, "release/*")
    for query in ("jobs twice as fast", "cherry picked jobs twice as fast"):
        first = found(index, query)[0]
        assert (first.sha, first.branch, first.copies) == (picked, "", (copy,))


def test_summaries_are_of_the_current_branch(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    digest = summarise_changes(Corpus(repository.root, index, {}), "2020-01-01", datetime.date(2031, 1, 1))
    assert {source.title for source in digest.whole} == MAIN.keys()


def test_answers_and_json_say_the_branch(index: Index, repository: Workspace) -> None:
    read(index, repository, "release/*")
    sha = repository.sha(HARDEN)
    (hit,) = commit_hits(index, repository.root, sha[:10], {}, 1)
    assert {"sha": sha, "branch": "release/2"}.items() <= hit_fields(hit).items()
    source = commit_source(index, repository.root, hit, {"lease"})
    assert source is not None
    assert source.text.endswith("— Maya Okafor, 2030-01-01, on release/2 and not on HEAD")
    assert citation_record(source, {})["branch"] == "release/2"
    (own,) = commit_hits(index, repository.root, repository.head()[:10], {}, 1)
    assert "branch" not in hit_fields(own)


def test_since_a_commit_is_what_it_did_not_come_from(index: Index, repository: Workspace) -> None:
    """HEAD's by descent, whatever their dates say; of other branches by the time."""
    fast = repository.head()
    repository.git("switch", "-q", "-c", "side", "HEAD~1")
    repository.commit("Try aside", date="2001-01-01T00:00:00 +0000")
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--no-edit", "side")
    read(index, repository, "release/*")

    def subjects(query: str) -> set[str]:
        return {commit.subject for commit in found(index, query)}

    assert subjects(f"after:{fast[:10]}") == {"Try aside", "Merge branch 'side'", HARDEN}
    assert subjects(f"before:{fast[:10]}") == {"Claim and release jobs"}
    assert subjects(f"since commit {fast[:10]}") == {"Try aside", "Merge branch 'side'", HARDEN}
    assert HARDEN not in subjects(f"since {repository.sha(HARDEN)}")
    assert subjects(f"since {fast}a") == subjects(f"sha:{fast}a") == set()  # of an odd number of digits
    assert history(index, "after:12345abc", {}, 10).notes[0] == "no commit has an id that starts with 12345abc"


def test_a_note_has_beside_it_what_head_reaches_and_what_it_names(index: Index, repository: Workspace) -> None:
    repository.git("switch", "-q", "release/2")
    repository.commit("Widen the lease handshake (#77)")
    repository.git("switch", "-q", "main")
    read(index, repository, "release/*")
    assert named_commits(index, repository.root, "the lease handshake is hard", {"leas": 3.0, "handshak": 3.0}) == []
    assert told_commits(index, repository.root, "see #77") == []
    sha = repository.sha(HARDEN)[:10]
    (told,) = told_commits(index, repository.root, f"as of {sha}")
    assert told.reason == f"named here: {sha}, on release/2 and not on HEAD"


def _id(index: Index, words: str) -> int:
    (commit,) = [row for row in index.history.rows(index.commit_filters.all()).values() if words in row.subject]
    return commit.id
