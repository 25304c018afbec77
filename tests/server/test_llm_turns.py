"""Requests to a local model queue one at a time; a newer one of the same view replaces the older."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence

from fixtures.scripted_model import ScriptedModel
from postil_server.llm.base import Finish, Message, Options, StopSignal, Stream
from postil_server.llm.opening import ModelSpec, open_models
from postil_server.llm.turns import QueuedModel, Turns

ASKED = [Message("user", "?")]


class Slow(ScriptedModel):
    """Gives its answer piece by piece, each when `go` is released once; keeps how many it serves at once."""

    def __init__(self) -> None:
        super().__init__(lambda messages: "abcd", size=1)
        self.go = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)
        self.serving = self.most = 0

    def stream(self, messages: Sequence[Message], options: Options, signal: StopSignal) -> Stream:
        return Stream(self._slowly(messages, signal))

    def _slowly(self, messages: Sequence[Message], signal: StopSignal) -> Generator[str, None, Finish]:
        self.serving += 1
        self.most = max(self.most, self.serving)
        self.begun.release()
        try:
            with signal.calling(self.go.release):
                for piece in "abcd":
                    self.go.acquire()
                    if signal.stopped:
                        return Finish("stopped")
                    yield piece
            return Finish("stop")
        finally:
            self.serving -= 1


class Request:
    """One request in a thread of its own."""

    def __init__(self, model: QueuedModel, view: str = "") -> None:
        self.signal = StopSignal()
        self.text = ""
        self._stream = model.stream(ASKED, Options(view=view), self.signal)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        for piece in self._stream:
            self.text += piece

    def end(self) -> tuple[str, str]:
        self._thread.join(10)
        return self.text, self._stream.finish.reason


def until_waiting(turns: Turns, count: int) -> None:
    while turns.ahead() != count + 1:
        threading.Event().wait(0.002)


def test_one_is_served_at_a_time_in_the_order_they_came() -> None:
    slow, turns = Slow(), Turns(1)
    model = QueuedModel(slow, turns)
    first = Request(model)
    slow.begun.acquire()
    second = Request(model)
    until_waiting(turns, 1)
    third = Request(model)
    until_waiting(turns, 2)
    slow.go.release(12)
    assert [each.end() for each in (first, second, third)] == [("abcd", "stop")] * 3
    assert slow.most == 1


def test_two_places_serve_two() -> None:
    slow, turns = Slow(), Turns(2)
    model = QueuedModel(slow, turns)
    requests = [Request(model) for _ in range(3)]
    slow.begun.acquire()
    slow.begun.acquire()
    until_waiting(turns, 1)
    slow.go.release(12)
    assert [each.end()[1] for each in requests] == ["stop"] * 3
    assert slow.most == 2


def test_a_newer_request_of_a_view_stops_the_older_and_others_stay() -> None:
    slow, turns = Slow(), Turns(1)
    model = QueuedModel(slow, turns)
    older = Request(model, "panel")
    slow.begun.acquire()
    other = Request(model, "hover")
    until_waiting(turns, 1)
    waiting = Request(model, "panel")  # replaces the one that is served
    assert older.end() == ("", "stopped")
    newest = Request(model, "panel")  # replaces the one that waits
    assert waiting.end() == ("", "stopped")
    slow.go.release(20)
    assert other.end() == ("abcd", "stop")
    assert newest.end() == ("abcd", "stop")


def test_who_waits_can_be_stopped() -> None:
    slow, turns = Slow(), Turns(1)
    model = QueuedModel(slow, turns)
    first = Request(model)
    slow.begun.acquire()
    second = Request(model)
    until_waiting(turns, 1)
    second.signal.interrupt()
    assert second.end() == ("", "stopped")
    slow.go.release(4)
    assert first.end() == ("abcd", "stop")
    assert turns.ahead() == 0


def test_a_reader_that_goes_away_gives_its_place_to_the_next() -> None:
    slow, turns = Slow(), Turns(1)
    model = QueuedModel(slow, turns)
    pieces = iter(model.stream(ASKED, Options(), StopSignal()))
    slow.go.release()
    assert next(pieces) == "a"
    second = Request(model)
    until_waiting(turns, 1)
    del pieces
    slow.go.release(8)
    assert second.end() == ("abcd", "stop")


def test_the_two_tiers_of_one_server_share_one_queue_and_are_made_once() -> None:
    spec = ModelSpec("ollama", "qwen2.5:7b", small_model="qwen2.5:1.5b")
    models = open_models(spec)
    assert (models.main.name, models.small.name) == ("ollama:qwen2.5:7b", "ollama:qwen2.5:1.5b")
    assert models.main._turns is models.small._turns  # type: ignore[attr-defined]
    assert open_models(ModelSpec("ollama", "qwen2.5:7b", small_model="qwen2.5:1.5b")) is models
    alone = open_models(ModelSpec("ollama", "qwen2.5:7b"))
    assert alone.main is alone.small
