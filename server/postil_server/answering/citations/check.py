"""Holding sentences against the passages that they cite. Pure functions; they know neither index nor model.

Quotations, numbers with their units, identifiers, names and negations must agree to the letter; one that does not makes
the sentence not found. What remains is how many of its words the passages have, and how near they are in meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from postil_indexers.embedding.base import Embedder
from postil_indexers.text import index_terms, is_function_word
from postil_server.answering.citations.causes import unfounded
from postil_server.answering.citations.exact import is_verbatim, unknown_identifiers, unknown_names, unquoted
from postil_server.answering.citations.polarity import denies
from postil_server.answering.citations.quantities import COUNT, quantities, unmatched
from postil_server.answering.sentences import split_sentences
from postil_server.types import Sentence, Support

# Of words and meaning together; fitted on the tuning part of benchmarks/questions/citations.
SUPPORTED, WEAK = 0.5, 0.15
_MEANING = 0.5  # of the whole, where both texts can be embedded; without vectors words are all
_FAR, _NEAR = 0.25, 0.75  # cosines of the static table between which sentences go from unrelated to the same

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a sentence is judged as it is."""

    support: Support
    wrong: tuple[str, ...] = ()  # what the passages do not have: "number 13", "name Tobias", "negation", "cause ..."
    share: float = 0.0  # 0-1: words and meaning together


def check(
    sentences: Sequence[Sentence], passages: Mapping[int, str], embedder: Embedder | None = None
) -> list[Sentence]:
    """Each sentence with what the passages that it cites say of it. `passages`: by number, with their headings."""
    return [replace(sentence, support=judge(sentence, passages, embedder).support) for sentence in sentences]


def judge(sentence: Sentence, passages: Mapping[int, str], embedder: Embedder | None = None) -> Finding:
    cited = [passages[number] for number in sentence.citations if number in passages]
    if not cited:
        return _uncited(sentence.text, passages)
    passage = "\n".join(cited)
    wrong = _wrong(sentence.text, passage, len(cited))
    if wrong:
        return Finding(Support.NOT_FOUND, tuple(wrong))
    if not _comparable(sentence.text, passage):
        return Finding(Support.UNCHECKED)
    wrong = [f"cause {reason}" for reason in unfounded(sentence.text, passage, lambda t: _share(t, passage, embedder))]
    if wrong:
        return Finding(Support.NOT_FOUND, tuple(wrong))
    share = _share(sentence.text, passage, embedder)
    support = Support.SUPPORTED if share >= SUPPORTED else Support.WEAK if share >= WEAK else Support.NOT_FOUND
    return Finding(support, (), share)


def _uncited(text: str, passages: Mapping[int, str]) -> Finding:
    """What cites nothing claims to be of these passages all the same: what none of them has to the letter is wrong."""
    wrong = _unlike(text, "\n".join(passages.values()), len(passages)) if passages else []
    return Finding(Support.NOT_FOUND if wrong else Support.UNCHECKED, tuple(wrong))


def _wrong(text: str, passage: str, cited: int) -> list[str]:
    """What must agree to the letter and does not."""
    found = _unlike(text, passage, cited)
    if not found and not is_verbatim(text, passage) and denies(text, passage):
        found.append("negation")
    return found


def _unlike(text: str, passage: str, cited: int) -> list[str]:
    """Quotations, numbers, identifiers and names that a passage does not have."""
    found = [f"quotation {quote}" for quote in unquoted(text, passage)]
    known = quantities(passage, passage=True)
    for quantity in unmatched(quantities(text), known):
        if quantity.dimension == COUNT and quantity.plain == cited > 1:
            continue  # "both notes": there are as many as it cites
        found.append(f"number {quantity.written}")
    found += [f"identifier {name}" for name in unknown_identifiers(text, passage)]
    return found + [f"name {name}" for name in unknown_names(text, passage)]


def _comparable(text: str, passage: str) -> bool:
    """Whether sentence and passage are in scripts that can be compared, and in the same one."""
    letters = len(_LETTER.findall(text))
    han, latin = len(_HAN.findall(text)), sum(map(len, _LATIN.findall(text)))
    if han + latin < 0.7 * letters:
        return False
    if han > len(_LATIN.findall(text)):
        return _HAN.search(passage) is not None
    return _LATIN.search(passage) is not None


def _share(text: str, passage: str, embedder: Embedder | None) -> float:
    """How much of a sentence its passages say, 0-1."""
    wanted = {term for term in index_terms(text).split() if not is_function_word(term)}
    held = set(index_terms(passage).split())
    words = len(wanted & held) / len(wanted) if wanted else 0.0
    near = _nearness(text, passage, embedder)
    return words if near is None else (1.0 - _MEANING) * words + _MEANING * max(words, near)


def _nearness(text: str, passage: str, embedder: Embedder | None) -> float | None:
    """How near the nearest sentences of the passage are, 0-1; None where the model can't read both."""
    if embedder is None or not embedder.knows(text):
        return None
    parts = [part for line in passage.split("\n") for part in split_sentences(line)] + [passage]
    vectors = embedder.embed([text, *parts])
    cosine = float(np.max(vectors[1:] @ vectors[0]))
    return min(max((cosine - _FAR) / (_NEAR - _FAR), 0.0), 1.0)
