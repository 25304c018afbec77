"""Where other notes name a note without a link to it: found in the index, checked in the texts as they are now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from postil_indexers.chunking.notes import file_stem
from postil_indexers.chunking.sites import code_spans
from postil_indexers.han import UNSPACED
from postil_indexers.seen import shown
from postil_indexers.text import is_function_word, query_terms
from postil_indexers.types import Kind
from postil_server.lsp.desk import Opened
from postil_server.lsp.live import Buffers, Note, live_note, live_notes
from postil_server.lsp.records import plain_range

_SHORTEST = 3  # letters of a name, or two characters of an unspaced script: less stands in every other note
_EVERYBODYS = frozenset({"index", "readme", "notes", "note", "todo", "untitled"})  # names that say nothing
_MOST_NAMES = 20  # of one note; each is a look into the index
_MOST_NOTES = 60  # that hold the words of a name; each is read
_MOST_READ = 200  # of them for all names together
_A_NOTE = 3  # mentions of one note: the first tell what the others would
_LINE_CHARS = 200
_BEFORE = 24  # characters of the line that are shown before a mention


def mentions(opened: Opened, path: str, buffers: Buffers, encoding: str, limit: int) -> list[dict[str, Any]]:
    note = live_note(opened.root, path, buffers)
    if note is None:
        return []
    names = names_of(opened, note)
    paths = dict.fromkeys(each for name in names for each in _holding(opened, name))
    paths.pop(path, None)
    pattern = _pattern(names)
    if pattern is None:
        return []
    others = (each for each in live_notes(opened.root, islice(paths, _MOST_READ), buffers) if each.path != path)
    found = (record for other in others for record in islice(_in(other, pattern, encoding), _A_NOTE))
    return list(islice(found, limit))


def names_of(opened: Opened, note: Note) -> list[str]:
    """What the note is called: its title and its file's name as they are now, and the aliases of the index."""
    document = opened.index.content.document(note.path)
    aliases = [alias.name for alias in opened.index.names.aliases([document.id])] if document else []
    given = dict.fromkeys(" ".join(name.split()) for name in (note.sites.title, file_stem(note.path), *aliases))
    return [name for name in given if _tells(name)][:_MOST_NAMES]


def _tells(name: str) -> bool:
    enough = 2 if re.search(f"[{UNSPACED}]", name) else _SHORTEST
    return len(name) >= enough and name.lower() not in _EVERYBODYS and not is_function_word(name.lower())


def _holding(opened: Opened, name: str) -> list[str]:
    return opened.index.content.paths_holding(query_terms(name), Kind.NOTE, _MOST_NOTES)


def _pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """Any of the names as whole words, in any case and with any white space inside, the longest first."""
    parts = []
    for name in sorted(names, key=len, reverse=True):
        first, last = (re.match(f"[{UNSPACED}]", end) is None for end in (name[0], name[-1]))
        words = r"\s+".join(map(re.escape, name.split()))
        parts.append((r"(?<![\w/#])" if first else "") + words + (r"(?!\w)" if last else ""))
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _in(note: Note, pattern: re.Pattern[str], encoding: str) -> Iterator[dict[str, Any]]:
    """Outside of links, code and front matter. A name of several words that goes over a line's end counts too."""
    sites = note.sites
    links = [(site.link.start, site.link.end) for site in sites.links]
    for found in pattern.finditer(sites.text):
        line = sites.line_of(found.start())
        text, start = sites.lines[line], sites.starts[line]
        taken = links + [(start + a, start + b) for a, b in code_spans(text)]
        if line in sites.prose and not any(a < found.end() and found.start() < b for a, b in taken):
            yield {
                "uri": note.uri,
                "root": shown(note.root),
                "range": plain_range(note.range(found.span(), encoding)),
                "name": " ".join(found[0].split()),
                "title": sites.title,
                "snippet": _around(text, found.start() - start),
            }


def _around(line: str, at: int) -> str:
    """A line from a little before its mention on: what is seen of it in a list is its start."""
    first = line.rfind(" ", 0, max(at - _BEFORE, 0)) + 1 if at > _BEFORE else 0
    return ("… " if line[:first].strip() else "") + line[first:].strip()[:_LINE_CHARS]
