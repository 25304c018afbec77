"""Definitions and references of one syntax tree, found by the query of its grammar.

A query names what it captures: `@name` stands for the name, in a definition captured as its kind (`@function`,
`@class`, ...); `@declarator` for C's nested way to write a name; `@selector` for one in several words (Objective-C);
`@scope` for what qualifies a name and does not enclose it (a Go receiver). `@clause` is one of the equations that
together make a function (Haskell); `@tail` is what ends a definition outside its node; `@rest` marks one that encloses
all that follows (a Perl package). `@reference` is a use; `@leading` a comment or attribute of what follows.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace

from tree_sitter import Node, QueryCursor

from postil_indexers.chunking.names import parts_of
from postil_indexers.chunking.syntax import Syntax, is_lost, query_of
from postil_indexers.types import Definition, Reference, Span


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OWNERS = _words("class struct interface trait impl enum type")  # a function in one is a method
_CALLABLE = _words("function method test macro")
_VERBATIM = _words("test section")  # named by a sentence
_NOT_KINDS = _words("name declarator selector scope tail rest reference leading")
_WORD = re.compile(r"[^\W\d]")  # operators are used everywhere and say nothing
# Calls in the syntax of some languages, and no use of a name.
_SPECIAL_FORMS = _words(
    """
    def defp defmodule defmacro defmacrop defstruct defimpl defprotocol defdelegate doc moduledoc spec typedoc defn
    defn- defun defvar defmethod defgeneric defclass defmulti defrecord deftype deftest defpackage defparameter defonce
    define define-syntax define-record-type define-syntax-rule let let* letrec if unless when cond case do lambda fn ns
    quote begin progn setq set! setf loop require cl-defun defcustom use import alias struct syntax-rules and or not
    """
)
_KEPT_NAMES = 20_000  # some 3 MB; the names that a file uses are mostly used elsewhere
_MOST_CONSTANTS = 2_000  # of one file; more are the keys of data
_MOST_LEVELS = 10  # of a qualified name; deeper nesting is a parser lost in errors
_DEEPEST_DECLARATOR = 12  # levels of `*(*(*name[3])(void))(int)`; nobody writes more


@dataclass(slots=True)
class Found:
    """One definition of the tree, before it is placed among the others."""

    start: int  # bytes
    end: int
    row: int
    end_row: int
    name_start: int  # byte of the name
    name_row: int
    kind: str
    pattern: int  # position in the query file: earlier ones are more telling
    parts: list[str]
    scope: list[str]
    rest: bool  # encloses what follows, up to the next of its kind


@dataclass(frozen=True, slots=True)
class Symbols:
    definitions: tuple[Definition, ...]  # in the order of their start, outer before inner
    references: tuple[Reference, ...]
    name_offsets: tuple[int, ...]  # of each definition, where its name starts, in code points of the text


def find_symbols(*syntaxes: Syntax, line: int | None = None) -> Symbols:
    """What the trees of one text define and use; the second and later ones are of languages embedded in the first.

    `line`: only what touches that 0-based line, which takes no longer in a large file than in a small one. What
    encloses it touches it; remarks in front of a definition, which belong to its span, may not.
    """
    found: dict[int, Found] = {}
    leading: dict[int, int] = {}
    uses: dict[tuple[str, int], int] = {}
    for syntax in syntaxes:
        _collect(syntax, line, found, leading, uses)
    if sum(item.kind == "constant" for item in found.values()) > _MOST_CONSTANTS:
        found = {position: item for position, item in found.items() if item.kind != "constant"}
    placed = _place(sorted(found.values(), key=lambda item: (item.start, -item.end)), leading)
    references = tuple(Reference(name, row) for (name, row), start in uses.items() if start not in found)
    offsets = _code_points(syntaxes[0].data, [start for _, start in placed])
    return Symbols(tuple(definition for definition, _ in placed), references, offsets)


def _code_points(data: bytes, positions: list[int]) -> tuple[int, ...]:
    """Offsets in bytes of UTF-8 as offsets in code points; each byte is decoded once."""
    if data.isascii():
        return tuple(positions)
    offsets: dict[int, int] = {}
    last = count = 0
    for position in sorted(positions):
        count += len(data[last:position].decode("utf-8", "replace"))
        offsets[position], last = count, position
    return tuple(offsets[position] for position in positions)


def _collect(
    syntax: Syntax,
    line: int | None,
    found: dict[int, Found],
    leading: dict[int, int],
    uses: dict[tuple[str, int], int],
) -> None:
    query, data = query_of(syntax.grammar), syntax.data
    if query is None or is_lost(syntax.tree.root_node):
        return
    cursor = QueryCursor(query)
    if line is not None:
        cursor.set_point_range((line, 0), (line + 1, 0))
    for pattern, captures in cursor.matches(syntax.tree.root_node):
        if "reference" in captures:
            for node in captures["reference"]:
                start = node.start_byte
                name = _used_name(data[start : node.end_byte])
                if name:
                    uses.setdefault((name, node.start_point[0]), start)
        elif "leading" in captures:
            for node in captures["leading"]:
                _collect_leading(node, data, leading)
        else:
            _collect_definition(pattern, captures, data, found)


@functools.lru_cache(maxsize=_KEPT_NAMES)
def _used_name(written: bytes) -> str:
    """The bare name of a use as it is written; "" for what is none, such as an operator."""
    parts = parts_of(written.decode("utf-8", "replace"))
    return parts[-1] if parts and parts[-1] not in _SPECIAL_FORMS and _WORD.search(parts[-1]) else ""


def _collect_leading(node: Node, data: bytes, leading: dict[int, int]) -> None:
    """Rows that belong to what follows: last row -> first row. A remark behind code is not one."""
    start = node.start_byte
    line_start = data.rfind(b"\n", 0, start) + 1
    if start == line_start or data[line_start:start].isspace():
        leading[_last_row(node)] = node.start_point[0]


def _collect_definition(pattern: int, captures: dict[str, list[Node]], data: bytes, found: dict[int, Found]) -> None:
    kind = next((key for key in captures if key not in _NOT_KINDS and key[0] != "_"), "")
    names = captures.get("name") or captures.get("selector") or [_declared(n) for n in captures.get("declarator", ())]
    if not kind or not names:
        return
    node, scopes = captures[kind][0], captures.get("scope")
    end = captures["tail"][0] if "tail" in captures else node
    scope = _parts(scopes[0], data, "") if scopes else []
    for name in names[:1] if "selector" in captures else names:
        parts = _selector(names, data) if "selector" in captures else _parts(name, data, kind)
        if not parts:
            continue
        item = Found(
            node.start_byte, end.end_byte, node.start_point[0], _last_row(end) + 1,
            name.start_byte, name.start_point[0], kind, pattern, parts, scope, "rest" in captures,
        )  # fmt: skip
        known = found.get(item.name_start)
        found[item.name_start] = _merged(known, item) if known else item


def _merged(one: Found, other: Found) -> Found:
    """Two patterns found one name: the earlier one knows its kind better, the outer node all that belongs to it."""
    better, worse = (one, other) if one.pattern <= other.pattern else (other, one)
    return replace(
        better,
        start=min(one.start, other.start),
        row=min(one.row, other.row),
        end=max(one.end, other.end),
        end_row=max(one.end_row, other.end_row),
        scope=better.scope or worse.scope,
    )


def _parts(node: Node, data: bytes, kind: str) -> list[str]:
    return parts_of(data[node.start_byte : node.end_byte].decode("utf-8", "replace"), verbatim=kind in _VERBATIM)


def _selector(words: list[Node], data: bytes) -> list[str]:
    """`insert:at:` of `- (void)insert:(id)item at:(int)place`."""
    takes = len(words) > 1 or data[words[0].end_byte : words[0].end_byte + 8].lstrip()[:1] == b":"
    texts = [data[word.start_byte : word.end_byte].decode("utf-8", "replace") for word in words]
    return ["".join(f"{text}:" for text in texts) if takes else texts[0]]


def _last_row(node: Node) -> int:
    """The last row that the node has text on; some grammars count the line end behind it."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _declared(node: Node) -> Node:
    """The name inside a declarator: `*name`, `(name)(int)`, `name[3]`, `ns::name(int)`."""
    for _ in range(_DEEPEST_DECLARATOR):
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type.startswith(("parenthesized", "reference", "attributed")):
            inner = node.named_child(0)
        if inner is None:
            break
        node = inner
    return node


def _place(found: list[Found], leading: dict[int, int]) -> list[tuple[Definition, int]]:
    """Names qualified by what encloses them, spans with their comments."""
    placed: list[tuple[Definition, int]] = []
    open_items: list[tuple[Found, list[str], str]] = []
    last_in: dict[str, int] = {}  # qualified name of an owner -> position in `placed` of the last thing in it
    for item in found:
        while open_items and _closed(open_items[-1][0], item):
            open_items.pop()
        outer, outer_kind = (open_items[-1][1], open_items[-1][2]) if open_items else ([], "")
        if item.kind == "constant" and outer_kind in _CALLABLE:
            continue  # a local
        kind = _kind(item, outer_kind)
        qualified = [*outer, *item.scope, *item.parts][-_MOST_LEVELS:]
        open_items.append((item, qualified, kind))
        row = item.row
        while row - 1 in leading and leading[row - 1] < row:
            row = leading[row - 1]
        span, name = Span(row, item.end_row), ".".join(qualified)
        before = last_in.get(".".join(outer), -1)
        if item.kind == "clause" and before >= 0 and placed[before][0].qualified_name == name:
            known, position = placed[before]
            placed[before] = replace(known, span=Span(known.span.start_line, item.end_row)), position
            continue
        last_in[".".join(outer)] = len(placed)
        placed.append((Definition(item.parts[-1], name, kind, span, item.name_row), item.name_start))
    return placed


def _kind(item: Found, outer: str) -> str:
    kind = "function" if item.kind == "clause" else item.kind
    return "method" if kind == "function" and (outer in _OWNERS or item.scope) else kind


def _closed(outer: Found, item: Found) -> bool:
    """Whether `outer` ended before `item`, or is its equal: `const a = 1, b = 2` is one node with two names."""
    if outer.rest:
        return item.rest
    return outer.end <= item.start or (outer.start == item.start and outer.end == item.end)
