"""How a name stands in source and how it is shown: `ns::Class::method`, `M.foo:bar` and `"a test"` to dotted names."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_SEPARATOR = re.compile(r"::|->|[.:\\#/]")
_QUALIFIED = re.compile(r"~?[\w$?!'@*-]+(?:(?:::|->|[.:\\#/])~?[\w$?!'@*=<>+-]+)+\Z")
_TEMPLATE = re.compile(r"<[^<>]*>|\{[^{}]*\}")
_KEYED = re.compile(r"[\w$.:]+(?:\[[^\]]+\])+\Z")  # M["a"]["b"]
_KEYS = re.compile(r"""\[\s*["']?(.*?)["']?\s*\]|([\w$]+)""")
_EDGE = re.compile(r"^\.(?=\w)|(?<=\w)\.$")  # the dot of a style sheet's class, the full stop of COBOL
_SPACED_SYMBOL = re.compile(r"^ (?=\W)")  # `operator ==`, but `operator bool`
_MOST_PARTS = 8  # keys in a row; more are data
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
        return [text.strip(_QUOTES)[:_LONGEST]] if text else []
    text = _EDGE.sub("", text)
    owner, operator, symbol = text.rpartition("operator")
    if operator and (not owner or owner.endswith("::")):
        return [*_split(_without_templates(owner.removesuffix("::"))), operator + _SPACED_SYMBOL.sub("", symbol)]
    if text[:1] == "(" and text[-1:] == ")":  # an operator of ML or Haskell
        return [text[1:-1].strip()]
    if text[-1:] == "]" and _KEYED.match(text):
        return [quoted or plain for quoted, plain in _KEYS.findall(text)][:_MOST_PARTS]
    if "::" in text or text[-1:] in (">", "}"):
        text = _without_templates(text)
    return _split(text.strip(_QUOTES) if text[:1] in _QUOTES else text)


def _split(text: str) -> list[str]:
    if not _QUALIFIED.match(text):
        return [text[:_LONGEST]] if text else []
    return [part for part in _SEPARATOR.split(text) if part and part != "prototype"]


def _without_templates(text: str) -> str:
    while (shorter := _TEMPLATE.sub("", text)) not in (text, ""):
        text = shorter
    return text
