"""Indexing shown as work-done progress: one bar a folder and stage, with rate and time left. Cancelling it pauses."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from dataclasses import dataclass, field
from typing import Protocol

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.progress import Progress as Bars

from postil_server.lsp.folders import Folder, Status
from postil_server.lsp.locale import Wording
from postil_server.lsp.logs import event

_ANSWER_S = 10.0  # for a client to make a bar; one that doesn't gets no more of them
_SHORT_S = 0.5  # indexing that takes no longer than this is a save's, and shows nothing


class Pauses(Protocol):
    async def __call__(self, folder: Folder) -> object: ...


@dataclass
class _Bar:
    folder: Folder
    stage: str
    since: float
    done_then: int
    token: str = field(default_factory=lambda: f"postil-{uuid.uuid4()}")
    shown: bool = False


class IndexingProgress:
    """`hear` is called in the event loop with each status of a worker."""

    def __init__(self, bars: Bars, wording: Wording, pause: Pauses) -> None:
        self._bars = bars
        self._wording = wording
        self._pause = pause
        self._open: dict[str, _Bar] = {}  # by the folder's URI
        self._lock = asyncio.Lock()
        self._refused = False

    async def hear(self, folder: Folder, status: Status | None) -> None:
        async with self._lock:  # one status after the other: a bar is made by a request to the client
            bar = self._open.get(folder.uri)
            indexing = status is not None and status["state"] == "indexing" and status["total"]
            if bar is not None and (status is None or not indexing or status["stage"] != bar.stage):
                self._end(bar)
                bar = None
            if status is None or not indexing:
                return
            if bar is None:
                bar = _Bar(folder, status["stage"], time.monotonic(), status["done"])
                self._open[folder.uri] = bar
            elif time.monotonic() - bar.since > _SHORT_S and not self._refused:
                await self._show(bar, status)

    async def _show(self, bar: _Bar, status: Status) -> None:
        percentage = min(100 * int(status["done"]) // int(status["total"]), 100)
        said = self._wording.sentence(_sentence(status, time.monotonic() - bar.since, status["done"] - bar.done_then))
        if bar.shown:
            self._bars.report(bar.token, lsp.WorkDoneProgressReport(message=said, percentage=percentage))
            return
        try:
            await asyncio.wait_for(self._bars.create_async(bar.token), _ANSWER_S)
        except (TimeoutError, JsonRpcException) as error:
            self._refused = True
            event("progress", logging.WARNING, refused=type(error).__name__)
            return
        bar.shown = True
        title = self._wording.sentence(f"Indexing {bar.folder.name}")
        begin = lsp.WorkDoneProgressBegin(title, cancellable=True, message=said, percentage=percentage)
        self._bars.begin(bar.token, begin)

    def _end(self, bar: _Bar) -> None:
        del self._open[bar.folder.uri]
        if bar.shown:
            self._bars.end(bar.token, lsp.WorkDoneProgressEnd())
            self._bars.tokens.pop(bar.token, None)

    async def cancelled(self, token: lsp.ProgressToken) -> None:
        """The user pressed the bar's button: indexing pauses until it is told to go on."""
        for bar in list(self._open.values()):
            if bar.token == token:
                await self._pause(bar.folder)


def _sentence(status: Status, seconds: float, done: int) -> str:
    rate = done / seconds if seconds > 0 else 0.0
    said = f"{status['stage']} {status['done']:,} of {status['total']:,}"
    if rate < 1.0:
        return said
    left = round((status["total"] - status["done"]) / rate)
    return (
        f"{said}, {rate:,.0f} a second, {left // 60} min left"
        if left >= 120
        else f"{said}, {rate:,.0f} a second, {left} s left"
    )
