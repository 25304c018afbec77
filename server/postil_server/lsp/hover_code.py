"""What a code server does not say of a name: the commits that changed its lines, and the notes that speak of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from postil_indexers.chunking.notes import split_lines
from postil_indexers.store.content import DefinitionRow
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms
from postil_indexers.types import Kind
from postil_server.lsp.behind import missing_head
from postil_server.lsp.codeview import symbols_on
from postil_server.lsp.definition_rows import definition_here, definitions_named
from postil_server.lsp.desk import Opened
from postil_server.lsp.documents import Buffer
from postil_server.lsp.hover_commit import commit_line
from postil_server.lsp.shown import Line, Shown
from postil_server.spanhistory import last_changes

_NAME = re.compile(r"[^\W\d]\w*")
_WORD_ALONE = re.compile(r"[a-z]+")  # no capital, digit or underscore inside
_IMPORT = re.compile(r"^\s*(?:from|import|use|using|require|include)\b.*", re.MULTILINE)
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
    said, name = symbols_on(buffer.text, path, language, line), word[0]
    columns = word.span()
    here = next((d for d in said.definitions if d.line == line and d.name == name), None)
    if here is not None:
        nearest = definition_here(opened[0], path, here.qualified_name, name, line)
        return _shown(opened, opened[0], name, nearest, (), columns)
    if not any(r.line == line and r.name == name for r in said.references):
        return None
    found = [(each, d) for each in opened for d in definitions_named(each, name)]
    if len(found) != 1:
        return None
    owner, definition = found[0]
    is_here = owner is opened[0] and definition.path == path
    if not _is_plausible(name, text, word.start(), buffer.text, is_here=is_here):
        return None
    target = Line(
        link=definition.qualified_name,
        path=os.path.join(owner.root, definition.path),
        line=definition.line,
        after=f" in {definition.path}",
    )
    return _shown(opened, owner, name, definition, (target,), columns)


def _is_plausible(name: str, line: str, at: int, text: str, *, is_here: bool) -> bool:
    """Whether a use of a name may be taken for the only definition of it: `x.get` is most often somebody else's, and
    `run` as well unless it is defined in this file or brought into it by name."""
    if not _WORD_ALONE.fullmatch(name):
        return True
    if line[:at].rstrip().endswith((".", "->", "::")):
        return False
    return is_here or any(re.search(rf"\b{name}\b", brought) for brought in _IMPORT.findall(text))


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
        lines += _commits(owner, definition)
    for each in opened:
        lines += [_mention(each, row, name) for row in _mentions(each, name)]
    return Shown(lines=(*first, *lines), columns=columns) if lines else None


def _commits(owner: Opened, definition: DefinitionRow) -> Iterator[Line]:
    """The last ones that changed its lines; and that there are newer ones, where the index is behind."""
    behind = missing_head(owner)
    changes = last_changes(owner.index, owner.root, definition.path, definition.span, _COMMITS)
    if behind is not None and changes:
        yield Line(f"without {behind[:8]} and what led to it, which are not indexed yet", item=True)
    yield from (commit_line(owner, commit, with_release=False) for commit in changes)


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
