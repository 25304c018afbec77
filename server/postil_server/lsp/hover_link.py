"""What a link leads to: the section that it means, its date, and how many notes link there."""

from __future__ import annotations

import os

from postil_indexers.links import anchor_line
from postil_indexers.store.content import DocumentRow
from postil_indexers.types import Kind, Link
from postil_server.days import day
from postil_server.freshness import LiveText
from postil_server.lsp.desk import Opened
from postil_server.lsp.linking import linked_path
from postil_server.lsp.noteview import NoteView, note_view, parsed
from postil_server.lsp.paragraphs import bounds
from postil_server.lsp.shown import Line, Shown

_LINES = 15  # of the section; a hover is read at a glance
_LINE_CHARS = 300


def hover_link(
    opened: list[Opened], view: NoteView, link: Link, line: int, place: tuple[str, str] | None
) -> Shown | None:
    """None for an address, for a link to nothing, and for a file without text."""
    for each in opened:
        own = place[1] if place and place[0] == each.root else None
        if place is not None and own is None:
            continue  # links lead into the note's own folder
        path = linked_path(each, own, link)
        document = each.index.content.document(path) if path else None
        if document is None:
            continue
        text = view.text if path == own else _text(each, document)
        if text is None:
            return None
        return _shown(each, document, text, link.anchor, view.columns(link, line))
    return None


def _text(opened: Opened, document: DocumentRow) -> str | None:
    """The masked text: from the index, or from the disk where that is newer; None where it was deleted."""
    newer = LiveText(opened.index, opened.root).changed(document.id, document.path)
    if newer is None:
        return "".join(row.text for row in opened.index.content.chunks_of(document.id))
    return newer or None


def _shown(opened: Opened, document: DocumentRow, text: str, anchor: str, columns: tuple[int, int]) -> Shown:
    start, end, heading = _section(document, text, anchor)
    lines = [each[:_LINE_CHARS].rstrip() for each in note_view(text, document.path, document.language).lines]
    while start < end and not lines[start]:
        start += 1
    section = lines[start:end][:_LINES]
    while section and not section[-1]:
        section.pop()
    if end - start > _LINES:
        section.append("…")
    title = f"{document.title} › {heading}" if heading and heading != document.title else document.title
    backlinks = opened.index.content.backlinks(document.id)
    missing = f" · no “{anchor}” in it" if anchor and not heading else ""
    said = f" · {_date(opened, document)} · {backlinks} backlink{'s'[: backlinks != 1]}{missing}"
    language = "markdown" if document.kind is Kind.NOTE else document.language
    path = os.path.join(opened.root, document.path)
    return Shown(
        lines=(Line(link=title, path=path, line=start, after=said),),
        quoted="\n".join(section),
        language=language,
        columns=columns,
    )


def _section(document: DocumentRow, text: str, anchor: str) -> tuple[int, int, str]:
    """(first line, line after it, heading or block that was found) of what a link's anchor means."""
    view = note_view(text, document.path, document.language)
    if document.kind is not Kind.NOTE:
        return 0, len(view.lines), ""
    said = parsed(text, document.path, document.language)
    at = anchor_line(anchor, said.headings, ((b.name, b.line) for b in said.block_ids)) if anchor else None
    if at is None:
        first = min(view.prose, default=0)
        return first, len(view.lines), ""
    heading = next((each for each in said.headings if each.line == at), None)
    if heading is None or anchor.startswith("^"):
        return *bounds(list(view.lines), at), anchor
    below = (each.line for each in said.headings if each.line > at and each.level <= heading.level)
    return at, next(below, len(view.lines)), heading.text


def _date(opened: Opened, document: DocumentRow) -> str:
    """Of the last commit that touched it; of the file itself where no commit did."""
    commits = opened.index.history.rows(opened.index.history.touching(document.path))
    committed = max((row.committed_at for row in commits.values()), default=None)
    return day(document.mtime_ns // 1_000_000_000 if committed is None else committed)
