"""What a code server does not say of a name: the commits that changed its lines, and the notes that speak of it."""

from __future__ import annotations

import os
import re

from postil_indexers.chunking.notes import split_lines
from postil_indexers.store.content import DefinitionRow
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms
from postil_indexers.types import Kind
from postil_server.lsp.desk import Opened
from postil_server.lsp.documents import Buffer
from postil_server.lsp.noteview import parsed
from postil_server.lsp.shown import Line, Shown, day
from postil_server.spanhistory import last_changes

_NAME = re.compile(r"[^\W\d]\w*")
_WORD_ALONE = re.compile(r"[a-z]+")  # no capital, digit or underscore inside
_COMMITS = 3
_NOTES = 3
_LOOKED_AT = 50  # notes that hold the words of a name, to find those that hold the name
_LINE_CHARS = 160


def hover_code(opened: list[Opened], buffer: Buffer, line: int, column: int, path: str, language: str) -> Shown | None:
    """`opened`: the document's own folder first. None where the name under the cursor has nothing to tell."""
    text = split_lines(buffer.text)[line]
    word = next((m for m in _NAME.finditer(text) if m.start() <= column < m.end()), None)
    if word is None:
        return None
    said, name = parsed(buffer.text, path, language), word[0]
    columns = word.span()
    here = next((d for d in said.definitions if d.line == line and d.name == name), None)
    if here is not None:
        known = [d for d in _definitions(opened[0], name) if d.path == path]
        same = [d for d in known if d.qualified_name == here.qualified_name] or known
        nearest = min(same, key=lambda d: abs(d.line - line), default=None)
        return _shown(opened, opened[0], name, nearest, (), columns)
    if not any(r.line == line and r.name == name for r in said.references):
        return None
    found = [(each, d) for each in opened for d in _definitions(each, name)]
    if len(found) != 1 or not _is_plausible(name, text, word.start()):
        return None
    owner, definition = found[0]
    target = Line(
        link=definition.qualified_name,
        path=os.path.join(owner.root, definition.path),
        line=definition.line,
        after=f" in {definition.path}",
    )
    return _shown(opened, owner, name, definition, (target,), columns)


def _definitions(opened: Opened, name: str) -> list[DefinitionRow]:
    return [row for row in opened.index.content.definitions([name]) if row.name == name]


def _is_plausible(name: str, line: str, at: int) -> bool:
    """Whether a use of a name may be taken for the only definition of it: `x.get` is most often somebody else's."""
    return not (_WORD_ALONE.fullmatch(name) and line[:at].rstrip().endswith((".", "->", "::")))


def _shown(
    opened: list[Opened],
    owner: Opened,
    name: str,
    definition: DefinitionRow | None,
    first: tuple[Line, ...],
    columns: tuple[int, int],
) -> Shown | None:
    lines: list[Line] = []
    if definition is not None:
        for commit in last_changes(owner.index, definition.path, definition.span, _COMMITS):
            said = f"{day(commit.committed_at)} {commit.subject} ({commit.author_name}, {commit.sha[:8]})"
            lines.append(Line(said, item=True))
    for each in opened:
        lines += [_mention(each, row, name) for row in _mentions(each, name)]
    return Shown(lines=(*first, *lines), columns=columns) if lines else None


def _mentions(opened: Opened, name: str) -> list[ChunkRow]:
    """The best passages of notes that hold the name as it is written, one a note."""
    matches = opened.index.content.match(index_terms(name).split(), Kind.NOTE, _LOOKED_AT)
    rows = opened.index.content.chunks(match.rowid for match in matches)
    whole = _whole(name)
    found: dict[int, ChunkRow] = {}
    for match in matches:
        row = rows[match.rowid]
        if row.symbol != "front_matter" and row.document_id not in found and whole.search(row.text):
            found[row.document_id] = row
            if len(found) == _NOTES:
                break
    return list(found.values())


def _mention(opened: Opened, row: ChunkRow, name: str) -> Line:
    whole = _whole(name)
    lines = split_lines(row.text)
    at = next(number for number, text in enumerate(lines) if whole.search(text))
    title = f"{row.title} › {row.name.replace(' > ', ' › ')}" if row.name and row.name != row.title else row.title
    return Line(
        link=title,
        path=os.path.join(opened.root, row.path),
        line=row.span.start_line + at,
        after=f" (mentions {name})",
        item=True,
        below=lines[at].strip()[:_LINE_CHARS],
    )


def _whole(name: str) -> re.Pattern[str]:
    """A name in prose; a plain word only where it is written as code: `run`, x.run, run()."""
    if _WORD_ALONE.fullmatch(name):
        return re.compile(rf"(?:`|\.|::){name}(?!\w)|(?<!\w){name}\(")
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
