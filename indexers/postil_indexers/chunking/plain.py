"""Plain text notes: no headings, but paragraphs, and the links and tags that people write there too."""

from __future__ import annotations

from postil_indexers.chunking.linekinds import BLANK, BLOCK
from postil_indexers.chunking.notes import file_stem, split_lines, timestamp_id, title_from_path
from postil_indexers.chunking.references import collect_inline
from postil_indexers.chunking.sections import Lines, Section, chunk_sections
from postil_indexers.lineindex import LineIndex
from postil_indexers.types import Document, Parsed

_MAX_TITLE = 80  # characters; a longer first line is a sentence
_SENTENCE_MARKS = (".", ",", ";", "。", "，", "；")


def parse_plain(document: Document) -> Parsed:
    """Title, paragraphs, links and tags of a text file; never raises, whatever the text is."""
    text = document.text
    lines = split_lines(text)
    kinds, ranks = bytearray(len(lines)), bytearray(len(lines))
    runs: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        if not line or line.isspace():
            kinds[number] = BLANK
        elif number == 0 or kinds[number - 1] == BLANK:
            ranks[number] = BLOCK
            runs.append((number, number + 1))
        else:
            runs[-1] = (runs[-1][0], number + 1)
    title = _title(lines, kinds) or title_from_path(document.path)
    starts = LineIndex(text).starts
    found = collect_inline(text, starts, runs)
    return Parsed(
        title=title,
        chunks=tuple(chunk_sections(Lines(text, starts, kinds, ranks), [Section(0)], title)) if runs else (),
        links=tuple(found.links),
        tags=tuple(found.tags),
        block_ids=tuple(found.block_ids),
        note_id=timestamp_id(file_stem(document.path)),
    )


def _title(lines: list[str], kinds: bytearray) -> str:
    """The first line where it stands alone, is short and does not end like a sentence; else ""."""
    first = next((number for number, kind in enumerate(kinds) if kind != BLANK), None)
    if first is None or (first + 1 < len(lines) and kinds[first + 1] != BLANK):
        return ""
    text = lines[first].strip()
    return text if len(text) <= _MAX_TITLE and not text.endswith(_SENTENCE_MARKS) else ""
