"""Answers that take long are stopped in the middle, by their stream or with their request, and keep what came."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from postil_indexers.types import Kind, Span
from postil_server.answering.draft import Event
from postil_server.lsp.answering import What, made
from postil_server.lsp.calls import WrongArgumentError
from postil_server.lsp.desk import Desk
from postil_server.lsp.lane import DroppedError, Lane, Token
from postil_server.lsp.streams import Streams, Tell
from postil_server.types import Sentence, Source, Support

WHAT = What("ask", "Is it so?", "/w")
SOURCE = Source(1, "/w", "a.md", Span(0, 1), Kind.NOTE, "A", "", "It is so.")


@pytest.fixture
def root(desk: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in desk.machine.environment().items():
        monkeypatch.setenv(name, value)
    return str(desk.root)


def endless(desk: Desk, root: str) -> Iterator[Event]:
    """An answer whose third step never ends by itself."""
    yield Event("sources", sources=(SOURCE,))
    yield Event("text", text="It is so. [1]")
    yield Event("sentence", sentence=Sentence("It is so.", (1,), Support.SUPPORTED))
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    desk.at(root).connection.execute(forever).fetchall()


def test_a_stream_is_cancelled_by_its_name_and_keeps_what_came(root: str) -> None:
    told: list[tuple[str, dict[str, Any]]] = []

    async def scenario() -> dict[str, Any]:
        lane = Lane(Desk, 1, lambda: frozenset([root]))
        streams = Streams(lane, lambda method, event: told.append((method, event)))

        def work(desk: Desk, tell: Tell, token: Token) -> dict[str, Any]:
            return made(endless(desk, root), WHAT, tell, token)

        running = asyncio.ensure_future(streams.run("a", work))
        while len(told) < 3:
            await asyncio.sleep(0.01)
        with pytest.raises(WrongArgumentError, match="still being made"):
            await streams.run("a", work)
        assert not streams.cancel("b")
        assert streams.cancel("a")
        answer = await running
        assert not streams.cancel("a")
        lane.close()
        return answer

    answer = asyncio.run(scenario())
    assert (answer["finish"], answer["text"]) == ("cancelled", "It is so. [1]")
    assert [citation["number"] for citation in answer["citations"]] == [1]
    assert answer["sentences"] == [{"text": "It is so.", "citations": [1], "support": "supported"}]
    assert [(method, event["stream"], event["seq"]) for method, event in told] == [
        ("postil/answer", "a", number) for number in range(3)
    ]


def test_a_cancelled_request_stops_its_work_and_tells_no_more(root: str) -> None:
    told: list[dict[str, Any]] = []
    outcome: list[str] = []

    async def scenario() -> None:
        lane = Lane(Desk, 1, lambda: frozenset([root]))
        streams = Streams(lane, lambda method, event: told.append(event))

        def work(desk: Desk, tell: Tell, token: Token) -> dict[str, Any]:
            answer = made(endless(desk, root), WHAT, tell, token)
            outcome.append(answer["finish"])
            return answer

        running = asyncio.ensure_future(streams.run("a", work))
        while len(told) < 3:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await lane.run(lambda desk: desk.at(root).index.documents.count()[0]) == 49  # the thread is free
        lane.close()

    asyncio.run(scenario())
    assert outcome == ["cancelled"]
    assert len(told) == 3


def test_what_is_interrupted_for_another_reason_is_no_answer(root: str) -> None:
    def broken() -> Iterator[Event]:
        yield Event("text", text="It is")
        raise DroppedError

    with pytest.raises(DroppedError):
        made(broken(), WHAT, lambda event: None, Token())
