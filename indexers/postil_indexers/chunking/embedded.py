"""Scripts inside markup: the JavaScript and TypeScript of HTML, Vue and Svelte files, read by their own grammar."""

from __future__ import annotations

from tree_sitter import Node, Query, QueryCursor, Range

from postil_indexers.chunking.syntax import Syntax, language, parse_syntax

_MARKUP = frozenset({"html", "vue", "svelte", "astro"})
_SCRIPTS = "(script_element (start_tag) @tag (raw_text) @code)"
_FRONTMATTER = "(frontmatter (frontmatter_js_block) @code)"  # what stands between the dashes of an Astro file
_TYPESCRIPT = (b'lang="ts"', b"lang='ts'", b"lang=ts", b'lang="tsx"', b"typescript")
_NOT_SCRIPTS = (b"json", b"text/template", b"text/x-", b"text/html", b"importmap", b"text/markdown")


def embedded_syntaxes(syntax: Syntax) -> list[Syntax]:
    """The trees of all scripts in a file of markup; empty for any other language."""
    if syntax.grammar not in _MARKUP:
        return []
    ranges: dict[str, list[Range]] = {}
    for _, captures in _matches(syntax, _SCRIPTS):
        tag = syntax.data[captures["tag"][0].start_byte : captures["tag"][0].end_byte]
        if not any(word in tag for word in _NOT_SCRIPTS):
            grammar = "typescript" if any(word in tag for word in _TYPESCRIPT) else "javascript"
            ranges.setdefault(grammar, []).append(_range(captures["code"][0]))
    if syntax.grammar == "astro":
        for _, captures in _matches(syntax, _FRONTMATTER):
            ranges.setdefault("typescript", []).append(_range(captures["code"][0]))
    return [parse_syntax(syntax.data, grammar, sorted(parts, key=_start)) for grammar, parts in ranges.items()]


def _matches(syntax: Syntax, source: str) -> list[tuple[int, dict[str, list[Node]]]]:
    return QueryCursor(Query(language(syntax.grammar), source)).matches(syntax.tree.root_node)


def _range(node: Node) -> Range:
    return Range(node.start_point, node.end_point, node.start_byte, node.end_byte)


def _start(part: Range) -> int:
    return part.start_byte
