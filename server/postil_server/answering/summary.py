"""Summaries of files, selections and folders by extraction, along their structure: headings, names of definitions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postil_indexers.errors import PostilError
from postil_indexers.seen import shown
from postil_indexers.store.content import DocumentRow
from postil_indexers.store.rows import ChunkRow
from postil_indexers.store.terms import inverse_frequency
from postil_indexers.text import index_terms, is_function_word
from postil_indexers.types import Kind, Span
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest, Group, Point
from postil_server.answering.extractive import quoted
from postil_server.answering.question import is_chinese
from postil_server.answering.sentences import Unit, is_label, units_of
from postil_server.freshness import LiveText
from postil_server.types import Source

_KEYS, _OPEN = 7, 6  # points: more is the text itself
_OF_FOLDER = 12  # files of a folder that are named
_LOOKED_AT = 300  # files of a folder that are read for that
_LEAD = 1.35  # for the first sentence of a section: its writer put it there
_FIRST = (1.8, 1.2, 1.0)  # the core point is among the first sentences, and most often the very first
_POINTER = 0.4  # a sentence that only says where to look
_SHORT = 25  # characters below which a sentence says little (Han characters say twice as much)

_POINTS = re.compile(
    r"^(?:see|related|cf\.?|source|template|参见|参考|见|相关|详见)\b|^(?:参见|参考|见|相关|详见)|^.{0,12}https?:", re.I
)
_OPEN_HEADING = re.compile(
    r"\b(?:open|todo|to do|questions?|next|unresolved)\b|未决|待办|待定|问题|开放|下一步", re.IGNORECASE
)
_MAIN = re.compile(r"(?:^|/)(?:readme|index|overview|design|architecture|__init__|mod|lib|main)\.[^/]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    unit: Unit
    source: Source
    weight: float
    lead: bool


def summarise_file(corpus: Corpus, path: str, span: Span | None = None, text: str | None = None) -> Digest:
    """Of a file, or of some of its lines. `text`: those lines as an editor has them.

    Raises PostilError where there is nothing to summarise.
    """
    with corpus.index.snapshot():
        document = corpus.index.content.document(path)
        live = LiveText(corpus.index, corpus.root, corpus.buffers)
        sources = (
            _selected(corpus, live, document, path, span, text)
            if span is not None
            else _sections(corpus, live, document)
        )
        said = _weighed(corpus, sources)
    if not said:
        what = f"lines {span.start_line + 1}-{span.end_line} of {shown(path)}" if span else shown(path)
        hint = "it has headings and links alone" if sources else "only files that are indexed can be summarised"
        raise PostilError(f"there is no text to summarise in {what}", hint)
    return _digest(shown(path), said)


def summarise_folder(corpus: Corpus, folder: str) -> Digest:
    """Of the files below a folder, "" for all: what each is about. Raises PostilError where none is indexed."""
    prefix = f"{folder.rstrip('/')}/" if folder.strip("./") else ""
    with corpus.index.snapshot():
        live = LiveText(corpus.index, corpus.root, corpus.buffers)
        below = [row for row in corpus.index.content.documents().values() if row.path.startswith(prefix)]
        if not below:
            raise PostilError(
                f"no indexed file is below {shown(folder) or 'the folder'}", "postil status lists what is"
            )
        ranked = sorted(below, key=lambda row: _rank(corpus, row, prefix))[:_LOOKED_AT]
        parts = [(row, _weighed(corpus, _sections(corpus, live, row))) for row in ranked]
    told = [(row, said) for row, said in parts if said and _tells(_core(said).unit)][:_OF_FOLDER]
    if not told:
        raise PostilError(f"there is no text to summarise below {shown(folder) or 'the folder'}")
    chinese = is_chinese(" ".join(each.unit.text for _, said in told for each in said))
    cores = [replace(_point(_core(said)), about=row.path[len(prefix) :]) for row, said in told]
    opened = [_point(each) for _, said in told for each in said if _is_open(each)][:_OPEN]
    more = len(below) - len(told)
    note = (
        f"{len(below)} 个文件，其中 {more} 个未列出。"
        if chinese
        else f"{len(below)} files, of which {more} are not listed."
    )
    return Digest(
        shown(folder) or shown(corpus.root),
        tuple(cores[:1]),
        (Group(tuple(cores[1:])),),
        tuple(opened),
        note if more else "",
        chinese,
        tuple(dict.fromkeys(each.source for _, said in told for each in said)),
    )


def _tells(unit: Unit) -> bool:
    """Whether a sentence can stand for a file: of links or a pattern nobody learns what it is about."""
    return not unit.code and _fitness(unit) == 1.0


def _rank(corpus: Corpus, row: DocumentRow, prefix: str) -> tuple[int, int, int, str]:
    """Files that speak for a folder first; then notes by how many link to them, then code by where it lies."""
    depth = row.path.count("/") - prefix.count("/")
    main = 0 if _MAIN.search(row.path) and depth == 0 else 1
    links = corpus.index.content.backlinks(row.id) if row.kind is Kind.NOTE else 0
    return main, depth, -links, row.path


def _sections(corpus: Corpus, live: LiveText, document: DocumentRow | None) -> list[Source]:
    rows = corpus.index.content.chunks_of(document.id) if document is not None else []
    found = []
    for row in rows:
        passage = live.passage(row) if row.symbol != "front_matter" else None
        if passage is not None:
            found.append(_source(corpus, row, passage.span, passage.text, stale=passage.stale))
    return found


def _source(corpus: Corpus, row: ChunkRow, span: Span, text: str, *, stale: bool) -> Source:
    return Source(0, corpus.root, row.path, span, row.kind, row.title, row.name, text, 1.0, stale)


def _selected(
    corpus: Corpus, live: LiveText, document: DocumentRow | None, path: str, span: Span, text: str | None
) -> list[Source]:
    """The parts of the sections that are selected; what an editor selected in a file that is not indexed, as one."""
    if text is not None or document is None:
        kind = document.kind if document is not None else Kind.NOTE
        title = document.title if document is not None else shown(path)
        return [Source(0, corpus.root, path, span, kind, title, "", text or "", 1.0)]
    found = []
    for source in _sections(corpus, live, document):
        first, end = max(source.span.start_line, span.start_line), min(source.span.end_line, span.end_line)
        if first < end:
            lines = source.text.split("\n")[first - source.span.start_line : end - source.span.start_line]
            found.append(replace(source, span=Span(first, end), text="\n".join(lines)))
    return found


def _weighed(corpus: Corpus, sources: Sequence[Source]) -> list[_Said]:
    """All that is said, in order, each with how much of what the whole is about it says."""
    units = [
        (source, unit)
        for source in sources
        for unit in units_of(source.text, source.kind)
        if not unit.pointer and not is_label(unit)
    ]
    terms = [_terms(f"{unit.heading} {unit.text}") for _, unit in units]
    counts = Counter(term for each in terms for term in each)
    passages, frequency = sum(corpus.index.content.counts().values()), corpus.index.content.frequency(list(counts))
    weights = {t: (1.0 + math.log(n)) * inverse_frequency(passages, frequency[t]) for t, n in counts.items()}
    seen: set[Source] = set()
    said = []
    for (source, unit), own in zip(units, terms, strict=True):
        lead = not unit.code and source not in seen
        if not unit.code:
            seen.add(source)
        weight = sum(weights[term] for term in own) / math.sqrt(len(own) + 4.0) if own else 0.0
        said.append(_Said(unit, source, weight * _fitness(unit) * (_LEAD if lead else 1.0), lead))
    return said


def _fitness(unit: Unit) -> float:
    length = sum(2 if ord(char) > 0x2E80 else 1 for char in unit.text)
    factor = min(1.0, length / _SHORT)
    if _POINTS.search(unit.text):
        factor *= _POINTER
    return factor * (0.3 if unit.code else 1.0)


def _terms(text: str) -> set[str]:
    return {
        term for term in index_terms(text).split() if not is_function_word(term) and (len(term) > 1 or term.isascii())
    }


def _digest(title: str, said: Sequence[_Said]) -> Digest:
    core = _core(said)
    keys = [each for each in _by_section(said, core) if each is not core and not _is_open(each)]
    opened = [each for each in said if _is_open(each) and each is not core][:_OPEN]
    chinese = is_chinese(" ".join(each.unit.text for each in said if not each.unit.code))
    return Digest(
        title,
        (_point(core),),
        (Group(tuple(_point(each) for each in keys)),),
        tuple(_point(each) for each in opened),
        chinese=chinese,
        whole=tuple(dict.fromkeys(each.source for each in said)),
    )


def _core(said: Sequence[_Said]) -> _Said:
    """The best of the first sentences; of text without sentences the best of all."""
    prose = [each for each in said if not each.unit.code and not each.unit.open]
    if not prose:
        return max(said, key=lambda each: each.weight)
    first = prose[: len(_FIRST)]
    return max(first, key=lambda each: each.weight * _FIRST[first.index(each)])


def _by_section(said: Sequence[_Said], core: _Said) -> list[_Said]:
    """The best sentence of each section, then the next best of all, as many as there is room for, in their order."""
    best: dict[tuple[Source, str], _Said] = {}
    for each in said:
        place = (each.source, each.unit.heading)
        if each is not core and not each.unit.code and (place not in best or each.weight > best[place].weight):
            best[place] = each
    chosen = sorted(best.values(), key=lambda each: -each.weight)[:_KEYS]
    rest = [each for each in said if each is not core and each not in chosen and not each.unit.code]
    chosen += sorted(rest, key=lambda each: -each.weight)[: max(0, _KEYS // 2 + 1 - len(chosen))]
    order = {id(each): number for number, each in enumerate(said)}
    return sorted(chosen, key=lambda each: order[id(each)])


def _is_open(said: _Said) -> bool:
    unit = said.unit
    return not unit.code and (unit.open or _OPEN_HEADING.search(unit.heading) is not None)


def _point(said: _Said) -> Point:
    return Point(quoted(said.unit, said.source), said.source, _about(said))


def _about(said: _Said) -> str:
    """The definition that a comment in code belongs to: one that stands above it."""
    if said.source.kind is not Kind.CODE or said.unit.code:
        return ""
    above = "\n".join(said.source.text.split("\n")[: said.unit.start_line + 1])
    bare = re.split(r"[.:]+", said.source.name)[-1]
    return said.source.name if bare and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", above) else ""
