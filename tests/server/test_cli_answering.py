"""postil ask and summarise as a user and as a program calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.machine import Machine, Ran
from fixtures.repository import Workspace

Used = tuple[Machine, Workspace, Ran]

QUESTIONS = """\
- id: length
  question: How long is a lease to begin with?
  sources: [["nowhere.md", "notes/meetings/2024-03-04 planning.md"], docs/none.md]
  facts: ["(?i)thirty seconds", "ninety"]
- {id: kafka, question: "How do we configure the Kafka connector?", refuse: true}
- {id: rent, question: "How long is a lease to begin with?", refuse: true}
"""


def test_an_answer_as_json(used: Used) -> None:
    machine, workspace, _ = used
    record = machine.here("ask", workspace.root, "Who fixed the off-by-one in counting attempts?", "--json").record
    assert set(record) == {"id", "text", "model", "citations", "sentences", "nearest", "finish", "elapsed_ms"}
    first = record["citations"][0]
    assert first == {
        "number": 1,
        "path": "millrace/retry.py",
        "root": workspace.root,
        "uri": (Path(workspace.root) / "millrace/retry.py").as_uri(),
        "start_line": first["start_line"],
        "end_line": first["end_line"],
        "kind": "commit",
        "title": "Fix off-by-one in counting attempts (#42)",
        "name": "Maya Okafor",
        "sha": first["sha"],
        "stale": False,
    }
    assert first["sha"].startswith("bdb2fef")
    assert record["sentences"][0] == {
        "text": "Fix off-by-one in counting attempts (#42) (Maya Okafor, 2024-03-20)",
        "citations": [1],
        "support": "supported",
    }
    assert (record["model"], record["nearest"], record["finish"]) == ("", [], "complete")


def test_what_is_not_there_has_no_citations_and_the_nearest_passages(used: Used) -> None:
    machine, workspace, _ = used
    record = machine.here("ask", workspace.root, "Where is the login page rendered?", "--json").record
    assert (record["citations"], record["sentences"], record["finish"]) == ([], [], "not_found")
    assert 0 < len(record["nearest"]) <= 5
    assert {"path", "start_line", "confidence"} <= set(record["nearest"][0])
    shown = machine.here("ask", workspace.root, "Where is the login page rendered?").out
    assert shown.startswith("The workspace does not have this.\n\nThe nearest passages:\n  ")


def test_a_batch_has_an_answer_a_line(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    asked = [
        {"id": 1, "question": "How long is a lease?"},
        {"id": 2, "question": "它呢？", "file": "docs/design.md:32-36"},
    ]
    path = tmp_path / "batch.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in asked), encoding="utf-8")
    answers = machine.here("ask", workspace.root, "--batch", str(path)).records
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["citations"][0]["path"] == "docs/design.md"


def test_a_terminal_shows_the_text_and_where_its_numbers_lead(used: Used) -> None:
    machine, workspace, _ = used
    shown = machine.here("summarise", workspace.root, "docs/design.md").out
    assert "\n- A claimed job belongs to one consumer until its lease runs out. [4]\n" in shown
    assert "\n[4] docs/design.md:32  Design of Millrace › Leases\n" in shown
    lines = machine.here("summarise", workspace.root, "docs/design.md:32-36", "--json").record
    assert [(c["start_line"], c["end_line"]) for c in lines["citations"]] == [(32, 36)]
    since = machine.here("summarise", workspace.root, "--since", "ea5ff50", "--json").record
    assert {citation["kind"] for citation in since["citations"]} == {"commit"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", "x", "--file", "docs/design.md:9-3"),
        ("ask", "x", "--limit", "0"),
        ("ask", "x", "--file", "../x.md"),
        ("summarise",),
        ("summarise", ".."),
        ("summarise", "/etc/passwd"),
        ("summarise", "docs", "--author", "maya"),
        ("summarise", "--since", "no such thing"),
    ],
)
def test_wrong_usage_ends_with_2(used: Used, arguments: tuple[str, ...]) -> None:
    machine, workspace, _ = used
    name, *rest = arguments
    assert machine.here(name, workspace.root, *rest).status == 2
    assert machine.here("summarise", workspace.root, "docs/none.md").status == 1


def test_nothing_hostile_in_a_workspace_reaches_terminal_or_markdown(machine: Machine, tmp_path: Path) -> None:
    root = tmp_path / "hostile"
    root.mkdir()
    note = (
        "# The walrus\n\nThe walrus sleeps [here](command:evil) at \x1b[31mnoon\x1b[0m "
        "![p](https://evil.example/p.png) <img src=x onerror=y> [1] [link](https://evil.example).\n\n"
        "[red]The walrus wakes[/red] at https://evil.example/four.\n"
    )
    (root / "walrus.md").write_text(note, encoding="utf-8")
    assert machine.here("index", str(root)).status == 0
    record = machine.here("ask", str(root), "When does the walrus sleep?", "--json").record
    assert "The walrus sleeps here at noon" in record["text"]
    assert not any(bad in record["text"] for bad in ("](", "<img", "\x1b", "https://", "![", " [1] \\", "command:"))
    shown = machine.here("ask", str(root), "When does the walrus sleep?").out
    assert "\x1b" not in shown
    assert "[red]The walrus wakes[/red] at https://evil.example/four." in shown


def test_eval_prints_figures_and_compares(used: Used, tmp_path: Path) -> None:
    machine, workspace, _ = used
    path, result = tmp_path / "questions.yaml", tmp_path / "before.json"
    path.write_text(QUESTIONS, encoding="utf-8")
    printed = machine.here("eval", str(path), "--root", workspace.root, "--json")
    assert printed.record["summary"]["recall_at_5"] == 0.5
    result.write_text(printed.out.replace('"facts": 0.5', '"facts": 0.25', 1), encoding="utf-8")
    shown = machine.here("eval", str(path), "--root", workspace.root, "--compare", str(result)).out
    assert "rent  answered, and is not there\n" in shown
    assert "length  a source is missing, a fact is missing\n" in shown
    assert "all: facts 0.25 -> 0.5\n" in shown
    result.write_text(json.dumps([1]), encoding="utf-8")
    assert machine.here("eval", str(path), "--root", workspace.root, "--compare", str(result)).status == 2
