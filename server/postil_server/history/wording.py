"""What the words of a question look like, in English and Chinese: patterns, and nothing else."""

from __future__ import annotations

import re

HAN = re.compile("[\u3400-\u9fff]")
ASKS = re.compile(
    r"^\W*(?:(?:in|by|since) (?:which|what|whom)|when|who|whose|why|what|which|how|where|did|has|have|was|were"
    r"|show|list|find|give|all|any|commits?|changes?|"
    r"fix(?:es)?|history|since|after|before|last|between|everything|the (?:commit|change|fix))\b"
    r"|谁|什么时候|何时|哪|为什么|为何|怎么|什么|列出|显示|查找|提交|改动|修改|以来|之后|之前",
    re.IGNORECASE,
)
# What makes a sentence a question and says nothing of the commit; taken out after all else was read
FURNITURE = re.compile(
    r"\b(?:and |in |with |from )?(?:on |by )?(?:which|what) (?:commits?|lines?|releases?|versions?|changes?|tags?)\b"
    r"|^\W*(?:please )?(?:show|list|find|give|tell)(?: me)?\b|\b(?:all |any |the )*commits?(?: that| which| "
    r"where| were| made)?\b"
    r"|\b(?:what|who|how) (?:has |have |had )?(?:changed|happened|touched|worked on|did)\b"
    r"|\b(?:changes?|edits?) (?:to|in|of|made|by)\b|\bhistory of\b|\bwhen (?:was|were|did|has|have)\b|\bwho(?:se)?\b"
    r"|\bwhy (?:was|were|did|has|have|is|are)\b|\b(?:first|last|most recent|latest|newest|earliest|oldest)(?: time)?\b"
    r"|\b(?:most )?(?:recently|lately)\b"
    r"|是?谁|是?(?:在|从)?(?:什么时候|何时)|(?:在|是)?(?:哪[一些]?个?|什么)(?:提交|版本|改动|修改|行)|为什么|为何|怎么|列出|显示|查找|所有"
    r"|[的了吗呢把被由]|是(?=\s|$)|(?:一次)?提交(?:记录|历史)?|有哪些|哪些|改动|改了|做了|什么|请问?|最早|最初|第一次|最近一次|最后一次",
    re.IGNORECASE,
)
OLDEST = re.compile(r"\b(?:first|earliest|oldest|originally|introduced?)\b|最早|最初|第一次|引入", re.IGNORECASE)
KIND_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("revert", r"\brevert(?:s|ed|ing)?\b|\brolled back\b|\bundone\b|回滚|撤销|还原|回退"),
        ("fix", r"\b(?:bug ?)?fix(?:es|ed|ing)?(?: for)?\b|\brepair(?:ed|s)?\b|修复|修正|修好|解决"),
        ("refactor", r"\brefactor(?:ed|ing|ings|s)?\b|\brewr(?:ote|itten|ite)\b|\bclean(?:ed)? up\b|重构|重写"),
        ("docs", r"\bdocument(?:ed|ation)\b|\bdocs\b|文档"),
        ("feature", r"\b(?:new )?features?\b|新增|新功能"),
        ("test", r"\btests? (?:for|of)\b|测试"),
    )
)
BEFORE_TIME = re.compile(
    r"(?:\b(before|until|till|prior to|after|since|from|starting(?: in| from)?|in|during|on|over|throughout"
    r"|within|of|around|"
    r"back in|between)(?: the)?(?: (?:year|month|week) (?:of )?)?|(自从|自|从|在|于|到))\s*$",
    re.IGNORECASE,
)
BEHIND_TIME = re.compile(r"^\s*(?:(之前|以前|前)|(之后|以后|以来|后|起|至今)|(?:的)?(?:期间|时候|里|中|内))(?:开始)?")
# "before the rewrite in March": the rewrite was some time in March
EVENT = re.compile(
    r"\b(before|after|since|until)\s+(?:the |our )?(?:[\w-]+\s+){1,4}?(?:in|of|from|on)\s*$", re.IGNORECASE
)
RECENT = re.compile(r"last|this|past|previous|yesterday|today", re.IGNORECASE)  # "from last week" is of it
RANGE = re.compile(r"^\s*(?:and|to|until|till|through|-|–|到|至)\s*", re.IGNORECASE)
RANGE_END = re.compile(r"\s*(?:版本|版)?(?:之间|期间)?")
RELEASE = re.compile(
    r"(?<![A-Za-z0-9_./])(?:(?:release|version|tag) )?v?(\d+(?:\.\d+)+(?:[-.]?(?:rc|alpha|beta|a"
    r"|b)\.?\d+)?)(?![A-Za-z0-9_.]*[A-Za-z0-9_])",
    re.IGNORECASE,
)
RELEASE_HAN = re.compile(r"^\s*(?:版本|版|发布)?")
BY = re.compile(
    r"(?:\b(?:by|from|did|has|have|had|was|were|is|does|when|why|of|and|with|author)|由|被|是|跟|和)\s*$", re.IGNORECASE
)
WRITTEN_BY = re.compile(r"\bby\s+$", re.IGNORECASE)
DOES = re.compile(
    r"^(?:'s|’s|\s+(?:fix|add|change|remove|commit|make|made|write|wrote|introduce|did|rename|revert|refactor|merge|move|drop|touch|update|work)\w*\b"
    r"|\s*[\u3400-\u9fff])",
    re.IGNORECASE,
)
# A word of a spaced script; in "Maya的提交" that is Maya
NAME_PART = re.compile("(?![\u3400-\u9fff])[^\\W\\d_](?:(?:(?![\u3400-\u9fff])[\\w.-])*(?![\u3400-\u9fff])\\w)?")
PATH = re.compile(r"(?<![\w./-])(?:[\w@.-]+/)+[\w@.-]*|(?<![\w./-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{1,4}(?![\w/])")
MODULE = re.compile(
    r"\b(?:in|to|of|on|for|under|inside|touching|into|from)(?: the| our)? ([\w.-]+) (?:module|package|folder"
    r"|directory|dir|file|component|crate)\b"
    r"|([A-Za-z_][\w./-]*)\s*(?:模块|目录|文件夹|文件|组件|包)",
    re.IGNORECASE,
)
_DEFINED = "(?:function|method|class|struct|trait|interface)"
# no name: "the function that", "the method returned by", "class loading"
_NO_NAME = r"(?!(?:that|which|was|were|is|are|has|had|to|for|in|of|and|or|by|[a-z]+ed|[a-z]+ing)\b)"
SYMBOL = re.compile(
    r"`?\b([A-Za-z_]\w*)\(\)`?"
    rf"|(?:\bthe )?(?:`([A-Za-z_][\w.]*)`|\b([A-Za-z]*[a-z0-9][A-Z]\w*|\w*[A-Za-z0-9]_\w+)) {_DEFINED}\b"
    rf"|\b(?:the )?{_DEFINED} `?{_NO_NAME}([A-Za-z_][\w.]*)`?(?:\(\))?"
    r"|(?:函数|方法|类)\s*`?([A-Za-z_][\w.]*)`?|`?([A-Za-z_]\w*)`?\s*(?:函数|方法|类)(?![\u3400-\u9fff]*型)"
)
NUMBER = re.compile(r"(?<![\w#/])(?:(?:issue|pr|pull request|gh)[ -]?#?(\d+)|(?:问题|议题)\s*#?(\d+))\b", re.IGNORECASE)
# What makes a commit the end of a time; "from" does not: "picked from a1b2c3d"
BEFORE_COMMIT = re.compile(
    r"(?:\b(since|after|before|until)(?: the)?(?: commit)?|(自从|自)(?: ?(?:提交|commit))?"
    r"|[从在]? ?(?:提交|commit)|[从在])\s*$",
    re.IGNORECASE,
)
BEHIND_COMMIT = re.compile(r"^\s*(?:(之前|以前)|(之后|以后|以来|至今))")
SHA = re.compile(r"(?<![A-Za-z0-9_])(?=[0-9a-f]*\d)[0-9a-f]{7,64}(?![A-Za-z0-9_])", re.IGNORECASE)
