"""Which parser takes which document."""

from __future__ import annotations

import posixpath

from postil_indexers.chunking.code import parse_code
from postil_indexers.chunking.markdown import parse_markdown
from postil_indexers.chunking.notebook import parse_notebook
from postil_indexers.chunking.plain import parse_plain
from postil_indexers.chunking.rst import parse_rst
from postil_indexers.types import Document, Kind, Parsed

_NOTES = {"markdown": parse_markdown, "rst": parse_rst, "text": parse_plain}
# README and LICENSE are prose; text with an extension that nobody knows is more often data, and is cut by lines
_PROSE_EXTENSIONS = ("", ".txt", ".text")


def parse(document: Document) -> tuple[Kind, Parsed]:
    """What a document is, and all that it says of itself; never raises, whatever the text is."""
    if document.language == "notebook":
        return Kind.CODE, parse_notebook(document)
    notes = _NOTES.get(document.language)
    if notes is not None and (document.language != "text" or _extension(document.path) in _PROSE_EXTENSIONS):
        return Kind.NOTE, notes(document)
    return Kind.CODE, parse_code(document)


def _extension(path: str) -> str:
    return posixpath.splitext(path)[1].lower()
