"""Transformers in ONNX through fastembed: the packaged all-MiniLM-L6-v2, a local folder, a model fastembed names."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from postil_indexers.embedding.base import Vectors, mostly_latin, well_formed
from postil_indexers.embedding.families import Prefixes
from postil_indexers.embedding.weights import Weights, packaged_weights
from postil_indexers.embedding.windows import averaged, token_windows
from postil_indexers.errors import ModelError
from postil_indexers.platform import give_back_memory

if TYPE_CHECKING:
    from fastembed import TextEmbedding

# Windows a run. Measured with 2 threads on windows of about 100 tokens: 60 a second with 1 a run, 64 with 2, 62 with 4,
# 53 with 16: larger runs only leave the processor's cache.
_RUN = 4
# Half of the cores. Waiting threads spin: on two idle cores a second thread doubles the speed (12 to 21 chunks a
# second), on two busy ones it halves it (9 to 5) at twice the processor time. Who waits may ask for more.
BACKGROUND_THREADS = max(1, min(4, (os.cpu_count() or 1) // 2))
# A session holds some 200 MB, and opening it takes half a second to a second.
RELEASED_AFTER_S = 120.0
_SPARE_TOKENS = 2  # cut inside a word without spaces, a part can come out a piece longer than it was in the whole
_HAN_PROBE = "我们讨论怎样保存向量和索引"


class FastembedEmbedder:
    """One ONNX model in this process. Its weights are opened at the first text, and let go when none comes for long."""

    batch_size = 32  # a second or two of work: the worker can stop or report between calls

    def __init__(
        self,
        weights: Weights,
        prefixes: Prefixes,
        *,
        threads: int = BACKGROUND_THREADS,
        released_after_s: float = RELEASED_AFTER_S,
    ) -> None:
        self._weights = weights
        self._prefixes = prefixes
        self._threads = threads
        self._session: TextEmbedding | None = None
        self._opening = threading.Lock()
        self._released_after_s = released_after_s
        self._opens_never = False
        self._used_at = 0.0
        self._reads_all: bool | None = None if weights.english is None else not weights.english

    @property
    def fingerprint(self) -> str:
        weights = self._weights
        parts = (weights.name, weights.digest[:12], weights.pooling, f"w{weights.window}")
        return ":".join(("fastembed", *parts, *map(ascii, (self._prefixes.query, self._prefixes.passage))))

    @property
    def dimensions(self) -> int:
        return self._weights.dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        session = self._open()
        prefix = self._prefixes.query if query else self._prefixes.passage
        tokenizer = self._tokenizer()
        taken = tokenizer.num_special_tokens_to_add(False) + _SPARE_TOKENS
        taken += len(tokenizer.encode(prefix, add_special_tokens=False).ids) if prefix else 0
        windows = [
            window
            for owner, text in enumerate(map(well_formed, texts))
            for window in token_windows(owner, text, tokenizer.encode(text), max(1, self._weights.window - taken))
        ]
        windows.sort(key=lambda window: window.weight)  # a run is padded to its longest
        run = session.query_embed if query else session.passage_embed
        rows = list(run([prefix + window.text for window in windows], batch_size=_RUN))
        vectors = np.asarray(rows, np.float32)
        if vectors.shape != (len(windows), self.dimensions) or not np.isfinite(vectors).all():
            raise ModelError(
                f"{self._weights.name} gave vectors of shape {vectors.shape[1:]}, not {self.dimensions} numbers",
                "its folder's config.json and ONNX file do not belong together",
            )
        return averaged(windows, vectors, len(texts))

    def knows(self, text: str) -> bool:
        if mostly_latin(text):
            return True
        if self._reads_all is None:
            # a vocabulary that has Han needs at most a token a character; bytes or [UNK] stand for what is missing
            encoding = self._tokenizer().encode(_HAN_PROBE, add_special_tokens=False)
            known = [token for token in encoding.tokens if token.strip("[]<>").lower() != "unk"]
            self._reads_all = len(known) == len(encoding.tokens) <= len(_HAN_PROBE)
        return self._reads_all

    def _tokenizer(self) -> Tokenizer:
        """fastembed's own, which truncates at the model's limit and keeps the rest as overflow."""
        tokenizer: Tokenizer = self._open().model.tokenizer  # type: ignore[attr-defined]  # its base class lacks it
        return tokenizer

    def _open(self) -> TextEmbedding:
        with self._opening:
            self._used_at = time.monotonic()
            if self._session is None:
                self._session = self._weights.open(self._threads)
                self._look_again_in(self._released_after_s)
            return self._session

    @property
    def is_open(self) -> bool:
        return self._session is not None

    def open_soon(self) -> None:
        """Begin to open the weights in a thread of its own, once; what goes wrong there, `embed` says."""
        if not (self.is_open or self._opening.locked() or self._opens_never):
            threading.Thread(target=self._try_to_open, name="weights", daemon=True).start()

    def _try_to_open(self) -> None:
        try:
            self._open()
        except ModelError:
            self._opens_never = True

    def _look_again_in(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._release)
        timer.daemon = True
        timer.start()

    def _release(self) -> None:
        """Whoever is at work holds the session until it is done."""
        with self._opening:
            left = self._used_at + self._released_after_s - time.monotonic()
            if left > 0:
                self._look_again_in(left)
                return
            self._session = None
        give_back_memory()


def packaged_minilm(*, threads: int = BACKGROUND_THREADS) -> FastembedEmbedder | None:
    """all-MiniLM-L6-v2 from the installed weights, 384 dimensions, never the network; None where there are none."""
    weights = packaged_weights()
    return None if weights is None else FastembedEmbedder(weights, Prefixes(), threads=threads)
