"""Markdown of an answer made safe as it comes: nothing in it becomes a link, an image, HTML or a control character.

What stays is emphasis, headings, lists, tables, code, and `[n]` where n is a source. Whoever shows the text adds link
definitions for those numbers, so they are the only thing that leads anywhere. Rules: CommonMark 0.31 and GFM's
autolinks (https://github.github.com/gfm/#autolinks-extension-).
"""

from __future__ import annotations

import re
from collections.abc import Collection

NOT_FOUND, WEAK, BRACKET = "\ue000", "\ue001", "\ue002"  # private use: never in what comes in
_SHOWN = {NOT_FOUND: " ⚠", WEAK: " ≈", BRACKET: "\\["}

# Control characters, those that turn the direction of text around, and those that nobody sees (tags, zero-width ones;
# joiners stay, which words of some scripts need); private use, which is our own here.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\u200b\u2060-\u2064\ufeff\ue000-\uf8ff\U000e0000-\U000e0fff]"
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_MARK = re.compile(r"\[\s*(\d{1,3}(?:\s*[,，、;]\s*\d{1,3})*)\s*\]")
_OPEN_MARK = re.compile(r"\[[\d\s,，、;]{0,40}$")  # what may become one
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_MAYBE_FENCE = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|(?:`{3,}|~{3,})[^\n]*)$")
_TICKS = re.compile(r"`+")
_INFO = re.compile(r"\w[\w+#.-]{0,20}")
_DRAWN = frozenset({"mermaid", "math", "plantuml", "graphviz", "dot"})  # some clients draw these, links and all
_NEXT = re.compile(r"[\\`<\[!:@wW\n\ue000-\ue002]")
_ESCAPE = re.compile(r"\\([\\`<\[!:@.(])")


def clean(text: str) -> str:
    """Without what a terminal would obey or a reader would not see."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def literal(text: str) -> str:
    """A quoted text, in which `[1]` is three characters and no source. It is clean already."""
    parts: list[str] = []
    done = 0
    for span in re.finditer(r"`+[^`\n]*`+", text):
        parts += (text[done : span.start()].replace("[", BRACKET), span[0])
        done = span.end()
    return "".join((*parts, text[done:].replace("[", BRACKET)))


def unescaped(text: str) -> str:
    """As a terminal or a plain-text client shows it."""
    return _ESCAPE.sub(r"\1", text)


class SafeText:
    """Takes pieces of text as they come; gives back what can be shown of them. It keeps the end of a piece only while
    that may still become a mark, a code span or a fence."""

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers = numbers
        self._held = ""
        self._before = "\n"  # the character that was given out last
        self._after_mark = False
        self._fence = ""

    def feed(self, text: str) -> str:
        """`text` is clean, but for our own marks."""
        self._held += text
        return self._taken(end=False)

    def close(self) -> str:
        """What was held, and the end of a fence that nobody closed."""
        rest = self._taken(end=True)
        return f"{rest}\n{self._fence}\n" if self._fence else rest

    def _taken(self, *, end: bool) -> str:
        out: list[str] = []
        while self._held:
            size, shown = self._fenced(end) if self._fence or self._before == "\n" else (0, "")
            if size == 0 and not self._fence:
                after_mark = self._after_mark
                size, shown = self._next(end)
                if not size:
                    self._after_mark = after_mark
            if size <= 0:
                break
            if shown:
                out.append(shown)
            self._before = self._held[size - 1]
            self._held = self._held[size:]
        return "".join(out)

    def _fenced(self, end: bool) -> tuple[int, str]:
        """A line that opens or closes a fence, or text inside one; -1 where that can't be told yet."""
        line, newline, _ = self._held.partition("\n")
        if self._before == "\n":
            if not newline and not end and _MAYBE_FENCE.match(line):
                return -1, ""
            found = _FENCE.match(line)
            if found and not self._fence and not (found[1][0] == "`" and "`" in found[2]):
                self._fence = found[1]
                info = _INFO.match(found[2].strip())
                language = info[0] if info and info[0].lower() not in _DRAWN else ""
                return len(line) + len(newline), f"{found[1]}{language}\n"
            if found and self._fence and found[1].startswith(self._fence) and not found[2].strip():
                shown, self._fence = self._fence, ""
                return len(line) + len(newline), shown + newline
        if not self._fence:
            return 0, ""
        return len(line) + len(newline), _plain_marks(line) + newline

    def _next(self, end: bool) -> tuple[int, str]:
        """(how much is taken, how it is shown) of what comes next; nothing while more is needed to tell."""
        held = self._held
        special = _NEXT.search(held)
        at = special.start() if special else len(held)
        if at:
            first = "\\" if self._after_mark and held[0] in "(:" else ""
            self._after_mark = False
            return at, first + held[:at]
        after_mark, self._after_mark = self._after_mark, False
        char = held[0]
        if char == "[":
            return self._bracket(after_mark, end)
        if char == "`":
            return self._code(end)
        if char == ":":
            if len(held) < 3 and not end:
                return 0, ""
            return 1, "\\:" if after_mark or held.startswith("://") else ":"
        if char == "!":
            if len(held) < 2 and not end:
                return 0, ""
            return 1, "\\!" if held.startswith(("![", f"!{BRACKET}")) else "!"
        if char in "wW":
            if len(held) < 4 and not end and "www.".startswith(held.lower()):
                return 0, ""
            return (4, f"{held[:3]}\\.") if held[:4].lower() == "www." else (1, char)
        if char == "@":
            return 1, "\\@" if self._before.isalnum() or self._before in "._+-" else "@"
        return 1, _SHOWN.get(char) or (f"\\{char}" if char != "\n" else char)

    def _bracket(self, after_mark: bool, end: bool) -> tuple[int, str]:
        mark = _MARK.match(self._held)
        if mark is None:
            return (0, "") if not end and _OPEN_MARK.match(self._held) else (1, "\\[")
        known = [int(each) for each in re.findall(r"\d+", mark[1]) if int(each) in self._numbers]
        if (
            not known
            and not after_mark
            and self._before.isascii()
            and (self._before.isalnum() or self._before in "_)]")
        ):
            return 1, "\\["  # an index into something, as in a[0]
        self._after_mark = bool(known) or after_mark
        shown = " ".join(f"[{number}]" for number in known)
        return mark.end(), f" {shown}" if after_mark and shown else shown

    def _code(self, end: bool) -> tuple[int, str]:
        """A code span that ends on its line; ticks that open none are shown as ticks."""
        line = self._held.partition("\n")[0]
        ticks = _TICKS.match(line)
        assert ticks is not None
        is_whole = len(line) < len(self._held) or end
        for other in _TICKS.finditer(line, ticks.end()):
            if other[0] == ticks[0] and (is_whole or other.end() < len(line)):
                return other.end(), _plain_marks(line[: other.end()])
        return (ticks.end(), "\\`" * len(ticks[0])) if is_whole else (0, "")


def _plain_marks(text: str) -> str:
    """Inside code nothing is escaped, and our own marks have no place."""
    return text.replace(BRACKET, "[").replace(NOT_FOUND, "").replace(WEAK, "")


def marks_of(text: str) -> tuple[int, ...]:
    """The numbers that a piece of text cites, in order."""
    found = (int(each) for mark in _MARK.finditer(text) for each in re.findall(r"\d+", mark[1]))
    return tuple(dict.fromkeys(found))


def without_marks(text: str) -> str:
    return re.sub(r"\s*" + _MARK.pattern, "", text)
