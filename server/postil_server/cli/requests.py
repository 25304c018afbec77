"""What is asked: the arguments of one call, or a batch file with one JSON object a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from postil_indexers.errors import SettingsError


def requests(batch: str | None, single: Mapping[str, Any], *one_of: str) -> Iterable[Mapping[str, Any]]:
    """The requests of a batch file, or the single one. Each has a text in one of the named fields, or SettingsError."""
    for request in _read_batch(batch) if batch else [single]:
        given = [request[name] for name in one_of if isinstance(request.get(name), str)]
        if not given or (not batch and not given[0].strip()):
            raise SettingsError(f"a request needs {' or '.join(one_of)}", "give it as an argument, or use --batch FILE")
        yield request


def place_request(root: str, place: str | None) -> dict[str, Any]:
    """ "notes/a.md:12" as a request, its path relative to the root."""
    if place is None:
        return {}
    path, _, line = place.rpartition(":")
    if path and line.isdigit() and not os.path.exists(os.path.join(root, place)):
        return {"path": workspace_path(root, path), "line": int(line)}
    return {"path": workspace_path(root, place)}


def workspace_path(root: str, path: str) -> str:
    """A path that a user typed (absolute, relative to here, or to the root) relative to the root."""
    if os.path.isabs(path) or not os.path.lexists(os.path.join(root, path)):
        # the folder is resolved and the name is not: a link in the workspace is asked about as itself
        folder, name = os.path.split(os.path.abspath(path))
        full = os.path.join(os.path.realpath(folder), name)
        if full.startswith(root.rstrip(os.sep) + os.sep):
            path = os.path.relpath(full, root)
    return os.path.normpath(path).replace(os.sep, "/")


def line_of(request: Mapping[str, Any]) -> int | None:
    """The 0-based line that a request names, or None. Raises SettingsError."""
    line = request.get("line")
    if line is None:
        return None
    if not isinstance(line, int) or line < 1:
        raise SettingsError(f"a line is a whole number from 1 on, not {line!r}", "mend the request")
    return line - 1


def _read_batch(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as handle:
            for number, line in enumerate(handle, 1):
                if not line.strip():
                    continue
                try:
                    request = json.loads(line)
                except json.JSONDecodeError as error:
                    raise SettingsError(f"{path}:{number}: not JSON: {error}", "write one object a line") from error
                if not isinstance(request, dict):
                    raise SettingsError(f"{path}:{number}: not a JSON object", "write one object a line")
                yield request
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the batch file can't be read: {error}") from error
