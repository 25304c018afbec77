"""Whether the workspace has what is asked: from the confidence of what was found and the fit of its best sentences."""

from __future__ import annotations

import math

from postil_indexers.text import has_content_words, index_terms, path_terms
from postil_server.answering.about import is_asked, names_of
from postil_server.answering.context import Context
from postil_server.answering.extractive import Extracts

# Log odds that a folder has the answer, fitted on 628 judged queries of 13 public repositories, each asked of its own
# and 40 of others. At these floors, with each repository left out in turn, 95 % of its own are answered and 86 % of
# foreign ones refused; of those that begin with "how" all, and 89 %.
_INTERCEPT = -2.24
_CONFIDENCE = 2.09  # of the mean log odds of the three surest passages, or of as many as there are
_BEST = 2.89  # of the score of the best sentence
_WORDS = 0.34  # of each word that tells something, up to eight: by chance few match more easily than many
_ASKED, _LOOKED_FOR = -1.4, -0.5  # of a question, and of words alone, which more passages hold by chance
# Where no source has the name of what is asked about. Of questions in words 72 of 73 have theirs at home, and 38 of
# 148 elsewhere; what is as sure as this without it says the same in other words.
_UNNAMED = 3.0
_MOST_WORDS = 8

# Where no vectors speak, one passage has to be so sure. Pairs of characters match less of a question in Chinese that
# is as well answered. Words alone speak for a commit, and a large one holds many.
_WORDS_FLOOR, _CHINESE_FLOOR, _COMMIT_FLOOR = 0.41, 0.22, 0.65


def holds_answer(context: Context, extracts: Extracts) -> bool:
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
    commits = max((hit.confidence for hit in context.hits if hit.sha), default=0.0)
    passages = sorted((hit.confidence for hit in context.hits if not hit.sha), reverse=True)[:3]
    if question.chinese:
        return max([commits, *passages]) >= _CHINESE_FLOOR
    named = _named(context)
    if commits >= _COMMIT_FLOOR:
        return named
    if not any(hit.evidence is not None and hit.evidence.near is not None for hit in context.hits):
        return bool(passages) and passages[0] >= _WORDS_FLOOR
    floor = _ASKED if is_asked(question.text) else _LOOKED_FOR
    return _odds(context, extracts, passages) >= (floor if named else _UNNAMED)


def _named(context: Context) -> bool:
    """Whether each thing that the question names is named by a source, in its text or above it."""
    held = {
        term
        for each in context.sources
        for term in (*index_terms(f"{each.title} {each.name} {each.text}").split(), *path_terms(each.path).split())
    }
    names = names_of(context.question.sought) if context.question.words is None else []
    return all(held.intersection(name) for name in names)


def _odds(context: Context, extracts: Extracts, passages: list[float]) -> float:
    sure = sum(map(_logit, passages)) / len(passages) if passages else _logit(0.0)
    words = min(len(extracts.weights), _MOST_WORDS)
    return _INTERCEPT + _CONFIDENCE * sure + _BEST * extracts.fit(context) + _WORDS * words


def _logit(confidence: float) -> float:
    bounded = min(max(confidence, 0.01), 0.99)
    return math.log(bounded / (1.0 - bounded))
