"""Why a note is shown beside a passage, in a few words: how they are linked, and the topic that they share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from postil_indexers.han import UNSPACED, simplify
from postil_indexers.stem import is_function_word, stem
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms

_WORDS = 3
_LEAST_SHARE = 0.4  # of the best word's weight; a weaker one dilutes what the first ones say
_LEAST_TELLING = 0.35  # of the passage's rarest word: one in eleven notes has the others, in a thousand
_HEADING = 2.0  # for a word of a title or a heading, on either side: its writer chose it to say what the text is about
_NAMED = 1.5  # for a name: capitals or digits inside, or a capital in the middle of a sentence
_NEAR = 1.0  # one passage in six is as near by chance: below it, meaning is no reason
_LONGEST_HAN = 8  # characters of a run shown as one word

# Addresses, the targets of links and embedded files are not read; a link's text is. Each ends at the next that opens,
# or after so many characters: a text of openers alone would be walked to its end from each of them.
_UNREAD = re.compile(r"!\[\[[^\[\]\n]*\]\]|\]\([^)\n]{0,500}\)|\b(?:https?|mailto|file):\S+|</?[a-zA-Z][^<>\n]*>")
_WORD = re.compile(r"[^\W_](?:[\w.'’-]*\w)?")
_HAN_RUN = re.compile(f"[{UNSPACED}]+")
_HEADING_LINE = re.compile(r"^ {0,3}#{1,6} +(.*)$", re.MULTILINE)
_INSIDE = re.compile(r".[A-Z]|\d|_|\w\.\w")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;|>]|[-*+]|\d\.)[\s\"'*_`(\[#]*$")

# Words that every text has and that name no topic, however rare they are in a small collection: what is done to
# anything (use, see, make), what qualifies anything (always, new, simple), what points (following, example, thing),
# where, when and how many (against, today, half), and past forms that no stem joins with their verb (kept, wrote).
_EVERYDAY_WORDS = """
able according accordingly across act actual actually add additional against ago allow almost along already also
alternatively although always among amount another answer anything apart appear apply appropriate area around aside
ask aspect available avoid away back bad based basic basically became become began begin begun behind believe beside
besides best better beyond big bit bring build call came care carefully case cause certain change check choose clear
clearly close come common complete completely consider contain continue correct create current currently cut day deal
decide depend describe despite detail determine different difficult directly discuss dozen early easily easy effect
either enable end enough ensure entire especially etc even eventually ever every everything exactly example except
exist expect explain extra fact fairly false far feel final finally find fine first fix follow form former found full
fully gave general generally give go goes gone good got great guide half hand handle happen hard help high highly hold
hope hour however hundred idea immediately important include including indeed information inside instead involve issue
item keep kept kind knew know known large last late later latter lead least leave left less lest let level like likely
line list little long look lot low made main mainly major make many matter maybe mean mention merely method middle
million minor minute moment month morning move much multiple name near nearly need neither never new next nice non
none nothing notice number obtain obvious occur often okay old one onto open order otherwise outside overall part
particular particularly per perform perhaps piece place plan please point possible possibly pre prefer present press
pretty previous previously probably problem process produce proper properly provide purpose put question quick quickly
quite ran rather read really reason receive recent recommend refer regarding related relevant remember remove require
respect respectively rest result return right run said same saw say second section see seem seen select separate set
several short show side similar similarly simple simply since single small someone something sometimes soon sooner
special specific specifically start state step still stop store stuff suggest support sure take talk task tell thank
therefore thing think third though thought thousand throughout thus time today together told tomorrow took top total
toward true try turn twice two type typical typically underneath understand unless unlike up update use used useful
user usually value various version view vs want way week well went whatever whenever whereas wherever whether whole
will wish without word work world write written wrong wrote year yes yesterday yet
"""
_EVERYDAY = frozenset((*map(stem, _EVERYDAY_WORDS.split()), "e.g", "i.e"))


def reason(
    passage: str, row: ChunkRow, weights: Mapping[str, float], link: str | None = None, near: float | None = None
) -> str:
    """`weights`: what each term of the passage tells; `link`: "in", "out" or "both" where the notes are linked.

    `near`: how far the note's vector stands out, in standard deviations.
    """
    parts = {"in": ["links here"], "out": ["linked from here"], "both": ["linked both ways"]}.get(link or "", [])
    words = topic(passage, row, weights)
    if words:
        parts.append("same topic: " + ", ".join(words))
    elif not parts:
        parts.append("similar meaning" if near is not None and near >= _NEAR else "words in common")
    return "; ".join(parts)


def topic(passage: str, row: ChunkRow, weights: Mapping[str, float]) -> list[str]:
    """The words that a passage and a note share and that tell most, as the note writes them; at most three."""
    asked, shown = _Reading.of(passage), _Reading.of(f"{row.text}\n{_headings(row)}")
    headings = {*_terms(_headings(row)), *_terms("\n".join(_HEADING_LINE.findall(passage)))}
    scored = dict(_han_runs(asked.text, shown.text, weights))
    least = _LEAST_TELLING * max(weights.values(), default=0.0)
    for term in asked.words.keys() & shown.words.keys() & weights.keys():
        if weights[term] < least:
            continue
        written, count = shown.words[term]
        named = _NAMED if term in asked.names or term in shown.names else 1.0
        placed = _HEADING if term in headings else 1.0
        scored[written] = weights[term] * (1.0 + math.log(count)) * named * placed
    best = sorted(scored, key=lambda word: (-scored[word], word))[:_WORDS]
    return [word for word in best if scored[word] >= _LEAST_SHARE * scored[best[0]]]


@dataclass(frozen=True, slots=True)
class _Reading:
    """The words of a text that may name its topic."""

    text: str  # what is read of it
    words: dict[str, tuple[str, int]]  # term -> (how it is written first, how often)
    names: set[str]  # terms of words that are written like names

    @classmethod
    def of(cls, text: str) -> _Reading:
        read = _UNREAD.sub(" ", text)
        first: dict[str, str] = {}
        counts: Counter[str] = Counter()
        names: set[str] = set()
        for start, word in _words(read):
            term = _whole_term(word)
            if term is None:
                continue
            first.setdefault(term, word)
            counts[term] += 1
            if _INSIDE.search(word) or (word[0].isupper() and not _starts_sentence(read, start)):
                names.add(term)
        return cls(read, {term: (word, counts[term]) for term, word in first.items()}, names)


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words of spaced scripts and where they start; of a compound its parts as well."""
    for match in _WORD.finditer(_HAN_RUN.sub(lambda run: " " * len(run[0]), text)):
        yield match.start(), match[0]
        if "-" in match[0] and "'" not in match[0]:
            yield from ((match.start(), part) for part in match[0].split("-") if len(part) > 2)


def _whole_term(word: str) -> str | None:
    """The one term that stands for a word, where it may name a topic."""
    terms = index_terms(word).split()
    if not terms or len(word) < 2 or "'" in word or "’" in word or not any(map(str.isalpha, word)):
        return terms[-1] if terms and "." in word and word[0].isdigit() else None  # a version
    return None if terms[-1] in _EVERYDAY or is_function_word(terms[-1]) else terms[-1]


def _starts_sentence(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    return _SENTENCE_START.search(text, max(line, at - 40), at) is not None or not text[line:at].strip()


def _headings(row: ChunkRow) -> str:
    return f"{row.title}\n{row.name}"


def _terms(text: str) -> list[str]:
    return index_terms(text).split()


def _han_runs(passage: str, text: str, weights: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The longest runs of unspaced text that both have and whose every pair tells something, with their weight."""
    asked = simplify(passage)
    for match in _HAN_RUN.finditer(text):
        plain, at = simplify(match[0]), 0
        while at < len(plain) - 1:
            end = at + 1
            while end < len(plain) and end - at < _LONGEST_HAN and plain[end - 1 : end + 1] in weights:
                if plain[at : end + 1] not in asked:
                    break
                end += 1
            if end - at > 1:
                pairs = [weights[plain[n : n + 2]] for n in range(at, end - 1)]
                yield match[0][at:end], max(pairs) * (1.0 + math.log(len(pairs)))
            at = max(at + 1, end)
