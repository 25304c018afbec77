"""Questions in one language, texts in the other, English and Chinese: recall@5 by words alone and with static vectors.

Two sources, neither of which the table was trained on. Pages of the Obsidian help and their translations: the question
is a page's description in its own language, the texts are the pages in the other, without their front matter (which
has English aliases) and under numbers for names. XQuAD: the first question of each paragraph, the texts are the
paragraphs in the other language, a note each. What is right is the page or paragraph that the question belongs to.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from measuring import Postil, table, write_result

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.store.index import Index, open_index
from postil_indexers.types import Kind
from postil_server.ranking import MODEL
from postil_server.search import search
from postil_server.types import Query

_AT = 5
_LEAST = 0.5
_HITS = 30  # passages: several may lie in one page
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.S)
_LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Text:
    """What is found, and the question that it answers, in one language."""

    body: str
    question: str


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    work = work / "cross-language"
    sources = {"obsidianmd/obsidian-help": _help_pages, "google-deepmind/xquad": _xquad}
    rows, met = [], True
    for repository, read in sources.items():
        git = ["git", f"--git-dir={mirror / repository.replace('/', '+') / 'repo'}"]
        if not Path(git[1].partition("=")[2]).is_dir():
            print(f"{repository} is not in the mirror, left out")
            continue
        texts = read(git)
        for asked, searched in itertools.product(_LANGUAGES, repeat=2):
            words, vectors = _recalls(texts, asked, searched, work / repository.replace("/", "+"))
            good = asked == searched or vectors >= _LEAST
            met = met and good
            verdict = "" if asked == searched else "met" if good else "not met"
            rows.append((repository, asked, searched, len(texts), f"{words:.3f}", f"{vectors:.3f}", verdict))
            print(*rows[-1], flush=True)
    header = ("source", "question", "texts", "questions", "words alone", "with vectors", f"bound {_LEAST}")
    said = (
        f"Share of the questions whose page or paragraph is among the first {_AT}. Static vectors, no transformer. "
        "The bound holds across languages; beside them stands what vectors do within one."
    )
    write_result(out, "Cross language", command, [said, table(header, rows)], {})
    return met and bool(rows)


def _recalls(texts: Sequence[Mapping[str, Text]], asked: str, searched: str, work: Path) -> tuple[float, float]:
    tree = work / searched
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for number, text in enumerate(texts):
        (tree / f"{number:04}.md").write_text(text[searched].body, encoding="utf-8")
    postil = Postil(work)
    postil.index(tree, fresh=True)
    with open_index(postil.index_file(tree)) as index:
        words, vectors = (
            sum(_finds(index, tree, text[asked].question, number, roles) for number, text in enumerate(texts))
            for roles in ({}, {"static": load_static()})
        )
    return words / len(texts), vectors / len(texts)


def _finds(index: Index, tree: Path, question: str, number: int, roles: Mapping[str, Embedder]) -> bool:
    hits = search(index, str(tree), Query(question, (Kind.NOTE,), _HITS), roles, MODEL).hits
    first = list(dict.fromkeys(hit.path for hit in hits))[:_AT]
    return f"{number:04}.md" in first


def _help_pages(git: Sequence[str]) -> list[Mapping[str, Text]]:
    """The pages that both languages have, by the address they share, and that say in both what they are about."""
    found: dict[str, dict[str, Text]] = {language: {} for language in _LANGUAGES}
    for language, pages in found.items():
        for page in _files(git, language):
            matter = _FRONT_MATTER.match(page)
            said = yaml.safe_load(matter[1]) if matter else {}
            if matter and said.get("permalink") and said.get("description"):
                pages[said["permalink"]] = Text(page[matter.end() :], said["description"])
    both = [address for address in found["en"] if address in found["zh"]]
    return [{language: found[language][address] for language in _LANGUAGES} for address in both]


def _files(git: Sequence[str], folder: str) -> Iterator[str]:
    listing = _read(git, "ls-tree", "-r", "-z", "--name-only", "HEAD", folder)
    for path in listing.split("\0"):
        if path.endswith(".md"):
            yield _read(git, "show", f"HEAD:{path}")


def _xquad(git: Sequence[str]) -> list[Mapping[str, Text]]:
    columns = []
    for language in _LANGUAGES:
        articles = json.loads(_read(git, "show", f"HEAD:xquad.{language}.json"))["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        columns.append([Text(each["context"], each["qas"][0]["question"]) for each in paragraphs])
    return [dict(zip(_LANGUAGES, both, strict=True)) for both in zip(*columns, strict=True)]


def _read(git: Sequence[str], *arguments: str) -> str:
    return subprocess.run([*git, *arguments], capture_output=True, check=True).stdout.decode("utf-8")
