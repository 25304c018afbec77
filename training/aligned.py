"""Texts that say the same in Chinese and in English: translated pages heading by heading, catalogues, a dictionary.

A page pairs with its translation where the two have headings of the same levels in the same order; a section's
paragraphs pair where there are as many of them in each. Nothing is labelled by hand and nothing is guessed.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mirror import Repository

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
_CUT = re.compile(
    r"^(```|~~~).*?^\1|<!--.*?-->|^:::.*?$|^(?:import|export) .*?$|\{/\*.*?\*/\}|\{#[^}\n]*\}|<[^>\n]+>", re.S | re.M
)
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.M)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_SHORTEST = 12  # characters of an English paragraph
_LEAST_HAN = 30  # characters of a section that says something by itself
_MARKUP = re.compile(r"[*`_|]+|:\w+:")
_ROLE = re.compile(r":[\w:+-]+:`~?!?([^`<]+?)(?: *<[^`]*>)?`")


@dataclass(frozen=True)
class Section:
    level: int
    heading: str
    paragraphs: tuple[str, ...]

    @property
    def body(self) -> str:
        return "\n".join(self.paragraphs)


@dataclass(frozen=True)
class Pair:
    """What both languages say; a heading's pair is short, and its section follows it."""

    english: str
    chinese: str
    heading: bool = False


def sections(page: str) -> list[Section]:
    """The prose of a Markdown page below each heading, without code, comments and markup."""
    text = _CUT.sub("", _FRONT_MATTER.sub("", page.replace("\r", "")))
    found, level, heading = [], 0, ""
    parts = _HEADING.split(text)
    for body, mark, title in itertools.zip_longest(parts[::3], parts[1::3], parts[2::3], fillvalue=""):
        paragraphs = tuple(filter(None, (_plain(part) for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", body))))
        if level or paragraphs:
            found.append(Section(level, _plain(heading), paragraphs))
        level, heading = len(mark), title
    return found


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _MARKUP.sub("", _LINK.sub(r"\1", text))).strip(" -")


def pages(english: str, chinese: str) -> Iterator[Pair]:
    """Pairs of a page and its translation: headings, sections, paragraphs."""
    ours, theirs = sections(english), sections(chinese)
    if [each.level for each in ours] != [each.level for each in theirs]:
        return
    for en, zh in zip(ours, theirs, strict=True):
        if not _HAN.search(zh.heading + zh.body):
            continue
        if _HAN.search(zh.heading) and not _HAN.search(en.heading):
            yield Pair(en.heading, zh.heading, heading=True)
        if len(en.body) >= _SHORTEST and _HAN.search(zh.body):
            yield Pair(f"{en.heading} {en.body[:900]}", f"{zh.heading} {zh.body[:400]}")
        if len(en.paragraphs) == len(zh.paragraphs) > 1:
            for one, other in zip(en.paragraphs, zh.paragraphs, strict=True):
                if len(one) >= _SHORTEST and _HAN.search(other) and not _HAN.search(one):
                    yield Pair(one[:900], other[:400])


def translated(mirror: Path, spec: dict[str, str]) -> Iterator[list[Pair]]:
    """Pairs of each page of a repository; its English lies in the same one, or in that named by "english"."""
    chinese = Repository(mirror, spec["repository"])
    english = Repository(mirror, spec.get("english", spec["repository"]))
    if not (chinese.present and english.present):
        return
    there = english.paths()
    mine = {
        path: spec["en"].join(path.split(spec["zh"], 1))
        for path in chinese.paths()
        if spec["zh"] in path and path.endswith((".md", ".mdx"))
    }
    originals = dict(english.texts({path: there[path] for path in dict.fromkeys(mine.values()) if path in there}))
    for path, text in chinese.read(lambda path: mine.get(path) in originals):
        found = list(pages(originals[mine[path]], text))
        if found:
            yield found


def catalogues(mirror: Path, spec: dict[str, str]) -> Iterator[list[Pair]]:
    """Pairs of each gettext catalogue of a repository."""
    repository = Repository(mirror, spec["repository"], spec.get("revision", "HEAD"))
    if repository.present:
        for _, text in repository.read(lambda path: path.endswith(".po")):
            yield list(_messages(text))


def _messages(catalogue: str) -> Iterator[Pair]:
    for entry in catalogue.split("\n\n"):
        if "#, fuzzy" in entry or "msgid_plural" in entry:
            continue
        said = {"msgid": "", "msgstr": ""}
        key = ""
        for line in entry.split("\n"):
            word, _, rest = line.partition(" ")
            if word in said:
                key, line = word, rest
            if key and line.startswith('"'):
                said[key] += ast.literal_eval(line)
        english, chinese = (_plain(_ROLE.sub(r"\1", said[each])) for each in ("msgid", "msgstr"))
        if len(english) >= 4 and _HAN.search(chinese) and not _HAN.search(english):
            yield Pair(english[:900], chinese[:400], heading=len(english) < 60)


def dictionary(mirror: Path, wordnet: Path, spec: dict[str, str]) -> Iterator[Pair]:
    """Chinese lemmas of the Open Multilingual Wordnet with English ones, and with the gloss, of the same synset."""
    repository = Repository(mirror, spec["repository"])
    if not repository.present:
        return
    lemmas: dict[str, list[str]] = defaultdict(list)
    for _, text in repository.read(lambda path: path in spec["files"]):
        for line in text.split("\n"):
            synset, kind, lemma = (*line.split("\t"), "", "")[:3]
            if kind == "cmn:lemma" and lemma not in lemmas[synset]:
                lemmas[synset].append(lemma.replace("+", ""))
    for name, letters in (("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r")):
        for line in (wordnet / f"data.{name}").read_text(encoding="utf-8").split("\n"):
            chinese = lemmas.get(f"{line[:8]}-{letters}", ())
            if not chinese:
                continue
            fields, _, gloss = line.partition(" | ")
            parts = fields.split(" ")
            english = [
                re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in parts[4 : 4 + 2 * int(parts[3], 16) : 2]
            ]
            for lemma in chinese:
                yield Pair(", ".join(english), lemma, heading=True)
                yield Pair(f"{', '.join(english)}: {gloss.split(';')[0].strip()}", lemma)


def alike(page: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Pairs within one Chinese page: heading and section, and each section with another one."""
    found = [each for each in sections(page) if len(_HAN.findall(each.body)) >= _LEAST_HAN]
    for each in found:
        if _HAN.search(each.heading):
            yield each.heading, each.body[:400]
        other = chance.choice(found)
        if other is not each:
            yield each.body[:400], f"{other.heading} {other.body[:400]}"
