"""Links, tags and block ids in the text of one paragraph, heading or table row.

One pass over the characters that mean something; code spans, raw HTML and escapes hide what is in them. Every step
takes time in proportion to the text it passes, whatever the text is.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from postil_indexers.chunking.verbatim import HTML_TAG

_TOKEN = re.compile(r"\\|`|\[|\]|<|#|://")
_RUN = re.compile("`+")
_WIKI = re.compile(r"\[\[([^\[\]\n|]{0,1000}+)(?:\|((?>(?:[^\n\[\]]|\[(?!\[)|\](?!\])){0,1000})))?\]\]")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+)>")
_HTML_TAG = re.compile(HTML_TAG)
_SHORT_COMMENT = re.compile(r"<!---?>")
_SCHEMES = ("https", "http")
_BARE_URL = re.compile(r"://[^\s<>\"`\[\]{}|\\^，。；：！？、）」』】》]+")
_URL_TAIL = ".,:;!?'*_~"  # belongs to the sentence, not to the address
_SLASHED = r"\\(?:\S|(?!\S))"  # a backslash hides no space
_NESTED = (  # three deep is deep enough
    rf"\((?:[^\s()\\]|{_SLASHED}|\((?:[^\s()\\]|{_SLASHED}|\([^\s()]{{0,200}}\)){{0,200}}\)){{0,500}}\)"
)
_UNANGLED = rf"(?:[^\s()<\\]|{_SLASHED}|{_NESTED})(?>(?:[^\s()\\]|{_SLASHED}|{_NESTED}){{0,2000}})"
_DESTINATION = rf"(?:<((?:[^<>\n\\]|\\[^\n]){{0,2000}})>|({_UNANGLED})?)"
_TITLE = r"(?:\"(?>(?:[^\"\\]|\\.){0,1000})\"|'(?>(?:[^'\\]|\\.){0,1000})'|\((?>(?:[^()\\]|\\.){0,1000})\))"
_INLINE = re.compile(rf"\(\s*+{_DESTINATION}(?:\s++{_TITLE})?\s*+\)", re.DOTALL)
_DEFINITION = re.compile(
    rf"[ \t>]*+(?:(?:[-+*]|\d{{1,9}}[.)])[ \t]++)?\[(?!\^)((?:[^\[\]\\]|\\.){{1,999}})\]:\s*+{_DESTINATION}"
    rf"(?:[ \t]*+\n?[ \t]*+{_TITLE})?[ \t]*+(?:[\r\n]++|$)",
    re.DOTALL,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")

# A tag follows white space or an opening mark; it ends at punctuation, ASCII's (but for - _ /) or other scripts'.
BEFORE_TAG = frozenset(" \t\r\n\f\u3000(（【「《，。、；：！？,;|*~>")
_TAG_NAME = re.compile(
    r"#([^\s\x00-,.:-@\[-^`{-\x7f\u2000-\u206f\u3000-\u303f\uff00-\uff20\uff3b-\uff40\uff5b-\uff65]{1,200})"
)
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$")
_NUMBER = re.compile(r"[\d/_-]*$")
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t\n\r]))\^([A-Za-z0-9-]+)[ \t]*(?=[\r\n]|$)")


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link as found; offsets in the text that was scanned."""

    destination: str  # as written: anchor, escapes and percent signs are still in it
    text: str
    style: str  # as types.Link.style
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A line `[label]: destination`; offsets in the text that was scanned."""

    label: str
    opener: int  # of the label's bracket
    start: int  # of the destination as written, without <>
    end: int
    is_angled: bool


def take_definitions(text: str, labels: dict[str, str]) -> int:
    """Adds the `[label]: destination` lines that a paragraph starts with to `labels`; returns where its text starts."""
    position = 0
    while found := _DEFINITION.match(text, position):
        destination = found[2] if found[2] is not None else found[3]
        if destination is None or not found[1].strip():
            break
        labels.setdefault(folded_label(found[1]), destination)
        position = found.end()
    return position


def definitions(text: str, end: int) -> Iterator[Definition]:
    """Those that `take_definitions` took, which returned `end`."""
    position = 0
    while position < end and (found := _DEFINITION.match(text, position)):
        group = 2 if found[2] is not None else 3
        yield Definition(found[1], found.start(1) - 1, *found.span(group), is_angled=group == 2)
        position = found.end()


def inline_destination(text: str, at: int) -> tuple[int, int, bool] | None:
    """Where the destination in the parenthesis at `at` stands, and whether in <>; None where that is no link's."""
    found = _INLINE.match(text, at)
    if found is None:
        return None
    group = 1 if found[1] is not None else 2
    start, end = found.span(group)
    return (start, end, group == 1) if start >= 0 else (at + 1, at + 1, False)


def block_ids(text: str) -> Iterator[tuple[str, int]]:
    """(name, offset) of each `^name` that ends a line."""
    return ((found[1], found.start()) for found in _BLOCK_ID.finditer(text)) if "^" in text else iter(())


_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,32});")  # html.unescape takes some without the ";"


def destination_parts(destination: str) -> tuple[str, str]:
    """(target, anchor) of an inline destination: unescaped, and percent-decoded unless it is an address."""
    if "\\" in destination:
        destination = _ESCAPED.sub(r"\1", destination)
    if "&" in destination:
        destination = _ENTITY.sub(lambda found: html.unescape(found[0]), destination)
    target, _, anchor = destination.partition("#")
    if "%" in destination and not _SCHEME.match(target):
        return unquote(target), unquote(anchor)
    return target, anchor


def wiki_parts(inside: str) -> tuple[str, str]:
    """(target, anchor) of a wiki link: `note`, `note#heading`, `note#^block`, `note^block`."""
    target, hash_sign, anchor = inside.removesuffix("\\").partition("#")  # in a table the pipe is written `\|`
    if not hash_sign and "^" in target:
        target, _, block = target.partition("^")
        anchor = f"^{block}"
    return target.strip(), anchor.strip()


class InlineScanner:
    """Finds the links and tags of one text after another, given the labels that the whole note defines."""

    __slots__ = ("_closed", "_labels", "_last_comment_end", "_openers", "_runs", "_text", "links", "tags")

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = labels

    def scan(self, text: str, position: int = 0) -> None:
        """Sets `links`, and `tags` as (name, offset), to what `text` holds from `position` on."""
        self.links: list[RawLink] = []
        self.tags: list[tuple[str, int]] = []
        self._text = text
        self._openers: list[tuple[int, bool]] = []  # where a bracket opened, and whether as an image
        self._closed = 0  # so many openers are already around a link, and links hold no links
        self._runs: dict[int, list[int]] | None = None
        self._last_comment_end: int | None = None
        while token := _TOKEN.search(text, position):
            position = self._step(token.start(), position)

    def _step(self, at: int, after: int) -> int:
        """Handles the mark at `at`, everything before `after` being done; returns where to go on."""
        text = self._text
        mark = text[at]
        if mark == "[":
            return self._open(at, after)
        if mark == "]":
            return self._close(at)
        if mark == "#":
            return self._tag(at)
        if mark == "`":
            return self._code(at)
        if mark == "<":
            return self._angle(at)
        return at + 2 if mark == "\\" else self._bare_url(at, after)

    def _open(self, at: int, after: int) -> int:
        text = self._text
        image = at > after and text[at - 1] == "!" if after else text[at - 1 : at] == "!"
        if text.startswith("[", at + 1) and (wiki := _WIKI.match(text, at)) and wiki[1].strip():
            alias = (wiki[2] or "").strip()
            self.links.append(RawLink(wiki[1], alias, "embed" if image else "wiki", at - image, wiki.end()))
            return wiki.end()
        self._openers.append((at, image))
        return at + 1

    def _close(self, at: int) -> int:
        if not self._openers:
            return at + 1
        opener, image = self._openers.pop()
        depth = len(self._openers)
        active = image or depth >= self._closed
        self._closed = min(self._closed, depth)
        if not active:
            return at + 1
        found = self._target(opener, at)
        if found is None:
            return at + 1
        destination, style, end = found
        text = self._text[opener + 1 : at]
        self.links.append(RawLink(destination, text, "image" if image else style, opener - image, end))
        if not image:
            self._closed = depth
        return end

    def _target(self, opener: int, at: int) -> tuple[str, str, int] | None:
        """(destination, style, end) of the link whose text ends with the bracket at `at`; None where it is no link."""
        text = self._text
        if text.startswith("(", at + 1) and (inline := _INLINE.match(text, at + 1)):
            return inline[1] if inline[1] is not None else inline[2] or "", "inline", inline.end()
        if not self._labels:
            return None
        label, end = text[opener + 1 : min(at, opener + 1000)], at + 1
        if text.startswith("[", at + 1) and (second := _LABEL.match(text, at + 1)):
            label, end = second[1] or label, second.end()
        destination = self._labels.get(folded_label(label))
        return None if destination is None else (destination, "reference", end)

    def _tag(self, at: int) -> int:
        text = self._text
        found = _TAG_NAME.match(text, at)
        if found is None or (at and text[at - 1] not in BEFORE_TAG):
            return at + 1 if found is None else found.end()
        name = found[1].rstrip("/-")
        if name and not _NUMBER.match(name) and not _COLOUR.match(name):
            self.tags.append((name, at))
        return found.end()

    def _code(self, at: int) -> int:
        """Past the code span that starts at `at`, or past its backticks where none closes it."""
        text = self._text
        if self._runs is None:
            self._runs = {}
            for run in _RUN.finditer(text):
                self._runs.setdefault(run.end() - run.start(), []).append(run.start())
        end = at + 1
        while text.startswith("`", end):
            end += 1
        same = self._runs.get(end - at, ())
        following = bisect_right(same, at)
        return same[following] + end - at if following < len(same) else end

    def _angle(self, at: int) -> int:
        text = self._text
        if link := _AUTOLINK.match(text, at):
            self.links.append(RawLink(link[1], link[1], "autolink", at, link.end()))
            return link.end()
        if text.startswith("!--", at + 1):
            if short := _SHORT_COMMENT.match(text, at):
                return short.end()
            if self._last_comment_end is None:
                self._last_comment_end = text.rfind("-->")  # looked for once: comments may be many and unclosed
            return text.find("-->", at + 4) + 3 if self._last_comment_end >= at + 4 else at + 1
        tag = _HTML_TAG.match(text, at)
        return tag.end() if tag else at + 1

    def _bare_url(self, at: int, after: int) -> int:
        """A URL without any markup; in brackets it is the text of a link, and none itself."""
        text = self._text
        scheme = next((name for name in _SCHEMES if text.endswith(name, max(after, at - 5), at)), "")
        found = _BARE_URL.match(text, at) if scheme else None
        if found is None or text[at - len(scheme) - 1 : at - len(scheme)].isalnum():
            return at + 3
        start = at - len(scheme)
        url = text[start : found.end()].rstrip(_URL_TAIL)
        if url.endswith(")") and "(" not in url:
            url = url.rstrip(")")
        if not self._openers:
            self.links.append(RawLink(url, url, "autolink", start, start + len(url)))
        return max(start + len(url), at + 3)


def folded_label(text: str) -> str:
    """Labels that differ only in case and white space are the same."""
    return " ".join(text.split()).casefold()
