"""The command line's contract, on the fixture workspace, in processes of its own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

import apsw
import pytest
from typer.main import get_command

from fixtures.index_dump import dump
from fixtures.machine import Machine, Ran
from fixtures.repository import Workspace
from fixtures.workspace import AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN, copy
from postil_indexers.store.index import open_index
from postil_indexers.store.location import index_file
from postil_indexers.store.lock import WriterLock
from postil_indexers.store.seal import break_seal, seal
from postil_server.cli.commands import command_line

Used = tuple[Machine, Workspace, Ran]
HIT = {"path", "root", "uri", "start_line", "end_line", "kind", "name", "snippet", "score", "confidence", "stale"}
RELATED = {
    "kind",
    "path",
    "root",
    "uri",
    "title",
    "heading",
    "start_line",
    "end_line",
    "snippet",
    "score",
    "confidence",
    "reason",
}
COMMIT = {"sha", "committed_at", "author", "subject", "score", "files", "hunks", "hunks_total", "kind", "release"}
COMMIT |= {"root", "reverted_by", "copies", "text_missing", "branch"}


def batch(folder: Path, requests: list[dict[str, object]]) -> str:
    file = folder / "requests.jsonl"
    file.write_text("".join(json.dumps(request) + "\n" for request in requests), encoding="utf-8")
    return str(file)


def test_index_says_what_it_did_in_its_last_line(used: Used) -> None:
    _, workspace, ran = used
    assert ran.status == 0
    assert ran.err == ""
    record = ran.records[-1]
    assert set(record) == {"files", "chunks", "commits", "embedded", "skipped", "failed", "seconds"}
    assert record["files"] == len(workspace.git("ls-files").splitlines()) - 1  # all but the picture
    assert (record["commits"], record["failed"], record["skipped"]) == (33, 0, 2)
    assert record["embedded"] > 100


def test_a_second_run_embeds_nothing(used: Used) -> None:
    machine, workspace, first = used
    again = machine.here("index", workspace.root, "--json").record
    assert again | {"seconds": 0} == first.record | {"embedded": 0, "seconds": 0}


def test_search_in_json(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    requests = [{"id": "one", "query": "LeaseKeeper.extend"}, {"id": 2, "query": "内存碎片"}, {"query": "jitter"}]
    ran = machine.postil("search", workspace.root, "--batch", batch(tmp_path, requests), "--limit", "3", "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [record["id"] for record in ran.records] == ["one", 2, None]
    for record in ran.records:
        assert set(record) == {"id", "elapsed_ms", "share_embedded", "hits"}
        assert 0 < record["share_embedded"] <= 1
        assert 1 <= len(record["hits"]) <= 3
        for hit in record["hits"]:
            assert set(hit) == HIT
            assert hit["root"] == workspace.root
            assert unquote(hit["uri"]) == f"file://{workspace.root}/{hit['path']}"
            assert (0 <= hit["confidence"] <= 1, hit["stale"]) == (True, False)
            lines = workspace.read(hit["path"]).split("\n")
            shown = "\n".join(lines[hit["start_line"] - 1 : hit["end_line"]])  # 1-based, inclusive
            assert shown.strip("\n").startswith(hit["snippet"][:200].strip("\n"))
        scores = [hit["score"] for hit in record["hits"]]
        assert scores == sorted(scores, reverse=True)
    first = ran.records[0]["hits"][0]
    source = workspace.read("millrace/lease.py").split("\n")
    assert (first["path"], first["kind"], first["name"]) == ("millrace/lease.py", "code", "LeaseKeeper.extend")
    assert "def extend" in "\n".join(source[first["start_line"] - 1 : first["end_line"]])


def test_search_explains_its_ranks(used: Used) -> None:
    machine, workspace, _ = used
    hits = machine.here("search", workspace.root, "RetryPolicy", "--explain", "--json").record["hits"]
    assert set(hits[0]) == HIT | {"ranks", "evidence"}
    assert hits[0]["ranks"]["words"] >= 1
    assert hits[0]["ranks"]["definition"] > 0
    assert {"words", "static"} <= set().union(*(hit["ranks"] for hit in hits))


@pytest.mark.parametrize("kind", ["code", "note"])
def test_search_keeps_to_a_kind(used: Used, kind: str) -> None:
    machine, workspace, _ = used
    hits = machine.here("search", workspace.root, "lease", "--kind", kind, "--json").record["hits"]
    assert {hit["kind"] for hit in hits} == {kind}


def test_search_finds_commits(used: Used) -> None:
    machine, workspace, _ = used
    (hit, *_) = machine.here("search", workspace.root, "full jitter", "--kind", "commit", "--json").record["hits"]
    sha = workspace.sha("Rename backoff_policy to retry")
    assert (hit["kind"], hit["sha"]) == ("commit", sha)
    (hit, *_) = machine.here("search", workspace.root, sha[:9], "--json").record["hits"]
    assert (hit["kind"], hit["sha"]) == ("commit", sha)


def test_related_in_json(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    text = "The lease runs out while the worker still works, and a second worker runs the job."
    requests = [
        {"id": 1, "path": "docs/design.md"},
        {"id": 2, "path": "docs/runbooks/stuck-queue.md", "line": 13},
        {"id": 3, "text": text},
        {"id": 4, "path": "no/such.md"},
    ]
    ran = machine.postil("related", workspace.root, "--batch", batch(tmp_path, requests), "--limit", "4", "--json")
    assert ran.status == 0
    assert [record["id"] for record in ran.records] == [1, 2, 3, 4]
    for record in ran.records:
        assert set(record) == {"id", "elapsed_ms", "related"}
        for item in record["related"]:
            assert set(item) == RELATED
            assert item["reason"]
            assert 1 <= item["start_line"] <= item["end_line"]
    design, line, passage, missing = ([item["path"] for item in record["related"]] for record in ran.records)
    assert "docs/design.md" not in design
    assert "docs/lease protocol.md" in design
    assert "docs/runbooks/stuck-queue.md" not in line
    assert set(passage) <= set(workspace.git("ls-files", "-z", "*.md").split("\0"))
    assert len(passage) == 4
    assert missing == []
    linked = next(item for item in ran.records[0]["related"] if item["path"] == "docs/lease protocol.md")
    assert linked["reason"].startswith("linked both ways")


def test_history_in_json(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    lease = workspace.sha("修复：续租失败后任务被重复执行")
    requests = [{"id": "a", "query": "续租失败"}, {"id": "b", "query": f"what was {lease[:8]}"}]
    ran = machine.here("history", workspace.root, "--batch", batch(tmp_path, requests), "--limit", "2", "--json")
    assert ran.status == 0
    for record in ran.records:
        assert set(record) == {"id", "elapsed_ms", "filters", "words", "typed", "notes", "commits"}
        (commit, *_) = record["commits"]
        assert set(commit) == COMMIT
        assert (commit["sha"], commit["author"], commit["committed_at"]) == (lease, "林晓雨", 1710731471)
        assert commit["files"] == ["millrace/lease.py"]
        assert commit["hunks"][-1] == {
            "path": "millrace/lease.py",
            "start_line": commit["hunks"][-1]["start_line"],
            "end_line": commit["hunks"][-1]["end_line"],
            "symbol": commit["hunks"][-1]["symbol"],
            "text": commit["hunks"][-1]["text"],
            "truncated": False,
            "was": commit["hunks"][-1]["was"],
            "followed": True,
            "now": {"path": "millrace/lease.py", "start_line": 55, "end_line": 57, "whole": False},
        }
        assert commit["hunks_total"] == len(commit["hunks"])
        assert any("raise LeaseLost" in hunk["text"] for hunk in commit["hunks"])
    only = machine.here("history", workspace.root, "add", "--path", "web", "--json").record
    assert only["filters"] == {"path": "web"}
    assert all(any(path.startswith("web/") for path in commit["files"]) for commit in only["commits"])
    assert len(only["commits"]) == 2
    others = machine.here("history", workspace.root, "-author:Maya kind:revert", "--json").record
    assert others["filters"] == {"-author": "Maya", "kind": "revert"}
    assert {commit["author"] for commit in others["commits"]}.isdisjoint({"Maya Okafor"})


def test_the_history_of_a_line_on_the_command_line(used: Used) -> None:
    machine, workspace, _ = used
    fixed = workspace.sha("Fix off-by-one")
    text = workspace.read("millrace/retry.py").split("\n")
    line = next(n for n, each in enumerate(text, 1) if "return attempt >= self.max_attempts" in each)
    asked = ("history", workspace.root, "--path", f"millrace/retry.py:{line}", "--explain")
    record = machine.here(*asked, "--json").record
    assert (record["blame"], record["commits"][0]["sha"]) == (fixed, fixed)
    assert record["commits"][0]["explanation"]["notes"][0]["path"] == "docs/retries.md"
    printed = machine.here(*asked).out
    assert f"millrace/retry.py:{line}  RetryPolicy.exhausted" in printed
    assert "docs/retries.md:20" in printed


def test_status_why_doctor_and_models(used: Used) -> None:
    machine, workspace, ran = used
    status = machine.here("status", workspace.root, "--json").record
    assert (status["files"], status["commits"], status["failed"]) == (ran.record["files"], 33, 0)
    assert status["skipped"] == {"binary": 1, "version_control": 1}
    assert status["share_embedded"]["code"] == 1.0
    assert status["bytes"] > 100_000

    why = machine.here("why", workspace.root, "docs/architecture.png", "--json").record
    assert (why["path"], why["state"]) == ("docs/architecture.png", "skipped")
    assert "binary" in why["sentence"]
    indexed = machine.here("why", workspace.root, "millrace/queue.py", "--json").record
    assert (indexed["state"], "python" in indexed["sentence"]) == ("indexed", True)

    doctor = machine.here("doctor", workspace.root, "--json")
    assert doctor.status == 0
    assert {check["name"] for check in doctor.record["checks"]} >= {
        "python",
        "sqlite",
        "git",
        "models",
        "index",
        "disk",
    }
    assert all(check["ok"] for check in doctor.record["checks"])

    models = machine.here("models", "--json").record["models"]
    static = next(model for model in models if model["setting"] == "postil-static")
    assert (static["dimensions"], static["here"]) == (256, True)
    assert static["passages_per_second"] > 50


def test_no_secret_of_the_history_is_in_the_index(used: Used) -> None:
    machine, _, _ = used
    stored = b"".join(path.read_bytes() for path in machine.index_path().parent.iterdir())
    assert b"production.toml" in stored
    for secret in (AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN):
        assert secret.encode() not in stored
        assert secret.lower().encode() not in stored  # as a term
    with open_index(machine.index_path()) as index:
        unpacked = repr(dump(index))
    assert "aws_access_key_id" in unpacked
    for secret in (AWS_KEY_ID, AWS_SECRET, GITHUB_TOKEN):
        assert secret not in unpacked


def test_the_index_lies_outside_the_workspace_for_the_user_alone(used: Used) -> None:
    machine, workspace, _ = used
    assert workspace.git("status", "--porcelain") == ""
    path = machine.index_path()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_people_get_text(used: Used) -> None:
    machine, workspace, _ = used
    searched = machine.postil("search", workspace.root, "LeaseKeeper.extend")
    assert searched.out.startswith("millrace/lease.py:")
    assert "docs/lease protocol.md" in machine.postil("related", workspace.root, "docs/design.md").out
    assert "Rename backoff_policy" in machine.postil("history", workspace.root, "full jitter").out
    assert "commits" in machine.postil("status", workspace.root).out


# what goes wrong


def error_of(ran: Ran) -> tuple[int, str]:
    record = ran.record
    assert set(record) == {"error"}
    assert set(record["error"]) == {"code", "message", "hint"}
    assert record["error"]["message"]
    return ran.status, record["error"]["code"]


def test_the_process_ends_with_the_status(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    assert machine.postil("search", workspace.root, "lease", "--json").status == 0
    assert error_of(machine.postil("search", str(tmp_path), "lease", "--json")) == (3, "not_indexed")
    assert error_of(machine.postil("search", workspace.root, "--json")) == (2, "settings")


def test_a_folder_that_is_not_indexed_is_status_3(machine: Machine, tmp_path: Path) -> None:
    for command in (["search", "{}", "x"], ["related", "{}", "a.md"], ["history", "{}", "x"], ["status", "{}"]):
        ran = machine.here(*(part.format(tmp_path) for part in command), "--json")
        assert error_of(ran) == (3, "not_indexed")
        assert "postil index" in ran.record["error"]["hint"]
    plain = machine.here("search", str(tmp_path), "x")
    assert (plain.status, plain.out) == (3, "")
    assert "not indexed" in plain.err


def test_wrong_usage_is_status_2(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    root = workspace.root
    assert error_of(machine.here("search", root, "--json")) == (2, "settings")
    assert error_of(machine.here("search", root, "x", "--kind", "nonsense", "--json")) == (2, "settings")
    assert error_of(machine.here("search", root, "--batch", str(tmp_path / "none"), "--json")) == (2, "settings")
    assert error_of(machine.here("index", root, "--no-history", "--only-history", "--json")) == (2, "settings")
    assert machine.here("search").status == 2
    broken = tmp_path / "broken.jsonl"
    for content in (b'{"id": 1, "query": ', b"[1]", b'{"id": 1}', b"\xff\xfe", b'{"query": 7}'):
        broken.write_bytes(content + b"\n")
        assert error_of(machine.here("search", root, "--batch", str(broken), "--json")) == (2, "settings"), content
    broken.write_text('{"path": "docs/design.md", "line": "twelve"}\n')
    assert error_of(machine.here("related", root, "--batch", str(broken), "--json")) == (2, "settings")


def test_a_folder_that_is_none_is_status_1(machine: Machine, tmp_path: Path) -> None:
    assert error_of(machine.here("index", str(tmp_path / "none"), "--json")) == (1, "workspace")


def test_an_index_that_is_being_written_is_status_4(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n")
    root = str(tmp_path / "notes")
    assert machine.here("index", root, "--json").status == 0
    monkeypatch.setenv("POSTIL_INDEX_DIR", str(machine.folder / "index"))
    with WriterLock(index_file(root).parent):
        with ThreadPoolExecutor() as both:  # each waits for a while first
            ran = both.map(lambda what: machine.postil(what, root, "--json"), ("index", "forget"))
            assert [error_of(each) for each in ran] == [(4, "index_busy")] * 2
        assert machine.here("search", root, "A", "--json").record["hits"][0]["path"] == "a.md"
    assert machine.here("forget", root, "--json").record == {"forgotten": True}
    assert machine.here("forget", root, "--json").record == {"forgotten": False}
    assert error_of(machine.here("search", root, "A", "--json")) == (3, "not_indexed")


def test_a_home_folder_is_not_indexed_without_a_word(machine: Machine) -> None:
    home = machine.folder / "home"
    machine.environment()
    (home / "a.md").write_text("# A\n")
    refused = machine.here("index", str(home), "--json")
    assert error_of(refused) == (1, "workspace")
    assert "your home folder" in refused.record["error"]["message"]
    assert "--yes" in refused.record["error"]["hint"]
    dry = machine.here("index", str(home), "--dry-run", "--json").record
    assert dry["files"] == 1
    assert list(machine.folder.glob("index/*/*.db")) == []
    assert machine.here("index", str(home), "--yes", "--json").record["files"] == 1
    assert machine.here("index", str(home), "--json").record["files"] == 1  # it was asked once


def test_a_dry_run_counts_and_writes_nothing(built_workspace: Workspace, machine: Machine) -> None:
    record = machine.here("index", built_workspace.root, "--dry-run", "--json").record
    assert set(record) == {"files", "bytes", "languages", "skipped", "estimated_seconds"}
    assert record["languages"]["python"]["files"] == 6
    assert record["skipped"]["version_control"] == {"files": 0, "folders": 1}
    assert not (machine.folder / "index").exists()
    assert record["skipped"]["binary"] == {"files": 1, "folders": 0}


def test_a_damaged_index_is_set_aside_and_rebuilt(machine: Machine, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(40):
        (root / f"{number}.md").write_text(f"# Note {number}\n\nSome words about lease number {number}.\n" * 20)
    assert machine.here("index", str(root), "--json").status == 0
    path = machine.index_path()
    whole = path.read_bytes()
    for damage in (b"no database at all" * 100, whole[:100] + b"\xff" * 8000 + whole[8100:], whole[: len(whole) // 2]):
        path.write_bytes(damage)
        for name in (path.name + "-wal", path.name + "-shm", path.with_suffix(".damaged").name):
            path.with_name(name).unlink(missing_ok=True)
        assert machine.here("index", str(root), "--json").records[-1]["files"] == 40
        assert machine.here("doctor", str(root), "--json").status == 0
        assert path.with_suffix(".damaged").is_file()


def test_damage_that_a_search_meets_is_mended_by_the_next_run(machine: Machine, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "lease.md").write_text("# Lease\n\nThe lease is renewed.\n")
    assert machine.here("index", str(root), "--json").status == 0
    path = machine.index_path()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE chunks SET text=x'ffffff'")
    connection.close()
    fulltext = break_seal(path).fulltext
    assert fulltext is not None
    seal(path, fulltext)  # as if a disk had done it, which leaves no trace in the file's times
    assert machine.here("index", str(root), "--json").record["embedded"] == 0  # it has nothing to read there
    assert error_of(machine.here("search", str(root), "lease", "--json")) == (1, "index_damaged")
    assert machine.here("index", str(root), "--json").status == 0
    assert machine.here("search", str(root), "lease", "--json").record["hits"][0]["path"] == "lease.md"


def test_an_unknown_setting_warns_and_a_wrong_one_ends(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    machine = Machine(tmp_path / "machine", '[embedding]\nprose = ""\nspeed = 3\n')
    ran = machine.here("index", str(tmp_path / "notes"), "--json")
    assert ran.status == 0
    assert "embedding.speed" in ran.err
    wrong = Machine(tmp_path / "machine", "[embedding]\nprose = 3\n").here("index", str(tmp_path / "notes"), "--json")
    assert error_of(wrong) == (2, "settings")


def test_what_git_can_not_say_is_told_until_it_is_mended(
    machine: Machine, built_workspace: Workspace, tmp_path: Path
) -> None:
    workspace = copy(built_workspace, tmp_path / "millrace")
    workspace.write(".git/info/exclude", "*.log\n")
    workspace.write("run.log", "ignored, unless git tracks it\n")
    listed = Path(workspace.root) / ".git/index"
    whole = listed.read_bytes()
    listed.write_bytes(b"noise")
    ran = machine.here("index", workspace.root, "--json")
    assert ran.status == 0
    assert "files that git tracks in spite of its rules are left out" in ran.err
    (warning,) = machine.here("status", workspace.root, "--json").record["warnings"]
    assert warning in ran.err.replace("\n", " ")
    listed.write_bytes(whole)
    assert machine.here("index", workspace.root).err == ""
    assert machine.here("status", workspace.root, "--json").record["warnings"] == []


@pytest.mark.parametrize("name", sorted(get_command(command_line(())).commands))  # type: ignore[attr-defined]
def test_a_command_is_there_with_its_own_module_alone(name: str) -> None:
    assert name in get_command(command_line([name, "--help"])).commands  # type: ignore[attr-defined]


def test_a_command_that_is_not_there_suggests_one(machine: Machine) -> None:
    ran = machine.postil("serach", "redis")
    assert ran.status == 2
    assert "search" in ran.err
