"""How much a commit answers a question: pure functions, every constant with its reason.

The figures are from 42 issue titles with the commits that solved them (five repositories), checked on 175 titles of
pull requests of six others: what helps the first and hurts the second is not here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from postil_indexers.changekind import Touches
from postil_indexers.store.history import CommitRow, CommitTraits

# Of the best score by words, times the cosine: flat between 0.6 and 1.1, and 0.06 of MRR less without vectors
_MEANING = 0.8
_MERGE = 0.5  # a merge repeats the words of what it merged
_TESTED = 1.1  # code that came with its tests: a change of behaviour, which is what most questions are about
_NO_CODE = 0.9  # only documents or only tests, unless the question is about those
_SWEEP_FILES = 30  # more are touched by what passes over a thing, not by what is about it
_SWEEP = 0.9
_IGNORED = 0.5  # what the project itself tells blame to pass over
_OLD = 0.03  # what the oldest commit loses to the newest: enough to settle ties, too little to hide what is old
_FIRST = 0.3  # the same, the other way round, where the first of its kind is asked for
_ABOUT_ASIDE = re.compile(
    r"\b(?:docs?|documentation|readme|typos?|changelog|docstrings?|tests?|testing|ci|specs?)\b|文档|测试|拼写",
    re.IGNORECASE,
)


def weigh(
    words: Mapping[int, float],
    meaning: Mapping[str, Mapping[int, float]],
    traits: Mapping[int, CommitTraits],
    ignored: set[int],
    question: str,
    order: str = "",
) -> dict[int, float]:
    """Commit id -> score. `words`: BM25F of those that hold words; `meaning`: of each model the cosines."""
    top = max(words.values(), default=0.0) or 1.0
    aside = _ABOUT_ASIDE.search(question) is not None
    newest = max((row.committed_at for row in traits.values()), default=0)
    span = max(newest - min((row.committed_at for row in traits.values()), default=0), 1)
    scores = {}
    for i, row in traits.items():
        near = [max(0.0, cosines[i]) for cosines in meaning.values() if i in cosines]  # vectors may still be filling in
        score = words.get(i, 0.0) / top + (_MEANING * sum(near) / len(near) if near else 0.0)
        age = (newest - row.committed_at) / span
        time = 1.0 + _FIRST * age if order == "oldest" else 1.0 - _OLD * age
        scores[i] = score * time * _prior(row, aside) * (_IGNORED if i in ignored else 1.0)
    return scores


def _prior(row: CommitTraits, aside: bool) -> float:
    factor = _MERGE if row.is_merge else 1.0
    if row.file_count > _SWEEP_FILES:
        factor *= _SWEEP
    if aside or not row.touches:
        return factor
    if not row.touches & Touches.CODE:
        return factor * _NO_CODE
    return factor * _TESTED if row.touches & Touches.TESTS else factor


def folded(order: Sequence[int], rows: Mapping[int, CommitRow]) -> tuple[list[int], dict[int, list[int]]]:
    """Without the copies of a commit that stand behind it, and for each that stays its copies.

    A copy changes the same lines, or has the subject and the moment of the author: cherry-picks and rebases keep both.
    """
    first: dict[object, int] = {}
    kept: list[int] = []
    copies: dict[int, list[int]] = {}
    for i in order:
        row = rows[i]
        keys: list[object] = [(row.subject, row.authored_at)]
        if row.patch and not row.is_merge:
            keys.append((row.patch, row.kind == "revert"))
        known = next((first[key] for key in keys if key in first), None)
        if known is not None and rows[known].branch and not row.branch:
            # the copy that HEAD reaches is the one to show
            first = {key: i if one == known else one for key, one in first.items()}
            kept[kept.index(known)] = i
            copies[i] = [known, *copies.pop(known, [])]
            continue
        if known is not None:
            copies.setdefault(known, []).append(i)
            continue
        first.update(dict.fromkeys(keys, i))
        kept.append(i)
    return kept, copies


def behind(order: Sequence[int], followers: Mapping[int, int]) -> list[int]:
    """The same ids, each follower right behind what it follows: a revert behind its target, a merge behind its parts.

    A follower of what is not among them stays where it is.
    """
    present = set(order)
    led: dict[int, list[int]] = {}
    for i in order:
        leader = followers.get(i)
        if leader is not None and leader in present and leader != i and followers.get(leader) != i:
            led.setdefault(leader, []).append(i)
    follows = {i for each in led.values() for i in each}
    arranged: list[int] = []
    waiting = [i for i in reversed(order) if i not in follows]
    while waiting:
        i = waiting.pop()
        arranged.append(i)
        waiting += reversed(led.get(i, []))
    return arranged
