"""A few processes that each do one thing at a time, where a crash or a hang costs the task and nothing else."""

from __future__ import annotations

import faulthandler
import gc
import math
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from postil_indexers.errors import PostilError
from postil_indexers.platform import waited_s

Task = TypeVar("Task")
Result = TypeVar("Result")

TASK_TIMEOUT_S = 10.0  # no file of a sane size takes a second; some grammars never end on some files
_START_TIMEOUT_S = 60.0  # for a process to start and import, on a machine that is busy with much else
_FORK_AGAIN_S = 1.0
# Times in a row that a process may be killed before it is ready: killed is not broken.
_STILLBORN = 3
_ORPHANED = 6  # times as long as a task may take, until one that nobody watches over is ended
# Tasks a process holds: one at work, the others waiting, so that it does not wait for us while we write what it did.
_AHEAD = 16
# Objects more, after which those of one process are looked through for garbage: files are read without cycles, and the
# default of 700 took a twentieth of the time.
_GARBAGE = 20_000
# A fork of this process, which may have threads, can hang; a fork of a process that has none and has imported all that
# its children need costs a hundredth of a start from nothing. Only Linux's libraries are all made to be forked.
_FORKED = sys.platform == "linux"
_CONTEXT = multiprocessing.get_context("forkserver") if _FORKED else multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Lost:
    """What is left of a task that could not be done."""

    reason: str  # "crashed" or "timed out"; "error" where `function` itself says so
    detail: str


class _Child(Generic[Task]):
    def __init__(self, function: Callable[[Task], object], timeout_s: float) -> None:
        ours, theirs = _CONTEXT.Pipe()
        self.connection: Connection = ours
        self.process: BaseProcess = _CONTEXT.Process(target=_serve, args=(theirs, function, timeout_s), daemon=True)
        self._start()
        theirs.close()
        self.tasks: deque[Task] = deque()
        self._unsent: list[Task] = []  # the last of them
        self.began()
        self.greeted = False  # start-up is not a task's time
        self.working = False  # on the first of its tasks
        self.done = 0

    def began(self) -> None:
        """It was started, or its first task was, as far as we can see."""
        self._since, self._waited_at_half = time.monotonic(), math.inf

    def is_late(self, timeout_s: float) -> bool:
        """Whether it is at it for so long, without what it waited for a processor in the second half."""
        took = time.monotonic() - self._since
        if took < timeout_s / 2 or self.process.pid is None:
            return False
        waited = waited_s(self.process.pid)
        self._waited_at_half = min(self._waited_at_half, waited)
        return took - (waited - self._waited_at_half) > timeout_s

    def _start(self) -> None:
        """Where what it is a fork of was killed, another of that is started with it, once the system knows of it."""
        until = time.monotonic() + _FORK_AGAIN_S
        while True:
            try:
                self.process.start()
                return
            except (OSError, EOFError) as error:
                if time.monotonic() > until:
                    raise PostilError(f"a process for reading files could not be started: {error}") from error
                time.sleep(_FORK_AGAIN_S / 20)

    def give(self, task: Task) -> None:
        self.tasks.append(task)
        self._unsent.append(task)

    def send(self) -> None:
        """Let it have what it was given."""
        if not self._unsent:
            return
        tasks, self._unsent = self._unsent, []
        try:
            self.connection.send(tasks)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it died: its end of file is read next, and the task goes to another

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()


def warm_up(modules: Sequence[str]) -> None:
    """Begin to import what the processes of the next pool need; only where they are forks."""
    if _FORKED:
        forkserver.set_forkserver_preload(list(modules))
        forkserver.ensure_running()


def cool_down() -> None:
    """End the process that the others were forks of, once there is no pool any more."""
    if _FORKED:  # by default it stays as long as this process; there is no public way to end it
        forkserver._forkserver._stop()  # type: ignore[attr-defined]


@dataclass(slots=True)
class _Run(Generic[Task]):
    """What belongs to one run: while it is suspended, another may be begun and ended."""

    source: Iterator[Task]
    children: list[_Child[Task]]
    again: deque[Task] = field(default_factory=deque)  # to be given to another process
    retried: list[Task] = field(default_factory=list)  # their process was killed once, which need not be their fault


class Pool(Generic[Task, Result]):
    """Runs `function` (importable, pure) over tasks in `size` processes, started when first needed."""

    def __init__(self, function: Callable[[Task], Result], size: int, timeout_s: float = TASK_TIMEOUT_S) -> None:
        self._function = function
        self._size = size
        self._timeout_s = timeout_s
        self._children: list[_Child[Task]] = []
        self._free: list[_Child[Task]] = []  # those that no run has
        self._stillborn = 0

    def start(self) -> None:
        """Start all processes now, not only when the first tasks come."""
        while len(self._children) < self._size:
            self._free.append(self._child())

    def _child(self) -> _Child[Task]:
        child = _Child(self._function, self._timeout_s)
        self._children.append(child)
        return child

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result | Lost]]:
        """Each task with its result, in the order they are done. What `function` raises is raised here.

        A run that is begun while another is not over has processes of its own.
        """
        run, self._free = _Run(iter(tasks), self._free), []
        try:
            while True:
                self._hand_out(run)
                if not any(child.tasks for child in run.children):
                    return
                yield from self._collect(run)
        finally:
            for child in run.children:
                # one that is still at work would answer to the next run
                if child.tasks or len(self._free) >= self._size or child not in self._children:
                    self._end(child)
                else:
                    self._free.append(child)

    def _hand_out(self, run: _Run[Task]) -> None:
        """Fill up those that have few tasks left; a message a task would wake a process for each."""
        if len(run.children) >= self._size and all(len(child.tasks) > _AHEAD // 2 for child in run.children):
            return
        self._fill(run)
        for child in run.children:
            child.send()

    def _fill(self, run: _Run[Task]) -> None:
        while True:
            child = min(run.children, key=lambda c: len(c.tasks), default=None)
            if (child is None or child.tasks) and len(run.children) < self._size:
                child = None
            elif child is None or len(child.tasks) >= _AHEAD:
                return
            task = run.again.popleft() if run.again else next(run.source, None)
            if task is None:
                return
            if child is None:
                child = self._child()
                run.children.append(child)
            child.give(task)

    def _collect(self, run: _Run[Task]) -> Iterator[tuple[Task, Result | Lost]]:
        busy = [child for child in run.children if child.tasks]
        ready = wait([child.connection for child in busy], timeout=0.5)
        for child in busy:
            if child.connection in ready:
                try:
                    kind, value, child.working = child.connection.recv()
                except (EOFError, OSError):
                    yield from self._bury(child, run, "crashed", _exit_text(child.process))
                    continue
                child.began()
                if kind == "ready":
                    child.greeted = True
                    self._stillborn = 0
                    continue
                if kind == "began":
                    continue
                task = child.tasks.popleft()
                child.done += 1
                if kind == "error":
                    raise value
                yield task, value
            elif child.working and child.is_late(self._timeout_s):
                yield from self._bury(child, run, "timed out", f"not done after {self._timeout_s:.0f} s")
            elif not child.greeted and child.is_late(_START_TIMEOUT_S):
                yield from self._bury(child, run, "timed out", f"not ready after {_START_TIMEOUT_S:.0f} s")

    def _bury(self, child: _Child[Task], run: _Run[Task], reason: str, detail: str) -> Iterator[tuple[Task, Lost]]:
        """Take a process out; the task it was at is lost, those that wait behind go to another."""
        run.children.remove(child)
        self._end(child)
        was_killed = child.process.exitcode == -signal.SIGKILL and reason == "crashed"  # by a person, or for memory
        if not child.greeted:
            self._stillborn += 1
            if not was_killed or self._stillborn >= _STILLBORN:
                raise PostilError(f"a process for reading files could not be started: {detail}")
        elif child.working or not child.done:  # one that did nothing yet and dies would be started for ever
            task = child.tasks.popleft()
            if was_killed and task not in run.retried:
                run.retried.append(task)
                run.again.append(task)
            else:
                yield task, Lost(reason, detail)
        run.again.extend(child.tasks)

    def _end(self, child: _Child[Task]) -> None:
        if child in self._children:
            self._children.remove(child)
            child.stop()

    def __enter__(self) -> Pool[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for child in self._children:
            child.stop()
        self._children.clear()
        self._free.clear()


def _exit_text(process: BaseProcess) -> str:
    process.join(timeout=5)
    code = process.exitcode
    if code is not None and code < 0:
        return f"the process that read it was ended by {signal.Signals(-code).name}"
    return f"the process that read it ended with status {code}"


def _serve(connection: Connection, function: Callable[[Task], object], timeout_s: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    try:
        _work(connection, function, timeout_s)
    except (EOFError, OSError):
        return  # the parent is gone, or has no use for it any more


def _work(connection: Connection, function: Callable[[Task], object], timeout_s: float) -> None:
    """Until the connection ends. Raises EOFError, OSError then."""
    nowhere = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process
    gc.freeze()  # what was imported stays
    gc.set_threshold(_GARBAGE)
    waiting: deque[Task] = deque()
    goes_on = False  # the parent knows that the next task has begun
    connection.send(("ready", None, goes_on))
    while True:
        if not waiting:
            waiting.extend(connection.recv())
        task = waiting.popleft()
        if not goes_on:
            connection.send(("began", None, True))
        # should the parent be killed meanwhile, nobody else ends a task that hangs, whatever lock it holds
        faulthandler.dump_traceback_later(_ORPHANED * timeout_s, exit=True, file=nowhere)
        try:
            answer: tuple[str, object] = ("done", function(task))
        except Exception as error:  # crosses to the parent, which raises it
            answer = ("error", error)
        faulthandler.cancel_dump_traceback_later()
        goes_on = bool(waiting) or connection.poll()
        connection.send((*answer, goes_on))
