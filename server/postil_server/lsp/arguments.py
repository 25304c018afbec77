"""The parameters of our own requests, checked; what is wrong with one names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from postil_indexers.types import Span
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

    def names(self) -> list[str]:
        """The fields that are given."""
        return [name for name, value in self._given.items() if value is not None]

    def given(self) -> dict[str, Any]:
        """All of them as they are."""
        return dict(self._given)

    def inside(self, name: str) -> Arguments:
        """A nested object; an empty one where it is left out."""
        return Arguments(self._given.get(name), f"{self._where}{name}.")

    def text(self, name: str) -> str:
        value = self._given.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(name, "must be a string that is not empty")
        return _well_formed(value)

    def string(self, name: str) -> str:
        """One that may be empty or left out."""
        value = self._given.get(name)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, "must be a string")
        return _well_formed(value or "")

    def name(self, name: str) -> str | int | None:
        """What a client calls something; None where it is left out."""
        value = self._given.get(name)
        if value is not None and (not isinstance(value, str | int) or isinstance(value, bool) or value == ""):
            raise self._wrong(name, "must be a string or a whole number")
        return value

    def choice(self, name: str, choices: Mapping[str, Any], default: str) -> Any:
        value = self._given.get(name, default)
        if not isinstance(value, str) or value not in choices:
            raise self._wrong(name, f"must be one of {', '.join(choices)}")
        return choices[value]

    def flag(self, name: str, default: bool) -> bool:
        value = self._given.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, "must be true or false")
        return default if value is None else value

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

    def lines(self) -> Span | None:
        """The lines that `range` touches; None where it is left out or empty."""
        if "range" not in self:
            return None
        edges = []
        for edge in ("start", "end"):
            at = self.inside("range").inside(edge)
            both = [at.number(part, 0, (1 << 31) - 1, -1) for part in ("line", "character")]
            edges.append((both[0] if "line" in at else at._missing("line"), max(both[1], 0)))
        (first, _), (last, end) = edges
        if edges[1] < edges[0]:
            raise self._wrong("range", "must not end before it starts")
        if edges[0] == edges[1]:
            return None
        return Span(first, last + (end > 0 or last == first))

    def _missing(self, name: str) -> int:
        raise self._wrong(name, "is missing")

    def _wrong(self, name: str, why: str) -> WrongArgumentError:
        return WrongArgumentError(f"{self._where}{name} {why}")


def _well_formed(text: str) -> str:
    """JSON may escape one half of a surrogate pair, which neither files nor databases hold: it becomes "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
