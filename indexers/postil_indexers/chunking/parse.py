"""Which parser takes which document."""

from __future__ import annotations

from postil_indexers.chunking.code import parse_code
from postil_indexers.chunking.markdown import parse_markdown
from postil_indexers.chunking.plain import parse_plain
from postil_indexers.chunking.rst import parse_rst
from postil_indexers.types import Document, Kind, Parsed

_NOTES = {"markdown": parse_markdown, "rst": parse_rst, "text": parse_plain}
_NOTE_TEXT = (".txt", ".text")  # a file of an unknown language without one of these is taken as code, by lines


def parse(document: Document) -> tuple[Kind, Parsed]:
    """What a document is, and all that it says of itself; never raises, whatever the text is."""
    notes = _NOTES.get(document.language)
    if notes is not None and (document.language != "text" or document.path.lower().endswith(_NOTE_TEXT)):
        return Kind.NOTE, notes(document)
    return Kind.CODE, parse_code(document)
