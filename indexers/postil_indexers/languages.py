"""What language a file is in, from its name and first line, and which grammar reads it."""

from __future__ import annotations

import functools
import re
import typing
from importlib.resources import files
from typing import NamedTuple

# Languages whose grammar has another name, and near relatives that a grammar reads well enough to split.
_GRAMMARS = {
    "arduino": "cpp",
    "avro": "json",
    "cython": "python",
    "erb": "html",
    "gotemplate": "html",
    "gowork": "gomod",
    "handlebars": "html",
    "less": "scss",
    "mojo": "python",
    "notebook": "json",
    "qml": "qmljs",
    "puppet": "puppet",
    "systemverilog": "verilog",
    "heex": "heex",
    "devicetree": "devicetree",
}
# Bundled grammars that read prose, or a line at a time: nothing that splitting by lines would not do.
_BY_LINES_WORDS = "csv tsv diff text markdown rst gitignore gitattributes requirements org query mermaid"
_BY_LINES = frozenset(_BY_LINES_WORDS.split())
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([A-Za-z][\w+-]*?)(?:[\d.]+)?(?:\s|$)")
_MODELINE = re.compile(r"-\*-\s*(?:.*?mode:\s*)?([\w+#-]+)\s*(?:;.*)?-\*-|\bvim?:.*?\b(?:ft|filetype|syntax)=(\w+)")
_MODES = {
    "c++": "cpp",
    "sh": "bash",
    "shell-script": "bash",
    "js": "javascript",
    "emacs-lisp": "elisp",
    "lisp": "commonlisp",
    "objective-c": "objc",
    "zsh": "bash",
    "cperl": "perl",
    "makefile": "make",
    "bazel": "starlark",
    "bzl": "starlark",
    "plaintext": "text",
    "txt": "text",
    "tex": "latex",
    "cs": "csharp",
    "js2": "javascript",
    "enh-ruby": "ruby",
}


class _Table(NamedTuple):
    extensions: dict[str, str]  # to languages, as the others
    names: dict[str, str]
    patterns: list[tuple[str, str, str]]  # beginning and end of a name, language
    interpreters: dict[str, str]
    languages: frozenset[str]


@functools.cache
def _table() -> _Table:
    text = (files("postil_indexers") / "languages.txt").read_text(encoding="utf-8")
    table = _Table({}, {}, [], {}, frozenset(re.findall(r"^(\w+):", text, re.M)))
    for row in text.splitlines():
        language, _, rest = row.partition(":")
        if row.startswith("#"):
            continue
        extensions, names, interpreters = [*map(str.split, rest.split("|")), [], []][:3]
        for extension in extensions:
            table.extensions.setdefault(extension, language)
        for name in names:
            before, star, after = name.partition("*")
            if star:
                table.patterns.append((before, after, language))
            else:
                table.names[name] = language
        table.interpreters.update((program, language) for program in interpreters)
    return table


def language_of(path: str, first_line: str = "") -> str:
    """The language, in lower case, of a file by its name, else by the interpreter or editor mode its first line names.

    "text" where neither says anything.
    """
    table = _table()
    name = path.rpartition("/")[2].lower()
    if name in table.names:
        return table.names[name]
    by_extension = _language_of_extension(name, table.extensions)
    for before, after, language in table.patterns:
        fits = len(name) > len(before) + len(after) and name.startswith(before) and name.endswith(after)
        if fits and (after or not by_extension):  # dockerfile.pm is Perl
            return language
    return by_extension or _language_of_line(first_line) or "text"


def _language_of_extension(name: str, extensions: dict[str, str]) -> str | None:
    """By the longest ending after a dot that is known; a name that only starts with a dot may be one as a whole."""
    dot = name.find(".", 1)
    while dot > 0:
        if name[dot:] in extensions:
            return extensions[name[dot:]]
        dot = name.find(".", dot + 1)
    return extensions.get(name)


def _language_of_line(line: str) -> str | None:
    shebang = _SHEBANG.match(line)
    if shebang:
        return _table().interpreters.get(shebang[1].lower())
    if line.startswith("<?php"):
        return "php"
    if line.startswith("<?xml"):
        return "xml"
    mode = _MODELINE.search(line[:200])
    if mode:
        word = (mode[1] or mode[2]).lower()
        language = _MODES.get(word, word)
        return language if language in _table().languages else None
    return None


def grammar_of(language: str) -> str | None:
    """The name of the tree-sitter grammar that reads a language; None where it is split by lines."""
    if language in _BY_LINES:
        return None
    grammar = _GRAMMARS.get(language, language)
    return grammar if grammar in _bundled() else None


@functools.cache
def _bundled() -> frozenset[str]:
    from tree_sitter_language_pack import SupportedLanguage  # heavy, and not needed to name a language

    return frozenset(typing.get_args(SupportedLanguage))
