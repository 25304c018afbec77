"""The nouns of answering. Lines inside are 0-based and half-open; the command line prints them 1-based."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from postil_indexers.types import FileChange, Kind, Span


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for, and where."""

    text: str
    kinds: tuple[Kind, ...] = (Kind.CODE, Kind.NOTE)
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a passage, in terms that mean the same in every answer and every workspace."""

    words: float  # share (0-1) of the rare-word weight of what was asked that the passage holds
    shared: float  # how many of its words that is; a pair of Han characters is half a word
    near: float | None = None  # how far its vector stands out (standard deviations); None where no vector was compared
    defines: bool = False  # a name that was asked for is defined in it
    meaning: float | None = None  # cosine of a paragraph's and its vector, by a model whose scale is known
    runs: int | None = None  # what shared runs of an unspaced script have beyond pairs; None for a spaced one


@dataclass(frozen=True, slots=True)
class Hit:
    """One found passage. `score` orders this answer only; `confidence` (0-1) compares across answers."""

    path: str
    root: str
    span: Span
    kind: Kind
    name: str
    snippet: str
    score: float
    confidence: float
    stale: bool = False  # the file has changed since it was indexed
    sha: str = ""  # of a commit
    branch: str = ""  # that has this commit, where HEAD does not reach it
    ranks: dict[str, float] = field(default_factory=dict)  # with --explain: its rank in each list, and each boost
    evidence: Evidence | None = None  # what `confidence` is made from; None for a commit that the query names


@dataclass(frozen=True, slots=True)
class Related:
    """A note, a piece of code or a commit related to a passage, and why."""

    path: str
    root: str
    title: str
    heading: str
    span: Span
    snippet: str
    score: float
    confidence: float
    reason: str
    evidence: Evidence
    kind: Kind = Kind.NOTE
    sha: str = ""  # of a commit, which has no path


@dataclass(frozen=True, slots=True)
class FoundCommit:
    sha: str
    committed_at: int
    author: str
    subject: str
    score: float
    files: tuple[FileChange, ...]
    kind: str = "other"  # of change: fix, feature, refactor, test, docs, revert, release, other
    release: str = ""  # the first that has it
    reverted_by: str = ""  # id of the commit that took it back
    copies: tuple[str, ...] = ()  # ids of commits that change the same, such as its cherry-picks
    text_missing: bool = False  # a partial clone lacks its changed lines
    branch: str = ""  # one that has it, where HEAD does not reach it


@dataclass(frozen=True, slots=True)
class Answers:
    """Hits with what share of the searched passages has a vector."""

    hits: tuple[Hit, ...]
    share_embedded: float


class Support(StrEnum):
    """What the passages that a sentence cites say of it."""

    SUPPORTED = "supported"
    WEAK = "weak"  # nothing speaks against it, and not enough for it
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"  # it cites nothing, or its language is beyond the check


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that an answer is drawn from, as it reads now; `[number]` in the answer stands for it."""

    number: int
    root: str
    path: str
    span: Span
    kind: Kind
    title: str  # of its document; of a commit its subject
    name: str  # heading path or qualified name
    text: str  # masked
    confidence: float = 0.0
    stale: bool = False  # it has changed, and what is quoted is what it was
    sha: str = ""  # of a commit
    branch: str = ""  # that has this commit, where HEAD does not reach it


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, plain, with the numbers of what it cites."""

    text: str
    citations: tuple[int, ...]
    support: Support = Support.UNCHECKED


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is Markdown in which only our own numbers lead anywhere. No citations: the workspace does not have it."""

    text: str
    model: str  # "" for extracts
    citations: tuple[Source, ...]
    sentences: tuple[Sentence, ...]
    nearest: tuple[Hit, ...] = ()
    finish: str = "complete"  # or "not_found", "cancelled", "length", "error"
    filters: Mapping[str, str | list[str]] = field(default_factory=dict)  # the time that it was asked of
