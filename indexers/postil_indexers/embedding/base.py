"""What every embedding model must do, and how its vectors are kept small."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil_indexers.han import HAN

Vectors = NDArray[np.float32]

# Bits of the coarse filter. Over 64,000 rows, 64 candidates by 768 of them hold 0.983 of the true ten nearest, and vec0
# takes 5.2 ms; by 1024, the same and 5.7 ms; by 512, 0.967 and 4.5 ms.
COARSE_BITS = 768


class Embedder(Protocol):
    """A model that turns texts into unit vectors.

    An endpoint is asked for what its fingerprint and dimensions depend on at first use: those raise ModelError too.
    """

    @property
    def fingerprint(self) -> str:
        """Names weights, pooling, window and prefixes: vectors are comparable where it is equal."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def batch_size(self) -> int:
        """How many texts one call takes with profit."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """float32[len(texts), dimensions], unit length; zeros for a text without a word. Raises ModelError."""
        ...

    def knows(self, text: str) -> bool:
        """False where the model does not know most of the text's characters: such a text gets no vector."""
        ...


_LATIN = r"A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_LATIN_RUNS = re.compile(f"[{_LATIN}]+")
_LATIN_AND_HAN_RUNS = re.compile(f"[{_LATIN}{HAN}]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_KNOWN_SHARE = 0.5  # below it the few known words speak for a text that is mostly about something else


def mostly_latin(text: str) -> bool:
    """Whether at least half of a text's letters are Latin: what a vocabulary of English word pieces can read."""
    return _mostly(_LATIN_RUNS, text)


def mostly_latin_or_han(text: str) -> bool:
    """Whether at least half of a text's letters are Latin or Han; of Japanese, with its kana, seldom."""
    return _mostly(_LATIN_AND_HAN_RUNS, text)


def _mostly(known: re.Pattern[str], text: str) -> bool:
    if text.isascii():
        return True
    letters = sum(map(len, _LETTERS.findall(text)))
    return letters == 0 or sum(map(len, known.findall(text))) >= _KNOWN_SHARE * letters


def well_formed(text: str) -> str:
    """Without lone surrogates, which stand for undecodable bytes and which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unit(vectors: Vectors) -> Vectors:
    """Each row at length 1; a zero row stays zero."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return scaled


def to_int8(vectors: Vectors) -> NDArray[np.int8]:
    """int8[n, d], each row scaled to its own largest value: cosine needs no common scale."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = np.divide(vectors * 127.0, largest, out=np.zeros_like(vectors), where=largest > 0)
    rounded: NDArray[np.int8] = np.rint(scaled).astype(np.int8)
    return rounded


def coarse_bits(vectors: NDArray[np.int8] | Vectors) -> NDArray[np.uint8]:
    """uint8[n, COARSE_BITS / 8]: on which side of COARSE_BITS fixed planes each vector lies.

    Vectors that are near in angle are near in Hamming distance. Plain signs of the coordinates would do that badly:
    a few coordinates carry most of the spread, and each gets only one bit (Charikar 2002 asks for random planes).
    """
    sides = vectors.astype(np.float32, copy=False) @ _planes(vectors.shape[1])
    return np.packbits(sides > 0, axis=1, bitorder="little")


@functools.cache
def _planes(dimensions: int) -> Vectors:
    """float32[dimensions, COARSE_BITS] of +1 and -1: Hadamard matrices, the rows of each with their own random signs.

    Their columns are orthogonal, which spreads better than independent random ones. All sums over int8 vectors are
    exact in float32, so the bits are the same on every machine.
    """
    size = 1 << (dimensions - 1).bit_length()
    hadamard = np.ones((1, 1), np.float32)
    while len(hadamard) < size:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    blocks = -(-COARSE_BITS // size)
    # a hash, because no generator of numpy promises the same numbers in the next version
    noise = np.frombuffer(hashlib.shake_128(b"postil coarse bits").digest(blocks * dimensions), np.uint8)
    signs = np.where(noise.reshape(blocks, dimensions, 1) & 1, np.float32(1), np.float32(-1))
    return np.ascontiguousarray(np.hstack(list(signs * hadamard[:dimensions]))[:, :COARSE_BITS])
