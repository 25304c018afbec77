"""What a question asks for: its language, whether the history is to answer it, what it means by "it"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postil_indexers.text import has_content_words, is_function_word, query_terms
from postil_indexers.types import Kind, Span

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_HISTORY = re.compile(
    r"\b(?:why|when|who|since|ago|commit(?:s|ted)?|history|changed?|changes|introduced|reverted?|removed|"
    r"renamed|fixed|broke|authors?|wrote|yesterday|last (?:week|month|year|commit|release))\b|"
    "为什么|为何|为啥|谁|何时|什么时候|哪天|提交|历史|改动|修改|引入|修复|回滚|撤销|删除|重命名|作者|上周|上个月|昨天",
    re.IGNORECASE,
)
_COMMIT = re.compile(
    r"\b(?:who|commit(?:s|ted)?|when (?:was|were|did))\b|谁|何时|什么时候|哪天|哪次提交", re.IGNORECASE
)
# Where the answer is to come from, with the words around it that say nothing else.
_IN_NOTES = re.compile(
    r"\b(?:do|does|did) (?:my|our|the) (?:notes?|docs|documentation|minutes|journal) (?:say|tell|mention)(?: us| me)?"
    r"(?: about| of| on)?\b|\b(?:in|from|according to) (?:my|our|the) (?:notes?|docs|documentation|minutes|journal)\b|"
    "(?:在|从|根据)?(?:我的|我们的)?(?:笔记|文档|日记|会议记录)(?:里|中|上)(?:怎么说|说)?",
    re.IGNORECASE,
)
_IN_CODE = re.compile(
    r"\b(?:in|from|by) (?:my|our|the) (?:code(?:base)?|source code|implementation)\b|"
    "(?:在|从)?(?:代码|源码)(?:里|中|上)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:chang(?:ed?|es)|commit(?:s|ted)?|fixed|added|removed)\b|改动|修改|提交|变化", re.IGNORECASE
)
_HERE = re.compile(
    r"\bthis (?:file|note|page|document|function|class|method|code|module|section|selection|passage|paragraph)\b|"
    r"\b(?:here|selected)\b|(?:这|本|该)(?:个|段|篇|份)?(?:文件|笔记|文档|函数|类|方法|代码|模块|选区|段落|内容)|这里|此处|选中",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"^\s*(?:and|but|so|then|also|what about|how about|why not|why\?|那|那么|还有|而且|但是|然后)\b|"
    r"\b(?:it|its|that|this|they|them|their|those|these|he|she|his|her|one|same)\b|^那|它|这个|那个|他|她|上述",
    re.IGNORECASE,
)
_FEW_WORDS = 2  # a question with fewer words of content than this means what was spoken of before


@dataclass(frozen=True, slots=True)
class Focus:
    """The file, or the lines of it, that a question is asked from."""

    root: str
    path: str  # relative to the root
    text: str | None = None  # of the selected lines as the editor has them; None for those on disk
    span: Span | None = None  # the selected lines; None for the whole file


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer, before the one that is asked."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    focus: Focus | None = None
    previous: Exchange | None = None
    rewritten: str = ""  # a follow-up as a model completed it
    words: str | None = None  # what it seeks beside its time; None where it is about none

    @property
    def chinese(self) -> bool:
        return is_chinese(self.text)

    @property
    def wants_history(self) -> bool:
        return _HISTORY.search(self.text) is not None

    @property
    def wants_commit(self) -> bool:
        """Whether only a commit can tell: who did it, and when."""
        return _COMMIT.search(self.text) is not None

    @property
    def wants_changes(self) -> bool:
        """Whether it asks for what was changed rather than for what was written or done."""
        return _CHANGES.search(self.text) is not None

    @property
    def points_here(self) -> bool:
        """Whether it speaks of the file or the lines that it is asked from."""
        return _HERE.search(self.text) is not None

    @property
    def is_of_here_alone(self) -> bool:
        """Whether it names nothing but the place that it is asked from."""
        if self.focus is None or not self.points_here:
            return False
        return not has_content_words(self.sought)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Where it is to be answered from: notes, code, or both."""
        notes, code = (pattern.search(self.text) is not None for pattern in (_IN_NOTES, _IN_CODE))
        return (Kind.CODE, Kind.NOTE) if notes == code else (Kind.NOTE,) if notes else (Kind.CODE,)

    @property
    def sought(self) -> str:
        """The words that passages are looked for by; "" where all of a time is."""
        text = self.standalone if self.words is None else self.words
        if self.focus is not None:  # "this code" is what is selected, and not what has the word
            text = " ".join(_HERE.sub(" ", text).split())
        return text if len(self.kinds) > 1 else " ".join(_IN_CODE.sub(" ", _IN_NOTES.sub(" ", text)).split())

    @property
    def standalone(self) -> str:
        """The question with what it leaves unsaid: a follow-up has the words of the one before it in front."""
        if self.rewritten or self.previous is None:
            return self.rewritten or self.text
        telling = [term for term in query_terms(self.text) if not is_function_word(term)]
        if len(telling) >= _FEW_WORDS and not _POINTS_BACK.search(self.text):
            return self.text
        return f"{self.previous.question.strip()} {self.text.strip()}"


def is_chinese(text: str) -> bool:
    """Whether a text is rather Chinese than written in spaced words; names of code in it don't count."""
    return len(_HAN.findall(text)) > len(_LATIN_WORD.findall(text))
