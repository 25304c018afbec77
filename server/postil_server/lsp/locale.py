"""What the server writes into an editor, in the editor's language: English, or Simplified Chinese.

English is what everything below here writes; it is put into another language where it is sent, and what is no message
of this table (titles, texts, names) stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SIMPLIFIED = re.compile(r"zh(?:[-_](?:cn|sg|hans)\b.*)?", re.IGNORECASE)

# What a placeholder stands for, where that is not just any text.
_SHAPES = {
    "count": r"\d+\+?",
    "day": r"\d{4}-\d\d-\d\d",
    "sha": r"[0-9a-f]{8}",
    "release": r"\S+",
    "branch": r"\S+",
}
_LISTS = ("words", "names")  # placeholders for several, with ", " between
_BETWEEN = "; "  # the parts of a reason

CHINESE: Mapping[str, str] = {
    # hovers: the heading, and what stands beside a link
    "Related": "相关",
    " in {path}": "，位于 {path}",
    " (mentions {name})": " (提到 {name})",
    " · {day} · 1 backlink": " · {day} · 1 个反向链接",
    " · {day} · {count} backlinks": " · {day} · {count} 个反向链接",
    " · {day} · 1 backlink · no “{anchor}” in it": " · {day} · 1 个反向链接 · 其中没有“{anchor}”",
    " · {day} · {count} backlinks · no “{anchor}” in it": " · {day} · {count} 个反向链接 · 其中没有“{anchor}”",
    " ({author}, {sha}, in {release})": " ({author}, {sha}, 版本 {release})",
    " ({author}, {sha}, on {branch} and not on HEAD)": " ({author}, {sha}, 在 {branch} 上，不在 HEAD 上)",
    " ({author}, {sha}, in {release}, on {branch} and not on HEAD)": (
        " ({author}, {sha}, 版本 {release}, 在 {branch} 上，不在 HEAD 上)"
    ),
    "without {sha} and what led to it, which are not indexed yet": "不含 {sha} 及其之前的提交：尚未建立索引",
    # reasons
    _BETWEEN: "；",
    "links here": "链接到此处",
    "linked from here": "由此处链接",
    "linked both ways": "互相链接",
    "same topic: {words}": "同一主题：{words}",
    "similar meaning": "含义相近",
    "words in common": "有共同的词语",
    "changed together": "一起更改过",
    "defines {names}": "定义了 {names}",
    "mentions {names}": "提到 {names}",
    "named here: {name}": "此处提到：{name}",
    "named here: {name}, on {branch} and not on HEAD": "此处提到：{name}，在 {branch} 上，不在 HEAD 上",
    # lenses
    "Related {count}": "相关 {count}",
    "Backlinks": "反向链接",
    "Backlinks {count}": "反向链接 {count}",
    "Summarise": "总结",
    "History": "历史",
    "History {count}": "历史 {count}",
    "Last change": "上次更改",
    "Last change {day}, {author}": "上次更改 {day}，{author}",
    "Not committed": "未提交",
    # the menus of lenses, for an editor without commands of its own
    "Links to this note": "指向此笔记的链接",
    "Last changes": "最近更改",
    # code actions
    "Link to “{title}”": "链接到“{title}”",
    "Add tags and a summary": "添加标签和摘要",
    "Open “{title}”": "打开“{title}”",
    "Open {path}, which usually changes with this ({count} of {all} times)": (
        "打开 {path}：它通常与此文件一起更改（{all} 次中有 {count} 次）"
    ),
    "Create the note “{path}”": "创建笔记“{path}”",
    "Why is this line here? Its commits": "为何有这一行？查看它的提交",
    "History of these lines": "这些行的历史",
    "History of {name}": "{name} 的历史",
    "Notes that name {path}": "提到 {path} 的笔记",
    "Ask about the selection": "就所选内容提问",
    "Summarise the selection": "总结所选内容",
}


@dataclass(frozen=True, slots=True)
class Wording:
    """How an editor is spoken to."""

    fixed: Mapping[str, str]  # English -> another language; empty for English
    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()  # those with placeholders, the most particular first

    @classmethod
    def of(cls, messages: Mapping[str, str]) -> Wording:
        longest = sorted((each for each in messages if "{" in each), key=len, reverse=True)
        fixed = {english: other for english, other in messages.items() if "{" not in english}
        return cls(fixed, tuple((_pattern(each), messages[each]) for each in longest))

    def said(self, text: str) -> str:
        if text in self.fixed:
            return self.fixed[text]
        for pattern, other in self.patterns:
            if match := pattern.fullmatch(text):
                found = match.groupdict().items()
                return other.format_map({k: v.replace(", ", "、") if k in _LISTS else v for k, v in found})
        return text

    def reason(self, text: str) -> str:
        """Each part by itself. No word, name or branch in a reason has a blank, so none holds what stands between."""
        return self.said(_BETWEEN).join(map(self.said, text.split(_BETWEEN)))


def wording(locale: str | None) -> Wording:
    """For the locale that a client names, as `zh-cn`. Traditional Chinese is not at hand: English."""
    return Wording.of(CHINESE if locale and _SIMPLIFIED.fullmatch(locale) else {})


def _pattern(message: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", message)
    made = [f"(?P<{part}>{_SHAPES.get(part, '.+')})" if odd % 2 else re.escape(part) for odd, part in enumerate(parts)]
    return re.compile("".join(made), re.DOTALL)
