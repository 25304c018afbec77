"""Definitions by their first line, for languages that no bundled grammar reads, or reads only in part."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from postil_indexers.chunking.definitions import Symbols
from postil_indexers.chunking.lines import Lines
from postil_indexers.chunking.names import parts_of
from postil_indexers.types import Definition, Span

_CLOSING = re.compile(r"\s*(?:\}|end\b|\))", re.I)
_LONGEST = 300  # characters of a line; a definition says its name earlier
_NAME = r"(?P<name>[A-Za-z_][\w.$!?-]*)"
_BASIC = r"(?:(?:public|private|friend|protected|shared|static|overrides|async)\s+)*"
# language: (kind, what a line that defines it starts with)
_OUTLINES: dict[str, tuple[tuple[str, str], ...]] = {
    "tcl": (("function", r"(?:proc|method)\s+(?P<name>[^\s{}\[\]]+)\s"), ("class", rf"oo::class\s+create\s+{_NAME}")),
    "haxe": (
        ("enum", rf"(?:extern\s+|private\s+)*enum\s+(?:abstract\s+)?{_NAME}"),
        ("type", rf"(?:private\s+)?(?:typedef|abstract)\s+{_NAME}"),
    ),
    "awk": (("function", rf"func(?:tion)?\s+{_NAME}"),),
    "coffeescript": (
        ("class", rf"class\s+{_NAME}"),
        ("function", rf"(?:exports\.)?{_NAME}\s*[:=]\s*(?:\([^)]*\)\s*)?[-=]>"),
    ),
    "crystal": (
        ("class", r"(?:abstract\s+)?class\s+(?P<name>[\w:]+)"),
        ("struct", r"(?:abstract\s+)?struct\s+(?P<name>[\w:]+)"),
        ("module", r"module\s+(?P<name>[\w:]+)"),
        ("enum", r"enum\s+(?P<name>[\w:]+)"),
        ("macro", rf"macro\s+{_NAME}"),
        ("function", r"(?:private\s+|protected\s+|abstract\s+)*def\s+(?P<name>(?:self\.)?[\w?!=+*/<>\[\]-]+)"),
    ),
    "raku": (
        ("class", r"(?:unit\s+)?(?:class|role|grammar)\s+(?P<name>[\w:-]+)"),
        ("function", r"(?:multi\s+)?(?:sub|method)\s+(?P<name>[\w-]+)"),
    ),
    "vb": (
        ("class", rf"{_BASIC}class\s+{_NAME}"),
        ("module", rf"{_BASIC}module\s+{_NAME}"),
        ("interface", rf"{_BASIC}interface\s+{_NAME}"),
        ("function", rf"{_BASIC}(?:sub|function|property\s+(?:get|let|set)?)\s+{_NAME}"),
    ),
    "vala": (
        ("class", rf"(?:public\s+|private\s+|abstract\s+)*class\s+{_NAME}"),
        ("interface", rf"(?:public\s+|private\s+)*interface\s+{_NAME}"),
    ),
    "prolog": (("function", r"(?P<name>[a-z]\w*)\s*\([^%]*:-"),),
    "batch": (("function", r":(?P<name>[A-Za-z_][\w-]*)\s*$"),),
    "rescript": (
        ("module", rf"module\s+{_NAME}"),
        ("type", rf"type\s+(?:rec\s+)?{_NAME}"),
        ("function", rf"let\s+(?:rec\s+)?{_NAME}\s*=\s*(?:async\s*)?\(?[^=]*=>"),
    ),
    "reason": (
        ("module", rf"module\s+{_NAME}"),
        ("type", rf"type\s+{_NAME}"),
        ("function", rf"let\s+(?:rec\s+)?{_NAME}\s*=\s*\(?[^=]*=>"),
    ),
    "coq": (
        ("function", rf"(?:Program\s+)?(?:Lemma|Theorem|Definition|Fixpoint|Corollary|Example)\s+{_NAME}"),
        ("type", rf"(?:Co)?(?:Inductive|Record|Class)\s+{_NAME}"),
    ),
    "just": (("function", r"@?(?P<name>[a-z_][\w-]*)(?:\s+[^:]*)?:(?!=)"),),
    "nginx": (("module", r"(?:upstream|location)\s+(?P<name>\S.*?)\s*\{"),),
}


@cache
def outline_of(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(kind, pattern for a line) of a language; none where it has no outline."""
    flags = re.I if language in ("vb", "batch") else 0
    return tuple((kind, re.compile(rf"\s*{pattern}", flags)) for kind, pattern in _OUTLINES.get(language, ()))


def with_outline(symbols: Symbols, lines: Lines, language: str) -> Symbols:
    """`symbols`, and what the outline of the language finds on other lines. An inner name is indented further."""
    patterns = outline_of(language)
    if not patterns:
        return symbols
    known = {definition.line for definition in symbols.definitions}
    definitions, offsets = list(symbols.definitions), list(symbols.name_offsets)
    ends: dict[int, int] = {}  # position in `definitions` -> line behind its last one
    open_items: list[tuple[int, int]] = []  # indentation, position in `definitions`
    for line, text in enumerate(lines.lines):
        if open_items and _CLOSING.match(text) and _indent(text) == open_items[-1][0]:
            ends[open_items.pop()[1]] = line + 1
        hit = _match(patterns, text) if line not in known else None
        if hit is None:
            continue
        kind, name, column, indent = hit
        while open_items and open_items[-1][0] >= indent:
            ends[open_items.pop()[1]] = line
        outer = definitions[open_items[-1][1]] if open_items else None
        if outer and kind == "function" and outer.kind in ("class", "struct", "interface"):
            kind = "method"
        open_items.append((indent, len(definitions)))
        qualified = f"{outer.qualified_name}.{name}" if outer else name
        definitions.append(Definition(name.rpartition(".")[2], qualified, kind, Span(line, lines.count), line))
        offsets.append(lines.offset(line) + column)
    for position, end in ends.items():
        definitions[position] = replace(definitions[position], span=Span(definitions[position].span.start_line, end))
    return Symbols(tuple(definitions), symbols.references, tuple(offsets))


def _match(patterns: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> tuple[str, str, int, int] | None:
    """(kind, name, where it starts, indentation) of the definition that a line begins."""
    for kind, pattern in patterns:
        hit = pattern.match(text[:_LONGEST])
        if hit:
            return kind, ".".join(parts_of(hit["name"])), hit.start("name"), _indent(text)
    return None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
