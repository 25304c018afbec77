"""The nouns of answering. Lines inside are 0-based and half-open; the command line prints them 1-based."""

from __future__ import annotations

from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class FoundCommit:
    sha: str
    committed_at: int
    author: str
    subject: str
    score: float
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """Hits with what share of the searched passages has a vector."""

    hits: tuple[Hit, ...]
    share_embedded: float
