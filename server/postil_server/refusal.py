"""Whether the workspace has what is asked: from the confidence of what was found and the fit of its best sentences."""

from __future__ import annotations

import math

from postil_indexers.text import is_function_word, query_terms
from postil_server.context import Context
from postil_server.extractive import Extracts

# Log odds that a folder has the answer, fitted on 628 judged queries of 13 public repositories, each asked of its own
# and 40 of others. At the floor, with each repository left out in turn, 97 % of its own are answered, of those that
# begin with "how" 99 %, and 80 % of foreign ones refused; by the surest hit alone it would be 78 %.
_INTERCEPT = -4.24
_CONFIDENCE = 1.21  # of the mean log odds of the three surest passages
_BEST, _SECOND = 2.24, 2.07  # of the scores of the best sentences
_SHARE = 0.85  # of the share of the question's words that one sentence has
_WORDS = 0.34  # of each word that tells something, up to eight: by chance few match more easily than many
_FLOOR = -1.81
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
    if not any(not is_function_word(term) for term in query_terms(question.standalone)):
        return False
    commits = max((hit.confidence for hit in context.hits if hit.sha), default=0.0)
    passages = sorted((hit.confidence for hit in context.hits if not hit.sha), reverse=True)[:3]
    if question.chinese:
        return max([commits, *passages]) >= _CHINESE_FLOOR
    if commits >= _COMMIT_FLOOR:
        return True
    if not any(hit.evidence is not None and hit.evidence.near is not None for hit in context.hits):
        return bool(passages) and passages[0] >= _WORDS_FLOOR
    return _odds(context, extracts, passages) >= _FLOOR


def _odds(context: Context, extracts: Extracts, passages: list[float]) -> float:
    sure = sum(_logit(confidence) for confidence in (*passages, 0.0, 0.0, 0.0)[:3]) / 3
    best, second, share = extracts.fit(context)
    return (
        _INTERCEPT
        + _CONFIDENCE * sure
        + _BEST * best
        + _SECOND * second
        + _SHARE * share
        + _WORDS * min(len(extracts.weights), _MOST_WORDS)
    )


def _logit(confidence: float) -> float:
    bounded = min(max(confidence, 0.01), 0.99)
    return math.log(bounded / (1.0 - bounded))
