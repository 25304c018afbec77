"""Which notes a paragraph is about, for the link that is being written in it."""

from __future__ import annotations

from collections.abc import Mapping

from postil_indexers.chunking.repeated import distinct_text
from postil_indexers.chunking.sites import Range
from postil_indexers.embedding.base import Embedder
from postil_indexers.text import index_terms
from postil_server.lsp.desk import Opened
from postil_server.lsp.scene import Ready
from postil_server.related import GLANCE, Passage, ranked

_MOST = 8  # notes that come first; the rest is found by its name
_FEWEST_WORDS = 4  # of a paragraph that says what it is about
_KEPT_S = 5.0  # how long an answer may be behind the index: the paragraph stays the same while a name is typed


def prepare(opened: Opened) -> None:
    _related(opened, "what the first paragraph would wait for", None, opened.at_hand())


def paths(ready: Ready, opened: Opened, link: Range) -> list[str]:
    """The notes that are related to the paragraph around a link, without the link, best first."""
    text = _paragraph(ready, link)
    known, embedders = opened.kept(_answers, _KEPT_S), opened.at_hand()
    own = ready.note.path if ready.note.root == opened.root else None
    if (text, own) not in known:
        told = len(index_terms(text).split()) >= _FEWEST_WORDS
        known[text, own] = _related(opened, text, own, embedders) if told else []
    opened.open_soon()
    return known[text, own]


def _answers(opened: Opened) -> dict[tuple[str, str | None], list[str]]:
    return {}


def _related(opened: Opened, text: str, own: str | None, embedders: Mapping[str, Embedder]) -> list[str]:
    with opened.index.snapshot():
        passage = Passage(distinct_text(text, opened.index.documents.applied_lines()), own)
        found = ranked(opened.index, passage, embedders, opened.vectors, _MOST, GLANCE)
        return [each.row.path for each in found]


def _paragraph(ready: Ready, link: Range) -> str:
    sites = ready.note.sites
    first = last = sites.line_of(link[0])
    while first - 1 in sites.prose and sites.lines[first - 1].strip():
        first -= 1
    while last + 1 in sites.prose and sites.lines[last + 1].strip():
        last += 1
    end = sites.starts[last + 1] if last + 1 < len(sites.starts) else len(sites.text)
    return sites.text[sites.starts[first] : link[0]].rstrip("[(<!") + " " + sites.text[link[1] : end]
