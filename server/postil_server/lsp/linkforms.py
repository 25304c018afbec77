"""How a link is written: by name or by path, with or without extension; and the same way to write another."""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass, replace
from urllib.parse import quote

from postil_indexers.chunking.notes import NOTE_EXTENSIONS
from postil_indexers.links import LinkResolver
from postil_indexers.types import Link

_NOT_IN_WIKI = re.compile(r"[\[\]|#^\n\r]")
_ENCODED_LETTER = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


@dataclass(frozen=True, slots=True)
class Form:
    """`base`: "name" (the shortest that means one file), "relative" to the note, "root" or "absolute" (with a `/`)."""

    base: str
    extension: bool
    dotted: bool = False  # relative, with `./` in front where no `../` is


def form_of(link: Link, from_path: str, means: str) -> Form:
    """How `link`, in the note `from_path`, names the file `means`."""
    target = link.target.strip().replace("\\", "/").partition("?")[0] or link.target
    extension = _extension(target).lower() == _extension(means).lower() != ""
    if target.startswith("/"):
        return Form("absolute", extension)
    dotted = target.startswith(("./", "../"))
    wiki = link.style in ("wiki", "embed")
    relative = posixpath.normpath(posixpath.join(posixpath.dirname(from_path), target))
    if dotted or (("/" in target or not wiki) and _same(relative, means)):
        return Form("relative", extension, dotted=target.startswith("./"))
    if "/" in target and _same(posixpath.normpath(target), means):
        return Form("root", extension)
    return Form("name" if wiki else "relative", extension)


def write_target(form: Form, from_path: str, means: str, style: str, resolver: LinkResolver) -> str | None:
    """A target, not yet encoded, that means a file from a note. None where no way of writing it does."""
    forms = [form, replace(form, extension=True), Form("root", form.extension), Form("root", True)]
    if style in ("wiki", "embed"):
        forms.insert(1, Form("name", form.extension))
    forms.append(Form("absolute", True))
    for each in forms:
        for target in _candidates(each, from_path, means):
            if style in ("wiki", "embed") and _NOT_IN_WIKI.search(target):
                continue
            # a name is to mean the same from everywhere: readers take it for the file's, and notes are moved
            places = dict.fromkeys((from_path, "") if each.base == "name" else (from_path,))
            link = Link(target, "", "", style, 0, 0, 0)
            found = [resolver.resolve(place, link) for place in places]
            if all(one.path == means and not one.ambiguous for one in found):
                return target
    return None


def _candidates(form: Form, from_path: str, means: str) -> list[str]:
    path = means if form.extension else _bare(means)
    if form.base == "name":
        parts = path.split("/")
        return ["/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]
    if form.base == "relative":
        relative = posixpath.relpath(path, posixpath.dirname(from_path) or ".")
        return [f"./{relative}" if form.dotted and not relative.startswith("../") else relative]
    return [f"/{path}" if form.base == "absolute" else path]


def spell(target: str, style: str, *, is_angled: bool, written: str = "") -> str:
    """A target or an anchor as it stands in the text: percent-encoded where Markdown asks for it, more only where
    `written`, what stood there before, was."""
    if style in ("wiki", "embed"):
        return target
    keep = "/!$'*+,;:=@~&"
    if is_angled:
        text = target.replace("%", "%25").replace("<", "%3C").replace(">", "%3E").replace("#", "%23")
        return text.replace("\\", "%5C")
    if _ENCODED_LETTER.search(written):
        text = quote(target, safe=keep + _parentheses(target), errors="surrogateescape")
    else:
        safe = keep + _parentheses(target)
        text = "".join(c if c > "\x7f" and not c.isspace() else quote(c, safe=safe) for c in target)
    return text.replace("&", "%26") if html.unescape(text) != text else text


def _parentheses(target: str) -> str:
    """Those that may stand as they are: balanced, and not deeper than is read."""
    depth = deepest = 0
    for char in target:
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
        if depth < 0:
            return ""
    return "()" if depth == 0 and deepest <= 2 else ""


def _extension(path: str) -> str:
    return posixpath.splitext(path)[1]


def _bare(path: str) -> str:
    """Without the extension of a note, which a link may leave out."""
    stem, extension = posixpath.splitext(path)
    return stem if extension.lower() in NOTE_EXTENSIONS else path


def _same(place: str, means: str) -> bool:
    return place.casefold() in (means.casefold(), _bare(means).casefold())
