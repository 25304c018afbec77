"""The worker's side of its connections: a thread accepts them, and each is served by a thread of its own."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import ClassVar, Protocol

from postil_indexers.errors import PostilError
from postil_indexers.worker.agenda import Agenda
from postil_indexers.worker.channel import (
    Message,
    authenticate,
    open_listener,
    receive,
    send,
    wake,
    withdraw,
)
from postil_indexers.worker.versions import is_newer

_PROGRESS_S = 0.2  # between two reports to one client


class Served(Protocol):
    """What the service needs of the worker."""

    @property
    def agenda(self) -> Agenda: ...

    def hello(self) -> Message: ...

    def status(self) -> Message: ...


class Service:
    """Answers clients while the worker works. Use it as a context; it listens from `with` on."""

    def __init__(self, folder: Path, worker: Served) -> None:
        self._folder = folder
        self._worker = worker
        self._lock = threading.Lock()
        self._attached = 0
        self._alone_since = time.monotonic()
        self._closing = False
        self._listener: Listener

    def __enter__(self) -> Service:
        self._listener, self._key = open_listener(self._folder)
        threading.Thread(target=self._accept, name="accept", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        withdraw(self._folder, self._key)
        wake(self._listener.address)  # the accepting thread
        with contextlib.suppress(FileNotFoundError):  # the folder was deleted
            self._listener.close()

    def alone_s(self) -> float:
        """For how long nobody has been attached; 0 while somebody is."""
        with self._lock:
            return 0.0 if self._attached else time.monotonic() - self._alone_since

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection = self._listener.accept()
            except OSError:
                if not self._closing:
                    time.sleep(0.05)  # a client that broke off, or too many open files
                continue
            threading.Thread(target=self._serve, args=(connection,), name="client", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        with connection:
            try:
                authenticate(connection, self._key)
                self._converse(connection)
            except (OSError, EOFError, AuthenticationError):
                return  # the client is gone, or is none of ours

    def _converse(self, connection: Connection) -> None:
        send(connection, self._worker.hello())
        greeting = receive(connection)
        if greeting is None or not isinstance(greeting.get("version"), str):
            return
        if is_newer(greeting["version"], str(self._worker.hello()["version"])):
            # the newer takes over: what we wrote is whole after each transaction
            self._worker.agenda.stop("a newer version takes over")
            send(connection, {"done": {"leaving": True}})
            return
        send(connection, {"done": {"leaving": False}})
        attached = greeting.get("attach") is True
        self._attach(+1 if attached else 0)
        try:
            while (message := receive(connection)) is not None:
                self._answer(connection, message)
        finally:
            self._attach(-1 if attached else 0)

    def _attach(self, change: int) -> None:
        with self._lock:
            self._attached += change
            if change and not self._attached:
                self._alone_since = time.monotonic()

    def _answer(self, connection: Connection, message: Message) -> None:
        answer = self._ANSWERS.get(str(message.get("do")))
        if answer is None:
            send(connection, _error("unknown_request", f"the worker has no request {message.get('do')!r}"))
            return
        try:
            send(connection, {"done": answer(self, connection, message)})
        except PostilError as error:
            send(connection, _error(error.code, error.message, error.hint))

    # requests

    def _index(self, connection: Connection, message: Message) -> Message:
        agenda = self._worker.agenda
        if "asked" in agenda.pauses:
            raise PostilError("indexing is paused", "run: postil resume <folder>")
        if agenda.pauses:
            raise PostilError(
                "indexing waits for the power supply", "plug it in, or set pause_on_battery = false under [index]"
            )
        files, history = message.get("files") is not False, message.get("history") is not False
        ticket = agenda.want(everything=files, history=history, asked_for=True)
        if message.get("wait") is False:
            return self._worker.status()
        return self._wait_for(connection, ticket)

    def _wait(self, connection: Connection, message: Message) -> Message:
        return self._wait_for(connection, self._worker.agenda.ticket())

    def _wait_for(self, connection: Connection, ticket: int) -> Message:
        agenda = self._worker.agenda
        while not agenda.wait(ticket, _PROGRESS_S):
            if agenda.stopping:
                raise PostilError(f"the worker ended: {agenda.stopping}", "run the command again")
            send(connection, {"progress": self._worker.status()})
        return self._worker.status()

    def _status(self, connection: Connection, message: Message) -> Message:
        return self._worker.status()

    def _pause(self, connection: Connection, message: Message) -> Message:
        self._worker.agenda.pause("asked")
        return self._worker.status()

    def _resume(self, connection: Connection, message: Message) -> Message:
        self._worker.agenda.resume("asked")
        return self._worker.status()

    def _check(self, connection: Connection, message: Message) -> Message:
        return self._wait_for(connection, self._worker.agenda.want(check=True))

    def _focus(self, connection: Connection, message: Message) -> Message:
        paths = message.get("paths")
        if isinstance(paths, list):
            self._worker.agenda.focus = tuple(path for path in paths if isinstance(path, str))
        return {}

    def _stop(self, connection: Connection, message: Message) -> Message:
        self._worker.agenda.stop("asked to")
        return {}

    _ANSWERS: ClassVar[dict[str, Callable[[Service, Connection, Message], Message]]] = {
        "index": _index,
        "wait": _wait,
        "status": _status,
        "pause": _pause,
        "resume": _resume,
        "check": _check,
        "focus": _focus,
        "stop": _stop,
    }


def _error(code: str, message: str, hint: str = "") -> Message:
    return {"error": {"code": code, "message": message, "hint": hint}}
