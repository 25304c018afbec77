"""What a line of a note is, and how good a place before it is for a cut. Small numbers, for a bytearray."""

from __future__ import annotations

PROSE, BLANK, HEADING, TABLE, CODE, HTML = range(6)

# Cuts are tried at the highest rank first; at NEVER only by sentence (prose) or, in giant fences, by line.
NEVER, INNER, ITEM, BLOCK, SECTION = range(5)
# INNER: a table row, a nested item, a paragraph inside an item. ITEM: an item of a list that began above.
