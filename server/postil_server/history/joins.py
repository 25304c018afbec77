"""Notes that name a commit, its issues, its files or its symbols; and commits that a text names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from postil_indexers.chunking.notes import split_lines
from postil_indexers.messages import issues
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.text import index_terms
from postil_indexers.types import Kind
from postil_server import ranking

_SHORT, _LONG = 7, 12  # digits of a commit id as people write it, beside the whole
_LOOKED_AT = 60  # passages that hold the number of an issue, which many numbers are
_SNIPPET_CHARS = 200
_SHA = re.compile(r"(?<![0-9a-zA-Z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![0-9a-zA-Z])")
_ISSUE = re.compile(r"(?<![\w/&])(?:(?:GH-|#)\d{1,9}|[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6})(?![\w-])", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z]+|[A-Z]+|[A-Z][a-z]+")  # a word of any prose, whatever it is called in code
_MOST = 20
_EVERYBODYS = frozenset({"readme", "index", "__init__", "main", "mod", "lib", "changelog", "changes", "makefile"})


@dataclass(frozen=True, slots=True)
class NotePlace:
    """A line of a note that names something."""

    path: str
    title: str
    line: int
    snippet: str
    names: str  # what it names, as it is written there: "a1b2c3d", "#42", "LeaseLost", "millrace/lease.py"
    direct: bool = True  # the commit or its issue, not just something that it changed


def notes_naming(index: Index, sha: str, numbers: Sequence[str], limit: int) -> list[NotePlace]:
    """Lines of notes that name a commit, by its id or the start of it, or one of some issues; one a note."""
    starts = [sha[:length] for length in range(_SHORT, _LONG + 1)]
    terms = [*starts, sha, *(part.lower() for number in numbers for part in (number, *number.split("-")))]
    wanted = set(numbers)

    def named(line: str) -> str:
        own = next((start for start in _SHA.findall(line) if sha.startswith(start)), "")
        number = next((number for number in issues(line) if number in wanted), "")
        return own or (f"#{number}" if number.isdigit() else number)

    return _lines_that(index, terms, named, limit)


def notes_about(index: Index, paths: Collection[str], symbols: Iterable[str], limit: int) -> list[NotePlace]:
    """Lines of notes that name one of some files, by its path or its name, or a symbol; one a note.

    A symbol that is a word of any prose counts for nothing.
    """
    files = {name for path in paths for name in (path, path.rpartition("/")[2]) if _tells(name)}
    telling = {symbol for symbol in symbols if not _PLAIN.fullmatch(symbol)}
    terms = [*(_whole(name) for name in (*sorted(telling), *sorted(files)))]

    def named(line: str) -> str:
        said = sorted(telling & ranking.mentioned_names(line)) if telling else []
        return next(iter(said), "") or next((name for name in sorted(files, key=len)[::-1] if _holds(line, name)), "")

    found = _lines_that(index, [term for term in terms if term], named, limit)
    return [replace(note, direct=False) for note in found]


def _tells(name: str) -> bool:
    """Whether a path or the name of a file means one file alone, as a rule."""
    return "/" in name or ("." in name and name.partition(".")[0].casefold() not in _EVERYBODYS)


def _whole(name: str) -> str:
    """The one term that stands for a whole name."""
    terms = index_terms(name.rpartition("/")[2]).split()
    return terms[-1] if terms else ""


def _holds(line: str, name: str) -> bool:
    return re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])", line) is not None


def _lines_that(index: Index, terms: Sequence[str], named: Callable[[str], str], limit: int) -> list[NotePlace]:
    """The first line of each note of which `named` says what it names, in the order of the notes' weight."""
    matches = index.content.match(terms, Kind.NOTE, _LOOKED_AT) if terms else []
    rows = index.content.chunks(match.rowid for match in matches)
    found: dict[str, NotePlace] = {}
    for match in matches:
        row = rows[match.rowid]
        if row.path in found or row.symbol == "front_matter":
            continue
        for number, text in enumerate(split_lines(row.text)):
            if name := named(text):
                line = row.span.start_line + number
                found[row.path] = NotePlace(row.path, row.title, line, text.strip()[:_SNIPPET_CHARS], name)
                break
        if len(found) == limit:
            break
    return list(found.values())


def reference_at(line: str, column: int) -> tuple[int, int] | None:
    """Where the commit id or the issue stands that a column of a line is in: (start, end)."""
    for pattern in (_SHA, _ISSUE):
        for match in pattern.finditer(line):
            if match.start() <= column < match.end() and (pattern is _SHA or issues(match[0])):
                return match.span()
    return None


def commits_named(index: Index, text: str) -> list[tuple[CommitRow, str]]:
    """The commits that a text names by id, then those whose messages name an issue that it names, newest first; each
    with what the text names: "a1b2c3d", "#42". By an issue alone, only what HEAD reaches."""
    numbers, starts = issues(text), list(dict.fromkeys(_SHA.findall(text)))
    if not numbers and not starts:
        return []
    by_id = {i: start for start in starts for i in index.history.by_sha(start)}
    by_issue = {i: number for number, _, i in index.surroundings.mentioning(numbers, ("issue",))}
    rows = index.history.rows([*by_id, *by_issue])
    here = {i for i in by_issue.keys() - by_id.keys() if not rows[i].branch}
    later = sorted(here, key=lambda i: (-rows[i].committed_at, rows[i].sha))
    shown = {i: f"#{number}" if number.isdigit() else number for i, number in by_issue.items()} | by_id
    return [(rows[i], shown[i]) for i in (*by_id, *later)][:_MOST]
