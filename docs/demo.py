#!/usr/bin/env python3
"""The demo: index a workspace, then ask it with the very commands that one would type, and show what comes.

    demo.py POSTIL WORKSPACE [--svg FILE] [--readme FILE]

For Postil's own repository the questions are fixed; elsewhere they are taken from what the workspace holds. `--svg`
draws the first sections as a picture, `--readme` puts all of them between the two marks of a Markdown file.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from demo_hover import Spot, first_hover
from demo_index import Indexing
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from postil_indexers.store.index import Index
from postil_indexers.text import is_function_word, query_terms
from postil_indexers.types import Kind
from postil_server.app import open_app

_HERE = Path(__file__).resolve().parents[1]
_MARKS = ("<!-- demo: written by `make readme` -->", "<!-- end of demo -->")
_SCANNED = 400  # documents that are looked at for something to ask
_PICTURE_STEPS = 4  # in the picture; the text has them all
_COLUMNS = 100
_FONTS = "Menlo, Consolas, DejaVu Sans Mono, monospace"
_THEME = TerminalTheme(
    (250, 250, 247),
    (40, 42, 48),
    # black, red, green, yellow, blue, magenta, cyan, white: dark enough for the light ground
    [
        *((40, 42, 48), (190, 50, 60), (55, 125, 60), (165, 100, 0)),
        *((40, 95, 175), (140, 70, 150), (0, 115, 130), (90, 92, 98)),
    ],
)


@dataclass(frozen=True, slots=True)
class Step:
    says: str
    arguments: tuple[str, ...] = ()  # of postil, after the subcommand's root; empty: there is nothing to ask

    def command(self, root: str) -> list[str]:
        name, *rest = self.arguments
        return [name, root, *rest]


_OWN_STEPS = (
    Step(
        "A question, answered from the notes.",
        ("search", "what happens to a file that crashes the parser?", "--kind", "note", "--limit", "1"),
    ),
    Step("A name, found where it is defined.", ("search", "WriterLock", "--kind", "code", "--limit", "1")),
    Step(
        "Code, found by what it does.",
        ("search", "merge ranked lists into one", "--kind", "code", "--limit", "1"),
    ),
    Step(
        "A question to the history: its words become filters.",
        ("history", "what changed in the worker since November about a drive that vanished", "--limit", "2"),
    ),
    Step(
        "A question, answered with citations that are checked.",
        ("ask", "why are vectors kept by the hash of the text?"),
    ),
    Step("A summary, each point with its place.", ("summarise", "docs/links.md")),
    Step("Notes related to the one at hand, with the reason.", ("related", "docs/architecture.md", "--limit", "3")),
    Step("Why a file is not found.", ("why", "README.md")),
)
_WRITTEN = (
    "A grammar that crashes while it parses a file must not stop the worker: the ledger then calls the file failed."
)
_TELLING_CHARS = 80  # of a line that is worth a hover


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("postil", help="the command")
    parser.add_argument("workspace", help="the folder to index")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--readme", type=Path)
    options = parser.parse_args()
    root = os.path.expanduser(options.workspace)
    shown = shlex.quote(root)
    picture = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    out = Console(soft_wrap=True, highlight=False)
    pages: list[str] = []

    def show(console: Console, says: str, command: str, answer: Text) -> None:
        console.print()
        console.print(Text(f"# {says}", style="green"))
        if command:
            console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
        console.print(answer)

    indexing = Indexing(options.postil, root)
    counted = "stopped; here is what is found in what was indexed so far"
    try:
        if options.svg or options.readme or not indexing.is_searchable():  # what is written down is of the whole index
            status, counted = indexing.until_done()
            if status:
                return status
        else:
            counted = indexing.found()
    except KeyboardInterrupt:  # a long history may not be worth the wait
        indexing.stop()
    show(out, "Index a folder: notes, code and commits.", f"postil index {shown}", Text(counted))
    pages.append(f"$ postil index {shown}\n{counted}")
    for number, step in enumerate(_steps(root)):
        if not step.arguments:
            show(out, step.says, "", Text())
            continue
        command = step.command(root)
        typed = "postil " + " ".join(_quoted(argument) for argument in command)
        answer = _answer([options.postil, *command])
        show(out, step.says, typed, answer)
        pages.append(f"# {step.says}\n$ {typed}\n{answer.plain}")
        if number < _PICTURE_STEPS:
            show(picture, step.says, typed, _narrowed(answer))
    spoken = first_hover(options.postil, root, _spots(root))
    if spoken is not None:
        spot, said = spoken
        typed = spot.text.split("\n")[spot.line].strip()
        says = "While you write in an editor: the hover of the language server over a paragraph of a note."
        show(out, says, "", Text(f"{typed}\n\n{said}"))
        pages.append(f"# {says}\n{typed}\n\n{said}")
    out.print(Text(f'\nAsk it yourself: {options.postil} search {shown} "..."', style="bold"))
    indexing.see_it_end(out)
    if options.svg:
        options.svg.write_text(_svg(picture), encoding="utf-8")
    if options.readme:
        _write_readme(options.readme, "\n\n".join(pages))
    return 0


def _answer(command: list[str]) -> Text:
    coloured = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"}
    done = subprocess.run(command, capture_output=True, text=True, env=coloured)
    text = Text.from_ansi((done.stdout or done.stderr).rstrip())
    return text if done.returncode == 0 else Text(f"postil ended with status {done.returncode}\n").append_text(text)


def _quoted(argument: str) -> str:
    """As one would type it."""
    return f'"{argument}"' if re.search(r"\s", argument) and '"' not in argument else shlex.quote(argument)


def _narrowed(answer: Text) -> Text:
    """Each line cut to the width of the picture."""
    lines = answer.split("\n")
    for line in lines:
        line.truncate(_COLUMNS, overflow="ellipsis")
    return Text("\n").join(lines)


def _svg(picture: Console) -> str:
    """With a font that is there: a picture in a README may load none."""
    drawing = picture.export_svg(title="postil", theme=_THEME, unique_id="postil")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL).replace("Fira Code, monospace", _FONTS)


def _write_readme(path: Path, pages: str) -> None:
    start, end = _MARKS
    before, _, rest = path.read_text(encoding="utf-8").partition(start)
    after = rest.partition(end)[2]
    path.write_text(f"{before}{start}\n```console\n{pages}\n```\n{end}{after}", encoding="utf-8")


def _steps(root: str) -> Iterator[Step]:
    if Path(root).resolve() == _HERE:
        yield from _OWN_STEPS
        return
    with open_app(root).open_reader() as index:
        yield _note_step(index)
        yield _code_step(index)
        yield _commit_step(index)
        yield from _answer_steps(index)
        yield _related_step(index)
        yield _why_step(index)


def _spots(root: str) -> Iterator[Spot]:
    """What may be hovered over: something that is being written, or else paragraphs of the notes that are there."""
    if Path(root).resolve() == _HERE:
        yield Spot("untitled:Untitled-1", _WRITTEN, 0)
        return
    with open_app(root).open_reader() as index:
        for document in index.content.documents(_documents(index, Kind.NOTE)).values():
            for row in index.content.chunks_of(document.id):
                lines = row.text.split("\n")
                at = next((n for n, line in enumerate(lines) if len(line) > _TELLING_CHARS), None)
                if at is not None and row.symbol != "front_matter":
                    file = Path(root).resolve() / document.path
                    text = file.read_text(encoding="utf-8", errors="replace")
                    yield Spot(file.as_uri(), text, row.span.start_line + at)
                    break


def _note_step(index: Index) -> Step:
    """Search for a heading of several words: the deepest question that notes answer by themselves."""
    headings: dict[str, int] = {}
    for document in _documents(index, Kind.NOTE):
        for chunk in index.content.chunks_of(document):
            name = chunk.name.rpartition(" > ")[2]
            if chunk.symbol != "front_matter" and (len(name.split()) > 1 or not name.isascii()):
                headings[name] = headings.get(name, 0) + len(chunk.text)
    if not headings:
        return Step("There are no notes with headings here, so nothing is asked of notes.")
    best = max(headings, key=lambda name: (min(headings[name], 2_000), -abs(len(name) - 30), name))
    return Step("Something that a note is about.", ("search", best, "--kind", "note", "--limit", "3"))


def _code_step(index: Index) -> Step:
    """Search for a name that is defined, a telling one: of several parts, and outside of tests."""
    names: dict[str, int] = {}
    twice: set[str] = set()  # a name with several definitions has no one place
    for document in _documents(index, Kind.CODE):
        for chunk in index.content.chunks_of(document):
            if "test" in chunk.path.casefold():
                continue
            for name in chunk.names:
                if re.fullmatch(r"[A-Za-z]\w{4,29}", name) and re.search(r"[a-z][A-Z]|[a-z]_[a-z]", name):
                    if name in names:
                        twice.add(name)
                    names[name] = len(chunk.text)
    if not names.keys() - twice:
        return Step("There is no code with definitions here, so no name is looked up.")
    best = max((name for name in names if name not in twice), key=lambda name: (names[name], name))
    return Step("A name, found where it is defined.", ("search", best, "--kind", "code", "--limit", "2"))


def _commit_step(index: Index) -> Step:
    """Ask with the telling words of a recent subject."""
    for row in index.history.rows(index.history.newest(_SCANNED)).values():
        words = [w for w in re.findall(r"\w+", row.subject) if len(w) > 3 or not w.isascii()]
        telling = [w for w in words if not all(map(is_function_word, query_terms(w)))]
        if not row.is_merge and len(telling) > 2:
            asked = " ".join(telling[:4])
            return Step("A commit, found by words of its message.", ("history", asked, "--limit", "3"))
    return Step("There are no commits here, so nothing is asked of the history.")


def _answer_steps(index: Index) -> Iterator[Step]:
    """Ask what a note is about, and have it summarised."""
    notes = [index.content.documents([document])[document] for document in _documents(index, Kind.NOTE)]
    told = next((note for note in notes if len(index.content.chunks_of(note.id)) > 3), None)
    if told is None:
        return
    yield Step("A question, answered with citations that are checked.", ("ask", f"what is {told.title}?"))
    yield Step("A summary, each point with its place.", ("summarise", told.path))


def _related_step(index: Index) -> Step:
    linked = {document: len(index.content.linked(document)) for document in _documents(index, Kind.NOTE)}
    if len(linked) < 2:
        return Step("There are no two notes here, so none is related to another.")
    path = index.content.documents([max(linked, key=lambda i: (linked[i], i))]).popitem()[1].path
    return Step("Notes related to one, with the reason.", ("related", path, "--limit", "3"))


def _why_step(index: Index) -> Step:
    rows = [row for row in index.ledger.not_indexed() if row.reason != "version_control"]
    telling = sorted(rows, key=lambda row: (row.is_directory, row.reason not in ("secret", "ignored"), row.path))
    if not telling:
        return Step("Every file here is indexed.")
    return Step("Why a file is left out.", ("why", telling[0].path))


def _documents(index: Index, kind: Kind) -> list[int]:
    rows = [row for row in index.content.documents().values() if row.kind is kind]
    return [row.id for row in sorted(rows, key=lambda row: (-row.size, row.path))[:_SCANNED]]


if __name__ == "__main__":
    started = time.monotonic()
    status = main()
    print(f"({time.monotonic() - started:.0f} s)", file=sys.stderr)
    sys.exit(status)
