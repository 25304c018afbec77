"""Requests that are cancelled, replaced, or many."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from fixtures.editor import PATIENCE_S, Editor
from postil_server.lsp.desk import Desk
from postil_server.lsp.histories import Asked, history_all
from postil_server.lsp.lane import DroppedError, Lane, Token

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def root(desk: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in desk.machine.environment().items():
        monkeypatch.setenv(name, value)
    return str(desk.root)


def test_cancelling_stops_the_statement_that_runs_and_the_connection_lives(root: str) -> None:
    lane = Lane(Desk, 1, lambda: frozenset([root]))
    seen: list[object] = []

    def endless(desk: Desk) -> None:
        with desk.at(root).index.snapshot():
            desk.at(root).connection.execute(FOREVER).fetchall()

    def after(desk: Desk) -> int:
        seen.append(desk.at(root))
        return desk.at(root).index.documents.count()[0]

    async def scenario() -> None:
        assert await lane.run(after) == 49
        task = asyncio.ensure_future(lane.run(endless))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.wait_for(lane.run(after), PATIENCE_S) == 49  # in the same thread, once that is free
        assert seen[0] is seen[1]

    asyncio.run(scenario())
    lane.close()


def test_a_token_that_is_cancelled_lets_no_statement_begin(root: str) -> None:
    lane, token = Lane(Desk, 1, lambda: frozenset([root])), Token()

    def between(desk: Desk) -> int:
        opened = desk.at(root)
        token.cancel()
        return opened.index.documents.count()[0]

    with pytest.raises(DroppedError):
        asyncio.run(lane.run(between, token))
    with pytest.raises(DroppedError):
        asyncio.run(lane.run(between, token))
    lane.close()


def test_an_index_in_another_file_is_opened_anew(root: str, desk: Any) -> None:
    reading = Desk()
    with reading.serving(Token(), {root}):
        first = reading.at(root)
        assert reading.at(root) is first
        path = Path(first.index.path)
        beside = path.with_suffix(".copy")
        beside.write_bytes(path.read_bytes())
        beside.replace(path)
        assert reading.at(root) is not first
        assert reading.at(root).index.documents.count()[0] == 49


def test_a_cancelled_request_is_answered_as_cancelled_and_nothing_is_stuck(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/design.md")
    protocol = editor.client.protocol

    async def scenario() -> list[Any]:
        asked: list[Any] = []
        for number in range(60):
            if number % 3:
                params: Any = {"query": f"lease {number}", "limit": 50}
                asked.append(protocol.send_request_async("postil/search", params, msg_id=f"q{number}"))
            else:
                where = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(31, 3))
                asked.append(protocol.send_request_async("textDocument/hover", where, msg_id=f"q{number}"))
        asked = [asyncio.ensure_future(request) for request in asked]
        await asyncio.sleep(0)  # all are sent
        for number in range(0, 60, 2):
            protocol.notify("$/cancelRequest", lsp.CancelParams(f"q{number}"))
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = editor.wait(scenario())
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    assert {error.code for error in failed if isinstance(error, JsonRpcException)} == {-32800}
    assert all(isinstance(error, JsonRpcException) for error in failed)
    assert not any(isinstance(answers[number], BaseException) for number in range(1, 60, 2))
    assert editor.hover(uri, 31, 3) is not None


def test_a_newer_hover_of_a_document_drops_the_older(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/design.md")
    # one thread answers hovers; reading this for the first one takes it long enough for all of the others to arrive
    long = "untitled:long.md"
    editor.open(long, "A line of [[prose]] with `code`.\n\n" * 60_000)

    def asked(uri: str, line: int) -> Any:
        return editor.client.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, 3))
        )

    async def scenario() -> list[Any]:
        return await asyncio.gather(asked(long, 0), *(asked(uri, 31) for _ in range(20)))

    _, *dropped, newest = editor.wait(scenario())
    assert dropped == [None] * 19
    assert newest is not None
    editor.close(long)


def test_thousands_of_changes_in_a_row_leave_the_right_text(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(desk.root / "docs/design.md", text="x\n" * 5_000 + "[[glossary]]\n")
    here = lsp.Range(lsp.Position(2_500, 0), lsp.Position(2_500, 1))
    for version in range(2, 2_002):
        letter = chr(97 + version % 26)
        editor._loop.call_soon_threadsafe(
            editor.client.text_document_did_change,
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(version, uri),
                [lsp.TextDocumentContentChangePartial(here, letter)],
            ),
        )
    assert editor.hover(uri, 5_000, 3) is not None


def test_a_question_to_the_history_stops_between_two_commits(root: str) -> None:
    lane, token = Lane(Desk, 1, lambda: frozenset([root])), Token()
    told: list[str] = []

    def tell(event: dict[str, Any]) -> None:
        told.extend(commit["subject"] for commit in event["commits"])
        if len(told) == 2:
            token.cancel()

    asked = Asked("", {"merge": "no"}, None, None, 20, explain=False)
    with pytest.raises(DroppedError):
        asyncio.run(lane.run(lambda desk: history_all(desk, [root], asked, tell), token))
    assert told == ["Keep leases alive from a separate thread (#57)", "Retrospective and two daily notes"]
    assert (
        asyncio.run(lane.run(lambda desk: len(history_all(desk, [root], asked, lambda event: None)["commits"]))) == 20
    )
    lane.close()
