"""Answers as a person reads them: where, what, and the lines that tell why it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.text import Text

from postil_indexers.seen import shown
from postil_indexers.text import index_terms, is_function_word, query_terms
from postil_indexers.types import Kind
from postil_server.cli.output import console
from postil_server.types import FoundCommit, Hit, Related

_LINES = 3  # of a hit
_WIDTH = 160  # characters of a line; longer ones are data or a paragraph on one line
_FILES_WIDTH = 70  # characters of a commit's paths: with its author they fit on a line of 100
_PUNCTUATION = " \t#=-*`{}()[]<>/\"'"  # a line of nothing else says nothing
_WORD = re.compile(r"\w+")


def show_hits(hits: Sequence[Hit], query: str, explain: bool) -> None:
    wanted = _telling_terms(query)
    for hit in hits:
        where = f"{shown(hit.path)}:{hit.span.start_line + 1}" if not hit.sha else hit.sha[:10]
        stale = ("  changed since it was indexed", "yellow") if hit.stale else ""
        sure = (f"  confidence {hit.confidence:.2f}", "dim")
        console.print(Text.assemble((where, "cyan"), "  ", (hit.name, "bold"), sure, stale))
        if explain:
            console.print(Text("  " + "  ".join(f"{k} {v:g}" for k, v in hit.ranks.items()), style="dim"))
        for line in _telling_lines(hit, wanted):
            console.print(Text("  ").append_text(marked(line, wanted)))
        console.print()
    _say_if_nothing(hits)


def show_related(found: Sequence[Related], passage: str) -> None:
    wanted = _telling_terms(passage)
    for item in found:
        heading = f" > {item.heading}" if item.heading and item.heading != item.title else ""
        where = f"{shown(item.path)}:{item.span.start_line + 1}"
        console.print(Text.assemble((where, "cyan"), "  ", (item.title + heading, "bold")))
        console.print(Text(f"  {item.reason}", style="green"))
        console.print(Text("  ").append_text(marked(item.snippet, wanted)))
        console.print()
    _say_if_nothing(found)


def show_commits(found: Sequence[FoundCommit], query: str) -> None:
    wanted = _telling_terms(query)
    for commit in found:
        day = datetime.fromtimestamp(commit.committed_at).date().isoformat()
        console.print(Text.assemble((commit.sha[:10], "cyan"), f"  {day}  ", marked(commit.subject, wanted, "bold")))
        console.print(Text(f"  {commit.author}  {_listed([shown(change.path) for change in commit.files])}", "dim"))
        console.print()
    _say_if_nothing(found)


def _listed(paths: Sequence[str]) -> str:
    """As many paths as fit on a line, and how many more there are."""
    fitting = [path for n, path in enumerate(paths) if n == 0 or sum(map(len, paths[: n + 1])) + 2 * n <= _FILES_WIDTH]
    more = f" and {len(paths) - len(fitting)} more" if len(fitting) < len(paths) else ""
    return ", ".join(fitting) + more


def marked(line: str, wanted: set[str], style: str = "") -> Text:
    """A line with the words that were asked for in colour."""
    text = Text(line, style=style)
    for match in _WORD.finditer(line):
        held = wanted.intersection(index_terms(match[0]).split())
        if not held:
            continue
        if match[0].isascii():
            text.stylize("yellow", *match.span())
            continue
        for term in held:  # a run of Han or kana holds many words
            for place in re.finditer(re.escape(term), match[0].casefold()):
                text.stylize("yellow", match.start() + place.start(), match.start() + place.end())
    return text


def _telling_terms(query: str) -> set[str]:
    return {term for term in query_terms(query) if not is_function_word(term) and (len(term) > 1 or term.isascii())}


def _telling_lines(hit: Hit, wanted: set[str]) -> list[str]:
    """The line that says what a hit is, and the lines below it: the next ones, or those that hold more of the query."""
    lines = [line.rstrip()[:_WIDTH] for line in hit.snippet.splitlines() if line.strip(_PUNCTUATION)]
    lines = lines[_head(lines, hit.name) if hit.kind is Kind.CODE else 0 :]
    held = [wanted.intersection(index_terms(line).split()) for line in lines]

    def found(at: int) -> int:
        return len(set().union(*held[:1], *held[at : at + _LINES - 1]))

    best = max(range(1, max(2, len(lines) - _LINES + 2)), key=lambda at: (found(at), -at))
    chosen = lines[:1] + lines[best : best + _LINES - 1]
    indent = min((len(line) - len(line.lstrip()) for line in chosen), default=0)
    cut = [line[indent:] for line in chosen]
    return cut if best == 1 else [cut[0], "…", *cut[1:]]


def _head(lines: Sequence[str], name: str) -> int:
    """Which line names a piece of code; the first where none does."""
    word = re.compile(rf"(?<!\w){re.escape(re.split(r'[.:]', name)[-1])}(?!\w)")
    return next((n for n, line in enumerate(lines) if name and word.search(line)), 0)


def _say_if_nothing(found: Iterable[object]) -> None:
    if not found:
        console.print(Text("nothing found", style="dim"))
