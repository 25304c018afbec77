"""Units of Han text: its characters and its pairs of neighbours, simplified, each with a row of the static table."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import add

from postil_indexers.han import HAN, simplify

RUN = re.compile(f"[{HAN}]+")
_APART = "\n"  # between runs: no unit has it


def han_units(runs: Sequence[str]) -> Iterable[str]:
    """The characters and the pairs of neighbours of runs of Han text, and what stands for the joints between runs."""
    plain = simplify(_APART.join(runs))
    return chain(plain, map(add, plain, plain[1:]))


class HanRows:
    """Which row each unit has: those of `units`, in their order, from the row `first` on."""

    def __init__(self, units: Iterable[str], first: int) -> None:
        self._row_of = {str(unit): row for row, unit in enumerate(units, first)}

    def rows(self, runs: Sequence[str]) -> bytes:
        """The rows of the units that have one, as int32."""
        return array("i", filter(None, map(self._row_of.get, han_units(runs)))).tobytes()
