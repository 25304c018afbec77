"""What an index would hold and leave out, counted before anything is read."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from postil_indexers.platform import broad_folder
from postil_indexers.seen import FileEntry, Skip, SkipReason, shown

MANY_CANDIDATES = 50_000  # more than nearly any project of people's own files has: most often the wrong folder
_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Share:
    """Files of one language, or left out for one reason."""

    files: int = 0
    folders: int = 0
    size: int = 0  # bytes, as far as looked at; nothing of what lies in folders that are left out
    examples: tuple[Skip | FileEntry, ...] = ()  # the largest, folders first


@dataclass(frozen=True, slots=True)
class Survey:
    """A dry run."""

    files: int
    size: int  # bytes
    languages: dict[str, Share] = field(default_factory=dict)  # most bytes first
    skipped: dict[SkipReason, Share] = field(default_factory=dict)  # most paths first


def extension_of(path: str) -> str:
    """The extension with its dot, or the whole name where there is none."""
    name = path.rpartition("/")[2]
    return os.path.splitext(name)[1].lower() or name


def survey(seen: Iterable[FileEntry | Skip], language_of: Callable[[str], str] = extension_of) -> Survey:
    """Count the rows of a scan. `language_of` names the language of a path."""
    languages: dict[str, list[FileEntry | Skip]] = {}
    skipped: dict[SkipReason, list[FileEntry | Skip]] = {}
    for row in seen:
        if isinstance(row, Skip):
            skipped.setdefault(row.reason, []).append(row)
        else:
            languages.setdefault(language_of(row.path), []).append(row)
    by_language = {name: _share(rows) for name, rows in languages.items()}
    by_reason = {reason: _share(rows) for reason, rows in skipped.items()}
    return Survey(
        files=sum(share.files for share in by_language.values()),
        size=sum(share.size for share in by_language.values()),
        languages=dict(sorted(by_language.items(), key=lambda item: (-item[1].size, item[0]))),
        skipped=dict(sorted(by_reason.items(), key=lambda item: (-item[1].files - item[1].folders, item[0]))),
    )


def _share(rows: list[FileEntry | Skip]) -> Share:
    folders = sum(_is_folder(row) for row in rows)
    largest = heapq.nsmallest(_EXAMPLES, rows, key=lambda row: (not _is_folder(row), -row.size, row.path))
    return Share(len(rows) - folders, folders, sum(row.size for row in rows), tuple(largest))


def _is_folder(row: FileEntry | Skip) -> bool:
    return isinstance(row, Skip) and row.is_directory


def needs_confirmation(root: str, candidates: int) -> str | None:
    """What to ask before indexing `root` with that many files to index, or None."""
    broad = broad_folder(root)
    if broad is not None:
        return f"{shown(root)} is {broad}, with {candidates:,} files to index"
    if candidates > MANY_CANDIDATES:
        return f"{shown(root)} has {candidates:,} files to index, more than {MANY_CANDIDATES:,}"
    return None
