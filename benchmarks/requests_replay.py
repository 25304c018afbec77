"""Ten thousand messages of an editor's session, played to `postil serve`: some wrong or cancelled, the worker killed.

Over the project of the tests, with its commits. The session is drawn by a seed, written down, and played from there.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psutil
from desk import Desk
from measuring import table, write_result
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

from fixtures.conversation import Conversation
from fixtures.replay import Played, Replay, complaints, editors_answers, kill_workers
from fixtures.session import Session, recorded, write_down
from fixtures.workspace import build

_SEED = 11
_EVERY = 100  # messages between two looks at the memory
_FIRST = 1_000  # messages after which it is to stay as it is
_FLAT = 1.05
_CLIENT = "visual_studio_code"

Row = tuple[str, str, str, str]
Sample = tuple[int, int]  # messages so far, resident bytes


def run(mirror: Path, work: Path, out: Path, command: str, messages: int = 10_000) -> bool:
    folder = work / "requests"
    shutil.rmtree(folder, ignore_errors=True)
    workspace = build(folder / "millrace")
    desk = Desk(folder / "desk", workspace.folder)
    if desk.postil("index", "--yes").status:
        sys.exit("the workspace could not be indexed")
    session = folder / "session.jsonl"
    write_down(Session(workspace.folder, _SEED).steps(messages), session)
    samples: list[Sample] = []
    killed: list[int] = []
    with (folder / "stderr.log").open("wb") as errors:
        program = [str(Path(sys.executable).with_name("postil")), "serve", "--stdio"]
        with Conversation(program, desk.environment(), answers=editors_answers(_SEED), errors=errors) as conversation:
            conversation.begin(
                [workspace.folder.as_uri()], default_converter().unstructure(client_capabilities(_CLIENT))
            )
            process = psutil.Process(conversation.process.pid)

            def sample(number: int) -> None:
                samples.append((number, process.memory_info().rss))

            replay = Replay(
                conversation, kill=lambda: killed.append(kill_workers(desk.index_dir)), every=(_EVERY, sample)
            )
            played = replay.play(recorded(session))
            status = conversation.end()
    said = complaints(folder / "desk" / "home", desk.index_dir)
    if (folder / "stderr.log").stat().st_size:
        said.append((folder / "stderr.log").read_text(encoding="utf-8", errors="replace")[-2_000:])
    for line in (*played.faults, *said):
        print(line, flush=True)
    rows = [*_rows(played, said, status), _memory(samples)]
    told = (
        f"{played.messages:,} messages, {sum(played.outcomes.values()):,} of them requests, up to twelve under way; "
        f"{sum(killed)} workers were killed and {played.cancelled} requests told to stop. Outcomes: "
        + "; ".join(f"{name}: {count}" for name, count in _outcomes(played))
        + ". The requests that took longest, in seconds: "
        + "; ".join(f"{seconds:.1f} {what.split(' ')[1]}" for seconds, what in played.slow[:5])
        + "."
    )
    header = ("what", "measured", "bound", "verdict")
    write_result(out, "Requests", command, [told, table(header, rows)], {})
    return all(row[-1] == "met" for row in rows)


def _outcomes(played: Played) -> list[tuple[str, int]]:
    """By what came of a request, whatever it was."""
    found: dict[str, int] = {}
    for name, count in played.outcomes.items():
        outcome = name.rpartition(" ")[2]
        found[outcome] = found.get(outcome, 0) + count
    return sorted(found.items(), key=lambda pair: -pair[1])


def _rows(played: Played, said: list[str], status: int) -> list[Row]:
    stuck = sum("no answer in" in fault for fault in played.faults)
    others = len(played.faults) - stuck
    return [
        _row("requests without an answer", str(stuck), "none", not stuck),
        _row("answers that were wrong, doubled or failures of ours", str(others), "none", not others),
        _row("failures in the logs, lines on standard error", str(len(said)), "none", not said),
        _row("the server's exit status", str(status), "0", status == 0),
    ]


def _memory(samples: list[Sample]) -> Row:
    first = [held for number, held in samples if _FIRST <= number < 1.5 * _FIRST]
    last = [held for number, held in samples if number >= max(1.5 * _FIRST, samples[-1][0] - _FIRST / 2)]
    what = f"memory after the first {_FIRST:,} messages and at the end"
    if not first or not last:
        return _row(what, "too few messages", f"{_FLAT:.2f} times", False)
    before, after = statistics.median(first), statistics.median(last)
    measured = f"{before / 1e6:.0f} and {after / 1e6:.0f} MB, {after / before:.3f} times"
    return _row(what, measured, f"{_FLAT:.2f} times", after <= _FLAT * before)


def _row(what: str, measured: str, bound: str, met: bool) -> Row:
    return (what, measured, bound, "met" if met else "not met")
