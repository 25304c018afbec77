"""Whether a sentence denies what its passages say, or says what they deny: what negations stand before, compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from postil_indexers.han import simplify
from postil_indexers.text import index_terms, is_function_word
from postil_server.answering.sentences import split_sentences

_CLAUSES = re.compile(
    r"[,;:.!?，。；：！？、\n()（）—]+\s*|"
    r"\s+(?:but|yet|although|though|because|so that|whereas|while|unless|until|and|which|who)\s+",
    re.IGNORECASE,
)
# Bounds, "nothing but" and 要不要: they hold a negation and deny nothing.
_NO_DENIAL = re.compile(
    r"\b(?:no|not|never) (?:more|less|longer|later|earlier|fewer|greater|larger|smaller|higher|lower) than\b|"
    r"\b(?:nothing|none|nobody|anything) but\b|\bnot (?:only|just|merely)\b|\bno matter\b|\bno longer than\b|"
    "不(?:要|能|得|应|会|可|该|应该|应当)?(?:超过|高于|低于|多于|少于|大于|小于|超出)|不(?:[成起动掉住开下回上](?!来|去)|[到了](?=[会就便将则要])|[够足等])|([\u4e00-\u9fff])不\\1",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|hardly|instead of|rather than|(?<=\w )without|"
    r"fails? to|refuses? to)\b|n['’]t\b|"
    "不(?!仅|但|过|管|论|同|断|一(?!样)|久|然|明|少|止|错)|(?<!差)没(?!收|落)有?|无(?!论|限|序|非)[法须需]?|(?<!从)未(?!来|必)|"
    "(?<![特区级类分识辨])别(?!人|的|名|处|称|再)|勿|并非|莫",
    re.IGNORECASE,
)
_MODAL = re.compile("(?:[是会能要可得该应用必须以需当有被把让再]|一定)*")
_UNREAL = re.compile(
    r"\s*(?:otherwise|or else|lest|if|unless|where|when(?:ever)?)\b|\s*(?:否则|不然|要不|如果|假如)|.*的话\s*$",
    re.IGNORECASE,
)
_THEN = re.compile("[就便才也都而却]")  # what follows is no more denied
_CAN_NOT = re.compile("[\u4e00-\u9fff]不[到了成]\\s*$")  # at the end of a clause it denies what the clause is about
_SCOPE = 2  # words of content after a negation that it may deny
_HAN_PAIR = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]{2}")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_GRAMMAR = frozenset("不没无未别勿非莫必须要用能做会可以应该就才也都又还再被把让的了着过")
_IRREGULAR = {
    **dict.fromkeys(("lost", "loss"), "lose"), "left": "leav", "held": "hold", "kept": "keep", "ran": "run",
    "taken": "take", "took": "take", "written": "write", "wrote": "write", "sent": "send", "found": "find",
    "gone": "go", "went": "go", "goe": "go", "made": "make", "met": "meet", "known": "know", "knew": "know",
    "given": "give", "gave": "give", "began": "begin", "begun": "begin", "broken": "break", "broke": "break",
    "chosen": "choos", "chose": "choos", "done": "do", "built": "build", "caught": "catch", "said": "say",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence: its words of content, and those that a negation stands before."""

    terms: frozenset[str]
    scopes: tuple[frozenset[str], ...]  # one a negation
    claimed: frozenset[str]  # words of its clauses that are neither denied nor only supposed

    @property
    def denied(self) -> frozenset[str]:
        return frozenset().union(*self.scopes)


def denies(sentence: str, passage: str) -> bool:
    """Whether a word is denied on one side only, in sentences that share another word."""
    known = [_said(each) for line in passage.split("\n") for each in split_sentences(line)]
    return any(_is_denied(_said(each), known) for each in split_sentences(sentence))


def _is_denied(said: _Said, known: Sequence[_Said]) -> bool:
    for term in said.denied:
        near = [other for other in known if term in other.terms and _others(said, other, frozenset({term}))]
        if any(term in other.claimed for other in near) and not any(term in other.denied for other in near):
            return True
    for other in known:
        for scope in other.scopes:
            if not scope or not scope <= said.claimed or not (len(scope) > 1 or _others(said, other, scope)):
                continue
            near = [each for each in known if each is not other and _others(said, each, scope)]
            if not any(scope <= each.claimed for each in (*near, other)):
                return True
    return False


def _others(one: _Said, other: _Said, words: frozenset[str]) -> bool:
    """Whether two sentences share more than these words; of Han text a pair that does not overlap them."""
    taken = set("".join(word for word in words if not word.isascii()))
    return any(
        term not in words and (term.isascii() or (len(term) > 1 and not taken.intersection(term)))
        for term in one.terms & other.terms
    )


def _said(sentence: str) -> _Said:
    terms: set[str] = set()
    claimed: set[str] = set()
    scopes: list[frozenset[str]] = []
    for part in _CLAUSES.split(_NO_DENIAL.sub(" ", simplify(sentence))):
        own = set(content_words(part, singles=True))
        terms |= own
        if _UNREAL.match(part):
            continue
        denied = []
        for negation in _NEGATION.finditer(part):
            rest = part[negation.end() :].lstrip()
            if _HAN.match(rest):
                rest = _THEN.split(rest[_MODAL.match(rest).end() :])[0]  # type: ignore[union-attr]  # at least nothing
            following = content_words(rest)[:_SCOPE]
            # a verb of one character at the end of its clause: 不会丢
            denied.append(frozenset(following or content_words(rest, singles=True)[:1]))
        if _CAN_NOT.search(part):
            denied.append(frozenset(content_words(part)[:_SCOPE]))
        scopes += denied
        claimed |= own - frozenset().union(*denied)
    return _Said(frozenset(terms), tuple(scopes), frozenset(claimed) - frozenset().union(*scopes))


def content_words(text: str, *, singles: bool = False) -> list[str]:
    """Words of content; of Han text pairs, and `singles` too."""
    terms = (_IRREGULAR.get(term, term) for term in index_terms(_NEGATION.sub(" ", text)).split())
    return [term for term in terms if _tells(term, singles)]


def _tells(term: str, singles: bool) -> bool:
    if is_function_word(term):
        return False
    if term.isascii():
        return True
    return (singles or _HAN_PAIR.fullmatch(term) is not None) and not _GRAMMAR.intersection(term)
