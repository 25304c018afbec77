"""Words for lexical search: text -> terms, the same way for what is indexed and for what is asked.

A term is folded (NFKC, case, accents, simplified Han) and holds no white space. A word gives its stem; an identifier
the stems of its parts, and itself: `HTTPServers` -> http server httpservers. Unspaced scripts give single characters
and bigrams. Measured on two shared cores: 17-26 MB/s of source with a cold cache, 39-54 with a warm one, 8 and 14 on
Chinese notes; the terms are 1.0-1.3 times as long as source, 1.8 times as Chinese notes.
"""

from __future__ import annotations

import re
import unicodedata

from postil_indexers.generations import Generations
from postil_indexers.han import UNSPACED, bigrams, simplify
from postil_indexers.stem import is_function_word, stem

__all__ = [
    "fold",
    "has_content_words",
    "identifiers",
    "index_terms",
    "is_function_word",
    "path_terms",
    "query_terms",
    "starts_term",
]

_MAX_TERM = 64  # a SHA-256 in hex is the longest name that anyone looks for; longer ones are blobs
_MAX_COMPOUND_PARTS = 4  # a dotted or hyphenated name of more parts is hardly ever asked for as a whole
_MAX_CACHED_WORDS = 16_000  # and as many that came before: some 5 MB, and no process grows for hours
_MAX_CACHED_RUN = 12  # a longer token with other than ASCII characters is mostly a clause, which hardly comes back

# A token: word characters and the two that join words to names (os.path, utf-8). Combining marks and the vowel signs of
# Indic scripts belong to a word, though \w leaves them out.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0900-\u0963\u0966-\u0e4e\u0e81-\u0ece"
_TOKEN = re.compile(rf"[\w.\-{_MARKS}]+")
_OUTSIDE_TOKENS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_.-")}
# Soft hyphens and zero-width characters inside words; Hebrew and Arabic vowel points, which most writers leave out.
_IGNORABLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff\u0591-\u05bd\u064b-\u0652\u0670]")
_RUNS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_JOINT = re.compile(r"[.\-]+")
# v2 and x86 at the start, URLs, HTTP before Server, Server, digits
_PIECE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][0-9]+|[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PIECE_UNICODE = re.compile(r"[^\W\d_]+|\d+")
_MARKED = re.compile("([A-Za-z\u0370-\u03ff\u0400-\u04ff])[\u0300-\u036f]+")
_SHORT_I = "\u0438\u0306"  # й, a letter of its own; ё, à and ά are accented ones
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_V_VERSION = re.compile(r"[vV]\d+\.\d")
_HASH = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}")
_FULL_HASH = 40  # git's SHA-1 in hex; what is shorter is most likely the start of one
_RECEIVERS = ("self", "this", "cls")


def index_terms(text: str) -> str:
    """All terms of `text`, in order and as often as they occur, joined by single spaces."""
    return " ".join(filter(None, map(_terms_of_token.__getitem__, _tokens(text))))


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct terms to look for, in order: as indexed, but single characters only where they stand alone."""
    terms = (term for token in _tokens(text) for term in _token_terms(token, asked=True))
    return tuple(dict.fromkeys(terms))


def has_content_words(text: str) -> bool:
    """Whether a query has a term that is no function word: without one there is nothing to look for."""
    return not all(is_function_word(term) for term in query_terms(text))


def path_terms(path: str) -> str:
    """The words of a file's name and of its directories, as `index_terms` gives them."""
    return index_terms(path)


def identifiers(text: str) -> set[str]:
    """The whole identifiers of `text`, folded."""
    return {_fold_word(name) for name in set(_IDENTIFIER.findall(_normalise(text))) if len(name) <= _MAX_TERM}


def starts_term(term: str) -> bool:
    """Whether a query term stands for every term that begins with it: a shortened commit hash does."""
    return len(term) < _FULL_HASH and _HASH.fullmatch(term) is not None


def fold(text: str) -> str:
    """`text` as it is compared: NFKC, case folded, without accents, Han simplified. Its length may differ."""
    return _fold_word(_normalise(text))


def _normalise(text: str) -> str:
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", text)
    return unicodedata.normalize("NFKC", _IGNORABLE.sub("", plain)) if _IGNORABLE.search(plain) else plain


def _tokens(text: str) -> list[str]:
    if text.isascii():
        return text.translate(_OUTSIDE_TOKENS).split()  # three times as fast as the expression
    return _TOKEN.findall(_normalise(text))


def _drop_marks(match: re.Match[str]) -> str:
    return match[0] if match[0] == _SHORT_I else match[1]


def _fold_word(word: str) -> str:
    if word.isascii():
        return word.lower()
    bare = _MARKED.sub(_drop_marks, unicodedata.normalize("NFD", word.casefold()))
    # composed again, because Hangul syllables and kana with voice marks are one character
    return simplify(unicodedata.normalize("NFKC", bare))


class _TermsOfToken(Generations[str]):
    """Token -> its terms, joined by spaces."""

    def __init__(self) -> None:
        super().__init__(_MAX_CACHED_WORDS)

    def make(self, token: str) -> str:
        return " ".join(_token_terms(token))

    def keeps(self, token: str) -> bool:
        return len(token) <= (_MAX_TERM if token.isascii() else _MAX_CACHED_RUN)


_terms_of_token = _TermsOfToken()


def _token_terms(token: str, asked: bool = False) -> list[str]:
    if token.isascii() or not _UNSPACED.search(token):
        return _name_terms(token, asked)
    terms: list[str] = []
    for run in _RUNS.findall(token):
        if not _UNSPACED.match(run):
            terms += _name_terms(run, asked)
            continue
        characters = simplify(run)
        if not asked or len(characters) == 1:
            terms += characters
        terms += bigrams(characters).split()
    return terms


def _name_terms(token: str, asked: bool = False) -> list[str]:
    """The terms of words joined by dots and hyphens: those of each word, then the whole where it is a name."""
    name = token.strip("._-")
    parts = _JOINT.split(name)
    if _V_VERSION.match(name):
        name = name[1:]  # v1.0.21 and 1.0.21 are one version
    if len(parts) == 1:
        return _word_terms(name)
    if (
        asked
        and len(parts) <= _MAX_COMPOUND_PARTS
        and all(part.lstrip("vV").isdigit() for part in parts)
        and _is_name(parts, name)
    ):
        return [_fold_word(name)]  # who asks for 7.2.4 does not want every 7
    terms = [term for part in parts for term in _word_terms(part)]
    if len(parts) <= _MAX_COMPOUND_PARTS and len(name) <= _MAX_TERM and _is_name(parts, name):
        terms.append(_fold_word(name))
    return terms


def _is_name(parts: list[str], name: str) -> bool:
    """Whether joined words are a name of their own: a version, a file, a hyphenated word; not `self.x` or `i-1`."""
    if any(part.isdigit() for part in parts):
        return "." in name or len(parts[0]) > 1  # 1.0.21, utf-8
    return parts[0] not in _RECEIVERS and all(len(part) > 1 for part in parts)


def _word_terms(word: str) -> list[str]:
    """The stem of a plain word; of an identifier the stems of its parts, then itself."""
    word = word.strip("_")
    if not word or len(word) > _MAX_TERM:
        return []
    whole = _fold_word(word)
    if not word.isascii():
        pieces = [_fold_word(piece) for piece in _PIECE_UNICODE.findall(word)]
    else:
        pieces = _PIECE.findall(word)
        if len(pieces) * 2 > len(word) or _HASH.fullmatch(whole):  # iOS, IPv4, a hash: the pieces mean nothing
            return [whole]
    if len(pieces) == 1:
        return [stem(whole)]
    terms = list(dict.fromkeys(stem(piece.lower()) for piece in pieces if len(piece) > 1))
    return [*terms, whole] if whole not in terms else terms
