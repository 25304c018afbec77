"""Answers as a person reads them: where, what, and the lines that tell why it was found."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from rich.text import Text

from postil_indexers.seen import shown
from postil_indexers.text import index_terms, is_function_word, query_terms
from postil_indexers.types import Kind
from postil_server.answering.extractive import label
from postil_server.answering.safetext import clean, unescaped
from postil_server.cli.output import console
from postil_server.cochange import SymbolTogether
from postil_server.elsewhere import elsewhere
from postil_server.explain import Explanation
from postil_server.tracing import TracedHunk
from postil_server.types import Answer, FoundCommit, Hit, Related

_LINES = 3  # of a hit
_WIDTH = 160  # characters of a line; longer ones are data or a paragraph on one line
_FILES_WIDTH = 70  # characters of a commit's paths: with its author they fit on a line of 100
_PUNCTUATION = " \t#=-*`{}()[]<>/\"'"  # a line of nothing else says nothing
_RUNS = 3  # of a commit's changed lines; --json has fifty
_WORD = re.compile(r"\w+")


def show_hits(hits: Sequence[Hit], root: str, query: str, explain: bool) -> None:
    wanted = _telling_terms(query)
    for hit in hits:
        where = f"{_place(hit, root)}:{hit.span.start_line + 1}" if not hit.sha else hit.sha[:10]
        stale = ("  changed since it was indexed", "yellow") if hit.stale else ""
        sure = (f"  confidence {hit.confidence:.2f}", "dim")
        branch = (f"  {elsewhere(hit.branch)}" if hit.branch else "", "dim")
        console.print(Text.assemble((where, "cyan"), "  ", (hit.name, "bold"), sure, stale, branch))
        if explain:
            console.print(Text("  " + "  ".join(f"{k} {v:g}" for k, v in hit.ranks.items()), style="dim"))
        for line in _telling_lines(hit, wanted):
            console.print(Text("  ").append_text(marked(line, wanted)))
        console.print()
    _say_if_nothing(hits)


def show_related(found: Sequence[Related], root: str, passage: str) -> None:
    wanted = _telling_terms(passage)
    for item in found:
        heading = f" > {item.heading}" if item.heading and item.heading != item.title else ""
        where = item.sha[:10] if item.sha else f"{_place(item, root)}:{item.span.start_line + 1}"
        console.print(Text.assemble((where, "cyan"), "  ", (item.title + heading, "bold")))
        console.print(Text(f"  {item.reason}", style="green"))
        console.print(Text("  ").append_text(marked(item.snippet, wanted)))
        console.print()
    _say_if_nothing(found)


def _place(item: Hit | Related, root: str) -> str:
    """Its path in the folder that was asked; the whole path of one in an outside folder."""
    return shown(item.path if item.root == root else os.path.join(item.root, item.path))


def show_commits(
    found: Sequence[FoundCommit],
    query: str,
    traced: Mapping[str, Sequence[TracedHunk]],
    read_as: str = "",
    told: Mapping[str, Explanation] = MappingProxyType({}),
) -> None:
    """`traced`: of each commit its changed lines; `read_as`: the question as filters and words, where it has filters;
    `told`: of commits, what explains them."""
    wanted = _telling_terms(query)
    if read_as:
        console.print(Text.assemble(("read as: ", "dim"), (read_as, "green")))
    for commit in found:
        day = datetime.fromtimestamp(commit.committed_at).date().isoformat()
        console.print(Text.assemble((commit.sha[:10], "cyan"), f"  {day}  ", marked(commit.subject, wanted, "bold")))
        console.print(Text(f"  {commit.author}  {_listed([shown(change.path) for change in commit.files])}", "dim"))
        facts = [
            f"in {commit.release}" if commit.release else "",
            elsewhere(commit.branch),
            f"taken back by {commit.reverted_by[:10]}" if commit.reverted_by else "",
            f"also as {', '.join(sha[:10] for sha in commit.copies)}" if commit.copies else "",
        ]
        if any(facts):
            console.print(Text("  " + "; ".join(filter(None, facts)), "dim"))
        for line in _changed_lines(traced.get(commit.sha, ())):
            console.print(Text(f"  {clean(line)}", "dim"))
        if commit.sha in told:
            _show_explanation(told[commit.sha])
        console.print()
    _say_if_nothing(found)


def _changed_lines(traced: Sequence[TracedHunk]) -> list[str]:
    """Where the first changed lines of a commit are now, a run a line."""
    told = []
    for each in traced[:_RUNS]:
        symbol = f"  {each.symbol}" if each.symbol else ""
        if each.now is not None:
            first, last = each.now.span.start_line + 1, each.now.span.end_line
            changed = "" if each.now.whole else " (changed since)"
            told.append(f"{shown(each.now.path)}:{first}{f'-{last}' if last > first else ''}{changed}{symbol}")
        elif each.followed:
            then = f"{shown(each.was.path)}:{each.was.span.start_line + 1} at {each.was.sha[:10]}"
            told.append(f"{'taken out' if not each.hunk.new_lines else 'gone since'}: {then}{symbol}")
    more = len(traced) - _RUNS
    return [*told, *([f"and {more} more"] if more > 0 and told else [])]


def show_together(found: Sequence[SymbolTogether]) -> None:
    """What usually changes with the lines that were asked about."""
    for each in found:
        where = f"{shown(each.path)}:{each.line + 1}" if each.line else shown(each.path)
        times = f"{each.together} time{'s'[: each.together != 1]}"
        console.print(Text(f"→ {where} {clean(each.symbol)} usually changes with them ({times})", "green"))


def _show_explanation(told: Explanation) -> None:
    for line in told.body.splitlines():
        console.print(Text(f"    {clean(line)}"))
    lines = [f"#{number} {address}".rstrip() for number, address in told.issues if number.isdigit()]
    lines += [f"{shown(note.path)}:{note.line + 1}  {note.snippet}" for note in told.notes]
    lines += [f"{each.sha[:10]} {each.relation}: {each.subject}" for each in told.later]
    lines += [
        f"{shown(each.path)} usually changes with it ({each.together} of {each.changes})" for each in told.together
    ]
    for line in lines:
        console.print(Text(f"  → {clean(line)}", "green"))


def show_answer(answer: Answer) -> None:
    """The text, then where its numbers lead."""
    for line in unescaped(answer.text).rstrip("\n").split("\n"):
        console.print(_numbers_marked(line))
    show_places(answer)


def show_places(answer: Answer) -> None:
    """Where each number of an answer leads; where it has none, the nearest passages."""
    if answer.citations:
        console.print()
    for source in answer.citations:
        where = f"{shown(source.path)}:{source.span.start_line + 1}" if not source.sha else source.sha[:10]
        stale = ("  changed since it was indexed", "yellow") if source.stale else ""
        console.print(
            Text.assemble((f"[{source.number}] ", "green"), (where, "cyan"), "  ", clean(label(source)), stale)
        )
    if answer.nearest:
        console.print(Text("\nThe nearest passages:", style="dim"))
    for hit in answer.nearest:
        where = f"{shown(hit.path)}:{hit.span.start_line + 1}" if not hit.sha else hit.sha[:10]
        console.print(Text.assemble(("  " + where, "cyan"), "  ", clean(hit.name)))


def _numbers_marked(line: str) -> Text:
    text = Text(line)
    text.highlight_regex(r"(?<!\\)\[\d+\]", "green")
    return text


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
