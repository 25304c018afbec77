"""Code and commits that a paragraph names: where its identifiers are defined, and commits whose message has them or its
rare words. Prose and code share many words by chance, so nothing less speaks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from postil_indexers.store.content import DefinitionRow
from postil_indexers.store.history import CommitRow
from postil_indexers.store.index import Index
from postil_indexers.text import index_terms, is_function_word
from postil_indexers.types import Kind, Span
from postil_server import ranking
from postil_server.confidence import NAMED_CODE, NAMED_COMMIT, confidence, term_weights
from postil_server.elsewhere import also_elsewhere
from postil_server.freshness import Freshness
from postil_server.history.joins import commits_named
from postil_server.places import place_cost
from postil_server.termvectors import file_stem
from postil_server.types import Evidence, Related

_SHORTEST = 4  # characters of a name: `fd`, `id` and `ctx` are everybody's
_MOST_NAMES = 20  # of a paragraph that are looked up
_SAME_NAME = 8  # definitions, above which a name is no name to go by
_COMMITS = 20  # by words, of which the messages are read
_PICKED = 300  # commits that the rarest of those may have together: each is ranked
_TERMS = 8  # of a paragraph that commits are sought by: a message has two or three of them or says nothing
_FEW, _RARE_SHARE = 3, 0.02  # commits that may have a name; what more have is the project's own name, or everybody's
_MESSAGE_CHARS = 2_000  # of a commit; a longer one is a list of other commits
_SAID = 3  # names or words of a reason
_SNIPPET_CHARS = 240
_MINOR = frozenset({"property", "field", "constant", "impl", "test", "variable"})

_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)")
_QUALIFIED = re.compile(r"(?:[\w$]+(?:\.|::|->|#))*[A-Za-z_$][\w$]*(?:\(.*\))?")
_JOINT = re.compile(r"\.|::|->|#")
_PLAIN = re.compile(r"[a-z]+|[A-Z]+|[A-Z][a-z]+")  # a word of any prose, whatever it is called in code


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier as a paragraph writes it: `Queue.claim` is claim, of Queue."""

    name: str
    owner: str = ""
    marked: bool = False  # as code, between backticks


def names_in(text: str) -> list[Name]:
    """The identifiers of a paragraph, those between backticks first; plain words only where they name their owner."""
    found: dict[str, Name] = {}
    for _, span in _SPAN.findall(text):
        written = span.strip()
        if _QUALIFIED.fullmatch(written):
            parts = _JOINT.split(written.partition("(")[0])
            found.setdefault(parts[-1], Name(parts[-1], parts[-2] if len(parts) > 1 else "", marked=True))
        else:
            new = sorted(ranking.mentioned_names(written) - found.keys())
            found.update({name: Name(name, marked=True) for name in new})
    for name in sorted(ranking.mentioned_names(_SPAN.sub(" ", text))):
        found.setdefault(name, Name(name))
    told = [each for each in found.values() if len(each.name) >= _SHORTEST]
    return [each for each in told if each.owner or not _PLAIN.fullmatch(each.name)][:_MOST_NAMES]


def named_code(index: Index, root: str, text: str, fresh: Freshness) -> list[Related]:
    """The definitions that a paragraph names, each only where its name has one that is plausible."""
    names = {each.name: each for each in names_in(text)}
    rows: dict[str, list[DefinitionRow]] = {}
    for row in index.content.definitions(names) if names else ():
        if row.name in names:
            rows.setdefault(row.name, []).append(row)
    sole = {name: found for name in names if (found := _only(rows.get(name, []), names[name])) is not None}
    files: dict[int, list[tuple[DefinitionRow, Name]]] = {}
    for name, row in sole.items():
        if fresh.of(row.document_id, row.path) is not None:
            files.setdefault(row.document_id, []).append((row, names[name]))
    told = (_as_code(index, root, found) for found in files.values())
    return sorted((item for item in told if item is not None), key=lambda item: (-item.confidence, item.path))


def _only(rows: list[DefinitionRow], name: Name) -> DefinitionRow | None:
    """The one definition that a name can mean: of several, the one of its owner, or the only one outside of tests."""
    if name.owner:
        rows = [row for row in rows if _belongs(row, name.owner)]
    if len(rows) > _SAME_NAME:
        return None
    proper = [row for row in rows if not place_cost(row.path, "", defines=True)]
    major = [row for row in proper if row.kind not in _MINOR] or proper
    distinct = {(row.path, row.qualified_name): row for row in reversed(major)}
    return next(iter(distinct.values())) if len(distinct) == 1 else None


def _belongs(row: DefinitionRow, owner: str) -> bool:
    """Whether a definition is a member of a class or a module of this name."""
    around = _JOINT.split(row.qualified_name)[:-1]
    return owner in around or owner.casefold() == file_stem(row.path).casefold()


def _as_code(index: Index, root: str, found: list[tuple[DefinitionRow, Name]]) -> Related | None:
    """One item for all that a file defines of what is named: at the first that is no mere field."""
    found = sorted(found, key=lambda pair: pair[0].kind in _MINOR)  # stable: then as the paragraph has them
    row = found[0][0]
    ids = index.content.chunks_over(row.document_id, Span(row.line, row.line + 1))
    chunk = index.content.chunks(ids[:1]).get(ids[0]) if ids else None
    if chunk is None or chunk.kind is not Kind.CODE:
        return None
    lines = chunk.text.split("\n")
    at = min(max(row.line - chunk.span.start_line, 0), len(lines) - 1)
    marked = any(name.marked for _, name in found)
    speaks = Evidence(words=float(marked), shared=float(len(found)), defines=True)
    return Related(
        path=row.path,
        root=root,
        title=row.path,
        heading=row.qualified_name,
        span=Span(row.line, max(row.span.end_line, row.line + 1)),
        snippet=lines[at].strip()[:_SNIPPET_CHARS],
        score=0.0,
        confidence=confidence(speaks, NAMED_CODE),
        reason="defines " + ", ".join(f"`{name.name}`" for _, name in found[:_SAID]),
        evidence=speaks,
        kind=Kind.CODE,
    )


def told_commits(index: Index, root: str, text: str) -> list[Related]:
    """The commits that a paragraph names by id, or by an issue that their messages name as well."""
    sure = Evidence(words=1.0, shared=1.0, defines=True)
    return [
        replace(
            _as_commit(root, row, sure, [], []),
            confidence=1.0,
            reason=f"named here: {name}{also_elsewhere(row.branch)}",
        )
        for row, name in commits_named(index, text)
        if not row.is_merge or row.sha.startswith(name)  # one that says "Merge pull request #42" says no more
    ]


def named_commits(index: Index, root: str, text: str, weights: Mapping[str, float]) -> list[Related]:
    """The commits whose message has a paragraph's identifiers or its rare words, the surest first.

    `weights`: what each term of the paragraph tells among the passages.
    """
    names = {_whole(each.name): each.name for each in names_in(text)}
    terms = _rarest(index.history.frequency([*names, *list(weights)[:_TERMS]]))
    matches = index.history.match(terms, _COMMITS) if terms else []
    found = index.history.rows(m.rowid for m in matches)
    rows = {i: row for i, row in found.items() if not row.is_merge and not row.branch}
    subjects = {i: _terms(row.subject) for i, row in rows.items()}
    count, frequency = index.history.count(), index.history.frequency(set().union(names, *subjects.values()))
    names = {term: name for term, name in names.items() if frequency[term] <= max(_FEW, _RARE_SHARE * count)}
    held = _terms(text)
    told = []
    for i, row in rows.items():
        message = subjects[i] | _terms(row.body[:_MESSAGE_CHARS])
        own = term_weights(subjects[i], count, frequency)
        shared = {term for term in held & message if not is_function_word(term)}
        words = sum(1.0 if term.isascii() else 0.5 for term in shared)
        named = sorted(names[term] for term in names.keys() & message)
        share = sum(own[term] for term in own.keys() & held) / (sum(own.values()) or 1.0)
        speaks = Evidence(words=share, shared=words, defines=bool(named))
        told.append(_as_commit(root, row, speaks, named, _topic(row, shared, own)))
    return sorted(told, key=lambda item: (-item.confidence, item.sha))


def _rarest(frequency: Mapping[str, int]) -> list[str]:
    chosen: list[str] = []
    room = _PICKED
    for term in sorted((t for t in frequency if frequency[t]), key=lambda t: (frequency[t], t)):
        room -= frequency[term]
        if room < 0:
            break
        chosen.append(term)
    return chosen


def _topic(row: CommitRow, shared: set[str], weights: Mapping[str, float]) -> list[str]:
    """The rarest shared words of a subject, as it writes them; at most three."""
    written = {_whole(word): word for word in re.findall(r"[\w.-]*\w", row.subject)}
    rare = sorted((t for t in written if t in shared and t in weights), key=lambda term: (-weights[term], term))
    return [written[term] for term in rare[:_SAID]]


def _as_commit(root: str, row: CommitRow, speaks: Evidence, named: list[str], topic: list[str]) -> Related:
    said = "mentions " + ", ".join(f"`{name}`" for name in named[:_SAID])
    if not named:
        said = "same topic: " + ", ".join(topic) if topic else "words in common"
    return Related(
        path="",
        root=root,
        title=row.subject,
        heading="",
        span=Span(0, 1),
        snippet=next(iter(_lines(row.body)), "")[:_SNIPPET_CHARS],
        score=0.0,
        confidence=confidence(speaks, NAMED_COMMIT),
        reason=said,
        evidence=speaks,
        kind=Kind.COMMIT,
        sha=row.sha,
    )


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.split("\n") if line.strip())


def _terms(text: str) -> set[str]:
    """Without single characters of unspaced scripts, which any two texts share."""
    return {term for term in index_terms(text).split() if len(term) > 1 or term.isascii()}


def _whole(name: str) -> str:
    """The one term that stands for a whole name."""
    terms = index_terms(name).split()
    return terms[-1] if terms else name.casefold()
