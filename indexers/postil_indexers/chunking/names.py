"""How a name stands in source and how it is shown: `ns::Class::method`, `M.foo:bar` and `"a test"` to dotted names."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_SEPARATOR = re.compile(r"::|->|[.:\\#/]")
_QUALIFIED = re.compile(r"~?[\w$?!'@*-]+(?:(?:::|->|[.:\\#/])~?[\w$?!'@*=<>+-]+)+\Z")
_TEMPLATE = re.compile(r"<[^<>]*>")
_EDGE = re.compile(r"^\.(?=\w)|(?<=\w)\.$")  # the dot of a style sheet's class, the full stop of COBOL
_QUOTES = "\"'`“”"
_LONGEST = 120  # characters; a longer "name" is an expression or a whole test description


def parts_of(text: str, *, verbatim: bool = False) -> list[str]:
    """The parts of a name as written, outermost first; the last is the bare name. Empty for what is no name.

    `verbatim`: the text of a test or a heading, which is a name as a whole.
    """
    if _PLAIN.match(text):
        return [text]
    text = " ".join(text.split())
    if verbatim:
        return [text.strip(_QUOTES)[:_LONGEST]]
    text = _EDGE.sub("", text)
    operator = text.rpartition("operator")
    if operator[1] and (not operator[0] or operator[0].endswith("::")):
        return [*_split(operator[0].removesuffix("::")), "operator" + operator[2]]
    if ("<" in text and "::" in text) or (text.endswith(">") and text[0] != "<"):
        text = _without_templates(text)
    return _split(text.strip(_QUOTES) if text[:1] in _QUOTES else text)


def _split(text: str) -> list[str]:
    if not _QUALIFIED.match(text):
        return [text[:_LONGEST]] if text else []
    return [part for part in _SEPARATOR.split(text) if part and part != "prototype"]


def _without_templates(text: str) -> str:
    before = ""
    while before != text:
        before, text = text, _TEMPLATE.sub("", text)
    return text or before
