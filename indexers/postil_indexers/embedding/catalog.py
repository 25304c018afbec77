"""The embedding models to choose from: what `postil models` shows, and what the notes at hand call for."""

from __future__ import annotations

import importlib.util
import itertools
import time
from dataclasses import dataclass, replace

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.weights import is_downloaded, packaged_weights

_MEASURED_TEXT = (
    "The index keeps a row for every file it saw, with what became of it and how long that took. A file it skipped "
    "says why, so that nobody has to guess. After a change only what changed is read, cut and embedded again. "
) * 4  # about 900 characters, as a chunk
# From this share of text without Latin letters on, an English model leaves too much of the notes without a vector.
_NOT_LATIN_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Choice:
    """One embedding model that can be set."""

    name: str
    provider: str  # "static", "packaged", "fastembed", "ollama"
    megabytes: int  # on disk
    dimensions: int
    languages: str  # "English", "multilingual", "code"
    here: bool | None = None  # usable without a network; None: only its server knows
    recommended: bool = False


_STATIC = Choice("postil-static", "static", 17, 256, "English, Chinese", here=True)
_PACKAGED = Choice("all-MiniLM-L6-v2", "packaged", 23, 384, "English")
# Sizes and dimensions are those of fastembed's and Ollama's own lists.
_FASTEMBED = (
    Choice("BAAI/bge-small-en-v1.5", "fastembed", 67, 384, "English"),
    Choice("snowflake/snowflake-arctic-embed-s", "fastembed", 130, 384, "English"),
    Choice("nomic-ai/nomic-embed-text-v1.5-Q", "fastembed", 130, 768, "English"),
    Choice("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "fastembed", 220, 384, "multilingual"),
    Choice("intfloat/multilingual-e5-large", "fastembed", 2240, 1024, "multilingual"),
    Choice("jinaai/jina-embeddings-v2-base-code", "fastembed", 640, 768, "code"),
)
_OLLAMA = (
    Choice("nomic-embed-text", "ollama", 274, 768, "English"),
    Choice("bge-m3", "ollama", 1200, 1024, "multilingual"),
    Choice("embeddinggemma", "ollama", 622, 768, "multilingual"),
    Choice("qwen3-embedding:0.6b", "ollama", 639, 1024, "multilingual"),
)


def choices(cache: str, share_not_latin: float = 0.0) -> list[Choice]:
    """All choices, the recommended one marked; `cache` is the folder of downloaded models."""
    wanted = recommend(share_not_latin)
    packaged = replace(_PACKAGED, here=packaged_weights() is not None)
    fastembed_here = importlib.util.find_spec("fastembed") is not None
    named = [replace(each, here=fastembed_here and is_downloaded(each.name, cache)) for each in _FASTEMBED]
    listed = [_STATIC, packaged, *named, *_OLLAMA]
    return [replace(each, recommended=(each.provider, each.name) == (wanted.provider, wanted.name)) for each in listed]


def recommend(share_not_latin: float) -> Choice:
    """The model for prose of which that share of the letters (0-1) is not Latin.

    The packaged one where it can read the notes; else the smallest multilingual one that runs in this process.
    """
    if share_not_latin < _NOT_LATIN_SHARE:
        return _PACKAGED
    return min((each for each in _FASTEMBED if each.languages == "multilingual"), key=lambda each: each.megabytes)


def measure(embedder: Embedder, seconds: float = 1.0) -> float:
    """Chunks of about 900 characters a second on this machine now; loading is not counted. Raises ModelError."""
    embedder.embed([_MEASURED_TEXT])
    started = time.perf_counter()
    # texts that differ, in small calls: a large batch could take a slow model far past the time
    for done in itertools.count(4, 4):
        embedder.embed([f"{number} {_MEASURED_TEXT}" for number in range(done - 4, done)])
        elapsed = time.perf_counter() - started
        if elapsed >= seconds:
            return done / elapsed
    raise AssertionError("count() ended")
