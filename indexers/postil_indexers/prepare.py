"""One file -> all that the index stores of it, as a value: pure work that runs in any process."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import NamedTuple

from postil_indexers.chunking.parse import parse
from postil_indexers.chunking.repeated import line_fingerprints, split_repeated
from postil_indexers.name_uses import pack_references
from postil_indexers.text import index_terms, path_terms
from postil_indexers.types import Chunk, Document, Kind, Parsed

_HASH_BYTES = 12  # 96 bits: two texts never share it by chance. With 16, nine rows of 384 numbers fill a page, not ten
_CONTEXT_CHARS = 200  # of a chunk's surroundings; more would make all chunks of a note look alike


class Terms(NamedTuple):
    """One row of the full-text table; each field is terms joined by spaces."""

    body: str
    name: str
    path: str
    faint: str

    def distinct(self) -> set[str]:
        return {*self.body.split(), *self.name.split(), *self.path.split(), *self.faint.split()}


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    chunk: Chunk
    terms: Terms
    embed_text: str  # as embedded; "" for a chunk that gets no vector
    hash: bytes  # of embed_text


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be written."""

    document: Document  # without its text
    kind: Kind
    parsed: Parsed  # without its references and chunks
    name_uses: bytes  # the references, packed
    chunks: tuple[PreparedChunk, ...]
    texts: tuple[str, ...]  # of the chunks, as shown and searched
    line_fingerprints: tuple[int, ...]  # distinct, of a note's lines; empty for code
    content_hash: bytes  # of the bytes on disk


def prepare(document: Document, content_hash: bytes, repeated: Container[int]) -> Prepared:
    """Parse and take apart one document. `repeated`: fingerprints of lines that many notes share."""
    kind, parsed = parse(document)
    words = path_terms(document.path)
    texts = tuple(_searched(chunk, document) for chunk in parsed.chunks)
    chunks = tuple(
        _prepare_chunk(chunk, text, words, repeated) for chunk, text in zip(parsed.chunks, texts, strict=True)
    )
    fingerprints: set[int] = set()
    if kind is Kind.NOTE:
        fingerprints.update(line_fingerprints(document.text))
    uses, parsed = pack_references(parsed.references), replace(parsed, references=(), chunks=())
    return Prepared(replace(document, text=""), kind, parsed, uses, chunks, texts, tuple(fingerprints), content_hash)


def prepare_chunk(chunk: Chunk, text: str, path: str, repeated: Container[int]) -> PreparedChunk:
    """The terms and the embedded text of one chunk; a function of its arguments alone, so that it can be redone."""
    return _prepare_chunk(chunk, text, path_terms(path), repeated)


def _prepare_chunk(chunk: Chunk, text: str, path: str, repeated: Container[int]) -> PreparedChunk:
    own, faint = _own_text(chunk, text, repeated)
    terms = Terms(
        body=index_terms(own),
        name=index_terms(_placing(chunk)),
        path=path,
        faint=index_terms(faint),
    )
    embed_text = _placed(chunk, own)
    return PreparedChunk(chunk, terms, embed_text, text_hash(embed_text))


def _own_text(chunk: Chunk, text: str, repeated: Container[int]) -> tuple[str, str]:
    """(what a chunk says itself, what it only carries along: front matter, lines that many notes repeat)"""
    if chunk.symbol == "front_matter":
        return "", text
    return split_repeated(text, repeated) if chunk.kind is Kind.NOTE else (text, "")


def embedded_text(chunk: Chunk, text: str, repeated: Container[int]) -> str:
    """What a model is given: the passage behind the headings or the signature that place it.

    No path: a moved file keeps its vectors.
    """
    return _placed(chunk, _own_text(chunk, text, repeated)[0])


def _placed(chunk: Chunk, own: str) -> str:
    own = own.strip()
    if not own:
        return ""
    placing = _placing(chunk)[:_CONTEXT_CHARS]
    return f"{placing}\n{own}" if placing else own


def text_hash(text: str) -> bytes:
    """blake2b-96 of a text; the key of its vectors."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()


def _placing(chunk: Chunk) -> str:
    if chunk.kind is Kind.NOTE:
        return chunk.context or chunk.name
    return " ".join(part for part in (chunk.name, chunk.context) if part)


def _searched(chunk: Chunk, document: Document) -> str:
    if chunk.text is None:
        return document.text[chunk.start : chunk.end]
    return chunk.text.encode("utf-8", "replace").decode()  # JSON may escape halves of a surrogate pair
