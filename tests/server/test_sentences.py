"""What can be quoted of a passage: its sentences with their lines, and nothing that leads elsewhere."""

from __future__ import annotations

import pytest

from postil_indexers.types import Kind
from postil_server.answering.sentences import plain, split_sentences, units_of

NOTE = """\
# Leases

A claimed job belongs to one consumer. See [the code](../lease.py) or
[[lease protocol#Extend|how it is extended]]. ^note-1

- [ ] How long is one? Thirty seconds.
- done <b>long</b> ago ![x](y.png)

| key | type |
|---|---|
| `…:dead` | list |

```sh
redis-cli PING
```

任务队列只能做到“至少一次”，做不到“恰好一次”。因此处理函数
必须是幂等的。
"""


CODE = '''\
# Compare first, or a slow worker
# wins. Atomic.
SCRIPT = """
return 0
"""
def f():
    """Do it.

    Twice."""
    return 1  # TODO: why?
'''


def test_a_note_is_sentences_items_rows_and_lines_of_code() -> None:
    found = [(u.text, u.start_line, u.end_line, u.code, u.open) for u in units_of(NOTE, Kind.NOTE)]
    assert found == [
        ("A claimed job belongs to one consumer.", 2, 3, False, False),
        ("See the code or how it is extended.", 2, 4, False, False),
        ("How long is one? Thirty seconds.", 5, 6, False, True),
        ("done long ago", 6, 7, False, False),
        ("key · type", 8, 9, False, False),
        ("`…:dead` · list", 10, 11, False, False),
        ("redis-cli PING", 13, 14, True, False),
        ("任务队列只能做到“至少一次”，做不到“恰好一次”。", 16, 17, False, False),
        ("因此处理函数必须是幂等的。", 16, 18, False, False),
    ]
    assert {unit.heading for unit in units_of(NOTE, Kind.NOTE)} == {"Leases"}


def test_code_is_its_comments_docstrings_and_lines() -> None:
    assert [(u.text, u.start_line, u.code, u.open) for u in units_of(CODE, Kind.CODE)] == [
        ("Compare first, or a slow worker wins.", 0, False, False),
        ("Atomic.", 1, False, False),
        ('SCRIPT = """', 2, True, False),
        ("return 0", 3, True, False),
        ("def f():", 5, True, False),
        ("Do it.", 6, False, False),
        ("Twice.", 8, False, False),
        ("return 1  # TODO: why?", 9, True, True),
    ]


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("from os import path", True),
        ("import { lease } from './lease';", True),
        ("    import numpy as np", True),
        ("pub use crate::lease::Lease;", True),
        ("using System.Text;", True),
        ("#include <stdio.h>", True),
        ('require_once "lease.php";', True),
        ("const lease = require('lease');", False),
        ("imported = lease", False),
        ("useful(lease)", False),
        ("from_lease = 1", False),
    ],
)
def test_an_import_says_nothing_by_itself(line: str, points: bool) -> None:
    assert [unit.pointer for unit in units_of(line, Kind.CODE)] == [points]


def test_a_commit_is_its_subject_and_paragraphs_without_trailers() -> None:
    text = "Fix it (#42)\n\nIt was wrong. Now it is right.\n\nFixes #42\n\n— Maya, 2024-03-20"
    assert [u.text for u in units_of(text, Kind.COMMIT)] == ["Fix it (#42)", "It was wrong.", "Now it is right."]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Use e.g. Redis. Then go.", ["Use e.g. Redis.", "Then go."]),
        ("Since 4.0.1 it works. `a. B` stays.", ["Since 4.0.1 it works.", "`a. B` stays."]),
        ("他说：“好。”然后走了！真的？", ["他说：“好。”", "然后走了！", "真的？"]),
        ("No end", ["No end"]),
        ("", []),
    ],
)
def test_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_code_keeps_what_would_be_markup_elsewhere() -> None:
    assert plain("**Bold** `[[x]] <b>` [[a|b]] <i>c</i>") == "Bold `[[x]] <b>` b c"
