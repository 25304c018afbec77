"""A few processes that each do one thing at a time, where a crash or a hang costs the task and nothing else."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Generic, TypeVar

from postil_indexers.errors import PostilError

Task = TypeVar("Task")
Result = TypeVar("Result")

TASK_TIMEOUT_S = 10.0  # no file of a sane size takes a second; some grammars never end on some files
_START_TIMEOUT_S = 60.0  # for a process to start and import, on a machine that is busy with much else
_AHEAD = 2  # tasks a process holds: one at work, one waiting, so that it never waits for us


@dataclass(frozen=True, slots=True)
class Lost:
    """What is left of a task that could not be done."""

    reason: str  # "crashed" or "timed out"; "error" where `function` itself says so
    detail: str


class _Child(Generic[Task]):
    def __init__(self, function: Callable[[Task], object]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads can hang
        ours, theirs = context.Pipe()
        self.connection: Connection = ours
        self.process: SpawnProcess = context.Process(target=_serve, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()
        self.tasks: deque[Task] = deque()
        self.since = time.monotonic()  # when it was started or its first task began, as far as we can see
        self.greeted = False  # start-up is not a task's time
        self.working = False  # on the first of its tasks
        self.done = 0

    def give(self, task: Task) -> None:
        self.tasks.append(task)
        try:
            self.connection.send(task)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it died: its end of file is read next, and the task goes to another

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()


class Pool(Generic[Task, Result]):
    """Runs `function` (importable, pure) over tasks in `size` processes, started when first needed."""

    def __init__(self, function: Callable[[Task], Result], size: int, timeout_s: float = TASK_TIMEOUT_S) -> None:
        self._function = function
        self._size = size
        self._timeout_s = timeout_s
        self._children: list[_Child[Task]] = []

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result | Lost]]:
        """Each task with its result, in the order they are done. What `function` raises is raised here."""
        source = iter(tasks)
        again: deque[Task] = deque()
        while True:
            self._hand_out(source, again)
            busy = [child for child in self._children if child.tasks]
            if not busy:
                return
            yield from self._collect(busy, again)

    def _hand_out(self, source: Iterator[Task], again: deque[Task]) -> None:
        while True:
            child = min(self._children, key=lambda c: len(c.tasks), default=None)
            if (child is None or child.tasks) and len(self._children) < self._size:
                child = None
            elif child is None or len(child.tasks) >= _AHEAD:
                return
            task = again.popleft() if again else next(source, None)
            if task is None:
                return
            if child is None:
                child = _Child(self._function)
                self._children.append(child)
            child.give(task)

    def _collect(self, busy: list[_Child[Task]], again: deque[Task]) -> Iterator[tuple[Task, Result | Lost]]:
        ready = wait([child.connection for child in busy], timeout=0.5)
        now = time.monotonic()
        for child in busy:
            if child.connection in ready:
                try:
                    kind, value = child.connection.recv()
                except (EOFError, OSError):
                    yield from self._bury(child, again, "crashed", _exit_text(child.process))
                    continue
                child.since = now
                if kind == "ready":
                    child.greeted = True
                    continue
                child.working = kind == "began"
                if child.working:
                    continue
                task = child.tasks.popleft()
                child.done += 1
                if kind == "error":
                    raise value
                yield task, value
            elif child.working and now - child.since > self._timeout_s:
                yield from self._bury(child, again, "timed out", f"not done after {self._timeout_s:.0f} s")
            elif not child.greeted and now - child.since > _START_TIMEOUT_S:
                yield from self._bury(child, again, "timed out", f"not ready after {_START_TIMEOUT_S:.0f} s")

    def _bury(self, child: _Child[Task], again: deque[Task], reason: str, detail: str) -> Iterator[tuple[Task, Lost]]:
        """Take a process out; the task it was at is lost, those that wait behind go to another."""
        self._children.remove(child)
        child.stop()
        if not child.greeted:
            raise PostilError(f"a process for reading files could not be started: {detail}")
        if child.working or not child.done:  # one that did nothing yet and dies would be started for ever
            yield child.tasks.popleft(), Lost(reason, detail)
        again.extend(child.tasks)

    def __enter__(self) -> Pool[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.stop()
        self._children.clear()


def _exit_text(process: SpawnProcess) -> str:
    process.join(timeout=5)
    code = process.exitcode
    if code is not None and code < 0:
        return f"the process that read it was ended by {signal.Signals(-code).name}"
    return f"the process that read it ended with status {code}"


def _serve(connection: Connection, function: Callable[[Task], object]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    connection.send(("ready", None))
    while True:
        try:
            task = connection.recv()
        except EOFError:  # the parent is gone
            return
        connection.send(("began", None))
        try:
            answer: tuple[str, object] = ("done", function(task))
        except Exception as error:  # crosses to the parent, which raises it
            answer = ("error", error)
        connection.send(answer)
