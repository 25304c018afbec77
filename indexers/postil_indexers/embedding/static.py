"""The static table: a text is the mean of its word pieces' vectors. Thousands of chunks a second on one core."""

from __future__ import annotations

import functools
import hashlib
import io
import re
import threading
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from postil_indexers.embedding.base import Vectors, mostly_latin_or_han, unit, well_formed
from postil_indexers.embedding.han_rows import RUN, HanRows
from postil_indexers.errors import ModelError

_FOLDER = Path(__file__).parent
_TABLE = "static-256.npz"
_TABLE_SHA256 = "d4ac3627a49910ae519e01a988d340db2573179612336566a00fc48d6a5fda35"
_HAN_TABLE = "han-256.npz"
_HAN_TABLE_SHA256 = "b7731f6f2379a6db11b2c4a888ee12c9907fa46085b70b1ca799d095e7af5921"
_TOKENIZER = "wordpiece/tokenizer.json"

# The tokenizer cuts at white space, isolates ASCII punctuation and drops control characters, so a word can be cut alone
# and its pieces kept. Words are the same as in the whole text; only literal "[SEP]" and its like are words here.
_WORDS = re.compile(r"[A-Za-z0-9\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\U0010ffff]+|[!-/:-@\[-`{-~]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNKNOWN = 100  # "[UNK]" says nothing of a text: without it mixed Chinese and English notes find their like more often
_KEPT_WORDS = 25_000  # about 5 MB of word -> pieces; a large repository has more, most of them once
_KEPT_LENGTH = 64  # characters; longer are encoded data and Japanese sentences, which hardly come twice


class _Pieces(dict[str, bytes]):
    """Word -> ids of its word pieces as int32, filled on first sight. As bytes: one join a text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: str) -> bytes:
        if len(self) >= _KEPT_WORDS:
            self.clear()
        encoding = self._tokenizer.encode(_CAMEL.sub(" ", well_formed(word)), add_special_tokens=False)
        ids = array("i", (piece for piece in encoding.ids if piece != _UNKNOWN)).tobytes()
        if len(word) <= _KEPT_LENGTH:
            self[word] = ids
        return ids


class StaticEmbedder:
    """Mean of the vectors of word pieces and Han units, from packaged tables of 256 columns. It knows no word order."""

    fingerprint = f"postil-static:{_TABLE_SHA256[:12]}:{_HAN_TABLE_SHA256[:12]}"
    batch_size = 256

    def __init__(self) -> None:
        arrays = _load(_TABLE, _TABLE_SHA256)
        self._rows: NDArray[np.int8] = arrays["table"]
        self._scales: Vectors = arrays["scale"].astype(np.float32)
        self._pieces = _Pieces(_load_tokenizer())
        self._han: HanRows | None = None
        self._reading_han = threading.Lock()

    @property
    def dimensions(self) -> int:
        return int(self._rows.shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            ids = np.frombuffer(self._ids(text), np.intc)
            # scaled here, not at load: the table stays at 8 MB, not 31, and a chunk gathers a quarter of the bytes
            np.dot(self._scales.take(ids), self._rows.take(ids, axis=0).astype(np.float32), out=sums[row])
        return unit(sums)

    def _ids(self, text: str) -> bytes:
        """The rows of a text as int32: of the pieces of its words, and of its Han units."""
        runs = [] if text.isascii() else RUN.findall(text)
        if not runs:
            return b"".join(map(self._pieces.__getitem__, _WORDS.findall(text)))
        words = b"".join(map(self._pieces.__getitem__, _WORDS.findall(RUN.sub(" ", text))))
        return words + (self._han or self._read_han()).rows(runs)

    def _read_han(self) -> HanRows:
        """Put the Han table below the other: where no Han text comes, its 10 MB are never read."""
        with self._reading_han:
            if self._han is None:
                arrays = _load(_HAN_TABLE, _HAN_TABLE_SHA256)
                first = len(self._rows)
                self._rows = np.concatenate((self._rows, arrays["table"]))
                self._scales = np.concatenate((self._scales, arrays["scale"].astype(np.float32)))
                self._han = HanRows(arrays["units"], first)
            return self._han

    def knows(self, text: str) -> bool:
        return mostly_latin_or_han(text)

    def is_word(self, word: str) -> bool:
        """Whether a word is a piece by itself, as the 20,000 most used words of English are."""
        return len(self._pieces[word]) == array("i").itemsize


@functools.cache
def load_static() -> StaticEmbedder:
    """The packaged table, loaded once a process, in about a tenth of a second."""
    return StaticEmbedder()


def _load(name: str, sha256: str) -> dict[str, NDArray[Any]]:
    """The arrays of a packaged file: int8 `table`, the `scale` that each row is to be multiplied by, maybe `units`."""
    try:
        raw = (_FOLDER / name).read_bytes()
    except OSError as error:
        raise ModelError(f"the static table {name} is missing from the installation", "reinstall postil") from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise ModelError(f"the static table {name} is damaged (its SHA-256 differs)", "reinstall postil")
    with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
        return dict(arrays)


def _load_tokenizer() -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str((_FOLDER / _TOKENIZER).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{_TOKENIZER} is missing from the installation", "reinstall postil") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
