"""A queue of jobs that survives a restart."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

MAX_ATTEMPTS = 5
RETRY_DELAYS_S = (1, 5, 30, 120)


@dataclass(order=True)
class Job:
    """What has to be done, and when."""

    due_at: float
    name: str = field(compare=False)
    attempts: int = field(default=0, compare=False)


class JobQueue:
    """Jobs in the order in which they are due.

    Every change is written to the journal before it is made, so that a crash loses nothing.
    """

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._jobs: list[Job] = []
        self._replay()

    def _replay(self) -> None:
        if not self._journal.exists():
            return
        for line in self._journal.read_text().splitlines():
            entry = json.loads(line)
            if entry["event"] == "added":
                self._jobs.append(Job(entry["due_at"], entry["name"]))
            elif entry["event"] == "done":
                self._jobs = [job for job in self._jobs if job.name != entry["name"]]

    # Late jobs come first: what waited longest has waited too long.
    def next_due(self, now: float) -> Job | None:
        due = [job for job in self._jobs if job.due_at <= now]
        return min(due) if due else None

    def run(self, handlers: dict, now: float | None = None) -> int:
        """Run everything that is due; the number of jobs that succeeded."""
        now = time.time() if now is None else now
        succeeded = 0
        while True:
            job = self.next_due(now)
            if job is None:
                break
            handler = handlers.get(job.name)
            if handler is None:
                self._write({"event": "unknown", "name": job.name})
                self._jobs.remove(job)
                continue
            try:
                handler(job)
            except Exception as error:
                job.attempts += 1
                if job.attempts >= MAX_ATTEMPTS:
                    self._write({"event": "given_up", "name": job.name, "why": str(error)})
                    self._jobs.remove(job)
                else:
                    delay = RETRY_DELAYS_S[min(job.attempts, len(RETRY_DELAYS_S)) - 1]
                    job.due_at = now + delay
                    self._write({"event": "retried", "name": job.name, "due_at": job.due_at})
            else:
                succeeded += 1
                self._write({"event": "done", "name": job.name})
                self._jobs.remove(job)
        return succeeded

    def _write(self, entry: dict) -> None:
        with self._journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def main() -> None:
    queue = JobQueue(Path("jobs.journal"))
    queue.run({})
