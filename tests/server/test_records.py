"""What is cut in the command line's JSON is said."""

from __future__ import annotations

from typing import Any

from postil_indexers.types import FileChange, Hunk
from postil_server.cli.records import commit_record, evidence_record
from postil_server.linesnow import LineTracer
from postil_server.tracing import traced_hunks
from postil_server.types import Evidence, FoundCommit
from server.conftest import Indexed


def commit(*hunks: Hunk) -> FoundCommit:
    return FoundCommit("f" * 40, 1_710_320_000, "A", "s", 0.5, (FileChange("a.py", "a.py", "M", hunks),))


def record_of(indexed: Indexed, *hunks: Hunk) -> dict[str, Any]:
    with indexed.index.snapshot():
        traced = traced_hunks(indexed.index, LineTracer(indexed.index, indexed.root), commit(*hunks))
    return commit_record(indexed.root, commit(*hunks), traced)


def test_a_commit_of_many_hunks_says_how_many_there_are(indexed: Indexed) -> None:
    record = record_of(indexed, *(Hunk(n, 1, n, 1, "", f"+{n}") for n in range(60)))
    assert (len(record["hunks"]), record["hunks_total"]) == (50, 60)
    assert [hunk["start_line"] for hunk in record["hunks"]] == list(range(1, 51))


def test_a_hunk_whose_text_was_cut_says_so(indexed: Indexed) -> None:
    record = record_of(indexed, Hunk(0, 9, 0, 9, "f", "+x"), Hunk(20, 0, 20, 900, "", "+y", truncated=True))
    assert [hunk["truncated"] for hunk in record["hunks"]] == [False, True]
    assert (record["hunks"][1]["start_line"], record["hunks"][1]["end_line"]) == (21, 920)


def test_evidence_says_null_where_no_vector_was_compared() -> None:
    assert evidence_record(Evidence(0.51234, 3.5)) == {"words": 0.5123, "shared": 3.5, "near": None, "defines": False}
    assert evidence_record(Evidence(1.0, 1.0, 2.345, True))["near"] in (2.34, 2.35)
