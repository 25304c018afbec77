"""Whether something can be completed at a place of a note, and what of the text it would replace."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postil_indexers.chunking.inline import BEFORE_TAG
from postil_indexers.chunking.sites import Range, Sites, code_spans

_WIKI = re.compile(r"(!?)\[\[([^\[\]|\n]*)$")
_WIKI_REST = re.compile(r"[^\[\]|#\n]*?(?=\]\])|[^\[\]|#\n]*?(?=[|#][^\[\]\n]*\]\])")
_WIKI_TEXT = re.compile(r"\[\[[^\[\]\n]*$")  # behind the `|` of a link
_INLINE = re.compile(r"\]\(\s*+(<?)([^()<>\n]*)$")
_INLINE_REST = re.compile(r"[^\s()<>#]*(?=[)#])")
_ANGLED_REST = re.compile(r"[^()<>#\n]*(?=[>#])")
_TAG = re.compile(r"#([^\s#\[\]()`\"'<>,;:!?]*)$")
_HEADING = re.compile(r"[ >]{0,8}#{1,6}(?:\s|$)")
_FRONT_KEY = re.compile(r"(?:tags?|keywords?|标签|標籤|关键词|關鍵詞)\s*[:=]", re.IGNORECASE)
_FRONT_BREAK = re.compile(r"[\s,\[\]\"'#]")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is being written, as a link or a tag that is not whole yet."""

    what: str  # "wiki", "embed", "inline", "tag"
    query: str  # typed so far: of the target, the anchor or the tag
    place: Range  # what a completion replaces
    target: str | None = None  # of the link whose anchor is being written; None: the target itself
    is_block: bool = False  # the anchor begins with `^`
    closes: bool = False  # `]]` is to come behind it; where it stands there already, it is in `place`
    is_angled: bool = False
    has_rest: bool = False  # an anchor or a text follows, which stays


def asked_at(sites: Sites, offset: int, typed: str | None) -> Asked | None:
    """None where nothing is to be completed: in code, front matter but for its tags, and plain words.

    `typed`: the character that the editor asks for, None where the user does.
    """
    line = sites.line_of(offset)
    start = sites.starts[line]
    before, after = sites.lines[line][: offset - start], sites.lines[line][offset - start :]
    if line < sites.front.end_line:
        return _front_tag(sites, line, before, offset)
    if line not in sites.prose or _in_code(sites, line, offset):
        return None
    if wiki := _WIKI.search(before):
        return _wiki(wiki, after, offset)
    if _WIKI_TEXT.search(before):
        return None
    if inline := _INLINE.search(before):
        return _inline(inline, after, offset)
    return _tag(sites, before, offset, typed)


def _wiki(found: re.Match[str], after: str, offset: int) -> Asked:
    what = "embed" if found[1] else "wiki"
    target, sign, anchor = found[2].partition("#")
    rest = _WIKI_REST.match(after)
    end = offset + (len(rest[0]) if rest else 0)
    closed = rest is not None and after.startswith("]]", len(rest[0]))
    has_rest = rest is not None and not closed
    closes = not has_rest
    end += 2 * closed
    if not sign:
        return Asked(what, target, (offset - len(target), end), closes=closes, has_rest=has_rest)
    typed = anchor.rpartition("#")[2]
    place = (offset - len(typed), end)
    return Asked(what, typed.removeprefix("^"), place, target, typed.startswith("^"), closes, has_rest=has_rest)


def _inline(found: re.Match[str], after: str, offset: int) -> Asked | None:
    is_angled, written = bool(found[1]), found[2]
    if not is_angled and " " in written.strip():
        return None  # a title is being written
    rest = (_ANGLED_REST if is_angled else _INLINE_REST).match(after)
    end = offset + (len(rest[0]) if rest else 0)
    target, sign, anchor = written.partition("#")
    if sign:
        return Asked("inline", anchor, (offset - len(anchor), end), target, is_angled=is_angled)
    return Asked("inline", target, (offset - len(target), end), is_angled=is_angled)


def _tag(sites: Sites, before: str, offset: int, typed: str | None) -> Asked | None:
    found = _TAG.search(before)
    if found is None or (found.start() and before[found.start() - 1] not in BEFORE_TAG):
        return None
    if _HEADING.match(before) and (typed is not None or before.strip("#> ")):
        return None  # a lone `#` becomes a heading more often than a tag; asked for, it may be one
    if any(site.link.start < offset < site.link.end for site in sites.links):
        return None
    return Asked("tag", found[1], (offset - len(found[1]), offset))


def _front_tag(sites: Sites, line: int, before: str, offset: int) -> Asked | None:
    if not 0 < line < sites.front.end_line - 1:
        return None
    key = line
    while key > 0 and sites.lines[key].lstrip().startswith(("- ", "-\t")):
        key -= 1
    key_line = sites.lines[key]
    found = _FRONT_KEY.match(key_line)
    if found is None or (key == line and found.end() > len(before)):
        return None
    typed = _FRONT_BREAK.split(before)[-1]
    if key != line and not before.lstrip().startswith("-"):
        return None
    return Asked("tag", typed, (offset - len(typed), offset))


def _in_code(sites: Sites, line: int, offset: int) -> bool:
    """Whether in a code span of the paragraph around the line."""
    first = last = line
    while first - 1 in sites.prose:
        first -= 1
    while last + 1 in sites.prose:
        last += 1
    start = sites.starts[first]
    end = sites.starts[last + 1] if last + 1 < len(sites.starts) else len(sites.text)
    return any(start + first < offset < start + last for first, last in code_spans(sites.text[start:end]))
