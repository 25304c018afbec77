"""Whether the workspace has what is asked: from the confidence of what was found and the fit of its best sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from postil_indexers.embedding.static import load_static
from postil_indexers.text import has_content_words, index_terms, path_terms, query_terms
from postil_indexers.types import Kind
from postil_server.answering.about import is_asked, is_asked_in_english, names_of
from postil_server.answering.coinage import coined
from postil_server.answering.context import Context
from postil_server.answering.corpus import Corpus
from postil_server.answering.extractive import Extracts, asked_letters, asks_again
from postil_server.confidence import SEARCH, confidence, evidence
from postil_server.types import Hit, Source

# Log odds that a folder has the answer, fitted on 628 judged queries of 13 public repositories, each asked of its own
# and 40 of others. At these floors, with each repository left out in turn, 95 % of its own are answered and 86 % of
# foreign ones refused; of those that begin with "how" all, and 89 %.
_INTERCEPT = -2.24
_CONFIDENCE = 2.09  # of the mean log odds of the three surest passages, or of as many as there are
_BEST = 2.89  # of the score of the best sentence
_WORDS = 0.34  # of each word that tells something, up to eight: by chance few match more easily than many
_ASKED, _LOOKED_FOR = -2.0, -0.5  # of a question, and of words alone, which more passages hold by chance
# Where no source has the name of what is asked about. Of questions in words 72 of 73 have theirs at home, and 38 of
# 148 elsewhere; what is as sure as this without it says the same in other words.
_UNNAMED = 3.0
_MOST_WORDS = 8
_HARDLY = 0.001  # of all passages have a name that a folder mentions in passing at most

# Where no vectors speak, one passage has to be so sure. Pairs of characters match less of a question in Chinese that
# is as well answered; it is judged by words alone, since static vectors put all that is Chinese near each other, and
# what is in English too seldom nearer. Words alone speak for a commit: those of its message and of a file that it
# changed, for a large one holds all in its lines.
_WORDS_FLOOR, _CHINESE_FLOOR, _COMMIT_FLOOR = 0.41, 0.22, 0.65


def holds_answer(corpora: Sequence[Corpus], context: Context, extracts: Extracts) -> bool:
    """False where nothing that was found, and nothing that it is asked from, speaks for having the answer."""
    question = context.question
    if not context.sources:
        return False
    focus = question.focus
    if focus is not None and (focus.span is not None or question.points_here):
        return any((source.root, source.path, source.sha) == (focus.root, focus.path, "") for source in context.sources)
    if question.words == "":
        return True  # all of a time is asked for, and the sources are of it
    if not has_content_words(question.sought):
        return False
    commits = max((_confidence(source, extracts) for source in context.sources if source.sha), default=0.0)
    if question.chinese:
        return max([commits, *map(_by_words, _speaking(context))]) >= _CHINESE_FLOOR
    passages = sorted((hit.confidence for hit in _speaking(context)), reverse=True)[:3]
    named = _named(corpora, context)
    if commits >= _COMMIT_FLOOR:
        return named
    if not any(hit.evidence is not None and hit.evidence.near is not None for hit in context.hits):
        return bool(passages) and passages[0] >= _WORDS_FLOOR
    floor = _ASKED if is_asked(question.text) else _LOOKED_FOR
    return _odds(context, extracts, passages) >= (floor if named else _UNNAMED)


def _confidence(commit: Source, extracts: Extracts) -> float:
    if commit.confidence == 1.0:
        return 1.0  # the question names it
    held = {*index_terms(commit.text).split(), *path_terms(commit.path).split()}
    return confidence(evidence(held, extracts.weights, None), SEARCH)


def _by_words(hit: Hit) -> float:
    return hit.confidence if hit.evidence is None else confidence(replace(hit.evidence, near=None), SEARCH)


def _speaking(context: Context) -> Iterator[Hit]:
    """The passages that were found, without code that holds the very question: a test of what is answered."""
    asked = asked_letters(context.question.text)
    for hit in context.hits:
        if not hit.sha and not (hit.kind is Kind.CODE and asks_again(hit.snippet, asked)):
            yield hit


def _named(corpora: Sequence[Corpus], context: Context) -> bool:
    """Whether each thing that the question names is named by a source, in its text or above it."""
    question = context.question
    if question.words is not None:
        return True
    held = {
        term
        for each in context.sources
        for term in (*index_terms(f"{each.title} {each.name} {each.text}").split(), *path_terms(each.path).split())
    }
    if not all(held.intersection(name) for name in names_of(question.sought)):
        return False
    return not any(_hardly_there(corpora, name) for name in _coined_names(question.sought) if name not in held)


def _coined_names(question: str) -> list[str]:
    """The names in a question that are no English words, as an index has them; none of what is no question."""
    words = coined(question, load_static().is_word) if is_asked_in_english(question) else []
    return [max(terms, key=len) for word in words if (terms := query_terms(word))]


def _hardly_there(corpora: Sequence[Corpus], name: str) -> bool:
    """Whether hardly a passage has a name: a folder that is about it speaks of it more often."""
    rows = sum(sum(corpus.index.content.counts().values()) for corpus in corpora)
    having = sum(corpus.index.content.frequency([name])[name] for corpus in corpora)
    return having <= _HARDLY * rows


def _odds(context: Context, extracts: Extracts, passages: list[float]) -> float:
    sure = sum(map(_logit, passages)) / len(passages) if passages else _logit(0.0)
    words = min(len(extracts.weights), _MOST_WORDS)
    return _INTERCEPT + _CONFIDENCE * sure + _BEST * extracts.fit(context) + _WORDS * words


def _logit(confidence: float) -> float:
    bounded = min(max(confidence, 0.01), 0.99)
    return math.log(bounded / (1.0 - bounded))
