"""Which of two versions of Postil is the newer."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def is_newer(version: str, than: str) -> bool:
    """By release number; what is no version, or a pre-release of the same number, is not newer."""
    return _release(version) > _release(than)


def _release(version: str) -> tuple[int, ...]:
    found = _NUMBERS.match(version)
    return tuple(map(int, found.groups())) if found else ()
