"""A cache that never grows for hours: when it is full it begins anew, with what comes back from the former one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

Value = TypeVar("Value")


class Generations(dict[str, Value], ABC):
    """Word -> what is made of it. A dict, since `map` over its look-up costs no Python frame for a hit."""

    def __init__(self, size: int) -> None:
        """It holds at most twice as many words."""
        super().__init__()
        self._size = size
        self._former: dict[str, Value] = {}

    @abstractmethod
    def make(self, word: str) -> Value: ...

    @abstractmethod
    def keeps(self, word: str) -> bool:
        """Whether a word is likely to come back."""

    def __missing__(self, word: str) -> Value:
        known = self._former.get(word)
        value = self.make(word) if known is None else known
        if self.keeps(word):
            if len(self) >= self._size:
                self._former = dict(self)
                self.clear()
            self[word] = value
        return value
