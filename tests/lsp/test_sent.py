"""What has left this machine, as the servers' log has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from postil_server.lsp.sent import sent


def line(at: str, event: str, **fields: Any) -> str:
    return json.dumps({"at": at, "level": "info", "pid": 1, "event": event, **fields}) + "\n"


def prompt(at: str, endpoint: str, tokens: int, masked: int = 0) -> str:
    return line(at, "sent", endpoint=endpoint, model="x", tokens=tokens, masked=masked, sources=["a.md"])


def test_prompts_to_other_machines_are_counted_over_all_files_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    far, other = "https://api.example.org/v1", "http://10.0.0.7:11434"
    log.with_name("server.log.1").write_text(
        line("2026-01-01T00:00:00Z", "start") + prompt("2026-01-02T00:00:00Z", far, 900, 2)
    )
    log.write_text(
        prompt("2026-01-03T00:00:00Z", "http://127.0.0.1:11434", 5_000)
        + prompt("2026-01-03T00:00:01Z", "this process", 5_000)
        + prompt("2026-01-04T00:00:00Z", far, 100, 1)
        + prompt("2026-01-05T00:00:00Z", other, 7)
        + '{"event": "sent", "cut short'
    )
    assert sent(log) == {
        "since": "2026-01-01T00:00:00Z",
        "endpoints": [
            {"endpoint": other, "prompts": 1, "tokens": 7, "masked": 0, "last_at": "2026-01-05T00:00:00Z"},
            {"endpoint": far, "prompts": 2, "tokens": 1_000, "masked": 3, "last_at": "2026-01-04T00:00:00Z"},
        ],
    }


def test_the_log_is_read_again_when_it_has_grown(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    assert sent(log) == {"since": None, "endpoints": []}
    log.write_text(line("2026-01-01T00:00:00Z", "start"))
    assert sent(log) == {"since": "2026-01-01T00:00:00Z", "endpoints": []}
    with log.open("a") as more:
        more.write(prompt("2026-01-02T00:00:00Z", "https://api.example.org/v1", 5))
    assert [each["prompts"] for each in sent(log)["endpoints"]] == [1]
