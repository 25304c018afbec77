"""What a worker has to do, gathered from its watcher and its clients, and how far it is."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """What has come together since the last one was taken."""

    everything: bool  # the whole tree is to be looked through
    folders: frozenset[str]  # only these changed: relative to the root, "" for the root itself
    history: bool
    check: bool  # whether the file is sound: somebody read nonsense
    asked_for: bool  # by a person, who may mean that all files are to go
    ticket: int  # all requests up to this one are met when the job is done


class Agenda:
    """Shared by the threads of a worker; only its writing thread takes jobs."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._everything = False
        self._folders: set[str] = set()
        self._history = False
        self._check = self._asked_for = False
        self._asked = 0  # requests so far
        self._done = 0  # requests met
        self._at_work = False
        self._failure: Exception | None = None  # of the last job
        self._pauses: set[str] = set()
        self._stopping = ""
        self.focus: tuple[str, ...] = ()  # paths that are open in an editor, the current one first

    def want(
        self,
        *,
        everything: bool = False,
        folders: Iterable[str] = (),
        history: bool = False,
        check: bool = False,
        asked_for: bool = False,
    ) -> int:
        """Put work on the agenda; the ticket with which to wait for it."""
        with self._changed:
            self._everything |= everything
            self._folders.update(folders)
            self._history |= history
            self._check |= check
            self._asked_for |= asked_for
            self._asked += 1
            self._changed.notify_all()
            return self._asked

    def take(self, timeout_s: float) -> Job | None:
        """The next job, waiting for one; None where there is none in time, while paused and when stopping."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._due(), timeout_s)
            if self._stopping or not self._due():
                return None
            job = Job(
                self._everything, frozenset(self._folders), self._history, self._check, self._asked_for, self._asked
            )
            self._everything = self._history = self._check = self._asked_for = False
            self._folders.clear()
            self._at_work = True
            return job

    def take_urgent(self) -> Job | None:
        """Folders that changed while a job is being done: they don't wait for its end."""
        with self._changed:
            if self._everything or not self._folders or self._pauses or self._stopping:
                return None
            job = Job(False, frozenset(self._folders), False, False, False, self._done)
            self._folders.clear()
            return job

    def finish(self, job: Job, failure: Exception | None = None) -> None:
        with self._changed:
            self._done, self._failure, self._at_work = job.ticket, failure, False
            self._changed.notify_all()

    def wait(self, ticket: int, timeout_s: float) -> bool:
        """Whether what was asked for by `ticket` is done now, waiting for it. Raises what the job failed with."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_done(ticket) or self._stopping, timeout_s)
            if self._failure is not None and self._done >= ticket:
                raise self._failure
            return self._is_done(ticket)

    def ticket(self) -> int:
        """Stands for all that was asked for until now."""
        with self._changed:
            return self._asked

    def idle(self) -> bool:
        with self._changed:
            return not self._at_work and not self._due()

    def left(self) -> bool:
        """Whether anything waits to be taken, now or once nothing is paused any more."""
        with self._changed:
            return self._left()

    # pausing and stopping

    @property
    def pauses(self) -> frozenset[str]:
        """Why nothing is done now ("asked", "battery"); empty while work goes on."""
        return frozenset(self._pauses)

    def pause(self, reason: str) -> None:
        with self._changed:
            self._pauses.add(reason)
            self._changed.notify_all()

    def resume(self, reason: str) -> None:
        with self._changed:
            self._pauses.discard(reason)
            self._changed.notify_all()

    @property
    def stopping(self) -> str:
        """Why the worker is to end; "" while it is not."""
        return self._stopping

    def stop(self, reason: str) -> None:
        with self._changed:
            self._stopping = self._stopping or reason
            self._changed.notify_all()

    def hold(self, seconds: float) -> None:
        """Wait while paused, for at most `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._pauses or self._stopping, seconds)

    def wait_for_stop(self, timeout_s: float) -> str:
        """Why the worker is to end; "" where it is not within `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping, timeout_s)
            return self._stopping

    def _is_done(self, ticket: int) -> bool:
        """What was taken as urgent in the middle of another job has none of its own that would finish its ticket."""
        return self._done >= ticket or not (self._at_work or self._left())

    def _due(self) -> bool:
        return not self._pauses and self._left()

    def _left(self) -> bool:
        return self._everything or self._history or self._check or bool(self._folders)
