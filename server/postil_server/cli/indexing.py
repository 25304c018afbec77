"""index and forget: writing the index."""

from __future__ import annotations

import dataclasses
import shutil
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from postil_indexers.errors import SettingsError, WorkspaceError
from postil_indexers.files import scan
from postil_indexers.languages import language_of
from postil_indexers.progress import Progress as Step
from postil_indexers.seen import shown, shown_size
from postil_indexers.store.location import index_file, index_folder
from postil_indexers.store.lock import WriterLock
from postil_indexers.survey import Survey, needs_confirmation, survey
from postil_indexers.types import IndexStats
from postil_indexers.worker.client import call_worker, patiently
from postil_indexers.worker.worker import Worker
from postil_server.app import App, open_app
from postil_server.cli.output import console, errors, print_json, shown_errors, warn
from postil_server.keeping import Configuration
from postil_server.starting import folder_for_writing


def register(app: typer.Typer) -> None:
    app.command("index")(index_command)
    app.command("forget")(forget_command)


def index_command(
    root: Annotated[str, typer.Argument(help="The folder to index.")],
    no_history: Annotated[bool, typer.Option("--no-history", help="Leave the commits out.")] = False,
    only_history: Annotated[bool, typer.Option("--only-history", help="Only the commits.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be indexed, and write nothing.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Index a very large or very broad folder without a question.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON line.")] = False,
) -> None:
    """Index a folder, or bring its index up to date."""
    with shown_errors(as_json):
        if no_history and only_history:
            raise SettingsError("--no-history and --only-history exclude each other", "give one of them")
        app = open_app(root)
        warn(app.warnings)
        if dry_run:
            _show_survey(_survey(app), as_json)
            return
        if not only_history:
            _ask_first(app, yes, as_json)
        stats = _run(app, files=not only_history, commits=not no_history)
        warn(stats.pop("warnings"))
        if as_json:
            print_json(stats)
        else:
            console.print(_sentence(IndexStats(**stats)))


def _run(app: App, *, files: bool, commits: bool) -> dict[str, Any]:
    """The statistics of the run: of the worker that runs already, or of our own."""
    folder = folder_for_writing(app.root)

    def attempt() -> dict[str, Any]:
        client = call_worker(folder)
        if client is not None:
            with client, _Bar() as bar:
                done = client.request("index", bar.told, files=files, history=commits)
            return dict(done["stats"])
        with WriterLock(folder), _Bar() as bar:
            worker = Worker(app.root, folder, Configuration(app), stays=True)
            return dataclasses.asdict(worker.run_once(files=files, history=commits, listener=bar))

    return patiently(attempt)


class _Bar:
    """Progress on a terminal, with rate and time left; silent elsewhere."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:10}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(), console=errors, transient=True, disable=not sys.stderr.isatty(),
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}
        self._began: dict[str, float] = {}

    def __call__(self, step: Step) -> None:
        if step.stage not in self._tasks:
            name = _STAGES.get(step.stage, step.stage)
            self._tasks[step.stage] = self._progress.add_task(name, total=step.total or None, rate="")
            self._began[step.stage] = time.monotonic()
        spent = time.monotonic() - self._began[step.stage]
        rate = f"{step.done / spent:,.0f}/s" if spent > 0.5 else ""
        self._progress.update(self._tasks[step.stage], completed=step.done, total=step.total or None, rate=rate)

    def told(self, status: Mapping[str, Any]) -> None:
        """The same of a worker's report."""
        if status["stage"]:
            self(Step(status["stage"], status["done"], status["total"]))

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


_STAGES = {"preparing": "preparing the secret scanner, once"}


def _ask_first(app: App, yes: bool, as_json: bool) -> None:
    """Show the dry run and ask before a home folder, a drive or a huge tree is indexed."""
    if yes or index_file(app.root).is_file():
        return
    found = _survey(app)
    reason = needs_confirmation(app.root, found.files)
    if reason is None:
        return
    if as_json or not sys.stdin.isatty():
        raise WorkspaceError(f"{reason}; it is not indexed without a word", "look with --dry-run, then give --yes")
    _show_survey(found, as_json)
    if not typer.confirm(f"{reason}. Index it?"):
        raise typer.Exit(1)


def _survey(app: App) -> Survey:
    return survey(scan(app.root, extra_ignore=app.settings.index.exclude), language_of)


def _show_survey(found: Survey, as_json: bool) -> None:
    seconds = found.size / _BYTES_A_SECOND
    if as_json:
        print_json(
            {
                "files": found.files,
                "bytes": found.size,
                "languages": {name: {"files": s.files, "bytes": s.size} for name, s in found.languages.items()},
                "skipped": {
                    str(reason): {"files": s.files, "folders": s.folders} for reason, s in found.skipped.items()
                },
                "estimated_seconds": round(seconds, 1),
            }
        )
        return
    table = Table("language", "files", "size", box=None)
    for name, share in found.languages.items():
        table.add_row(name, f"{share.files:,}", shown_size(share.size))
    console.print(table)
    for reason, share in found.skipped.items():
        examples = ", ".join(shown(example.path) for example in share.examples)
        counts = [(share.files, "file"), (share.folders, "folder")]
        amount = ", ".join(f"{n:,} {name}{'s'[: n != 1]}" for n, name in counts if n)
        console.print(Text(f"left out, {reason}: {amount}: {examples}"))
    console.print(
        f"{found.files:,} files, {shown_size(found.size)}: about {max(1, round(seconds)):,} s until all is found by "
        "words and static vectors; vectors of prose follow behind"
    )


_BYTES_A_SECOND = 1_000_000  # words and static vectors, on two shared cores (benchmarks/results)


def _sentence(stats: IndexStats) -> str:
    failed = f", {stats.failed} failed (postil status tells which)" if stats.failed else ""
    counts = [(stats.files, "file"), (stats.chunks, "passage"), (stats.commits, "commit")]
    files, passages, commits = (f"{n:,} {name}{'s'[: n != 1]}" for n, name in counts)
    return (
        f"{files} in {passages}, {commits}; "
        f"{stats.embedded:,} vectors made, {stats.skipped:,} left out{failed}; {stats.seconds:.1f} s"
    )


def forget_command(
    root: Annotated[str, typer.Argument(help="The folder whose index is deleted. The folder itself is not touched.")],
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON line.")] = False,
) -> None:
    """Delete the index of a folder."""
    with shown_errors(as_json):
        folder = index_folder(root)
        existed = folder.is_dir()
        if existed:
            client = call_worker(folder)
            if client is not None:
                with client:
                    client.request("stop")
            patiently(partial(_lock_and_remove, folder))
        if as_json:
            print_json({"forgotten": existed})
        else:
            console.print("forgotten" if existed else "there was no index of that folder")


def _lock_and_remove(folder: Path) -> None:
    """Raises IndexBusyError where the worker doesn't end."""
    with WriterLock(folder):
        shutil.rmtree(folder)
