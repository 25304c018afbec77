#!/usr/bin/env python3
"""What Postil adds to a model's own time, and how soon a model stops when it is told to.

    models.py [--out DIR] [--rounds N]

The overhead is measured with a local server that speaks Ollama's API and writes a piece every 20 ms, as a 7B model
does on a good graphics card: the same prompt is sent through the whole of `ask`, retrieval and checks included, and by
the client alone. Stopping is measured on a real model, SmolLM2-135M, in this process and behind llama.cpp's HTTP
server, by what that server says it is doing. The status is 1 where a bound is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring import percentile, table, write_result

from fixtures.ollama_server import OllamaServer, serving
from fixtures.smollm import smollm_path
from fixtures.workspace import build
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import open_index, write_index
from postil_server.answering.answer import ask, question_weights
from postil_server.answering.asking import Asking
from postil_server.answering.context import gather
from postil_server.answering.corpus import Corpus
from postil_server.answering.question import Question
from postil_server.answering.writing import ModelWriter
from postil_server.llm.base import ChatModel, Message, Options, StopSignal
from postil_server.llm.llamacpp import LlamaCppModel
from postil_server.llm.ollama import OllamaModel
from postil_server.llm.openai import OpenAIModel

_PIECE_S = 0.02
_WORDS = [f"{one}o{other}ar" for one in "bdfgklmnprstv" for other in "bdfgklmnprstv"][:150]  # each tells its piece
_PIECES = tuple(
    f"Extending happens {word} at half time [1]. " if n % 8 == 0 else f"and so {word} on "
    for n, word in enumerate(_WORDS)
)
_FIRST_MS, _BEHIND_MS, _SHARE, _STOP_MS = 150.0, 50.0, 0.05, 300.0  # bounds
_QUESTION = Question("What happens when extending a lease?")
_STORY = [Message("user", "Tell me a very long story about a river.")]


class Paced(OllamaServer):
    """Writes as fast as a model."""

    def lines(self, body: dict[str, object]) -> Iterator[dict[str, object]]:
        self.written_at: list[float] = []
        for line in super().lines(body):
            self.written_at.append(time.perf_counter())
            yield line
            time.sleep(_PIECE_S)


@contextmanager
def fixture() -> Iterator[Corpus]:
    with tempfile.TemporaryDirectory() as folder:
        workspace, static = build(Path(folder) / "millrace"), load_static()
        models = {"static": RoleModel(static, "{}")}
        with write_index(Path(folder) / "index.db") as index:
            index_workspace(index, workspace.root, models, processes=0)
            index_history(index, workspace.root, models)
        with open_index(Path(folder) / "index.db") as index:
            yield Corpus(workspace.root, index, {"static": static})


def overhead(corpus: Corpus, rounds: int) -> tuple[list[float], list[float], list[float]]:
    """(milliseconds more to the first piece, share more in total), a round each; milliseconds from each piece of the
    model until its text is out."""
    with serving(Paced, reply=_PIECES) as server:
        model = OllamaModel(server.model, server.address, temperature=0.2, context=8_192)
        writer = ModelWriter(Asking(model), question_weights([corpus], _QUESTION))
        prompt = writer.prompt(gather([corpus], _QUESTION))
        first, total, late = [], [], []
        for _ in range(rounds):
            direct = timed(piece for piece in model.stream(prompt.messages, Options(max_tokens=500), StopSignal()))
            asked = timed(event.text for event in ask([corpus], _QUESTION, writer=writer) if event.kind == "text")
            first.append(1e3 * (asked[0] - direct[0]))
            total.append(asked[1] / direct[1] - 1.0)
            late += [1e3 * (out - written) for out, written in zip(asked[2], server.written_at, strict=False)]
    return first, total, late


def timed(pieces: Iterator[str]) -> tuple[float, float, list[float]]:
    """Seconds to the first piece and to the end; when the word that only one piece has came, of each piece."""
    started = time.perf_counter()
    text, first, out = "", 0.0, []
    for piece in pieces:
        now = time.perf_counter()
        text, first = text + piece, first or now - started
        while len(out) < len(_WORDS) and f" {_WORDS[len(out)]} " in text:
            out.append(now)
    return first, time.perf_counter() - started, out


def stopping(model: ChatModel, inside: LlamaCppModel, rounds: int) -> tuple[list[float], int]:
    """(milliseconds from the interrupt until the model is idle, tokens that it wrote after it at most)."""
    took, more = [], 0
    for _ in range(rounds):
        signal = StopSignal()
        for number, _ in enumerate(model.stream(_STORY, Options(max_tokens=800), signal)):
            if number == 5:
                written = slot(inside)["next_token"][0]["n_decoded"]
                started = time.perf_counter()
                signal.interrupt()
        while slot(inside)["is_processing"]:
            time.sleep(0.002)
        took.append(1e3 * (time.perf_counter() - started))
        more = max(more, slot(inside)["next_token"][0]["n_decoded"] - written)
    return took, more


def slot(inside: LlamaCppModel) -> dict[str, object]:
    request = urllib.request.Request(f"{inside.address}/slots", headers={"Authorization": f"Bearer {inside.key}"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        (one,) = json.loads(reply.read())
    return one


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    with fixture() as corpus:
        first, total, late = overhead(corpus, options.rounds)
    inside = LlamaCppModel(smollm_path(), temperature=0.0, context=1_024, threads=1)
    os.environ["POSTIL_BENCHMARK_KEY"] = inside.key
    behind = OpenAIModel(
        "smollm2", f"{inside.address}/v1", temperature=0.0, context=1_024, key_variable="POSTIL_BENCHMARK_KEY"
    )
    stops = [
        (name, *stopping(model, inside, options.rounds))
        for name, model in (("in the process", inside), ("behind HTTP", behind))
    ]
    inside.close()
    rows = [
        (
            "first piece",
            f"{statistics.median(first):.0f} ms",
            f"{percentile(first, 0.95):.0f} ms",
            f"{_FIRST_MS:.0f} ms",
        )
    ]
    rows += [
        (
            "each piece, behind the model's",
            f"{statistics.median(late):.0f} ms",
            f"{percentile(late, 0.95):.0f} ms",
            f"{_BEHIND_MS:.0f} ms",
        )
    ]
    rows += [("whole answer", f"{statistics.median(total):.1%}", f"{percentile(total, 0.95):.1%}", f"{_SHARE:.0%}")]
    said = [
        (
            name,
            f"{statistics.median(took):.0f} ms",
            f"{max(took):.0f} ms",
            f"{sum(t <= _STOP_MS for t in took)} of {len(took)}",
            more,
        )
        for name, took, more in stops
    ]
    parts = [
        f"What `ask` adds to the same prompt sent by the client alone, {options.rounds} rounds in turn:",
        table(["", "p50", "p95", "bound"], rows),
        f"From the interrupt until the model is idle, {options.rounds} rounds; bound {_STOP_MS:.0f} ms:",
        table(["", "p50", "most", "within it", "tokens written after it, at most"], said),
    ]
    write_result(options.out, "Models", "python benchmarks/models.py", parts, {})
    in_time = all(t <= _STOP_MS for _, took, _ in stops for t in took)
    met = statistics.median(first) <= _FIRST_MS and statistics.median(total) <= _SHARE
    return 0 if met and percentile(late, 0.95) <= _BEHIND_MS and in_time else 1


if __name__ == "__main__":
    sys.exit(main())
