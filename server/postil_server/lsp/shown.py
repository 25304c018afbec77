"""What a hover shows, made of texts that nobody vouches for: as Markdown that shows them as they are, or plain."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from postil_server.lsp.locale import Wording
from postil_server.lsp.uris import uri_of

# What begins markup inside a line; `snake_case` is none. Then what begins a block where a line starts.
_MARKUP = re.compile(r"[\\`*\[\]<~|]|(?<!\w)_|_(?!\w)|&(?=#|\w+;)")
_BLOCK = re.compile(r"(?=[#>+=-])|(?<=\d)(?=[.)])")
_FIRST = re.compile(r"\s*(?:[#>+=-]|\d+[.)])")
_SPACES = re.compile(r"\s+")
_FENCE = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a hover: a link to a place, in front or behind some words."""

    text: str = ""
    link: str = ""  # what the link says
    path: str = ""  # absolute, and the 0-based line, that it leads to
    line: int = 0
    uri: str = ""  # in place of a path: of a document that stands in no file
    after: str = ""
    reason: str = ""  # why it is shown; stands in brackets behind all that
    item: bool = False  # of a list
    below: str = ""  # a second line, which belongs to the item


@dataclass(frozen=True, slots=True)
class Shown:
    title: str = ""
    lines: tuple[Line, ...] = ()
    quoted: str = ""  # verbatim text, below the lines
    language: str = "markdown"  # of `quoted`
    columns: tuple[int, int] | None = field(default=None)  # code points of the hovered line that this is about

    def worded(self, wording: Wording) -> Shown:
        """The same in an editor's language: our words, not what they are about."""
        return replace(self, title=wording.said(self.title), lines=tuple(_worded(line, wording) for line in self.lines))

    @property
    def markdown(self) -> str:
        parts = [f"**{escaped(self.title)}**\n"] if self.title else []
        parts += [_markdown(line) for line in self.lines]
        if self.quoted:
            parts.append(fenced(self.quoted, self.language))
        return "\n".join(parts)

    @property
    def plain(self) -> str:
        parts = [self.title] if self.title else []
        parts += [_plain(line) for line in self.lines]
        return "\n".join([*parts, "", self.quoted] if self.quoted else parts)


def _worded(line: Line, wording: Wording) -> Line:
    reason = wording.reason(line.reason) if line.reason else ""
    return replace(line, text=wording.said(line.text), after=wording.said(line.after), reason=reason)


def _behind(line: Line) -> str:
    return f"{line.after} ({line.reason})" if line.reason else line.after


def _markdown(line: Line) -> str:
    link = f"[{escaped(line.link)}]({line.uri or uri_of(line.path, line.line)})" if line.link else ""
    text = f"{escaped(line.text)}{link}{escaped(_behind(line))}"
    if not line.item:
        return f"{text}\n"
    return f"- {text}  \n  {escaped(line.below)}" if line.below else f"- {text}"


def _plain(line: Line) -> str:
    text = f"{line.text}{line.link}{_behind(line)}"
    return f"- {text}\n  {line.below}" if line.item and line.below else f"- {text}" if line.item else text


def escaped(text: str) -> str:
    """As Markdown that shows just these characters on one line: no link, image, HTML or command comes of it."""
    text = _MARKUP.sub(r"\\\g<0>", _SPACES.sub(" ", text))
    return _BLOCK.sub(r"\\", text, count=1) if _FIRST.match(text) else text


def fenced(text: str, language: str) -> str:
    """In a fence that the text can't close, in which nothing is rendered or loaded."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
