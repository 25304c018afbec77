"""What has left this machine: the prompts that went to another one, as the servers' log has them."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_EVENT = '"event": "sent"'
_ROTATED = 3  # files that came before the one that is written


def sent(log: Path) -> dict[str, Any]:
    """`{since, endpoints: [{endpoint, prompts, tokens, masked, last_at}]}`, the newest first. `since`: where the log
    begins, or null; what was sent before, by any server of this user, is not known any more."""
    files = [file for file in (*_older(log), log) if file.is_file()]
    told: dict[str, dict[str, Any]] = {}
    for entry in (entry for file in files for entry in _read(str(file), *_stamp(file))[1]):
        nothing = {"endpoint": entry["endpoint"], "prompts": 0, "tokens": 0, "masked": 0}
        known = told.setdefault(entry["endpoint"], nothing)
        known["prompts"] += 1
        known["tokens"] += entry["tokens"]
        known["masked"] += entry["masked"]
        known["last_at"] = entry["at"]
    since = next((_read(str(file), *_stamp(file))[0] for file in files), None)
    return {"since": since, "endpoints": sorted(told.values(), key=lambda each: str(each["last_at"]), reverse=True)}


def _older(log: Path) -> Iterator[Path]:
    return (log.with_name(f"{log.name}.{number}") for number in range(_ROTATED, 0, -1))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:  # put aside by another server just now
        return (0, 0)
    return status.st_mtime_ns, status.st_size


@functools.lru_cache(_ROTATED + 1)
def _read(file: str, changed_ns: int, size: int) -> tuple[str | None, tuple[dict[str, Any], ...]]:
    """(when its first line was written, what was sent elsewhere). Read again only after it has changed."""
    from postil_indexers.embedding.endpoint import is_loopback

    first, found = None, []
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                entry = _entry(line) if first is None or _EVENT in line else {}
                first = first or entry.get("at")
                endpoint = entry.get("endpoint", "")
                if entry.get("event") == "sent" and "//" in endpoint and not is_loopback(endpoint):
                    found.append({**entry, "tokens": entry.get("tokens", 0), "masked": entry.get("masked", 0)})
    except OSError:
        return None, ()
    return first, tuple(found)


def _entry(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:  # cut short by a full disk
        return {}
    return value if isinstance(value, dict) else {}
