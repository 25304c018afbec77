"""Text to syntax tree. Rows of the tree are the lines of the text; columns and offsets count bytes of UTF-8."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, cast

from tree_sitter import Language, Node, Parser, Query, Range, Tree
from tree_sitter_language_pack import get_language

if TYPE_CHECKING:
    from tree_sitter_language_pack import SupportedLanguage

_INHERITS = "; inherits: "  # the first line of a query file that builds on another one, as editors write it
# A line this long is generated or data: its tree is huge, says nothing, and takes seconds.
_MOST_LOST_TOKENS = 20_000
LONGEST_PARSED_LINE = 50_000


@dataclass(frozen=True, slots=True)
class Syntax:
    grammar: str
    data: bytes  # what was parsed: UTF-8 with every line end holding exactly one LF
    tree: Tree


@functools.cache
def language(grammar: str) -> Language:
    return get_language(cast("SupportedLanguage", grammar))


def encode(text: str) -> bytes:
    """UTF-8 of the same lines and code points; tree-sitter counts rows by LF alone, so a lone CR becomes one."""
    if "\r" in text:
        text = text.replace("\r\n", "\0\n").replace("\r", "\n").replace("\0\n", "\r\n")
    return text.encode("utf-8", "replace")


def parse_syntax(data: bytes, grammar: str, ranges: list[Range] | None = None) -> Syntax:
    """The tree of `data`, or of some ranges of it as if they were one text."""
    parser = Parser(language(grammar))
    if ranges:
        parser.included_ranges = ranges
    return Syntax(grammar, data, parser.parse(data))


@functools.cache
def query_of(grammar: str) -> Query | None:
    """The query that finds definitions and references; None where there is none for the grammar."""
    source = query_source(grammar)
    return Query(language(grammar), source) if source else None


def is_lost(root: Node) -> bool:
    """Whether the parser gave up on most of the text. Queries take quadratic time over the tokens that it leaves."""
    if not root.has_error:
        return False
    errors = [root] if root.type == "ERROR" else [child for child in root.children if child.type == "ERROR"]
    return any(error.child_count > _MOST_LOST_TOKENS for error in errors)


def query_names() -> list[str]:
    """The grammars that have a query."""
    return sorted(file.name.removesuffix(".scm") for file in _queries().iterdir() if file.name.endswith(".scm"))


def _queries() -> Traversable:
    return files("postil_indexers.chunking") / "queries"


def query_source(grammar: str) -> str:
    """The text of a query file, then that of the one it inherits: what comes first is the more telling."""
    file = _queries() / f"{grammar}.scm"
    if not file.is_file():
        return ""
    source = file.read_text(encoding="utf-8")
    first, _, rest = source.partition("\n")
    if not first.startswith(_INHERITS):
        return source
    return rest + query_source(first.removeprefix(_INHERITS).strip())
