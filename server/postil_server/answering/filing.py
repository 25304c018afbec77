"""Tags and a one-line summary for a note: from the tags of notes like it and its own words, or by a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from postil_indexers.chunking.frontmatter import read_front_matter
from postil_indexers.chunking.notes import split_lines
from postil_indexers.text import index_terms, is_function_word
from postil_indexers.types import Kind, Span
from postil_server.answering.asking import Asking
from postil_server.answering.citations.check import judge
from postil_server.answering.corpus import Corpus
from postil_server.answering.prompting import compose
from postil_server.answering.prompts import tags_prompt
from postil_server.answering.question import is_chinese
from postil_server.answering.replying import replied
from postil_server.answering.safetext import clean
from postil_server.answering.sentences import Unit, plain, units_of
from postil_server.llm.base import Options
from postil_server.llm.errors import ChatError
from postil_server.passages import Passage
from postil_server.related import related
from postil_server.termvectors import TermVectors, file_stem
from postil_server.types import Sentence, Source, Support

_MOST, _LEAST = 5, 3  # tags of a note, with those that it has
_LIKE_IT = 8  # notes whose tags are looked at
_NAMED = 1.0  # for a tag whose words stand in the note, beside the confidences of notes that carry it
_ENOUGH = 0.5  # of both together: one note like it that carries the tag is no reason yet
_SHOWN_TAGS = 40  # of those in use, to a model
_REPLY_TOKENS = 120
_LONGEST_TAG = 40  # characters
_SHORTEST_SUMMARY, _LONGEST_SUMMARY = 20, 200
_FIRST = 3  # sentences among which the summary is: a note says at its start what it is about

_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f-]{3,}")
_CODE_SPAN = re.compile(r"`[^`]*`")
_LINE = re.compile(r"^\W*(tags|summary|标签|摘要)\W*[:：]\s*(.+)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Filing:
    """What is proposed: `tags` that the note does not have yet, the likeliest first. `model`: "" without one."""

    tags: tuple[str, ...]
    summary: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class _Note:
    path: str
    title: str
    body: str  # without front matter
    had: frozenset[str]  # tags, as keys
    weights: dict[str, float]  # what each word tells


def propose(corpus: Corpus, path: str, text: str, asking: Asking | None = None) -> Filing:
    """`text`: the note as it stands now. A model that can't be reached, or says nothing that fits, is done without."""
    note = _read(corpus, path, text)
    ranked = _ranked_tags(corpus, note)
    extract = _first_telling(note)
    told = _asked(asking, corpus, note, ranked) if asking is not None and note.body.strip() else None
    if told is None:
        tags = [tag for tag, score in ranked if score >= _ENOUGH]
        tags += _words(note)[: max(0, _LEAST - len(tags) - len(note.had))]
        return Filing(_fresh(tags, note.had), extract)
    support = judge(Sentence(told.summary, (1,)), {1: f"{note.title}\n{note.body}"}).support
    spelled = {_key(tag): tag for tag in corpus.index.names.tags()}
    tags = [spelled.get(_key(tag), tag) for tag in told.tags]
    # what the note does not say is no summary of it
    return Filing(_fresh(tags, note.had), extract if support is Support.NOT_FOUND else told.summary, told.model)


def _read(corpus: Corpus, path: str, text: str) -> _Note:
    lines = split_lines(text.removeprefix("\ufeff"))
    front = read_front_matter(lines)
    body = "\n".join(lines[front.end_line :])
    document = corpus.index.content.document(path)
    title = front.title or (document.title if document else file_stem(path))
    had = frozenset(_key(tag.name) for tag in front.tags)
    return _Note(path, title, body, had, TermVectors(corpus.index).of_text(f"{title}\n{body}").weights)


def _ranked_tags(corpus: Corpus, note: _Note) -> list[tuple[str, float]]:
    """Tags in use by what speaks for them: notes like this one that carry them, their words in the text."""
    index = corpus.index
    vectors = TermVectors(index)
    found = related(index, corpus.root, Passage(note.body, note.path), corpus.embedders, vectors, _LIKE_IT)
    documents = {index.content.document(each.path): each.confidence for each in found}
    tags = index.content.tags_of(document.id for document in documents if document)
    frequency = index.names.tags()
    scores: dict[str, float] = {}
    for document, confidence in documents.items():
        for tag in tags.get(document.id, ()) if document else ():
            scores[tag] = scores.get(tag, 0.0) + confidence / math.sqrt(math.log2(1 + frequency.get(tag, 1)))
    terms = set(index_terms(f"{note.title}\n{note.body}").split())
    for tag in frequency:
        own = index_terms(tag.replace("/", " ")).split()
        if own and terms.issuperset(own):
            scores[tag] = scores.get(tag, 0.0) + _NAMED
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _in_use(corpus: Corpus, ranked: Iterable[tuple[str, float]]) -> list[str]:
    frequency = corpus.index.names.tags()
    common = sorted(frequency, key=lambda tag: (-frequency[tag], tag))
    return list(dict.fromkeys([*(tag for tag, _ in ranked), *common]))[:_SHOWN_TAGS]


def _first_telling(note: _Note) -> str:
    """Of the first sentences of a note, the one that has most of what tells the note from others."""

    def score(unit: Unit) -> float:
        terms = set(index_terms(unit.text).split())
        return sum(note.weights.get(term, 0.0) for term in terms) / math.sqrt(len(terms) or 1)

    units = [unit for unit in units_of(note.body, Kind.NOTE) if not unit.code and not unit.open and _fits(unit.text)]
    return clean(max(units[:_FIRST], key=score).text) if units else ""


def _fits(text: str) -> bool:
    weight = 1 + is_chinese(text)  # a Han character says twice as much
    return len(_CODE_SPAN.sub("", text)) * weight >= _SHORTEST_SUMMARY and len(text) * weight <= _LONGEST_SUMMARY


def _words(note: _Note) -> list[str]:
    """New tags: the words of the title, and those that the note uses again and again, the most telling first."""
    titled = set(index_terms(note.title).split())
    written: dict[str, Counter[str]] = {}
    for word in _WORD.findall(plain(f"{note.title}\n{note.body}")):
        terms = index_terms(word).split()
        if len(terms) == 1 and not is_function_word(terms[0]):
            written.setdefault(terms[0], Counter())[word.lower()] += 1
    again = [term for term, forms in written.items() if term in titled or forms.total() > 1]
    again.sort(key=lambda term: (term not in titled, -note.weights.get(term, 0.0), term))
    return [written[term].most_common(1)[0][0] for term in again]


def _asked(asking: Asking, corpus: Corpus, note: _Note, ranked: Sequence[tuple[str, float]]) -> Filing | None:
    """What a model proposes; None where it can't, or gives nothing that fits."""
    source = Source(1, corpus.root, note.path, Span(0, 1), Kind.NOTE, note.title, "", note.body)
    options = Options(max_tokens=_REPLY_TOKENS, temperature=0.0, view=asking.view)
    in_use, chinese = _in_use(corpus, ranked), is_chinese(note.body)
    try:
        prompt = compose(
            asking,
            asking.sendable([source]),
            (note.title,),
            lambda passages, hide: tags_prompt(hide(note.title), passages, in_use, chinese=chinese),
            options,
            note.weights,
        )
        reply = "".join(replied(asking, prompt, options))
    except ChatError:
        return None
    return _parsed(clean(reply), asking.model.name)


def _parsed(reply: str, model: str) -> Filing | None:
    told = {match[1].lower(): match[2].strip() for match in _LINE.finditer(reply)}
    tags = [_tag(part) for part in re.split(r"[,，、;]", told.get("tags", told.get("标签", "")))]
    summary = plain(told.get("summary", told.get("摘要", ""))).strip('"“”')[:_LONGEST_SUMMARY]
    kept = tuple(dict.fromkeys(tag for tag in tags if tag))
    return Filing(kept, summary, model) if kept and summary else None


def _tag(text: str) -> str:
    """As a tag can be written; "" where nothing of it can."""
    tag = re.sub(r"[^\w/]+", "-", text.strip().strip("#").casefold()).strip("-/_")
    return tag if len(tag) <= _LONGEST_TAG and not tag.isdigit() else ""


def _fresh(tags: Iterable[str], had: frozenset[str]) -> tuple[str, ...]:
    new: dict[str, str] = {}
    for tag in tags:
        if _key(tag) not in had:
            new.setdefault(_key(tag), tag)
    return tuple(new.values())[: max(0, _MOST - len(had))]


def _key(tag: str) -> str:
    return tag.casefold()
