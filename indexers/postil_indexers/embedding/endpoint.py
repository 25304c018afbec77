"""What every embedding endpoint needs: batches, over-long texts split, answers checked, loopback kept loopback."""

from __future__ import annotations

import ipaddress
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from urllib.parse import urlsplit

import numpy as np

from postil_indexers.embedding.base import Vectors, mostly_latin, unit, well_formed
from postil_indexers.embedding.families import Prefixes, english_only
from postil_indexers.embedding.windows import Window, averaged, halves
from postil_indexers.errors import ModelError

TIMEOUT_S = 120.0  # a batch on a slow processor, with the model still to be loaded from disk


class TooLongError(Exception):
    """The endpoint says that a text of the batch is longer than its model can read. Never leaves this package."""


class EndpointEmbedder(ABC):
    """A model behind HTTP. It is asked for its version and dimensions at the first use of either."""

    batch_size = 32

    def __init__(self, model: str, endpoint: str, prefixes: Prefixes) -> None:
        self.model = model
        self.endpoint = endpoint
        self._prefixes = prefixes
        self._described: tuple[str, int] | None = None
        self._describing = threading.Lock()

    @abstractmethod
    def version(self) -> str:
        """What tells these weights from others of the same name. Raises ModelError."""

    @abstractmethod
    def request(self, texts: list[str]) -> list[Sequence[float]]:
        """One call, a vector a text. Raises ModelError, or TooLongError."""

    @property
    def fingerprint(self) -> str:
        prefixes = (self._prefixes.query, self._prefixes.passage)
        return ":".join((type(self).__name__, self.model, self._description()[0], *map(ascii, prefixes)))

    @property
    def dimensions(self) -> int:
        return self._description()[1]

    def knows(self, text: str) -> bool:
        return mostly_latin(text) or not english_only(self.model)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        prefix = self._prefixes.query if query else self._prefixes.passage
        # endpoints refuse empty texts
        windows = [Window(owner, well_formed(text), len(text)) for owner, text in enumerate(texts) if text.strip()]
        read: list[Window] = []
        rows: list[Vectors] = [np.zeros((0, self.dimensions), np.float32)]
        for start in range(0, len(windows), self.batch_size):
            for part, vectors in self._read(windows[start : start + self.batch_size], prefix):
                read += part
                rows.append(vectors)
        return averaged(read, np.concatenate(rows), len(texts))

    def _read(self, windows: list[Window], prefix: str) -> list[tuple[list[Window], Vectors]]:
        """Send a batch; where it is refused as too long, its halves, and at last the halves of the text that is."""
        try:
            rows = self.request([prefix + window.text for window in windows])
            return [(windows, unit(self._checked(rows, len(windows), self.dimensions)))]
        except TooLongError as error:
            if len(windows) > 1:
                middle = len(windows) // 2
                return self._read(windows[:middle], prefix) + self._read(windows[middle:], prefix)
            if len(windows[0].text) < 2:
                raise ModelError(f"{self.model} at {self.endpoint} refuses even one character as too long") from error
            parts = [Window(windows[0].owner, text, len(text)) for text in halves(windows[0].text) if text.strip()]
            return self._read(parts, prefix)

    def _description(self) -> tuple[str, int]:
        with self._describing:
            if self._described is None:
                version = self.version()
                row = self._checked(self.request(["dimensions"]), 1, None)
                self._described = version, row.shape[1]
            return self._described

    def _checked(self, rows: list[Sequence[float]], count: int, dimensions: int | None) -> Vectors:
        wanted = {dimensions} if dimensions else {len(row) for row in rows[:1]} - {0}
        if len(rows) != count or {len(row) for row in rows} - wanted:
            shape = f"{len(rows)} vectors of {sorted({len(row) for row in rows})} numbers for {count} texts"
            expected = f", not of {dimensions}" if dimensions else ""
            raise ModelError(f"{self.model} at {self.endpoint} gave {shape}{expected}", "is it an embedding model?")
        vectors = np.asarray(rows, np.float32)
        if not np.isfinite(vectors).all():
            raise ModelError(f"{self.model} at {self.endpoint} gave a vector that holds something else than numbers")
        return vectors


def is_loopback(endpoint: str) -> bool:
    """Whether an address is on this machine. A name other than localhost is not looked up: it counts as elsewhere."""
    host = urlsplit(endpoint if "//" in endpoint else f"//{endpoint}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
