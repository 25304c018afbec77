"""What a server is told while somebody types in the real editor, as the benchmark of keystrokes records it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import keystrokes

KEYS = 12
EVERY_MS = 60
CHANGE = "textDocument/didChange"
# which would have come too early; of several, a slow machine may ask for one only
ASKED_AFTERWARDS = {"Neovim": {"postil/related"}, "VS Code": {"textDocument/codeLens", "textDocument/documentSymbol"}}


def asked_while_typing(said: list[dict[str, Any]]) -> Iterator[str]:
    """What came between two keys that no rest lay between: a machine that is slow enough makes one."""
    at = [index for index, entry in enumerate(said) if entry["method"] == CHANGE][-KEYS:]
    for first, second in itertools.pairwise(at):
        if said[second]["at"] - said[first]["at"] < keystrokes._REST_S - keystrokes._GRAIN_S:
            yield from (entry["method"] for entry in said[first + 1 : second])


@pytest.mark.parametrize("editor", ["Neovim", "VS Code"])
def test_a_key_is_one_change_and_asks_for_nothing_before_a_rest(
    tmp_path: Path, editor: str, request: pytest.FixtureRequest
) -> None:
    if editor == "VS Code":
        vsix = request.getfixturevalue("vsix")
        typed = keystrokes.vscode(keystrokes.Place(tmp_path), vsix, 1, KEYS, EVERY_MS)
    else:
        typed = keystrokes.neovim(keystrokes.Place(tmp_path), 1, KEYS, EVERY_MS)
    if isinstance(typed, str):
        pytest.skip(typed)
    assert [len(took) for took in (*typed.on, *typed.off)] == [KEYS, KEYS]
    assert KEYS < typed.changes() <= KEYS + keystrokes._OPENING  # one of them opened the line
    assert list(asked_while_typing(typed.said)) == []
    methods = [entry["method"] for entry in typed.said]
    last = len(methods) - methods[::-1].index(CHANGE)
    assert ASKED_AFTERWARDS[editor].intersection(methods[last:])
