"""The static table: a text is the mean of its word pieces' vectors. Thousands of chunks a second on one core."""

from __future__ import annotations

import functools
import hashlib
import io
import re
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from postil_indexers.embedding.base import Vectors, mostly_latin, unit, well_formed
from postil_indexers.errors import ModelError

_FOLDER = Path(__file__).parent
_TABLE = "static-256.npz"
_TABLE_SHA256 = "7b5338f4ec9635a86f596b7949dbf94061ddbc2cb94441f9392451e21521253e"
_TOKENIZER = "wordpiece/tokenizer.json"

# The tokenizer cuts at white space, isolates ASCII punctuation and drops control characters, so a word can be cut alone
# and its pieces kept. Words are the same as in the whole text; only literal "[SEP]" and its like are words here.
_WORDS = re.compile(r"[A-Za-z0-9\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\U0010ffff]+|[!-/:-@\[-`{-~]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNKNOWN = 100  # "[UNK]" says nothing of a text: without it mixed Chinese and English notes find their like more often
_KEPT_WORDS = 50_000  # about 10 MB of word -> pieces; a large repository has twice as many, most of them once
_KEPT_LENGTH = 64  # characters; longer are Chinese sentences and encoded data, which hardly come twice


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
    """Mean of word-piece vectors from the packaged table, 256 dimensions. It knows no word order."""

    fingerprint = f"postil-static:{_TABLE_SHA256[:12]}:mean-of-known"
    batch_size = 256

    def __init__(self) -> None:
        self._rows, self._scales = _load_table()
        self._pieces = _Pieces(_load_tokenizer())

    @property
    def dimensions(self) -> int:
        return int(self._rows.shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            ids = np.frombuffer(b"".join(map(self._pieces.__getitem__, _WORDS.findall(text))), np.intc)
            # scaled here, not at load: the table stays at 8 MB, not 31, and a chunk gathers a quarter of the bytes
            np.dot(self._scales.take(ids), self._rows.take(ids, axis=0).astype(np.float32), out=sums[row])
        return unit(sums)

    def knows(self, text: str) -> bool:
        return mostly_latin(text)

    def is_word(self, word: str) -> bool:
        """Whether a word is a piece by itself, as the 20,000 most used words of English are."""
        return len(self._pieces[word]) == array("i").itemsize


@functools.cache
def load_static() -> StaticEmbedder:
    """The packaged table, loaded once a process, in about a tenth of a second."""
    return StaticEmbedder()


def _load_table() -> tuple[NDArray[np.int8], Vectors]:
    """int8[pieces, dimensions] and the float32[pieces] by which each row is to be multiplied."""
    try:
        raw = (_FOLDER / _TABLE).read_bytes()
    except OSError as error:
        raise ModelError(f"the static table {_TABLE} is missing from the installation", "reinstall postil") from error
    if hashlib.sha256(raw).hexdigest() != _TABLE_SHA256:
        raise ModelError(f"the static table {_TABLE} is damaged (its SHA-256 differs)", "reinstall postil")
    with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
        return arrays["table"], arrays["scale"].astype(np.float32)


def _load_tokenizer() -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str((_FOLDER / _TOKENIZER).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{_TOKENIZER} is missing from the installation", "reinstall postil") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
