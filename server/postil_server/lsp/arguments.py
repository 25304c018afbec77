"""The parameters of our own requests, checked; what is wrong with one names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from postil_server.lsp.calls import WrongArgumentError

_MOST = 200  # results of one request


class Arguments:
    """Each getter raises WrongArgumentError, which names the field by its path."""

    def __init__(self, given: Any, where: str = "") -> None:
        if given is not None and not isinstance(given, dict):
            raise WrongArgumentError(f"{where.rstrip('.') or 'params'} must be an object")
        self._given: Mapping[str, Any] = given or {}
        self._where = where

    def __contains__(self, name: str) -> bool:
        return self._given.get(name) is not None

    def inside(self, name: str) -> Arguments:
        """A nested object; an empty one where it is left out."""
        return Arguments(self._given.get(name), f"{self._where}{name}.")

    def text(self, name: str) -> str:
        value = self._given.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(name, "must be a string that is not empty")
        return value

    def choice(self, name: str, choices: Mapping[str, Any], default: str) -> Any:
        value = self._given.get(name, default)
        if not isinstance(value, str) or value not in choices:
            raise self._wrong(name, f"must be one of {', '.join(choices)}")
        return choices[value]

    def number(self, name: str, least: int, most: int, default: int) -> int:
        value = self._given.get(name)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self._wrong(name, f"must be a whole number from {least} to {most}")
        return value

    def limit(self) -> int:
        return self.number("limit", 1, _MOST, 10)

    def line(self) -> int | None:
        """The first line of `range`; None where that is left out."""
        if "range" not in self:
            return None
        start = self.inside("range").inside("start")
        return start.number("line", 0, (1 << 31) - 1, -1) if "line" in start else start._missing("line")

    def _missing(self, name: str) -> int:
        raise self._wrong(name, "is missing")

    def _wrong(self, name: str, why: str) -> WrongArgumentError:
        return WrongArgumentError(f"{self._where}{name} {why}")
