"""Whatever happened to a workspace, its index is the one that would be made of it from scratch."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from fixtures.embedders import HashedWordsEmbedder
from fixtures.index_dump import Dump, differences, dump
from fixtures.repository import Workspace, init
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import Updater, index_history, index_workspace
from postil_indexers.store.index import write_index
from postil_indexers.types import Kind
from postil_server.related import passage_at, related
from postil_server.search import search
from postil_server.termvectors import TermVectors
from postil_server.timeline import history
from postil_server.types import Query

NOTES = [
    "a.md",
    "b.md",
    "notes/a.md",
    "notes/Café.md",
    "notes/2024.md",
    "notes/deep/c.md",
    "daily/1.md",
    "no\udcffutf8.md",
]
CODE = ["src/lease.py", "src/retry.py", "src/main.go", "conf.toml", "tool.ipynb"]
OTHERS = [".gitignore", ".postilignore", "picture.png", ".env", "nul.txt"]
TEMPLATE = "---\ntype: daily\n---\n# Day\n\n## Grateful for\n\n- family\n\n## Tomorrow\n\nSee [[a]] and [[glossary]].\n"
PARAGRAPHS = [
    "# Leases\n\nA lease runs out by itself, a lock does not. See [[retry]].\n",
    "# Retry\n\nBackoff with full jitter, see [leases](a.md#leases) and `RetryPolicy`. #queue/retry\n",
    "---\naliases: [glossary, retry]\ntags: [queue]\nid: 202401010101\n---\nWords that we use. ^words\n",
    "## 内存碎片\n\nRedis内存碎片率过高，见 [[Café]]。\n",
    "Setext\n======\n\nPlain words and [[deep/c|a link]], [[Cafe\u0301]].\n",
    "\n\n   \n",
    "# Leases\r\n\r\nWith other line ends: lease, lock.\r\n",
]
SOURCES = [
    "def renew(lease, seconds):\n    '''Renew a lease.'''\n    return lease.extend(seconds)\n\n\n"
    "class Keeper:\n    def renew(self):\n        pass\n",
    "class RetryPolicy:\n    cap = 300\n\n    def delay(self, attempt):\n        return min(self.cap, 2 ** attempt)\n",
    'package main\n\nfunc main() {\n\tprintln("lease")\n}\n',
    '{"cells": [{"cell_type": "markdown", "source": ["# Lease\\n", "see [[a]]"]}, '
    '{"cell_type": "code", "source": "renew(\'\\ud800\')"}], '
    '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    'token = "ghp' + '_x7Kp2mQ9vL4tR8wN3cZ6bY1hJ5fD0gSaUeTi"\n',
    "def broken(:\n  lease = (\n",
    "\x00\x01binary",
    "lease " * 300,
]
QUERIES = ["lease", "RetryPolicy.delay", "how long does a lease last", "内存碎片", "full jitter backoff", "renew"]

notes = st.sampled_from(NOTES)
files = st.sampled_from(NOTES + CODE)
texts = st.builds(
    "".join, st.lists(st.sampled_from([TEMPLATE, *PARAGRAPHS]), min_size=1, max_size=3, unique=True)
) | st.text(max_size=30)
sources = st.lists(st.sampled_from(SOURCES), min_size=1, max_size=2, unique=True).map("".join)
rules_text = st.sampled_from(["*.py\n", "notes/\n!notes/a.md\n", "daily/*\n", "*.md\n!a.md\n", ""])


class IncrementalMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="postil-machine-"))
        self.workspace: Workspace = init(self.folder / "workspace")
        self.roles: dict[str, Embedder] = {"static": load_static(), "prose": HashedWordsEmbedder()}
        self.models = {role: RoleModel(embedder, "{}") for role, embedder in self.roles.items()}
        self.index = write_index(self.folder / "incremental.db")
        self.numbers = itertools.count()
        self.commits = 0

    def teardown(self) -> None:
        try:
            self.check()
        finally:
            self.index.close()
            shutil.rmtree(self.folder)

    # what people do to files

    @initialize(pairs=st.dictionaries(notes, texts, min_size=2, max_size=4), source=sources)
    def begin(self, pairs: dict[str, str], source: str) -> None:
        for path, text in pairs.items():
            self.write(path, text)
        self.write(CODE[0], source)

    @rule(path=notes, text=texts)
    def write_note(self, path: str, text: str) -> None:
        self.write(path, text)

    @rule(path=st.sampled_from(CODE), text=sources)
    def write_code(self, path: str, text: str) -> None:
        self.write(path, text)

    @rule(path=st.sampled_from(OTHERS), text=rules_text | st.just("\x89PNG\r\n\x00") | st.just("KEY=1"))
    def write_other(self, path: str, text: str) -> None:
        self.write(path, text)

    @rule(words=st.sampled_from(["", "# Own words\n", "lease\n"]))
    def fill_template(self, words: str) -> None:
        for number in range(6):
            self.write(f"daily/{number}.md", TEMPLATE + words)

    @rule(path=files)
    def append(self, path: str) -> None:
        if self.workspace.path(path).is_file():
            data = self.workspace.path(path).read_bytes()
            self.workspace.write(path, data + f"\nappended lease {next(self.numbers)}\n".encode())

    @rule(path=files)
    def delete(self, path: str) -> None:
        if self.workspace.path(path).is_file():
            self.workspace.delete(path)

    @rule(old=files, new=files)
    def rename(self, old: str, new: str) -> None:
        if self.workspace.path(old).is_file() and old != new:
            self.workspace.rename(old, new)

    @rule(old=files, new=files)
    def copy(self, old: str, new: str) -> None:
        if self.workspace.path(old).is_file() and old != new:
            self.write(new, self.workspace.path(old).read_bytes())

    @rule(path=files)
    def touch(self, path: str) -> None:
        if self.workspace.path(path).is_file():
            os.utime(self.workspace.path(path), (1_700_000_000 + next(self.numbers), 1_700_000_000))

    @rule()
    def move_folder(self) -> None:
        source, target = self.workspace.path("notes"), self.workspace.path("archive")
        if source.is_dir() and not target.exists():
            source.rename(target)
        elif target.is_dir() and not source.exists():
            target.rename(source)

    # what people do with git

    @rule(message=st.sampled_from(["Fix the lease", "Add full jitter\n\nFixes #42", "修复：续租失败", "wip"]))
    def commit(self, message: str) -> None:
        self.workspace.commit(message)
        self.commits += 1

    @rule()
    def amend(self) -> None:
        if self.commits:
            self.workspace.git(
                "commit",
                "-q",
                "--amend",
                "--allow-empty",
                "-m",
                f"Amended {next(self.numbers)}",
                date="1709000000 +0000",
            )

    @rule(back=st.integers(1, 2))
    def reset(self, back: int) -> None:
        if self.commits > back:
            self.workspace.git("reset", "-q", "--hard", self.workspace.git("rev-list", "HEAD").split()[-1])

    @rule(name=st.sampled_from(["one", "two"]))
    def switch(self, name: str) -> None:
        if not self.commits:
            return
        self.commit("before switching")
        exists = self.workspace.git("branch", "--list", name).strip()
        self.workspace.git("checkout", "-q", "-f", *([] if exists else ["-b"]), name)

    @rule()
    def orphan(self) -> None:
        if self.commits:
            self.workspace.git("checkout", "-q", "-f", "--orphan", f"orphan{next(self.numbers)}")
            self.commits = 0  # HEAD has none until the next

    @rule(name=st.sampled_from(["one", "two"]))
    def merge_or_rebase(self, name: str) -> None:
        if not self.commits or not self.workspace.git("branch", "--list", name).strip():
            return
        self.commit("before merging")
        verb = ("merge", "--no-ff", "-m", "Merge", "-X", "ours") if next(self.numbers) % 2 else ("rebase", "-X", "ours")
        try:
            self.workspace.git(*verb, "-q", name, date="1709000000 +0000")
        except AssertionError:  # a conflict between a file and a folder
            for abort in ("merge", "rebase"):
                try:
                    self.workspace.git(abort, "--abort")
                except AssertionError:
                    continue

    # what the index does

    @rule()
    def update(self) -> None:
        index_workspace(self.index, self.workspace.root, self.models, processes=0)
        index_history(self.index, self.workspace.root, self.models)

    @rule()
    def look_into_all_folders(self) -> None:
        """What the worker does when it is told of changes, here of all folders that are and were."""
        updater = Updater(self.index, self.workspace.root, self.models, processes=0)
        root = os.fsencode(self.workspace.root)
        there = {os.path.relpath(folder, root) for folder, _, _ in os.walk(root) if b"/.git" not in folder}
        left_out = (row.path for row in self.index.ledger.not_indexed())  # a folder may have held nothing else
        known = {os.path.dirname(os.fsencode(path)) for path in (*self.index.documents.known(), *left_out)}
        updater.folders({os.fsdecode(folder) if folder != b"." else "" for folder in there | known})
        updater.history()
        updater.settle()
        self.compare()

    @rule()
    def update_and_check(self) -> None:
        self.check()

    def write(self, path: str, text: str | bytes) -> None:
        target = self.workspace.path(path)
        if any(parent.is_file() for parent in target.parents) or target.is_dir():
            return
        self.workspace.write(path, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)

    def check(self) -> None:
        self.update()
        again = index_workspace(self.index, self.workspace.root, self.models, processes=0)
        assert again.embedded == 0
        self.compare()

    def compare(self) -> None:
        path = self.folder / f"fresh-{next(self.numbers)}.db"
        with write_index(path) as fresh:
            index_workspace(fresh, self.workspace.root, self.models, processes=0)
            index_history(fresh, self.workspace.root, self.models)
            ours, theirs = dump(self.index), dump(fresh)
            assert differences(ours, theirs) == ""
            assert self.answers(self.index, ours) == self.answers(fresh, theirs)
        path.unlink()

    def answers(self, index: Any, held: Dump) -> list[Any]:
        root, found = self.workspace.root, []
        for query in QUERIES:
            for kinds in ((Kind.CODE, Kind.NOTE), (Kind.NOTE,)):
                hits = search(index, root, Query(query, kinds, 20), self.roles).hits
                found.append([(h.path, h.span, round(h.score, 6), h.confidence, h.stale) for h in hits])
            found.append([(c.sha, round(c.score, 6)) for c in history(index, query, self.roles, 20).commits])
        for row in held["documents"]:
            passage = passage_at(index, os.fsdecode(row[0]), None)
            if passage is not None:
                notes = related(index, root, passage, self.roles, TermVectors(index), 10)
                found.append([(r.path, r.span, round(r.score, 6), r.confidence, r.reason) for r in notes])
        return found


TestIncremental = IncrementalMachine.TestCase
TestIncremental.settings = settings(
    max_examples=int(os.environ.get("POSTIL_MACHINE_EXAMPLES", "8")),
    stateful_step_count=25,
    deadline=None,
    report_multiple_bugs=False,
    phases=(
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ),  # a step is a run of git or of the index: shrinking takes too long
    suppress_health_check=list(HealthCheck),
)
