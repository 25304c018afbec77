"""Passages, and pairs of a question-like text and what answers it, from code and notes in English.

Nothing is labelled by hand. Pairs: the first sentence of a comment or docstring and the code it precedes; a heading
with its page's name and the section below; a commit's subject and lines that it changed in one file.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mirror import Repository

_CODE = frozenset(
    f".{name}"
    for name in (
        *("py", "ts", "tsx", "js", "jsx", "vue", "go", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "cs", "rb"),
        *("php", "ex", "exs", "swift", "scala", "hs", "zig", "sh", "zsh", "lua"),
    )
)
_NOTES = frozenset((".md", ".mdx"))
_LEFT_OUT = re.compile(
    r"(^|/)(vendor|third_party|node_modules|dist|build|_build|testdata|fixtures|snapshots?)/"
    r"|\.min\.|\.pb\.|_pb2|generated"
)
_COMMENT = re.compile(r"^\s*(?:///?|//!|#|\*|--+|/\*\*?|;+)\s?(.*)$")
_DOCSTRING = re.compile(r'((?:async )?(?:def|class) \w+[^\n]*(?:\n[^\n]*?)?:\n\s+)[rRuU]?"""(.+?)"""(.{0,900})', re.S)
_SECTION = re.compile(r"^#{1,4} +(.+)\n+((?:(?!^#).*\n?){1,20})", re.M)
_NO_QUESTION = re.compile(r"copyright|licen[sc]e|eslint|todo|fixme|noqa|istanbul|rubocop:|prettier-ignore|@ts-", re.I)
_WINDOW = 750  # characters, as a passage of the index
_MOST_FILES, _MOST_COMMITS = 2_500, 2_500  # of one repository
# No repository may dominate.
_MOST_PAIRS, _MOST_PASSAGES = 12_000, {"code": 1_500, "notes": 3_000}


@dataclass
class English:
    """What the word pieces' rows are made from."""

    passages: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)


def gathered(mirror: Path, sources: dict[str, dict[str, str]]) -> English:
    """Of each repository of "code" and "notes" that the mirror has, in an order of chance that is always the same."""
    found, chance = English(), random.Random(0)
    for kind, repositories in sources.items():
        for name in repositories:
            repository = Repository(mirror, name)
            if repository.present:
                _gather(found, repository, kind, chance)
            else:
                print(f"  {name} is not in the mirror, left out", flush=True)
    chance.shuffle(found.passages)
    chance.shuffle(found.pairs)
    return found


def _gather(found: English, repository: Repository, kind: str, chance: random.Random) -> None:
    passages: list[str] = []
    pairs: list[tuple[str, str]] = []
    for path, text in _files(repository, _CODE if kind == "code" else _NOTES, _MOST_FILES, chance):
        passages += windows(text)
        pairs += code_pairs(path, text) if kind == "code" else note_pairs(path, text)
    if kind == "code":
        for path, text in _files(repository, _NOTES, 300, chance):
            pairs += note_pairs(path, text)
        commits = list(commit_pairs(repository, chance))
        chance.shuffle(commits)
        found.pairs += commits[:2_000]
    chance.shuffle(passages)
    chance.shuffle(pairs)
    found.passages += passages[: _MOST_PASSAGES[kind]]
    found.pairs += pairs[:_MOST_PAIRS]


def _files(
    repository: Repository, suffixes: frozenset[str], most: int, chance: random.Random
) -> Iterator[tuple[str, str]]:
    blobs = [
        (path, blob)
        for path, blob in repository.paths().items()
        if Path(path).suffix.lower() in suffixes and not _LEFT_OUT.search(path)
    ]
    chance.shuffle(blobs)
    return repository.texts(dict(blobs[:most]))


def windows(text: str) -> Iterator[str]:
    """Runs of whole lines of up to 750 characters."""
    current = ""
    for line in text.splitlines(keepends=True):
        if len(current) + len(line) > _WINDOW and current.strip():
            yield current
            current = ""
        current += line[:_WINDOW]
    if len(current.strip()) > 40:
        yield current


def code_pairs(path: str, text: str) -> Iterator[tuple[str, str]]:
    name = path.rpartition("/")[2]
    if path.endswith(".py"):
        for match in _DOCSTRING.finditer(text):
            question = _first_sentence(match[2])
            if _is_question(question):
                yield question, f"{name} {match[1]}{match[3][:600]}"
        return
    lines, start = text.split("\n"), 0
    while start < len(lines):
        comment, end = [], start
        while end < len(lines) and len(comment) < 30 and (match := _COMMENT.match(lines[end])):
            comment.append(match[1])
            end += 1
        if comment and end < len(lines) and lines[end].strip():
            question, body = _first_sentence(" ".join(comment)), "\n".join(lines[end : end + 18])[:600]
            if _is_question(question) and len(body) > 60 and not _NO_QUESTION.search(question):
                yield question, f"{name} {body}"
        start = max(end, start + 1)


def note_pairs(path: str, text: str) -> Iterator[tuple[str, str]]:
    for match in _SECTION.finditer(text):
        heading, body = match[1].strip(), match[2].strip()
        if len(body) > 120 and len(heading.split()) <= 14:
            yield f"{Path(path).stem.replace('-', ' ')} {heading}", body[:700]


def commit_pairs(repository: Repository, chance: random.Random) -> Iterator[tuple[str, str]]:
    order = ("log", "--no-merges", "-n", str(_MOST_COMMITS), "-p", "-U0", "--no-renames", "--format=%x01%s%x02")
    log = repository.git(*order, partly=True)
    for entry in log.split("\x01")[1:]:
        subject, _, diff = entry.partition("\x02")
        subject = re.sub(r"\(?#\d+\)?|^\w+(\([^)]*\))?!?: ", "", subject).strip()
        changed = re.split(r"^diff --git a/", diff, flags=re.M)[1:]
        if not (3 <= len(subject.split()) <= 25 and 1 <= len(changed) <= 8):
            continue
        part = chance.choice(changed)
        lines = [line[1:] for line in part.split("\n") if line[:1] in "+-" and not line.startswith(("+++", "---"))]
        body = "\n".join(lines)[:600]
        if len(body) > 60:
            yield subject, f"{part.split(' b/')[0].rpartition('/')[2]} {body}"


def _first_sentence(text: str) -> str:
    plain = re.sub(r"\s+", " ", text).strip()
    return re.split(r"(?<=[.!?])\s|:param|@param|@return|Args:|Parameters|Returns", plain)[0].strip(" */#-<>")


def _is_question(text: str) -> bool:
    return 4 <= len(text.split()) <= 40
