"""Sources in the order in which one is briefed: what a thing is, what is done, what can go wrong, examples."""

from __future__ import annotations

import re
from collections.abc import Sequence

from postil_server.types import Source

# By the heading, or the name of a definition, that is nearest to a passage; what is none of these comes with the first.
_STEPS = re.compile(
    r"\b(?:how to|steps?|usage|install(?:ation|ing)?|setup|set up|getting started|runbook|procedure|recipes?|to do)\b|"
    "步骤|用法|使用|安装|操作|流程|怎么",
    re.IGNORECASE,
)
_CAVEATS = re.compile(
    r"\b(?:caveats?|limits?|limitations?|pitfalls?|gotchas?|warnings?|known issues|troubleshooting|wrong|mistakes?|"
    r"risks?|left out|trade-?offs?)\b|注意|限制|误区|陷阱|风险|问题",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r"\b(?:examples?|samples?|demos?|tests?|test_\w+)\b|示例|例子|举例|样例", re.IGNORECASE)


def briefing(sources: Sequence[Source]) -> list[Source]:
    """The surest stays first, whatever it is: small models read the beginning best."""
    return [*sources[:1], *sorted(sources[1:], key=_place)]


def _place(source: Source) -> int:
    nearest = source.name.rpartition(" > ")[2] or source.title
    return next((n for n, role in ((3, _EXAMPLES), (2, _CAVEATS), (1, _STEPS)) if role.search(nearest)), 0)
