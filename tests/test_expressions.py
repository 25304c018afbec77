"""Regular expressions that mean the same in every Python that we run on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{\{?[0-9,]+\}?\})\+")


@pytest.mark.parametrize("package", ["indexers", "server"])
def test_no_group_is_possessive(package: str) -> None:
    """Up to Python 3.11.4 such a group keeps what its last, failed round took (gh-106052); `(?>(?:...)*)` does not."""
    found = [
        f"{file.relative_to(_ROOT)}:{number}: {line.strip()}"
        for file in sorted((_ROOT / package).rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if _POSSESSIVE_GROUP.search(line)
    ]
    assert found == []
