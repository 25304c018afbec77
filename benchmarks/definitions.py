#!/usr/bin/env python3
"""Definitions: which of universal-ctags' functions, classes and methods (structs, traits, ...) Postil finds as well.

A tag is found where Postil has a definition of that name within two lines, or one whose comments begin before the tag
and whose name stands after it. Beside it, in the same run, the speed of parsing: chunks, definitions and references.

    definitions.py --mirror DIR [--work DIR] [--misses N] [--out benchmarks/results/definitions.md]
"""

from __future__ import annotations

import argparse
import collections
import datetime
import io
import json
import re
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from postil_indexers.chunking.code import parse_code
from postil_indexers.languages import language_of
from postil_indexers.types import Definition, Document

_NEEDED = 0.90  # share of a language's tags
_FEWEST = 50  # tags; below it a share says little
_LARGEST = 1_000_000  # bytes; larger files are data
_NEAR = 2  # lines between a tag and a definition of that name
_KIND_WORDS = """
    function func method class struct interface trait enum singletonMethod subroutine subprogram procedure macro module
    protocol implementation object typedef union type typealias namespace generator getter setter delegate record
    entity architecture task package signature table test
"""
_KINDS = frozenset(_KIND_WORDS.split())
# What ctags calls a tag of such a kind and is none: imports, C macros without a body, and names it made up.
# What is no definition: imports and their aliases, modules kept in another file, a file's own name as a module.
_NOT_KINDS = {
    *(("Python", "namespace"), ("Python", "module"), ("OCaml", "module"), ("Haskell", "module")),
    *(("Java", "package"), ("Go", "package"), ("Kotlin", "package")),
    *(("C", "macro"), ("C++", "macro"), ("ObjectiveC", "typedef")),
}
# A tag counts where its line has what such a definition must have: ctags takes object literals for classes, parameters
# of lambdas for methods, `mod name;` for a module and the `with type` of a signature for a type.
_MARKS = {
    ("JavaScript", "class"): re.compile(r"\bclass\b"),
    ("Kotlin", "method"): re.compile(r"\bfun\b"),
    ("Rust", "module"): re.compile(r"\{"),
    ("OCaml", "type"): re.compile(r"^\s*(?:type|and)\b(?!\s+nonrec\b)"),
    ("OCaml", "function"): re.compile(r"\b(?:let|and|external|val|method)(?:\s+rec)?\s+(?!open\b|\(\))[a-z_(]"),
    ("ObjectiveC", "method"): re.compile(r"^\s*[-+]"),
    ("ObjectiveC", "class"): re.compile(r"^\s*[-+]"),
    ("Lua", "function"): re.compile(r"\bfunction\b[\s\w.:]*\("),
    ("Haskell", "function"): re.compile(r"^(?!class|deriving|instance|derive|import|data|newtype|infix|foreign)"),
}
# Ruby in here-documents and Lua in long strings, tagged as if it were the file's own.
_CODE_IN_STRINGS = ("rubocop+rubocop/spec/", "nvim-mini+mini.nvim/tests/")
_LONGEST_LINE = 2_000  # characters; minified and bundled files, which are not indexed
_CLAUSES = frozenset({"Elixir", "Erlang", "Haskell"})
# Names that no source has: of lambdas, of Bash assignments taken for functions.
_MADE_UP = re.compile(r"__anon|anon(?:ymous|Func)|AnonymousFunction|<lambda>|=$|^$")
_MACRO_CALL = re.compile(r"[A-Z][A-Z0-9_]+")  # TEST(name) {...}: ctags has a function TEST, Postil the test by its name
# Data and prose, and languages whose files ctags mostly guesses by an extension that means another one.
_OTHER_WORDS = """
    Markdown ReStructuredText JSON Yaml HTML CSS SCSS XML Make Man Iniconf Diff Asciidoc Tex BibTeX DTD SVG M4 Autoconf
    Automake Basic RSpec
"""
_OTHER_LANGUAGES = frozenset(_OTHER_WORDS.split())


@dataclass
class Tally:
    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    tags: int = 0
    found: int = 0
    kinds: collections.Counter[str] = field(default_factory=collections.Counter)
    misses: list[str] = field(default_factory=list)


def check_out(git_dir: Path, into: Path) -> bool:
    """The files of HEAD, once; False where the repository lacks objects."""
    if into.is_dir():
        return True
    archive = subprocess.run(["git", "--git-dir", str(git_dir), "archive", "HEAD"], capture_output=True, check=False)
    if archive.returncode:
        return False
    into.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(into, filter="tar")
    return True


def ctags(folder: Path) -> dict[str, tuple[str, list[tuple[str, int, str]]]]:
    """path -> (language, [(name, 0-based line, kind)])"""
    command = ["ctags", "-R", "--links=no", "--output-format=json", "--fields=+nlK", "--extras=", "-f", "-", "."]
    out = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    tags: dict[str, tuple[str, list[tuple[str, int, str]]]] = {}
    for line in out.decode("utf-8", "replace").split("\n"):
        if not line:
            continue
        tag = json.loads(line)
        if tag.get("_type") != "tag" or "language" not in tag or "line" not in tag:
            continue
        language, kind = tag["language"], tag["kind"]
        if kind not in _KINDS or (language, kind) in _NOT_KINDS or _MADE_UP.search(tag["name"]):
            continue
        if language == "Lua" and re.search(r"[\]'\"%]", tag["name"]):  # a key in brackets, cut at its blanks and dots
            continue
        if language in ("C", "C++") and kind == "function" and _MACRO_CALL.fullmatch(tag["name"]):
            continue
        tags.setdefault(tag["path"], (language, []))[1].append((tag["name"], tag["line"] - 1, kind))
    return tags


def bare(name: str) -> str:
    """The last part of a name, without quotes, brackets, blanks and arity."""
    name = re.sub(r"[ '\"`\[\]]|\{.*\}$", "", name)
    parts = [part for part in re.split(r"::|[.:#\\]", name) if part]
    return re.sub(r"/\d+$", "", parts[-1]) if parts else name


def is_found(name: str, line: int, by_name: dict[str, list[Definition]], clauses: bool) -> bool:
    """Whether a definition of that name stands there. `clauses`: all equations of a function are one definition."""
    for definition in by_name.get(bare(name), ()):
        last = definition.span.end_line if clauses else definition.line
        if abs(definition.line - line) <= _NEAR or definition.span.start_line <= line <= last:
            return True
    return False


def measure(folder: Path, tallies: dict[str, Tally]) -> None:
    for path, (language, tags) in ctags(folder).items():
        whole = folder / path
        if language in _OTHER_LANGUAGES or whole.stat().st_size > _LARGEST:
            continue
        text = whole.read_bytes().decode("utf-8", "replace")
        if (
            ".min." in path
            or max(map(len, text.split("\n"))) > _LONGEST_LINE
            or f"{folder.name}/{path}".startswith(_CODE_IN_STRINGS)
        ):
            continue
        document = Document(path.removeprefix("./"), text, language_of(path, text.partition("\n")[0]))
        started = time.process_time()
        parsed = parse_code(document)
        tally = tallies.setdefault(language, Tally())
        tally.seconds += time.process_time() - started
        tally.files += 1
        tally.bytes += whole.stat().st_size
        lines = text.split("\n")
        by_name: dict[str, list[Definition]] = {}
        for definition in parsed.definitions:
            by_name.setdefault(bare(definition.name), []).append(definition)
        for name, line, kind in tags:
            mark = _MARKS.get((language, kind))
            if mark and not mark.search(lines[line] if line < len(lines) else ""):
                continue
            tally.tags += 1
            tally.kinds[kind] += 1
            if is_found(name, line, by_name, language in _CLAUSES):
                tally.found += 1
            else:
                tally.misses.append(f"{folder.name}/{path}:{line + 1} {kind} {name}")


def table(tallies: dict[str, Tally]) -> Iterator[str]:
    yield "| language | files | tags | found | share | MB/s | kinds |"
    yield "|---|---|---|---|---|---|---|"
    for language, tally in sorted(tallies.items()):
        if tally.tags < _FEWEST:
            continue
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.kinds.most_common(4))
        speed = tally.bytes / tally.seconds / 1e6
        yield (
            f"| {language} | {tally.files:,} | {tally.tags:,} | {tally.found:,} | {tally.found / tally.tags:.1%} "
            f"| {speed:.1f} | {kinds} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of bare repositories, owner+name/repo")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "postil-definitions")
    parser.add_argument("--misses", type=int, default=0, help="print so many misses of each language")
    parser.add_argument("--only", default="", help="only repositories with this in their name")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tallies: dict[str, Tally] = {}
    names = sorted(e.name for e in options.mirror.iterdir() if (e / "repo").is_dir() and options.only in e.name)
    left_out: list[str] = []
    for name in names:
        folder = options.work / name
        if check_out(options.mirror / name / "repo", folder):
            measure(folder, tallies)
        else:
            print(f"{name} lacks objects: left out")
            left_out.append(name)
    lines = list(table(tallies))
    print("\n".join(lines))
    for language, tally in sorted(tallies.items()):
        step = max(1, len(tally.misses) // options.misses) if options.misses else 0
        for miss in tally.misses[::step][: options.misses] if step else ():
            print(f"{language}: {miss}")
    names = [name for name in names if name not in left_out]
    if options.out:
        total = sum(tally.bytes for tally in tallies.values()) / sum(tally.seconds for tally in tallies.values()) / 1e6
        text = (
            f"# Definitions\n\n{datetime.date.today()}, {len(names)} repositories: "
            f"{', '.join(name.replace('+', '/') for name in names)}. "
            f"Tags are universal-ctags'; languages with fewer than {_FEWEST} of them are left out. "
            f"Speed is processor time of one core, all of `parse_code`; {total:.1f} MB/s over all languages.\n\n"
        )
        options.out.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")
    short = [key for key, tally in tallies.items() if tally.tags >= _FEWEST and tally.found < _NEEDED * tally.tags]
    print(f"below {_NEEDED:.0%}: {', '.join(short) or 'none'}")
    return 1 if short else 0


if __name__ == "__main__":
    raise SystemExit(main())
