"""Days as they are written in answers."""

from __future__ import annotations

import datetime


def day(at: int) -> str:
    """YYYY-MM-DD in UTC, of seconds since 1970."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).date().isoformat()
