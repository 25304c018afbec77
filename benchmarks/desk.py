"""A user's machine with one workspace: settings and an index of its own, the commands and the worker run there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil

from postil_indexers.store.location import index_folder
from postil_indexers.store.version import SCHEMA
from postil_indexers.worker.client import WorkerClient, call_worker

PATIENCE_S = 120.0  # for what must happen, on a machine that is busy with much else
_IDENTITY = ("-c", "user.name=Maya", "-c", "user.email=maya@example.org", "-c", "gc.auto=0")

T = TypeVar("T")


@dataclass(frozen=True)
class Ran:
    """What a command printed, how it ended, and the seconds it took."""

    status: int
    out: str
    err: str
    seconds: float

    @property
    def record(self) -> dict[str, Any]:
        """Its last line of JSON; empty where there is none."""
        lines = self.out.splitlines()
        try:
            return dict(json.loads(lines[-1])) if lines else {}
        except ValueError:
            return {}

    @property
    def error(self) -> str:
        return str(self.record.get("error", {}).get("message", ""))

    @property
    def has_traceback(self) -> bool:
        return "Traceback (most recent call last)" in self.err  # a passage that is printed may have the words


@dataclass
class Desk:
    """`work` holds the index and the settings; nothing of the user's own is touched."""

    work: Path
    root: Path
    settings: str = '[embedding]\nprose = ""\n'
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.work.mkdir(parents=True, exist_ok=True)
        self.set(self.settings)

    def set(self, settings: str) -> None:
        self.settings = settings
        (self.work / "config.toml").write_text(settings, encoding="utf-8")

    @property
    def index_dir(self) -> Path:
        return self.work / "index"

    @property
    def folder(self) -> Path:
        return self.index_dir / index_folder(str(self.root)).name

    @property
    def index_path(self) -> Path:
        return self.folder / f"index-{SCHEMA}.db"

    @property
    def log(self) -> Path:
        return self.work / "worker.log"

    def environment(self) -> dict[str, str]:
        (self.work / "home").mkdir(exist_ok=True)
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "POSTIL_INDEX_DIR": str(self.index_dir),
            "POSTIL_CONFIG": str(self.work / "config.toml"),
            "HOME": str(self.work / "home"),
            # compiled once, as an installation is, whatever the environment says of it
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(self.work.parent / "bytecode"),
        }

    def postil(self, *arguments: str) -> Ran:
        """A command about the workspace: its root follows the command's name."""
        began = time.perf_counter()
        command, *rest = arguments
        done = subprocess.run(
            [*_POSTIL, command, str(self.root), *rest],
            env=self.environment(),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=PATIENCE_S * 5,
            cwd=self.work,
        )
        seconds = time.perf_counter() - began
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), seconds)

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """A worker, or one that would be."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*_POSTIL, "worker", *options, str(self.root)],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.started.append(process)
        return process

    def client(self, *, attach: bool = False) -> WorkerClient:
        return eventually(lambda: call_worker(self.folder, attach=attach) if self.folder.is_dir() else None)

    def idle(self) -> dict[str, Any]:
        """Wait until the worker has done all that it knows of; its status."""
        with self.client() as client:
            return dict(client.request("wait"))

    def end(self) -> None:
        """All workers, with what they started."""
        for process in self.started:
            if process.poll() is None:
                family = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                process.wait()
                for child in family:
                    if child.is_running():
                        child.kill()
        self.started.clear()


_POSTIL = [str(Path(sys.executable).with_name("postil"))]


def eventually(what: Callable[[], T | None], seconds: float = PATIENCE_S, pause_s: float = 0.01) -> T:
    """The first true answer. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (answer := what()):
        if time.monotonic() > deadline:
            raise TimeoutError("it did not happen in time")
        time.sleep(pause_s)
    return answer


def git(tree: Path, *arguments: str) -> str:
    """Standard output of git, with nobody's configuration."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    done = subprocess.run(["git", *_IDENTITY, *arguments], cwd=tree, env=environment, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments)}: {os.fsdecode(done.stderr)}")
    return os.fsdecode(done.stdout)
