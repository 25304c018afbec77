"""The static table: a text is the mean of its word pieces' vectors. Thousands of chunks a second on one core."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import re
import string
import threading
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil_indexers.embedding.base import Vectors, mostly_latin_or_han, unit, well_formed
from postil_indexers.embedding.han_rows import RUN, HanRows
from postil_indexers.errors import ModelError
from postil_indexers.generations import Generations

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_FOLDER = Path(__file__).parent
_TABLE = "static-256.npz"
_TABLE_SHA256 = "d4ac3627a49910ae519e01a988d340db2573179612336566a00fc48d6a5fda35"
_HAN_TABLE = "han-256.npz"
_HAN_TABLE_SHA256 = "b7731f6f2379a6db11b2c4a888ee12c9907fa46085b70b1ca799d095e7af5921"
_TOKENIZER = "wordpiece/tokenizer.json"

# The tokenizer cuts at white space, isolates ASCII punctuation and drops control characters, so a word can be cut alone
# and its pieces kept. Words are the same as in the whole text; only literal "[SEP]" and its like are words here.
_MARKS = string.punctuation  # half of all pieces of source; each is a piece, so it is enough to count them
_WORDS = re.compile(r"[A-Za-z0-9\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\U0010ffff]+")
# of ASCII text, where cutting at white space takes a third of the time
_APART = {**dict.fromkeys((*range(0x20), 0x7F), "\1"), **dict.fromkeys(map(ord, _MARKS + "\t\n\r"), " ")}
_ASCII = 128
_MARK_CODES = np.array(list(map(ord, _MARKS)))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNKNOWN = 100  # "[UNK]" says nothing of a text: without it mixed Chinese and English notes find their like more often
_KEPT_WORDS = 25_000  # and as many that came before: about 10 MB; a large repository has more, most of them once
_LONGEST_CUT = 100  # characters; of a longer word the tokenizer makes "[UNK]"
_KEPT_LENGTH = 64  # characters; longer are encoded data and Japanese sentences, which hardly come twice


class _Pieces(Generations[bytes]):
    """Word -> ids of its word pieces as int32. As bytes: one join a text."""

    def __init__(self) -> None:
        super().__init__(_KEPT_WORDS)
        self._tokenizer = functools.cache(_load_tokenizer)
        self.vocabulary: dict[str, int] = json.loads(_packaged(_TOKENIZER))["model"]["vocab"]
        self._longest = max(map(len, self.vocabulary))

    def make(self, word: str) -> bytes:
        apart = _CAMEL.sub(" ", word)
        if word.isascii() and word.isalnum():
            found = [piece for part in apart.lower().split() for piece in self._cut(part)]
        else:
            found = self._tokenizer().encode(well_formed(apart), add_special_tokens=False).ids
        return array("i", (piece for piece in found if piece != _UNKNOWN)).tobytes()

    def keeps(self, word: str) -> bool:
        return len(word) <= _KEPT_LENGTH

    def _cut(self, word: str) -> list[int]:
        """The longest piece that a word of ASCII letters and digits begins with, then that of the rest, and so on.

        What the tokenizer does as well, in a quarter of the time.
        """
        whole = self.vocabulary.get(word)
        if whole is not None:
            return [whole]
        ids: list[int] = []
        start, mark = 0, ""
        if len(word) > _LONGEST_CUT:
            return ids
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self.vocabulary.get(mark + word[start:end])
                if piece is not None:
                    break
            else:
                return []
            ids.append(piece)
            start, mark = end, "##"
        return ids


class StaticEmbedder:
    """Mean of the vectors of word pieces and Han units, from packaged tables of 256 columns. It knows no word order."""

    fingerprint = f"postil-static:{_TABLE_SHA256[:12]}:{_HAN_TABLE_SHA256[:12]}"
    batch_size = 256

    def __init__(self) -> None:
        arrays = _load(_TABLE, _TABLE_SHA256)
        self._rows: NDArray[np.int8] = arrays["table"]
        self._scales: Vectors = arrays["scale"].astype(np.float32)
        self._pieces = _Pieces()
        marks = [self._pieces.vocabulary[mark] for mark in _MARKS]
        self._marks: Vectors = self._rows[marks] * self._scales[marks, None]
        self._han: HanRows | None = None
        self._reading_han = threading.Lock()

    @property
    def dimensions(self) -> int:
        return int(self._rows.shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        marks = np.zeros((len(texts), len(_MARKS)), np.float32)
        for row, text in enumerate(texts):
            ids = np.frombuffer(self._ids(text), np.intc)
            # scaled here, not at load: the table stays at 8 MB, not 31, and a chunk gathers a quarter of the bytes
            np.dot(self._scales.take(ids), self._rows.take(ids, axis=0).astype(np.float32), out=sums[row])
            bytes_ = np.frombuffer(text.encode("utf-8", "ignore"), np.uint8)
            marks[row] = np.bincount(bytes_, minlength=_ASCII)[_MARK_CODES]
        return unit(sums + marks @ self._marks)

    def _ids(self, text: str) -> bytes:
        """The rows of a text as int32: of the pieces of its words, and of its Han units."""
        if text.isascii():
            return b"".join(map(self._pieces.__getitem__, text.translate(_APART).split()))
        runs = RUN.findall(text)
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
    raw = _packaged(name)
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise ModelError(f"the static table {name} is damaged (its SHA-256 differs)", "reinstall postil")
    with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
        return dict(arrays)


def _load_tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer  # a text of ASCII alone needs none

    tokenizer = Tokenizer.from_str(_packaged(_TOKENIZER).decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _packaged(name: str) -> bytes:
    try:
        return (_FOLDER / name).read_bytes()
    except OSError as error:
        raise ModelError(f"{name} is missing from the installation", "reinstall postil") from error
