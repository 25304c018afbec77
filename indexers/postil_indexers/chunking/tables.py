"""Tables as in GitHub's Markdown: what tells one from a paragraph is the row under its head."""

from __future__ import annotations

import re

_DELIMITERS = re.compile(r"\|?[ ]*+:?-+:?[ ]*+(?>(?:\|[ ]*+:?-+:?[ ]*+)*)\|?$")


def is_delimiter_row(row: str, head: str) -> bool:
    """Whether `row` (stripped) under the line `head` makes that the head of a table."""
    if len(row) < 2 or row[0] not in "|-:" or not _DELIMITERS.match(row):
        return False
    return "|" in head and _cells(head) == _cells(row)


def _cells(row: str) -> int:
    return row.replace("\\|", "").strip(" \t>").strip("|").count("|")
