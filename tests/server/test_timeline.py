"""Questions to the history of the fixture workspace."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.progress import Progress
from postil_indexers.store.index import Index, open_index, write_index
from postil_indexers.types import Span
from postil_server.cochange import changed_together, missing_partners, symbols_changed_together
from postil_server.explain import explain, issue_address
from postil_server.history.joins import commits_named
from postil_server.timeline import history
from postil_server.types import FoundCommit
from server.conftest import Indexed

BATCHES = "scheduler: promote due jobs in batches of 100"
ROLES: dict[str, Embedder] = {"static": load_static()}
Ask = Callable[..., list[FoundCommit]]


@pytest.fixture
def repository(tmp_path: Path) -> Workspace:
    return init(tmp_path / "repository")


@pytest.fixture
def index_of(tmp_path: Path) -> Iterator[Callable[[Workspace], Index]]:
    """Index the commits of a repository, and open that."""
    path = tmp_path / "index.db"
    with ExitStack() as stack:

        def make(workspace: Workspace) -> Index:
            with write_index(path) as writing:
                index_workspace(writing, workspace.root, {}, processes=0)
                index_history(writing, workspace.root, {})
            return stack.enter_context(open_index(path))

        yield make


@pytest.fixture
def ask(indexed_file: Path) -> Iterator[Ask]:
    with open_index(indexed_file) as index:
        yield lambda query, limit=10, path=None: list(history(index, query, ROLES, limit, path).commits)


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("full jitter", "Rename backoff_policy to retry and add full jitter"),
        ("off-by-one attempts", "Fix off-by-one in counting attempts (#42)"),
        ("#42", "Fix off-by-one in counting attempts (#42)"),
        ("续租失败", "修复：续租失败后任务被重复执行"),
        ("LeaseLost", "修复：续租失败后任务被重复执行"),
        ("备份前检查磁盘空间", "脚本：备份前检查磁盘空间"),
        ("why were credentials removed", "Remove credentials from the production settings"),
        ("activedefrag", "新增笔记：Redis内存碎片整理"),
    ],
)
def test_words_find_their_commit(ask: Ask, query: str, subject: str) -> None:
    assert subject in [commit.subject for commit in ask(query, 3)]


def test_the_start_of_an_id_finds_its_commit(ask: Ask, built_workspace: Workspace) -> None:
    sha = built_workspace.sha("Runbooks for a stuck queue")
    for query in (sha, sha[:7], sha[:9].upper(), f"what did {sha[:12]} change?"):
        assert ask(query, 1)[0].sha == sha


def test_an_id_of_zeros_is_no_commit_and_no_error(ask: Ask) -> None:
    for query in ("0" * 40, "0000000", f"since {'0' * 40}"):
        assert all(set(commit.sha) != {"0"} for commit in ask(query))


def test_a_path_narrows_the_answer(ask: Ask) -> None:
    for path in ("web", "web/", "web/src/client.ts"):
        found = ask("client retry", 20, path)
        assert {commit.subject for commit in found} == {
            "Add a TypeScript client for the gateway",
            "Client: retry with backoff while the gateway answers 503",
        }
    assert ask("client retry", 20, "no/such") == []


def test_a_path_that_was_renamed_is_found_by_both_names(ask: Ask) -> None:
    for path in ("millrace/retry.py", "millrace/backoff_policy.py"):
        assert "Rename backoff_policy to retry and add full jitter" in {
            c.subject for c in ask("rename backoff", 20, path)
        }


def test_a_commit_comes_with_its_files_and_hunks(ask: Ask, built_workspace: Workspace) -> None:
    (commit,) = ask("five minutes", 1)
    assert commit.subject == "Cap the backoff at five minutes"
    (change,) = commit.files
    (hunk,) = change.hunks
    assert (change.path, change.status) == ("millrace/retry.py", "M")
    assert hunk.text.splitlines() == ["-    cap_seconds: float = 900.0", "+    cap_seconds: float = 300.0"]
    lines = built_workspace.git("show", f"{commit.sha}:millrace/retry.py").splitlines()
    assert lines[hunk.new_start] == "    cap_seconds: float = 300.0"


@pytest.mark.parametrize("query", ["", '"', "NEAR(", "*", "\udcff", "\x00"])
def test_no_query_is_an_expression(ask: Ask, query: str) -> None:
    ask(query)


NOON = datetime.datetime(2024, 6, 15, 12, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("author:jonas kind:fix", []),
        ("author:jonas merge:no after:2024-04-11", ["Runbooks for a stuck queue and for a failover", BATCHES]),
        ("file:sweeper", ["sweeper: reclaim jobs whose lease has run out"]),
        ('file:"docs/*.md" -author:maya', ["Add RetryPolicy with exponential backoff"]),
        ("change:LeaseLost kind:fix", ["修复：续租失败后任务被重复执行"]),
        ("symbol:RetryPolicy -kind:docs author:jonas before:2024-03-01", ["Add RetryPolicy with exponential backoff"]),
        ("message:heartbeat", ["Keep leases alive from a separate thread (#57)"]),
        ("#57", ["Keep leases alive from a separate thread (#57)"]),
        ("merge:yes", ["Merge branch 'web-client'"]),
        ("committer:晓雨 after:2024-04-10", ["Keep leases alive from a separate thread (#57)"]),
    ],
)
def test_filters_cut_what_is_found(indexed: Indexed, query: str, subjects: list[str]) -> None:
    assert [commit.subject for commit in history(indexed.index, query, ROLES, 10, now=NOON).commits] == subjects


def test_a_revert_stands_behind_what_it_takes_back_and_is_named_there(ask: Ask) -> None:
    first, second, *_ = ask("cache ready_count in memory")
    assert (first.subject, second.kind) == ("Cache ready_count in memory for five seconds", "revert")
    assert first.reverted_by == second.sha


def test_who_asks_for_reverts_gets_them(ask: Ask) -> None:
    assert ask("which commit reverted the cache of ready_count?", 1)[0].kind == "revert"


def test_copies_are_folded(repository: Workspace, index_of: Callable[[Workspace], Index]) -> None:
    repository.write("a.py", "def renew(lease):\n    return lease.token\n")
    repository.commit("Begin")
    repository.git("checkout", "-q", "-b", "side")
    repository.write("a.py", "def renew(lease):\n    return lease.token or new_token_of(lease)\n")
    picked = repository.commit("Give a lease without a token a new one")
    repository.git("checkout", "-q", "main")
    repository.write("b.py", "x = 1\n")
    repository.commit("Something else")
    repository.git("cherry-pick", picked)
    copy = repository.head()
    repository.git("merge", "-q", "--no-ff", "-m", "Merge side: a lease without a token", "side")
    found = history(index_of(repository), "lease without a token", {}, 10).commits
    assert [commit.subject for commit in found] == [
        "Give a lease without a token a new one",
        "Begin",
        "Merge side: a lease without a token",
    ]
    assert {found[0].sha, *found[0].copies} == {picked, copy}


def test_a_merge_stands_behind_what_it_brought_in_and_is_not_brought_forward(
    repository: Workspace, index_of: Callable[[Workspace], Index]
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit("Begin")
    for branch, subject, merge in (
        ("told", "Renew the lease of a job in time", "Merge told: a job"),
        ("untold", "Keep a lease", "Merge untold: renew the lease of a job, renew it before its job is lost"),
    ):
        repository.git("checkout", "-q", "-b", branch)
        repository.write(f"{branch}.py", f"def {branch}():\n    return 1\n")
        repository.commit(subject)
        repository.git("checkout", "-q", "main")
        repository.git("merge", "-q", "--no-ff", "-m", merge, branch)
    repository.write("a.py", "x = 2\n")
    repository.commit("Say how long the lease of a worker lasts")
    found = history(index_of(repository), "renew the lease of a job", {}, 20).commits
    assert [commit.subject for commit in found] == [
        "Renew the lease of a job in time",
        "Keep a lease",
        "Merge untold: renew the lease of a job, renew it before its job is lost",
        "Say how long the lease of a worker lasts",
        "Merge told: a job",
    ]


def test_releases_people_and_ignored_commits(repository: Workspace, index_of: Callable[[Workspace], Index]) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit("Number the pages", author="M. O. <old@millrace.example>")
    repository.git("tag", "v1.0")
    repository.write("a.py", "x = 2\n")
    second = repository.commit("Number the pages from two")
    repository.write(".mailmap", "Maya Okafor <maya@millrace.example> <old@millrace.example>\n")
    repository.write(".git-blame-ignore-revs", f"# quotes\n{second}\n")
    repository.commit("Say who is who")
    index = index_of(repository)
    found = history(index, "number the pages", {}, 10).commits
    assert [(c.subject, c.author, c.release) for c in found[:2]] == [
        ("Number the pages", "Maya Okafor", "v1.0"),
        ("Number the pages from two", "Maya Okafor", ""),
    ]
    assert [c.subject for c in history(index, "pages since v1.0", {}, 10).commits] == ["Number the pages from two"]
    assert [c.subject for c in history(index, "release:1.0", {}, 10).commits] == ["Number the pages"]
    assert [c.subject for c in history(index, "before:1.0", {}, 10).commits] == ["Number the pages"]
    assert len(history(index, "author:maya", {}, 10).commits) == 3


def test_a_release_made_on_a_branch_of_its_own_has_what_the_branch_came_from(
    repository: Workspace, index_of: Callable[[Workspace], Index]
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit("Number the pages")
    repository.git("checkout", "-q", "-b", "release")
    repository.write("version", "1.0\n")
    repository.commit("Say the version of the pages")
    repository.git("tag", "v1.0")
    repository.git("checkout", "-q", "main")
    repository.write("a.py", "x = 2\n")
    repository.commit("Number the pages from two")
    found = history(index_of(repository), "pages", {}, 10).commits
    assert {c.subject: c.release for c in found} == {"Number the pages": "v1.0", "Number the pages from two": ""}


def test_releases_of_commits_that_come_with_a_branch_are_told_though_a_run_ended_before(
    repository: Workspace, index_of: Callable[[Workspace], Index], tmp_path: Path
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit("Number the pages")
    repository.git("tag", "v1.0")
    repository.git("checkout", "-q", "-b", "side")
    repository.write("a.py", "x = 2\n")
    repository.commit("Number the pages from two")
    repository.git("tag", "v1.1")
    repository.git("checkout", "-q", "main")
    index = index_of(repository)
    repository.git("checkout", "-q", "side")

    def ended(progress: Progress) -> None:
        raise InterruptedError(progress.stage)

    with write_index(tmp_path / "index.db") as writing:
        with pytest.raises(InterruptedError, match="history"):
            index_history(writing, repository.root, {}, listener=ended)
        index_history(writing, repository.root, {})
    found = history(index, "pages", {}, 10).commits
    assert {c.subject: c.release for c in found} == {"Number the pages": "v1.0", "Number the pages from two": "v1.1"}


def test_a_symbol_is_found_by_its_name_however_it_is_written(
    repository: Workspace, index_of: Callable[[Workspace], Index]
) -> None:
    """A name of one word stands in the index as the stem of a word, a name of several as itself."""
    repository.write("a.py", "def traverse(tree):\n    return tree\n")
    walked = repository.commit("Walk the tree")
    repository.write("b.py", "class RetryPolicy:\n    def next_delay(self):\n        return 1\n")
    waited = repository.commit("Wait between attempts")
    index = index_of(repository)
    for query in ("symbol:traverse", "symbol:Traverse"):
        assert [c.sha for c in history(index, query, {}, 10).commits] == [walked]
    for query in ("symbol:RetryPolicy", "symbol:retrypolicy", "symbol:next_delay", "symbol:RetryPolicy.next_delay"):
        assert [c.sha for c in history(index, query, {}, 10).commits] == [waited]
    nothing = history(index, "symbol:travelled", {}, 10)
    assert (nothing.commits, nothing.notes) == ((), ("no commit changed a function or class 'travelled'",))


def test_the_file_that_was_asked_for_is_shown_first(
    repository: Workspace, index_of: Callable[[Workspace], Index]
) -> None:
    for name in ("a.py", "b.py", "lease.py"):
        repository.write(name, f"def of_{name[0]}():\n    return 1\n")
    repository.commit("Begin")
    index = index_of(repository)
    for query in ("file:lease.py", "symbol:of_l", "change:of_l", "file:lease.py begin"):
        (found,) = history(index, query, {}, 10).commits
        assert [change.path for change in found.files] == ["lease.py", "a.py", "b.py"]
    (found,) = history(index, "-file:docs begin", {}, 10).commits
    assert [change.path for change in found.files] == ["a.py", "b.py", "lease.py"]


def test_of_two_things_that_a_sentence_names_the_one_that_is_known_counts(
    repository: Workspace, index_of: Callable[[Workspace], Index]
) -> None:
    repository.write("a.py", "x = 1\n")
    in_file = repository.commit("Begin")
    repository.write("b.py", "y = 1\n")
    repository.commit("Go on")
    answer = history(index_of(repository), "who changed the RetryPolicy class in a.py", {}, 10)
    assert answer.typed == "symbol:RetryPolicy file:a.py"
    assert [commit.sha for commit in answer.commits] == [in_file]


def test_what_nobody_knows_is_told_with_the_nearest(indexed: Indexed) -> None:
    answer = history(indexed.index, "author:jonsa file:sweper lease", ROLES, 10)
    assert answer.commits == ()
    assert answer.notes == (
        "nobody is called 'jonsa'; nearest: Jonas Brandt",
        "no commit changed a file 'sweper'; nearest: sweeper",
    )
    for query, said in (
        ("#98765", "no commit names #98765"),
        ("issue:mill-98765", "no commit names MILL-98765"),
        ("sha:0123456789", "no commit has an id that starts with 0123456789"),
    ):
        answer = history(indexed.index, query, ROLES, 10)
        assert (answer.commits, answer.notes) == ((), (said,))


@pytest.mark.parametrize(
    ("query", "notes"),
    [
        ("what did Mya fix in lease.py", ["nobody is called 'Mya'; nearest: Maya Okafor"]),
        ("leases changed by Jonsa", ["nobody is called 'Jonsa'; nearest: Jonas Brandt"]),
        (
            "when was millrace/leases.py changed",
            ["no commit changed a file 'millrace/leases.py'; nearest: lease.py, lease protocol.md"],
        ),
        ("what did Maya fix in lease.py", []),
        ("why does Redis need activedefrag", []),
        ("self.max_attempts", []),
    ],
)
def test_what_a_sentence_names_and_nobody_knows_is_told(indexed: Indexed, query: str, notes: list[str]) -> None:
    assert list(history(indexed.index, query, ROLES, 3, now=NOON).notes) == notes


def test_a_time_without_commits_is_told(indexed: Indexed) -> None:
    now = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
    answer = history(indexed.index, "谁在三月修复了续租失败", ROLES, 10, now=now)
    assert answer.notes == ("nothing was found in that time; the commits are from 2024-02-26 to 2024-04-18",)


def test_files_that_change_together(repository: Workspace, index_of: Callable[[Workspace], Index]) -> None:
    for number in range(6):
        repository.write("lease.py", f"x = {number}\n")
        repository.write("test_lease.py", f"x = {number}\n")
        repository.commit(f"Lease {number}")
    for number in range(12):
        repository.write("log.md", f"{number}\n")
        repository.write(f"{number}.txt", "x\n")
        repository.commit(f"Log {number}")
    for each in range(40):
        repository.write(f"sweep/{each}.txt", "x\n")
    repository.write("lease.py", "y\n")
    repository.write("log.md", "y\n")
    repository.commit("Sweep")
    repository.rename("test_lease.py", "tests/test_lease.py")
    repository.commit("Move tests")
    index = index_of(repository)
    (pair,) = changed_together(index, "lease.py", 10)
    assert (pair.path, pair.together, pair.changes) == ("tests/test_lease.py", 6, 6)
    assert pair.share > 0.8
    assert changed_together(index, "log.md", 10) == []
    assert [(a, b.path) for a, b in missing_partners(index, {"lease.py"}, 5)] == [("lease.py", "tests/test_lease.py")]
    assert missing_partners(index, {"lease.py", "tests/test_lease.py"}, 5) == []
    repository.delete("tests/test_lease.py")
    repository.commit("Drop the tests")
    assert changed_together(index_of(repository), "lease.py", 10) == []


def test_notes_and_commits_find_each_other(indexed: Indexed, built_workspace: Workspace) -> None:
    fixed = built_workspace.sha("Fix off-by-one in counting attempts")
    told = explain(indexed.index, fixed)
    assert told is not None
    assert [(note.path, note.names, note.direct) for note in told.notes] == [
        ("docs/retries.md", "#42", True),
        ("docs/design.md", "RetryPolicy", False),
        ("notes/任务队列的可靠性.md", "RetryPolicy", False),
    ]
    assert [(row.sha, name) for row, name in commits_named(indexed.index, "it was wrong until issue #42")] == [
        (fixed, "#42")
    ]
    assert [(row.sha, name) for row, name in commits_named(indexed.index, f"see {fixed[:9]}")] == [(fixed, fixed[:9])]


def test_an_explanation_says_what_came_later(indexed: Indexed, built_workspace: Workspace) -> None:
    reverting = built_workspace.sha("Every second process showed zero")
    told = explain(indexed.index, built_workspace.git("rev-parse", f"{reverting}^").strip())
    assert told is not None
    assert [(each.relation, each.subject[:6]) for each in told.later] == [("takes it back", "Revert")]
    assert explain(indexed.index, "0" * 40) is None


def test_addresses_of_issues() -> None:
    assert issue_address("https://gitlab.example.org/a/b", "7") == "https://gitlab.example.org/a/b/-/issues/7"
    assert issue_address("https://host.example/a/b", "7") == "https://host.example/a/b/issues/7"
    assert issue_address("", "7") == issue_address("https://host.example/a/b", "PROJ-7") == ""


def test_functions_that_change_together(repository: Workspace, index_of: Callable[[Workspace], Index]) -> None:
    repository.write("a.py", "def claim(job):\n    a = 0\n    return a\n\n\ndef other(job):\n    return 0\n")
    repository.write("b.py", "import a\n\n\ndef renew(job):\n    b = 0\n    return b\n")
    repository.commit("Begin")
    for number in range(1, 6):
        repository.write("a.py", repository.read("a.py").replace(f"a = {number - 1}", f"a = {number}"))
        repository.write("b.py", repository.read("b.py").replace(f"b = {number - 1}", f"b = {number}"))
        repository.commit(f"Renew what is claimed {number}")
    for number in range(20):
        repository.write("log.md", f"{number}\n")
        repository.commit(f"Log {number}")
    index = index_of(repository)
    (found,) = symbols_changed_together(index, repository.root, "a.py", Span(0, 3), 5)
    assert (found.path, found.symbol, found.line, found.together) == ("b.py", "renew", 3, 5)
