"""Questions for what a thing is, and sentences that say it: "what is a lease?", "租约是什么？"."""

from __future__ import annotations

import re

from postil_indexers.text import index_terms, is_function_word, query_terms

_ASKED = (
    re.compile(r"\s*what(?:['’]s| is| are| was| were) (?:an? |the )?(?P<thing>[^?]{2,60}?)\s*\??\s*", re.IGNORECASE),
    re.compile(r"\s*what (?:does|do) (?:an? |the )?(?P<thing>[^?]{2,60}?) mean\s*\??\s*", re.IGNORECASE),
    re.compile(r"\s*(?:什么是|何谓|啥是)\s*(?P<thing>[^？?]{1,30}?)\s*[？?]?\s*"),
    re.compile(
        r"\s*(?P<thing>[^？?，,]{1,30}?)\s*(?:是|指的?是?)\s*(?:个|一种)?\s*(?:什么|啥)(?:意思|东西)?\s*[？?]?\s*"
    ),
)
# What has these is a question for a fact about a thing: "what is the default of ...", "... 的上限是什么".
_FACT = re.compile(r"\b(?:of|in|for|to|on|at|by|from|with|when|that|and|or|used|between|not)\b|的", re.IGNORECASE)
_MOST_WORDS = 3
_SAYS = re.compile(
    r"\b(?:is|are|was|were|means?|refers? to|stands? for|describes?|denotes?|consists? of)\b|"
    "是(?!否|不是)|指|意味着|即|叫做?|称为"
)
_BEFORE = 160  # characters before the verb; what is further off is said of something else
_APART = 2  # terms from one word of a name to the next: the whole of a compound is a term beside its parts

Thing = tuple[str, ...]


def thing_of(question: str) -> Thing:
    """The words of the thing that a question asks for the meaning of; empty for other questions."""
    for asked in _ASKED:
        found = asked.fullmatch(question)
        if found is None or _FACT.search(found["thing"]) or len(found["thing"].split()) > _MOST_WORDS:
            continue
        return _words(found["thing"])
    return ()


def mentions(text: str, thing: Thing) -> bool:
    """Whether a text has the words of a thing beside each other, in their order."""
    terms, at = index_terms(text).split(), -1
    places = [[n for n, term in enumerate(terms) if term == word] for word in thing]
    for first in places[0]:
        at = first
        for nexts in places[1:]:
            at = next((n for n in nexts if at < n <= at + _APART), -1)
            if at < 0:
                break
        if at >= 0:
            return True
    return False


def defines(text: str, thing: Thing) -> bool:
    """Whether a sentence says what a thing is: its words, then a verb that does that."""
    return any(mentions(text[: verb.start()], thing) for verb in _SAYS.finditer(text, 0, _BEFORE))


def is_named(title: str, thing: Thing) -> bool:
    """Whether a title is the thing and nothing else."""
    return set(_words(title)) == set(thing)


def _words(text: str) -> Thing:
    """Without function words and the wholes of compounds, whose parts stand beside them."""
    return tuple(term for term in query_terms(text) if not is_function_word(term) and term.isalnum())
