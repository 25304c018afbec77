"""The worker as editors and commands meet it: real processes, on a copy of the fixture."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import apsw
import psutil

from fixtures.index_dump import differences, dump
from fixtures.machine import Machine
from fixtures.office import PATIENCE_S, Office, eventually
from postil_indexers.store.index import open_index
from postil_indexers.store.version import SCHEMA
from postil_indexers.worker.channel import contact_file


def test_what_is_written_while_a_worker_runs_is_found(office: Office) -> None:
    office.ready()
    assert office.paths("zanzibarine") == []
    office.workspace.write("notes/new.md", "# Far away\n\nThe zanzibarine lease is renewed on Tuesdays.\n")
    assert eventually(lambda: office.paths("zanzibarine")) == ["notes/new.md"]
    office.workspace.write("src/fresh.py", "def quixotify(lease):\n    return lease.renew()\n")
    assert eventually(lambda: "src/fresh.py" in office.paths("quixotify"))
    office.workspace.rename("notes/new.md", "notes/deep/newer.md")
    assert eventually(lambda: office.paths("zanzibarine") == ["notes/deep/newer.md"])
    office.workspace.delete("notes/deep")
    assert office.paths("zanzibarine") == []  # at once: what is deleted is never served
    office.workspace.write("notes/fast.md", "# Fast\n\nzanzibarine again, and gone with the next command.\n")
    assert eventually(lambda: office.paths("zanzibarine"))


def test_commits_are_found_and_unreachable_ones_are_gone(office: Office) -> None:
    office.ready()

    def subjects() -> list[str]:
        ran = office.machine.here("history", office.workspace.root, "flabbergast the scheduler", "--json")
        return [commit["subject"] for commit in ran.record["commits"]]

    assert "Flabbergast the scheduler" not in subjects()
    office.workspace.write("src/one.py", "ONE = 1\n")
    office.workspace.commit("Flabbergast the scheduler", "Maya")
    eventually(lambda: "Flabbergast the scheduler" in subjects())
    office.workspace.git("commit", "--amend", "-m", "Flabbergast the scheduler twice")
    eventually(lambda: "Flabbergast the scheduler twice" in subjects())
    assert "Flabbergast the scheduler" not in subjects()
    office.workspace.git("reset", "--hard", "HEAD~1")
    eventually(lambda: "Flabbergast the scheduler twice" not in subjects())


def test_all_that_a_worker_did_is_what_a_run_from_nothing_does(office: Office) -> None:
    office.ready()
    office.workspace.git("checkout", "-q", "-b", "elsewhere", "HEAD~12")
    office.workspace.write("notes/added.md", "# Added\n\nSee [[leases]] and [[retry-policy]].\n")
    office.workspace.git("checkout", "-q", "-")
    with office.client() as client:
        for _ in range(2):  # the watcher's word may come after the first answer
            time.sleep(1.0)
            client.request("wait")
    whole = Machine(office.machine.folder / "whole")
    assert whole.postil("index", office.workspace.root, "--json").status == 0
    with open_index(office.machine.index_path()) as ours, open_index(whole.index_path()) as theirs:
        assert ours.check() == []
        assert differences(dump(ours), dump(theirs)) == ""


def test_the_second_worker_ends_and_the_command_talks_to_the_first(office: Office) -> None:
    first = office.ready()
    assert office.start().wait(PATIENCE_S) == 4
    office.workspace.write("notes/told.md", "# Told\n\nmellifluous\n")
    ran = office.machine.postil("index", office.workspace.root, "--json")
    assert ran.status == 0
    assert set(ran.record) == {"files", "chunks", "commits", "embedded", "skipped", "failed", "seconds"}
    assert office.paths("mellifluous") == ["notes/told.md"]
    assert first.poll() is None


def test_pause_and_resume(office: Office) -> None:
    office.ready()
    assert office.machine.here("pause", office.workspace.root, "--json").record["state"] == "paused"
    refused = office.machine.postil("index", office.workspace.root, "--json")
    assert (refused.status, refused.record["error"]["message"]) == (1, "indexing is paused")
    office.workspace.write("notes/later.md", "# Later\n\nmellifluous\n")
    time.sleep(1.5)
    assert office.paths("mellifluous") == []
    assert "paused" in office.machine.here("status", office.workspace.root).out
    office.machine.here("resume", office.workspace.root)
    assert eventually(lambda: office.paths("mellifluous")) == ["notes/later.md"]


def test_a_worker_ends_when_nobody_needs_it_any_more(office: Office) -> None:
    process = office.start("--attached")
    client = office.client(attach=True)
    client.request("wait")
    children = psutil.Process(process.pid).children(recursive=True)
    time.sleep(4.0)
    assert process.poll() is None  # attached
    client.close()
    assert process.wait(5.0) == 0
    assert psutil.wait_procs(children, timeout=5.0)[1] == []
    assert not contact_file(office.folder).exists()


def test_a_killed_worker_leaves_nothing_running_and_the_next_takes_over(office: Office) -> None:
    first = office.ready()
    office.workspace.write("src/again.py", "def again():\n    pass\n")
    eventually(lambda: "src/again.py" in office.paths("again"))  # a process that reads was started for it
    children = psutil.Process(first.pid).children(recursive=True)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert psutil.wait_procs(children, timeout=5.0)[1] == []
    office.workspace.write("notes/after.md", "# After\n\nmellifluous\n")
    office.ready()
    assert office.paths("mellifluous") == ["notes/after.md"]


def test_a_newer_version_takes_over_and_an_older_one_joins(office: Office) -> None:
    process = office.ready()
    contact = json.loads(contact_file(office.folder).read_text(encoding="utf-8"))
    assert contact["pid"] == process.pid
    assert _greet(office, "0.0.1")["leaving"] is False
    assert process.poll() is None
    assert _greet(office, "999.0.0")["leaving"] is True
    assert process.wait(5.0) == 0


def _greet(office: Office, version: str) -> Any:
    """What the worker says to a client of another version."""
    from postil_indexers.worker.channel import connect, receive, send

    connection = connect(office.folder)
    assert connection is not None
    with connection:
        assert (receive(connection) or {})["root"] == office.workspace.root
        send(connection, {"version": version})
        return (receive(connection) or {})["done"]


def test_a_folder_that_vanishes_and_returns_loses_nothing(office: Office) -> None:
    office.ready()
    before = office.machine.here("status", office.workspace.root, "--json").record["files"]
    away = office.workspace.folder.with_name("away")
    office.workspace.folder.rename(away)
    time.sleep(3.0)
    office.workspace.folder.mkdir()  # as an unmounted drive leaves it
    time.sleep(3.0)
    with office.client() as client:
        assert client.request("status")["state"] == "root_missing"
    with open_index(office.machine.index_path()) as index:
        assert index.documents.count()[0] == before
    office.workspace.folder.rmdir()
    away.rename(office.workspace.folder)
    office.workspace.write("notes/back.md", "# Back\n\nmellifluous\n")
    assert eventually(lambda: office.paths("mellifluous")) == ["notes/back.md"]


def test_a_damaged_index_is_set_aside_and_made_anew(office: Office) -> None:
    office.ready()
    path = office.machine.index_path()
    apsw.Connection(str(path)).execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    with path.open("r+b") as file:
        file.seek(8_192)
        file.write(os.urandom(200_000))
    # who notices first, the reader or the worker, is chance; a reader tells the worker
    asked = office.machine.here("search", office.workspace.root, "lease", "--json")
    assert asked.record.get("error", {"code": "index_damaged"})["code"] == "index_damaged"
    office.workspace.write("notes/torn.md", "# Torn\n\nmellifluous\n")
    assert eventually(lambda: path.with_suffix(".damaged").exists())
    assert eventually(lambda: office.paths("mellifluous")) == ["notes/torn.md"]
    assert path.name == f"index-{SCHEMA}.db"


def test_damage_that_only_a_search_meets_is_believed_the_second_time(office: Office) -> None:
    office.ready()
    path = office.machine.index_path()
    averages = "UPDATE content_fts_data SET block=zeroblob(length(block)) WHERE id=1"
    apsw.Connection(str(path)).execute(averages).fetchall()  # BM25 divides by them; SQLite's check passes over them

    def search() -> tuple[int, str]:
        asked = office.machine.here("search", office.workspace.root, "lease", "--json")
        return asked.status, asked.record.get("error", {"code": ""})["code"]

    assert search() == (1, "index_damaged")
    assert not path.with_suffix(".damaged").exists()
    assert search() == (1, "index_damaged")
    assert path.with_suffix(".damaged").exists()
    assert eventually(lambda: search() == (0, ""))


def test_branches_of_the_settings_are_followed(office: Office) -> None:
    """Another branch gets a commit, HEAD switches to it, and it is deleted."""
    settings = office.machine.settings + 'branches = ["next/*", "none"]\n'
    office.machine = Machine(office.machine.folder, settings)
    office.ready()
    main = office.workspace.git("branch", "--show-current").strip()

    def branches() -> list[str]:
        ran = office.machine.here("history", office.workspace.root, "message:flabbergast", "--json")
        return [commit["branch"] for commit in ran.record["commits"]]

    assert branches() == []
    tree = office.workspace.git("rev-parse", "HEAD^{tree}").strip()
    made = office.workspace.git("commit-tree", "-p", "HEAD", "-m", "Flabbergast the scheduler", tree).strip()
    office.workspace.git("update-ref", "refs/heads/next/one", made)
    assert eventually(branches) == ["next/one"]
    told = office.machine.here("history", office.workspace.root, "message:flabbergast").out
    assert "  on next/one and not on HEAD\n" in told
    status = office.machine.here("status", office.workspace.root, "--json").record
    assert "no branch matches none" in status["warnings"]
    office.workspace.git("switch", "-q", "next/one")
    eventually(lambda: branches() == [""])
    office.workspace.git("switch", "-q", main)
    eventually(lambda: branches() == ["next/one"])
    office.workspace.git("branch", "-D", "next/one")
    eventually(lambda: branches() == [])


def test_settings_that_change_are_followed(office: Office) -> None:
    office.ready()
    assert "docs/lease protocol.md" in office.paths("lease")
    config = office.machine.folder / "config.toml"
    changed = office.machine.settings + 'exclude = ["docs/"]\n'
    office.machine = Machine(office.machine.folder, changed)
    config.write_text(changed, encoding="utf-8")
    eventually(lambda: not [path for path in office.paths("lease") if path.startswith("docs/")], 60.0)
