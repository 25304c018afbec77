"""What a sentence must have from its passages to the letter: quotations, identifiers, names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from postil_indexers.text import fold, index_terms, is_function_word
from postil_server.answering.question import is_chinese

_QUOTED = re.compile(
    r"[\"“]([^\"“”\n]{2,200})[\"”]|[「『]([^」』\n]{2,200})[」』]|«([^»\n]{2,200})»|(?<!\w)‘([^‘’\n]{4,200})’"
)
_CODE = re.compile(r"(`+)([^\n]+?)\1")
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f_][\w\u00c0-\u024f]*(?:(?:[.:#/-]|::|->)[A-Za-z\u00c0-\u024f_][\w\u00c0-\u024f]*)*"
)
_CODELIKE = re.compile(
    r"(?:[A-Za-z]\w*)?_\w+|[a-z]+[A-Z]\w*|[A-Z]+[a-z]+[A-Z]\w*|[A-Z][A-Z0-9]{1,}(?:s?)|--?[a-z][\w-]+|"
    r"\w+(?:\.|::|->|/)\w[\w./:]*|[a-z]+-[a-z]+-[a-z]+(?:-[a-z]+)+"
)
_PIECE = re.compile(r"[A-Za-z_][\w]*|\d+(?:\.\d+)*")
_START = re.compile(r"(?:^|[.!?:;。！？：；]|[\"“(（]|[-*] |, (?=\"))[\s\"“'‘(（*_]*$")
_CALENDAR_WORDS = """
january february march april may june july august september october november december monday tuesday wednesday thursday
friday saturday sunday i english chinese
"""
_CALENDAR = frozenset(_CALENDAR_WORDS.split())
# What follows a person, or anything that acts, and hardly ever a plural or a mass noun at the start of a sentence.
_ACTS = re.compile(
    r"\s+(?:\w+ed|wrote|said|says|took|made|was|is|has|had|wants|asked|asks|did|does|found|chose|began|wishes|thinks|"
    r"thought|left|kept|put|set|gave|built|broke|led|drew|'s)\b|['’]s\b"
)
_COMMON_ENDING = re.compile(
    r"(?:ing|tion|sion|ness|ment|ity|ance|ence|ship|hood|ism|ful|less|able|ible|ous|ive|al|ly|ed|ery|ure|age|dom|th)$"
)
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜"
    "范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文張陳劉楊趙黃吳許鄧蔣"
)
_PERSON = re.compile(
    rf"(?:(?<=[由被请让给和与、，。；])|^|(?<=\s))((?:[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|[小老阿][\u4e00-\u9fff]))"
    r"(?=负责|修复|修好|改好|改了|提出|认为|指出|说|写|记|在|把|将|的(?:修复|笔记|提交|意见)|发现|建议|决定|添加|删|做|问|要|想|领|承担|接手|处理)"
)


def unquoted(sentence: str, passage: str) -> list[str]:
    """Quotations that the passage does not have, compared without case, width, white space and marks."""
    held = _letters(passage)
    return [quote for quote in _quotations(sentence) if _letters(quote) not in held]


def is_verbatim(sentence: str, passage: str) -> bool:
    """Whether the passage has just these letters and digits, in this order."""
    return _letters(sentence) in _letters(passage)


def unknown_identifiers(sentence: str, passage: str) -> list[str]:
    """Names of code that the passage does not have, with case; of a qualified name each part."""
    held = set(_PIECE.findall(passage))
    missing = []
    for name in _identifiers(sentence):
        if name in passage:
            continue
        pieces = _PIECE.findall(name)
        if not pieces or not all(piece in held or _is_form_of(piece, held) for piece in pieces):
            missing.append(name)
    return missing


def unknown_names(sentence: str, passage: str) -> list[str]:
    """Proper names that the passage does not have, in any case."""
    held = set(index_terms(passage).split())
    missing = [
        name for name in _names(_CODE.sub(" ", sentence), held) if not held.issuperset(index_terms(name).split())
    ]
    folded = fold(passage)
    return missing + [name for name in _PERSON.findall(sentence) if fold(name) not in folded]


def _quotations(sentence: str) -> Iterator[str]:
    for match in _QUOTED.finditer(_CODE.sub(lambda code: code[2], sentence)):
        yield next(filter(None, match.groups()))


def _letters(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())


def _identifiers(sentence: str) -> Iterator[str]:
    for code in _CODE.finditer(sentence):
        yield " ".join(code[2].split()).removesuffix("()")
    rest = _CODE.sub(" ", sentence)
    for word in _WORD.finditer(rest):
        if _CODELIKE.fullmatch(word[0]) and word[0].lower() not in _UNITS:
            yield word[0]


_UNITS = frozenset({"kb", "mb", "gb", "tb", "kib", "mib", "gib", "ms", "id", "ok"})


def _is_form_of(piece: str, held: set[str]) -> bool:
    """APIs where the passage has API; a name at the start of a sentence."""
    return piece.removesuffix("s") in held or (piece[:1].lower() + piece[1:]) in held


def _names(text: str, held: set[str]) -> Iterator[str]:
    """Capitalised words inside a sentence, and at its start where what follows says that it is a name. In Chinese text
    every Latin word is one."""
    chinese = is_chinese(text)
    for word in _WORD.finditer(text):
        name = unicodedata.normalize("NFC", word[0])
        if _CODELIKE.fullmatch(name) or name.lower() in _CALENDAR or name.lower() in _UNITS:
            continue
        if len(name) > 1 and (chinese or (name[0].isupper() and _is_name(text, word, held))):
            yield name


def _is_name(text: str, word: re.Match[str], held: set[str]) -> bool:
    """Of a capitalised word."""
    if not _START.search(text[: word.start()]):
        return True
    return _ACTS.match(text, word.end()) is not None and not _is_common(word[0], held)


def _is_common(word: str, held: set[str]) -> bool:
    """Whether a capitalised first word is rather a common one than a name."""
    terms = index_terms(word).split()
    plural = word.endswith("s") and not word.endswith(("ss", "us", "as", "is"))
    return (
        plural
        or _COMMON_ENDING.search(word) is not None
        or all(is_function_word(term) or term in held for term in terms)
        or word.lower() in _FIRST_WORDS
    )


# First words of sentences that none of the endings above gives away.
_COMMON_WORDS = """
access anyone anybody anything attempt backup batch block body bucket bug cache call case change claim client clock code
command commit config copy crash data default delay design disk document entry error every everyone everybody everything
field file fix flag folder function group half handler hash header heap host index input item job key library limit line
link list lock log memory message meeting method model module name network node none nobody note nothing number object
one order output owner parser path payload people person plan policy pool process program project queue reader record
release report request result retry root row rule scheduler script section server service set setup size software
someone somebody something space stack step store stream string sweeper system table task team test text thread time
token tool type user value vector version worker writer
"""
_FIRST_WORDS = frozenset(_COMMON_WORDS.split())
