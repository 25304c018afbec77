"""Rows of one folder, without those of the folders in it."""

from __future__ import annotations

import os

# a range of the index over paths, and then no further "/"
DIRECTLY_IN = "path >= ? AND path < ? AND instr(substr(path, ?), x'2f') = 0"


def directly_in(folder: str) -> tuple[bytes, bytes, int]:
    """What to bind to DIRECTLY_IN for a folder; "" is the root."""
    if not folder:
        return b"", b"\xff" * 8, 1  # no path of UTF-8 begins so, and no other as often
    start = os.fsencode(folder) + b"/"
    return start, start[:-1] + b"0", len(start) + 1  # "0" follows "/"
