"""Clients that stay silent, come while the worker ends, or are none of ours: nobody waits for them."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Client
from pathlib import Path
from queue import Queue

import pytest

from postil_indexers.watching.changes import Changes
from postil_indexers.worker.agenda import Agenda
from postil_indexers.worker.channel import Message, connect, contact_file, open_listener, receive, send
from postil_indexers.worker.client import call_worker
from postil_indexers.worker.lookout import Lookout
from postil_indexers.worker.service import Service
from postil_indexers.worker.surroundings import Sleep

_SOON_S = 30.0  # far more than a loaded machine needs, far less than what waits for a silent client


class Idler:
    """A worker that has nothing to do."""

    def __init__(self) -> None:
        self.agenda = Agenda()

    def hello(self) -> Message:
        return {"version": "0.0.1", "pid": 1, "root": "/nowhere"}

    def status(self) -> Message:
        return {"state": "idle"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def address(folder: Path) -> str:
    return str(json.loads(contact_file(folder).read_text(encoding="utf-8"))["address"])


@contextmanager
def soon() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < _SOON_S


def test_a_client_that_says_nothing_keeps_nobody_waiting(folder: Path) -> None:
    with Service(folder, Idler()):
        silent = [Client(address(folder)) for _ in range(3)]
        with soon():
            connection = connect(folder)
            assert connection is not None
            assert receive(connection) == Idler().hello()
            connection.close()
        for each in silent:
            each.close()


def test_the_service_ends_whoever_is_about_to_connect(folder: Path) -> None:
    over = threading.Event()

    def call() -> None:
        while not over.is_set():
            connection = connect(folder)
            if connection is not None:
                connection.close()

    callers = [threading.Thread(target=call, daemon=True) for _ in range(4)]
    for caller in callers:
        caller.start()
    try:
        for _ in range(40):
            service = Service(folder, Idler())
            service.__enter__()
            time.sleep(0.005)
            with soon():
                service.__exit__()
            assert not contact_file(folder).exists()
    finally:
        over.set()
    for caller in callers:
        caller.join(10.0)
        assert not caller.is_alive()


def test_who_has_not_the_key_is_told_nothing(folder: Path) -> None:
    with Service(folder, Idler()):
        connection = Client(address(folder))
        connection.recv_bytes()  # the challenge
        send(connection, {"do": "status"})
        assert b"FAILURE" in connection.recv_bytes()
        assert receive(connection) is None
        connection.close()


def test_a_worker_that_never_answers_is_none(folder: Path) -> None:
    listener, _ = open_listener(folder)  # as one that is stopped in the middle of its end: nobody accepts
    assert call_worker(folder) is None
    listener.close()


def test_what_was_done_in_the_middle_of_another_job_is_waited_for_no_longer_than_that() -> None:
    agenda = Agenda()
    whole = agenda.want(everything=True)
    job = agenda.take(0)
    assert job is not None
    ticket = agenda.want(folders=["notes"])
    assert not agenda.wait(ticket, 0)
    assert agenda.take_urgent() is not None
    assert not agenda.wait(ticket, 0)  # it is being done
    agenda.finish(job)
    assert agenda.wait(whole, 0)
    assert agenda.wait(ticket, 0)
    paused = agenda.want(history=True)
    agenda.pause("asked")
    assert not agenda.wait(paused, 0)


def test_a_service_takes_back_no_other_workers_address(folder: Path) -> None:
    with Service(folder, Idler()):
        contact_file(folder).write_text(json.dumps({"address": "elsewhere", "key": "00", "pid": 2}), encoding="utf-8")
    assert address(folder) == "elsewhere"
    contact_file(folder).unlink()
    with Service(folder, Idler()):
        shutil.rmtree(folder)
    assert not folder.exists()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_watch_that_fails_is_seen_to_have_ended(folder: Path) -> None:
    def tell(changes: Changes) -> None:
        raise ValueError(changes)

    with Lookout(str(folder), (), tell) as lookout:
        assert lookout.is_alive()
        (folder / "a.md").write_text("# A\n", encoding="utf-8")
        deadline = time.monotonic() + _SOON_S
        while lookout.is_alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not lookout.is_alive()


def test_sleep_is_noticed_once_and_a_long_job_is_none() -> None:
    wall, running = iter((100.0, 101.0, 3_700.0, 3_705.0, 4_000.0)), iter((10.0, 11.0, 12.0, 17.0, 312.0))
    sleep = Sleep(lambda: next(wall), lambda: next(running))
    assert [sleep.woke() for _ in range(4)] == [False, True, False, False]


def test_a_watch_that_is_begun_anew_tells_that_all_may_have_changed(folder: Path) -> None:
    told: Queue[Changes] = Queue()
    with Lookout(str(folder), (), told.put) as lookout:
        lookout.restart(())
        assert told.get(timeout=_SOON_S) == Changes(everything=True, git=True)
        (folder / "a.md").write_text("# A\n", encoding="utf-8")
        assert told.get(timeout=_SOON_S) == Changes(frozenset({""}))
