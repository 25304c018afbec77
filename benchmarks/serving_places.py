"""Places of a tree to hover at, by a seed: in prose, on links, at definitions, and where there is nothing to say."""

from __future__ import annotations

import os
import random
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

DISTINCT, REPEATED, LINK, DEFINITION = "prose, once", "prose, repeated", "links", "definitions"
FENCE, FRONT_MATTER, BLANK = "fences", "front matter", "blank lines"
SPEAKING = (DISTINCT, REPEATED, LINK, DEFINITION)
SILENT = (FENCE, FRONT_MATTER, BLANK)

_LINK = re.compile(r"\[([^\]]+)\]\(([^)#:]+\.md)[^)]*\)")
_NO_PROSE = re.compile(r"\s|[#|>\-*+<:]|\d+\.|\[[^\]]+\]:")  # how a line starts that is no paragraph's
_SHORTEST = 80  # characters of a paragraph: shorter ones are captions and labels


class Place(NamedTuple):
    kind: str
    path: str
    line: int  # 0-based
    character: int


def places(tree: Path, index: Path, count: int, seed: int) -> list[Place]:
    """So many of each kind, as far as there are, document by document."""
    chance = random.Random(seed)
    found: Mapping[str, list[Place]] = defaultdict(list)
    for place in (*_in_notes(tree), *_definitions(tree, index, 3 * count, chance)):
        found[place.kind].append(place)
    drawn = [
        place for kind in (*SPEAKING, *SILENT) for place in chance.sample(found[kind], min(count, len(found[kind])))
    ]
    chance.shuffle(drawn)
    order = {path: at for at, path in enumerate(dict.fromkeys(place.path for place in drawn))}
    return sorted(drawn, key=lambda place: order[place.path])  # stable: within a document they stay shuffled


def _in_notes(tree: Path) -> Iterator[Place]:
    notes = [str(file) for file in sorted(tree.rglob("*.md"))]
    paragraphs = [(place, text) for path in notes for place, text in _of_note(path)]
    often = Counter(text for _, text in paragraphs if text)
    for place, text in paragraphs:
        if text:
            place = place._replace(kind=DISTINCT if often[text] == 1 else REPEATED)
        yield place


def _of_note(path: str) -> Iterator[tuple[Place, str]]:
    """Places, those in prose with the text of their paragraph, the others with none."""
    lines = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    at = 0
    if lines[0] == "---" and "---" in lines[1:]:
        at = lines.index("---", 1) + 1
        yield Place(FRONT_MATTER, path, at // 2, 1), ""
    while at < len(lines):
        line = lines[at]
        start, at = at, at + 1
        if line.lstrip().startswith("```"):
            while at < len(lines) and not lines[at].lstrip().startswith("```"):
                at += 1
            if at - start > 1:
                yield Place(FENCE, path, (start + at) // 2, 1), ""
            at += 1
        elif not line.strip():
            yield Place(BLANK, path, start, 0), ""
        else:
            while at < len(lines) and lines[at].strip() and not lines[at].lstrip().startswith("```"):
                at += 1
            yield from _of_paragraph(path, start, lines[start:at])


def _of_paragraph(path: str, start: int, lines: list[str]) -> Iterator[tuple[Place, str]]:
    for number, line in enumerate(lines):
        for link in _LINK.finditer(line):
            yield Place(LINK, path, start + number, link.start(1)), ""
    text = " ".join(lines)
    plain = next((number for number, line in enumerate(lines) if "[" not in line), None)
    if plain is not None and len(text) >= _SHORTEST and not _NO_PROSE.match(lines[0]):
        yield Place("", path, start + plain, len(lines[plain]) // 2), text


def _definitions(tree: Path, index: Path, count: int, chance: random.Random) -> list[Place]:
    with sqlite3.connect(index) as rows:
        every = rows.execute(
            "SELECT d.path, x.name, x.line FROM definitions AS x JOIN documents AS d ON d.id = x.document_id "
            "WHERE length(x.name) > 3 ORDER BY d.path, x.line, x.name"
        ).fetchall()
    found = []
    for path, name, line in chance.sample(every, min(count, len(every))):
        file = os.path.join(tree, os.fsdecode(path))
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
        character = lines[line].find(name) if line < len(lines) else -1
        if character >= 0:
            found.append(Place(DEFINITION, file, line, character))
    return found
