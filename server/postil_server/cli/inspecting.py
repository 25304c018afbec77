"""status, doctor, why: what the index holds, whether it is sound, and why a file is or isn't found."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import apsw
import sqlite_vec
import typer
from rich.text import Text

from postil_indexers.errors import NotIndexedError, PostilError
from postil_indexers.git import run_git
from postil_indexers.seen import shown, shown_size
from postil_indexers.store.index import Index
from postil_indexers.store.location import index_file, index_folder
from postil_indexers.types import FileState
from postil_indexers.worker.client import call_worker
from postil_server.app import App, open_app
from postil_server.cli.output import console, print_json, shown_errors
from postil_server.cli.requests import workspace_path
from postil_server.cli.working import Json, sentence
from postil_server.counting import counted
from postil_server.explaining import explained

Root = Annotated[str, typer.Argument(help="The indexed folder.")]


def register(app: typer.Typer) -> None:
    app.command("status")(status_command)
    app.command("doctor")(doctor_command)
    app.command("why")(why_command)


def status_command(root: Root, as_json: Json = False) -> None:
    """What the index holds, what was left out, and what share has vectors."""
    with shown_errors(as_json):
        app = open_app(root)
        with app.open_reader() as index:
            record = {**_status(app, index), "worker": _worker(app)}
            failed = [row for row in index.ledger.not_indexed() if row.state is FileState.FAILED]
        if as_json:
            print_json(
                {
                    **record,
                    "failures": [{"path": shown(r.path), "reason": r.reason, "detail": r.detail} for r in failed],
                }
            )
            return
        if record["worker"] is not None:
            record["worker"] = sentence(record["worker"])
        for name, value in record.items():
            if name == "warnings":
                continue
            said = shown_size(value) if name == "bytes" else _plain(value)
            console.print(Text.assemble((f"{_LABELS.get(name, name):16}", "bold"), said))
        for warning in record["warnings"]:
            console.print(Text(f"  {warning}", style="yellow"))
        for row in failed[:_SHOWN]:
            console.print(Text(f"  failed: {shown(row.path)}: {row.reason}; {row.detail}", style="yellow"))


_LABELS = {"bytes": "size", "share_embedded": "share embedded", "skipped": "left out"}
_SHOWN = 20  # failures on a terminal; --json has all


def _status(app: App, index: Index) -> dict[str, Any]:
    return {"root": shown(app.root), **counted(index), "index": str(index.path)}


def _worker(app: App) -> Mapping[str, Any] | None:
    """What the process that keeps the index fresh is doing; None where none runs."""
    client = call_worker(index_folder(app.root))
    if client is None:
        return None
    with client:
        return client.request("status")


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(amount)}" for name, amount in value.items()) or "none"
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def why_command(
    root: Root,
    path: Annotated[str, typer.Argument(help="A file or folder, relative to the root or absolute.")],
    as_json: Json = False,
) -> None:
    """Why a file is or isn't found, in a sentence."""
    with shown_errors(as_json):
        app = open_app(root)
        relative = workspace_path(app.root, path)
        try:
            with app.open_reader() as index:
                state, sentence = explained(index, app.root, relative, app.settings.index.exclude)
        except NotIndexedError:
            state, sentence = explained(None, app.root, relative, app.settings.index.exclude)
        if as_json:
            print_json({"path": shown(relative), "state": state, "sentence": sentence})
        else:
            console.print(Text(sentence))


def doctor_command(root: Root, as_json: Json = False) -> None:
    """Check the index, the SQLite extension, the models, git and the disk."""
    with shown_errors(as_json):
        app = open_app(root)
        checks = [*_checks(app)]
        if as_json:
            print_json({"checks": [{"name": n, "ok": ok, "detail": detail} for n, ok, detail in checks]})
        else:
            for name, ok, detail in checks:
                console.print(
                    Text.assemble(("ok    " if ok else "wrong ", "green" if ok else "bold red"), f"{name}: {detail}")
                )
        if not all(ok for _, ok, _ in checks):
            raise typer.Exit(1)


def _checks(app: App) -> list[tuple[str, bool, str]]:
    found = [("python", sys.version_info >= (3, 11), sys.version.split()[0])]
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    (version,) = connection.execute("SELECT vec_version()").fetchone() or ("",)
    found.append(("sqlite", True, f"{apsw.sqlite_lib_version()} with sqlite-vec {version}"))
    try:
        found.append(("git", True, run_git(app.root, "--version").decode().strip()))
    except PostilError as error:
        found.append(("git", False, f"{error}; {error.hint}"))
    try:
        models = app.models()
        wanted = [name for name in (app.settings.embedding.static, app.settings.embedding.prose) if name]
        found.append(("models", True, ", ".join(f"{role}: {m.embedder.fingerprint}" for role, m in models.items())))
        if len(models) < len(wanted):
            found.append(("models", True, "the weights for prose are not installed; static vectors serve alone"))
    except PostilError as error:
        found.append(("models", False, f"{error}; {error.hint}"))
    folder = index_folder(app.root)
    if index_file(app.root).is_file():
        try:
            with app.open_reader() as index:
                wrong = index.check()
            found.append(("index", not wrong, "; ".join(wrong) or f"sound, {index.path}"))
        except PostilError as error:
            found.append(("index", False, f"{error}; {error.hint}"))
    else:
        found.append(("index", True, "not made yet"))
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    found.append(("disk", free > _LOW_DISK, f"{shown_size(free)} free at {existing}"))
    return found


_LOW_DISK = 500_000_000  # an index of a large repository, twice
