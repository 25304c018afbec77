"""How soon hovers come while an answer is being written, by a real model: SmolLM2-135M.

Once inside the server's own process and once behind llama.cpp's HTTP server in another. Both read the prompt and write
on all processors but one, so that most of what a hover waits for is the processor. Beside it the same hovers at rest.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desk import Desk
from measuring import percentile, table, write_result
from serving_places import SPEAKING, Place, places
from serving_window import Window
from trees import check_out

from fixtures.smollm import smollm_path
from postil_server.llm.llamacpp import LlamaCppModel

_NOTES = "MadisonEvans94/Zettelkasten"
_QUESTION = "What is the CAP theorem?"
_OF_EACH = 2_000  # places of each kind, as far as there are; each is hovered at once, for a server remembers
_AT_REST = 150
_ANSWERS = 3  # by each model
_BOUND_MS = 80.0
_PATIENCE_S = 900.0
_SEED = 5
_CONTEXT = 1_024  # a long prompt takes so small a model minutes where others are at work
_SETTINGS = f"context = {_CONTEXT}\ntemperature = 0.0\nfirst_token_s = 600\nwhole_s = 900\n"
_KEY = "POSTIL_BENCHMARK_KEY"

_Row = tuple[str, str, str, str, str, str]


@dataclass
class _Answer:
    """When the first text of an answer came, on the clock of time.perf_counter."""

    begun_at: float = 0.0
    times: list[tuple[float, float]] = field(default_factory=list)  # (when it was asked, milliseconds) of each hover

    def heard(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "postil/answer" and params["kind"] == "text" and not self.begun_at:
            self.begun_at = time.perf_counter()

    def while_reading(self) -> list[float]:
        return [ms for at, ms in self.times if not self.begun_at or at < self.begun_at]

    def while_writing(self) -> list[float]:
        return [ms for at, ms in self.times if self.begun_at and at >= self.begun_at]


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    tree = check_out(mirror, _NOTES, work / "trees")
    desk = Desk(work / "streaming-desk", tree)
    if desk.postil("index", "--no-history", "--yes").status:
        sys.exit("the notes could not be indexed")
    where = [place for place in places(tree, desk.index_path, _OF_EACH, _SEED) if place.kind in SPEAKING]
    random.Random(_SEED).shuffle(where)
    rows = [_measured("in the server's process", desk, where, f'provider = "llamacpp"\nmodel = "{smollm_path()}"\n')]
    with _behind_http() as settings:
        rows.append(_measured("behind HTTP", desk, where, settings))
    said = (
        f"Hovers on {_NOTES}, one after the other and each at another place, while `postil/ask` answers {_ANSWERS} "
        f"times in the same window. Bound: p95 {_BOUND_MS:.0f} ms while the answer is written."
    )
    header = ("the model", "answers", "hovers at rest", "while it reads the prompt", "while it writes", "verdict")
    write_result(out, "Streaming", command, [said, table(header, rows)], {})
    return all(row[-1] == "met" for row in rows)


@contextmanager
def _behind_http() -> Iterator[str]:
    """Settings for the model on llama.cpp's server in this process."""
    model = LlamaCppModel(smollm_path(), temperature=0.0, context=_CONTEXT)
    os.environ[_KEY] = model.key
    try:
        yield (
            f'provider = "openai"\nmodel = "smollm2"\nendpoint = "{model.address}/v1"\napi_key_variable = "{_KEY}"\n'
        )
    finally:
        model.close()


def _measured(name: str, desk: Desk, where: Sequence[Place], settings: str) -> _Row:
    desk.set(f'[embedding]\nprose = ""\n[llm]\n{settings}{_SETTINGS}')
    command = [str(Path(sys.executable).with_name("postil")), "serve", "--stdio"]
    answers = [_Answer() for _ in range(_ANSWERS)]
    current = answers[:1]

    def heard(method: str, params: Any) -> None:
        current[0].heard(method, params)

    with Window(command, desk.environment(), [desk.root], heard) as window:
        list(window.hovers(where[:20]))
        rest = [hovered.ms for hovered in window.hovers(where[20:_AT_REST])]
        others = where[_AT_REST:]
        for number, answer in enumerate(answers):
            current[0] = answer
            answer.times = list(_while_answering(window, others[number::_ANSWERS], f"a{number}"))
    reading = [ms for answer in answers for ms in answer.while_reading()]
    writing = [ms for answer in answers for ms in answer.while_writing()]
    met = bool(writing) and percentile(writing, 0.95) <= _BOUND_MS
    wrote = sum(bool(answer.begun_at) for answer in answers)
    return name, f"{wrote} of {_ANSWERS}", _said(rest), _said(reading), _said(writing), "met" if met else "not met"


def _while_answering(window: Window, where: Sequence[Place], stream: str) -> Iterator[tuple[float, float]]:
    params = {"question": _QUESTION, "stream": stream, "cache": False}
    asked = window.conversation.ask("postil/ask", params)
    at = time.perf_counter()
    for hovered in window.hovers(where):
        yield at, hovered.ms
        if asked.done.is_set():
            break
        at = time.perf_counter()
    answer = asked.result(_PATIENCE_S)
    if not answer["model"]:
        sys.exit(f"the model did not answer: {answer['text'][:300]}")


def _said(times: Sequence[float]) -> str:
    if not times:
        return "none"
    return f"p50 {percentile(times, 0.5):.1f}, p95 {percentile(times, 0.95):.1f} ms of {len(times)}"
