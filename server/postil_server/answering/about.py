"""What a question names: its subject, and what it says that it happens in. By the order of English words alone."""

from __future__ import annotations

import re

from postil_indexers.text import is_function_word, query_terms

_ASKS = re.compile(r"\s*(?:how|where|why|when|what|which)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w./+#'-]*\w")
_SETTING = re.compile(
    r"\b(?:in|on|(?<!instead )of|for|with) (?:an? |the |our |my |its )?([\w./+#'-]*\w)\W*$", re.IGNORECASE
)  # "... rolled back in ecto?"
# "what leaves the list?": what is asked for is the subject itself. "what limits does it have?" names one.
_DOES = re.compile(
    r"\s*what (?!(?:is|was|does|has)\b)\w+s\b"
    r"(?!.*\b(?:do|does|did|is|are|was|were|has|have|had|can|could|should|must|will|would)\b)",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"a", "an", "the", "our", "my", "its", "their", "your"})
_SOMEBODY = frozenset({"i", "we", "you", "one", "they", "it", "he", "she", "this", "that", "these", "those"})
# What stands between the word that asks and the subject: "what happens to", "how many", "what kind of".
_BEFORE = frozenset(query_terms("happens many much long often large big far old kind sort type exactly actually"))


Name = tuple[str, ...]  # words as an index has them, of which any stands for a thing


def names_of(question: str) -> list[Name]:
    """Of each thing that a question names; none of what is no question, or is asked of somebody: "how do I ..."."""
    asks = _ASKS.match(question)
    if asks is None:
        return []
    setting = _SETTING.search(question)
    rest = question[asks.end() :]
    found = (() if _DOES.match(question) else _subject(rest), _head(setting[1]) if setting else ())
    return [name for name in dict.fromkeys(found) if name]


def is_asked_in_english(text: str) -> bool:
    return _ASKS.match(text) is not None


def is_asked(text: str) -> bool:
    """Whether a text is worded as a question, rather than as words to look for."""
    return is_asked_in_english(text) or text.rstrip().endswith(("?", "？"))


def _subject(rest: str) -> Name:
    """The first word that tells; behind an article it may be an adjective, and the next one stands for it as well."""
    words = _WORD.findall(rest)
    for at, word in enumerate(words):
        if word.lower() in _SOMEBODY:
            return ()
        if head := _head(word):
            behind = at > 0 and words[at - 1].lower() in _ARTICLES
            return head + (_head(words[at + 1]) if behind and at + 1 < len(words) else ())
    return ()


def _head(word: str) -> Name:
    """Of a compound with hyphens its last part; of a name in camel case the whole of it."""
    for part in reversed(word.split("-")):
        terms = [term for term in query_terms(part) if not is_function_word(term) and term not in _BEFORE]
        if terms:
            return (max(terms, key=len),)
    return ()
