"""The one writing process of an index: it keeps the index up to its workspace while anybody is attached."""

from __future__ import annotations

import math
import os
import threading
import time
from dataclasses import asdict
from pathlib import Path

import psutil

import postil_indexers
from postil_indexers.errors import IndexDamagedError, PostilError, WorkspaceError
from postil_indexers.indexer import Updater
from postil_indexers.progress import Listener, Progress, unheard
from postil_indexers.store.connection import sqlite_errors
from postil_indexers.store.index import is_sound, set_aside
from postil_indexers.store.location import index_file
from postil_indexers.types import IndexStats
from postil_indexers.watching.changes import Changes
from postil_indexers.worker.agenda import Agenda, Job
from postil_indexers.worker.channel import Message
from postil_indexers.worker.configured import Configured
from postil_indexers.worker.lookout import Lookout
from postil_indexers.worker.service import Service
from postil_indexers.worker.surroundings import Sleep, lower_priority, memory_bytes, on_battery

_ALONE_S = 2.5  # for a client that restarts; nobody attached for longer, and the worker ends
_TICK_S = 1.0
_SETTLE_SHARE = 20.0  # times as long as it took, until it is done again: a save costs its own file, not all of them
_SETTLE_LATEST_S = 60.0
_SETTLE_S = 0.4  # without a change, before links, shares and the like are brought up to date
_RETRY_S = 60.0  # until what failed is tried again though nothing changed
_STOP_S = 2.0  # for what is under way when the worker is to end; then the process ends with it
_LOOK_S = 5.0  # between two looks at battery, memory, settings and what else the worker depends on


class StoppedError(PostilError):
    """The worker was told to end in the middle of something; what was done until then is kept."""

    code = "stopped"


class Worker:
    """`run` does the work in the thread that calls it, the only one that touches the index.

    `stays`: it goes on while nobody is attached. The caller holds the writer's lock.
    """

    def __init__(self, root: str, folder: Path, configured: Configured, *, stays: bool) -> None:
        self.agenda = Agenda()
        self._root = root
        self._folder = folder
        self._configured = configured
        self._stays = stays
        self._progress: Progress | None = None
        self._stats = IndexStats()
        self._failure = ""
        self._root_missing = False
        self._updater: Updater
        self._service: Service
        self._lookout: Lookout | None = None
        self._heard: Listener = unheard
        self._ended = threading.Event()
        self._nested = False  # inside an urgent job
        self._unsettled = False
        self._retry_at = 0.0  # when what failed is tried again, on the monotonic clock
        self._settle_at = 0.0  # not before this time of the monotonic clock
        self._tended_at = -math.inf
        self._doubted = False  # a reader met damage that no check sees: who meets it again is believed
        self._broken = ""  # what the worker can't go on without
        self._to_give_way = False

    # what the service tells

    def hello(self) -> Message:
        return {"version": postil_indexers.__version__, "pid": os.getpid(), "root": self._root}

    def status(self) -> Message:
        """JSON: "state" is "indexing", "idle", "paused", "on_battery" or "root_missing"."""
        progress = self._progress
        mode, reason = self._lookout.mode() if self._lookout else ("", "")
        return {
            "pid": os.getpid(),
            "version": postil_indexers.__version__,
            "state": self._state(),
            "stage": progress.stage if progress else "",
            "done": progress.done if progress else 0,
            "total": progress.total if progress else 0,
            "watching": mode,
            "watching_reason": reason,
            "failure": self._failure,
            "stats": asdict(self._stats),
        }

    def _state(self) -> str:
        if self._root_missing:
            return "root_missing"
        if self.agenda.pauses:
            return "paused" if "asked" in self.agenda.pauses else "on_battery"
        return "idle" if self.agenda.idle() else "indexing"

    # the work

    def run(self) -> None:
        """Until told to stop, or alone for too long. Raises PostilError where the index can't be written at all."""
        self._to_give_way = self._configured.low_priority
        if index_file(self._root).exists():
            self._give_way()
        self.agenda.want(everything=True, history=True)
        self._service = Service(self._folder, self)
        self._lookout = lookout = Lookout(self._root, self._configured.exclude, self._watched)
        try:
            with self._service, lookout:  # to watch a large tree takes a while, in which clients are answered
                threading.Thread(target=self._end_in_time, name="end", daemon=True).start()
                self._updater = self._configured.updater(self._step)
                try:
                    self._work(lookout)
                finally:
                    self._updater.close()
        finally:
            self._ended.set()
            self.agenda.stop("it failed")
        if self._broken:
            raise PostilError(self._broken, "start it again: postil worker <folder>; editors do so themselves")

    def run_once(self, *, files: bool, history: bool, listener: Listener) -> IndexStats:
        """Do this once, and what clients ask for meanwhile; what came of it. Raises PostilError."""
        self._heard = listener
        self.agenda.want(everything=files, history=history, asked_for=True)
        with Service(self._folder, self) as self._service:
            self._updater = self._configured.updater(self._step)
            try:
                while self.agenda.left():
                    if self.agenda.stopping:
                        raise self._stopped()
                    job = self.agenda.take(_TICK_S)  # none while it is paused
                    failure = self._do(job) if job is not None else None
                    if failure is not None:
                        raise failure
            finally:
                self._updater.close()
        return self._stats

    def _work(self, lookout: Lookout) -> None:
        sleep = Sleep()
        while not self._is_over():
            if self._tend():
                self._follow_settings(lookout)
            job = self.agenda.take(self._patience())
            if job is not None:
                self._do(job)
            elif self._unsettled and not self.agenda.pauses and time.monotonic() >= self._settle_at:
                self._settle_later()
            elif self.agenda.idle():
                self._updater.make_ready()
            if self._failure and not self._root_missing and time.monotonic() > self._retry_at:
                self._failure = ""
                self.agenda.want(everything=True, history=True)
            if sleep.woke():
                lookout.restart(self._configured.exclude)

    def _end_in_time(self) -> None:
        """End the process when what is under way takes too long to stop: an endpoint that hangs, say."""
        while not self.agenda.wait_for_stop(_TICK_S / 2):
            self._is_over()
        if not self._ended.wait(_STOP_S):
            for child in psutil.Process().children(recursive=True):
                child.kill()
            os._exit(0)  # safe at any moment: the index is whole after each transaction

    def _give_way(self) -> None:
        """Let everything else go first from now on. With a new index that begins when the first of it can be found: a
        person waits for that, beside an editor that still starts."""
        if self._to_give_way:
            lower_priority()
        self._to_give_way = False

    def _patience(self) -> float:
        return _TICK_S if not self._unsettled else _SETTLE_S

    def _do(self, job: Job) -> PostilError | None:
        """What it failed with, if it did."""
        failure: PostilError | None = None
        try:
            if job.check and (self._doubted or not is_sound(self._updater.index.path)):
                self._begin_anew()
                return None
            self._doubted |= job.check
            with sqlite_errors(self._updater.index.path):
                self._carry_out(job)
        except StoppedError as error:
            return error
        except IndexDamagedError as error:
            if time.monotonic() > self._retry_at:
                self._begin_anew()
                return None
            failure = error  # again, so soon: the disk, it may be
        except WorkspaceError as error:
            failure, self._root_missing = error, True
        except PostilError as error:
            failure = error  # a full disk, say
            self._retry_at = time.monotonic() + _RETRY_S
        if failure is not None:
            self._failure = str(failure)
        elif job.everything and job.history:
            self._failure = ""  # after less than that, what failed is still to be done
        self._progress = None
        self.agenda.finish(job, failure)
        self._give_way()
        return failure

    def _carry_out(self, job: Job) -> None:
        if job.everything:
            self._updater.workspace(asked_for=job.asked_for)
        elif job.folders:
            self._updater.folders(job.folders)
        if job.history:
            self._updater.history()
        if job.everything or job.history:
            self._settle()
        elif job.folders:
            self._unsettled = True

    def _settle_later(self) -> None:
        """What follows a change but need not be done before it can be found."""
        try:
            with sqlite_errors(self._updater.index.path):
                self._settle()
        except StoppedError:
            return
        except IndexDamagedError:
            self._begin_anew()
        except PostilError as error:
            self._failure, self._unsettled = str(error), False
            self._retry_at = time.monotonic() + _RETRY_S
        self._progress = None

    def _settle(self) -> None:
        self._unsettled = False
        started = time.monotonic()
        self._updater.settle()
        ended = time.monotonic()
        self._settle_at = ended + min(_SETTLE_SHARE * (ended - started), _SETTLE_LATEST_S)
        self._stats = self._updater.stats()

    def _begin_anew(self) -> None:
        """The index file turned out to be damaged: set it aside and index all again."""
        self._retry_at = time.monotonic() + _RETRY_S
        self._doubted = False
        path = self._updater.index.path
        self._updater.close()
        set_aside(path)
        self._updater = self._configured.updater(self._step)
        self.agenda.want(everything=True, history=True)

    def _step(self, progress: Progress) -> None:
        """Called between two transactions: the place for all that can't wait. Raises StoppedError."""
        if self._nested:
            return
        self._progress = progress
        self._heard(progress)
        if progress.stage == "reading":  # a batch was written
            self._give_way()
        if self._tend() and memory_bytes() > self._configured.memory_bytes:
            self._updater.shrink_memory()
        while not self._is_over() and self.agenda.pauses:
            self.agenda.hold(_TICK_S)
            self._tend()
        if self._is_over():
            raise self._stopped()
        self._updater.prefer(self.agenda.focus)
        urgent = self.agenda.take_urgent()
        if urgent is not None:
            self._nested = True
            try:
                self._updater.folders(urgent.folders)
                self._unsettled = True
            finally:
                self._nested = False

    def _is_over(self) -> bool:
        if not self._stays and self._service.alone_s() > _ALONE_S:
            self.agenda.stop("nobody needs it any more")
        return bool(self.agenda.stopping)

    def _stopped(self) -> StoppedError:
        return StoppedError(f"indexing was stopped: {self.agenda.stopping}")

    def _tend(self) -> bool:
        """Look now and then after what the worker depends on, in the middle of a job as well; whether it did now."""
        if time.monotonic() - self._tended_at < _LOOK_S:
            return False
        self._tended_at = time.monotonic()
        # a person who asks for one run wants it now, whatever feeds the machine
        if self._lookout is not None and self._configured.pause_on_battery and on_battery():
            self.agenda.pause("battery")
        else:
            self.agenda.resume("battery")
        if not self._updater.index.is_in_place():
            self._break("its index was deleted")  # nobody would ever see what is written to it
        elif self._lookout is not None and not self._lookout.is_alive():
            self._break("it can't watch the folder any more")
        return True

    def _break(self, reason: str) -> None:
        self._broken = f"the process that writes the index ended: {reason}"
        self.agenda.stop(reason)

    def _follow_settings(self, lookout: Lookout) -> None:
        """Between two jobs."""
        if memory_bytes() > self._configured.memory_bytes:
            self._updater.drop_caches()
        if self._configured.changed():
            self._updater.close()
            self._updater = self._configured.updater(self._step)
            lookout.restart(self._configured.exclude)

    def _watched(self, changes: Changes) -> None:
        """Called in the lookout's thread."""
        self._root_missing = changes.root_missing
        if not changes.root_missing:
            self.agenda.want(everything=changes.everything, folders=changes.directories, history=changes.git)
