"""What a file's content says against indexing it: binary, minified, generated, a drawing, a key."""

from __future__ import annotations

import re

from postil_indexers.seen import SkipReason

NOTE_EXTENSIONS = frozenset({".md", ".markdown", ".mdx", ".txt", ".rst", ".org", ".adoc", ".asciidoc", ".tex", ".norg"})
_NOTEBOOK_EXTENSIONS = frozenset({".ipynb"})
# Hand-written source stays far below this: in the trees this was tried on, all that is larger is data or output.
MAX_CODE_BYTES = 1 << 20
MAX_NOTE_BYTES = 4 << 20  # a journal or book kept in one note: the longest of novels has 3 MB
MAX_NOTEBOOK_BYTES = 8 << 20  # most of it are outputs, which are not indexed

_MAGIC = {b"%PDF-": "PDF", b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"\x7fELF": "program", b"\x89PNG": "image"}
_PRIVATE_KEY = re.compile(rb"\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
# A line of code has some 200 characters, a long literal more; one line of prose is a paragraph, or a whole chapter.
_LONG_CODE_LINE = 2_000
_LONG_NOTE_LINE = 50_000
_HEAD = 2_000  # characters in which a generator leaves its mark
_MADE = r"(?:auto(?:matically)?[- ]?generated|generated (?:by|from|file|code))"
_HANDS_OFF = r"do not (?:edit|modify|change)"
_GENERATED = re.compile(
    r"^[ \t]*(?:#|//|/\*|\*|--|;|%|<!--|'|\"\"\"|\{-|\(\*|REM\b|@?rem\b)[^\n]*?"
    r"(?:@generated\b|<auto-?generated\b"
    rf"|\b{_MADE}\b(?s:.{{0,200}}?)\b{_HANDS_OFF}\b|\b{_HANDS_OFF}\b(?s:.{{0,200}}?)\b{_MADE}\b)",
    re.IGNORECASE | re.MULTILINE,
)
# A generator holds such a head in a text of its own: what begins a long string or a here-document ends the search.
_TEMPLATE = re.compile(r"[=(]\s*\w{0,2}(?:\"{3}|'{3}|`)|<<[-~]?\s*['\"]?[A-Za-z_]")
_DRAWING = re.compile(r"---\r?\n(?:(?!---)[^\n]*\n){0,40}?(?:excalidraw-plugin|tldraw-file):")
# bytes that are no character of any text: not tab, line ends, form feed, backspace and escape
_CONTROL = bytes({*range(0x08), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F})
_SNIFFED = 8_192  # bytes that are looked at for them


def size_limit(extension: str) -> int:
    """The largest size in bytes that is read of a file with that extension (lower case, with its dot)."""
    if extension in _NOTEBOOK_EXTENSIONS:
        return MAX_NOTEBOOK_BYTES
    return MAX_NOTE_BYTES if extension in NOTE_EXTENSIONS else MAX_CODE_BYTES


def skip_bytes(data: bytes, *, marked: bool) -> tuple[SkipReason, str] | None:
    """Why these bytes are no text to index, or None. `marked`: a byte order mark names their encoding."""
    if _PRIVATE_KEY.match(data):
        return SkipReason.SECRET, "begins as a private key"
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return SkipReason.BINARY, f"begins as a {kind} file"
    if marked:
        return None
    if (at := data.find(b"\0")) >= 0:
        return SkipReason.BINARY, f"has a zero byte at {at:,}"
    head = data[:_SNIFFED]
    if (len(head) - len(head.translate(None, _CONTROL))) * 100 > len(head):
        return SkipReason.BINARY, "over one in a hundred bytes is a control character"
    return None


def skip_text(text: str, extension: str) -> tuple[SkipReason, str] | None:
    """Why this text is not worth indexing, or None."""
    if "\0" in text:  # in UTF-16
        return SkipReason.BINARY, "has a zero character"
    if extension in NOTE_EXTENSIONS:
        if _DRAWING.match(text):
            return SkipReason.DRAWING, "a drawing kept in a note"
        return _long_lines(text, _LONG_NOTE_LINE)
    if extension in _NOTEBOOK_EXTENSIONS:
        return None
    return _generated(text[:_HEAD]) or _long_lines(text, _LONG_CODE_LINE)


def _generated(head: str) -> tuple[SkipReason, str] | None:
    if "generated" not in head.lower():  # so it is with nearly every file
        return None
    template = _TEMPLATE.search(head)
    found = _GENERATED.search(head, 0, template.start() if template else len(head))
    if found is None:
        return None
    return SkipReason.GENERATED, f"line {head.count(chr(10), 0, found.start()) + 1} says that a program wrote it"


def _long_lines(text: str, limit: int) -> tuple[SkipReason, str] | None:
    if len(text) <= limit or max(map(len, text.split("\n"))) <= limit:
        return None
    lengths = [len(line) for line in re.split(r"\r\n?|\n", text)]
    # four fifths: an embedded image or a test's long literal does not cost a file the rest
    if 5 * sum(length for length in lengths if length > limit) <= 4 * len(text):
        return None
    return SkipReason.MINIFIED, f"mostly lines of over {limit:,} characters; the longest has {max(lengths):,}"
