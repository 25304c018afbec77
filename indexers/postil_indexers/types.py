"""The nouns of indexing. Lines are 0-based and half-open; offsets count code points of the decoded text."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a search hit is; also the partition of the vector table."""

    NOTE = "note"
    CODE = "code"
    COMMIT = "commit"


class Span(NamedTuple):  # as Reference: of all that a file has they are the most, and made in a third of the time
    """Lines, 0-based, half-open."""

    start_line: int
    end_line: int


class FileState(StrEnum):
    """What became of a file that was seen."""

    INDEXED = "indexed"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Document:
    """One file as text."""

    path: str  # relative to the root, POSIX separators, undecodable bytes as surrogates (os.fsdecode)
    text: str  # decoded, byte order mark gone, line ends as they are, secrets masked
    language: str  # "markdown", "python", ...; "text" where nothing is known
    encoding: str = "utf-8"
    encoding_guessed: bool = False  # neither valid UTF-8 nor marked: the encoding is a guess
    masked: int = 0  # secrets that were masked in `text`


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is found, ranked and shown as one. The chunks of a document tile its text."""

    start: int  # code points of Document.text
    end: int
    span: Span
    kind: Kind
    name: str = ""  # qualified name ("Class.method") or heading path ("Storage > Vectors")
    symbol: str = ""  # "function", "class", "section", "front_matter", "cell", ...; "" for plain lines
    names: tuple[str, ...] = ()  # the bare names of all definitions that start in it
    context: str = ""  # words that place it and are not in its text: enclosing signature, headings
    text: str | None = None  # what is searched and embedded where it is not the slice: the source of a notebook's cell


@dataclass(frozen=True, slots=True)
class Definition:
    """A named thing in code."""

    name: str  # "fetch"
    qualified_name: str  # "Client.fetch"
    kind: str  # function, method, class, struct, interface, trait, impl, enum, module, type, macro, test, constant
    span: Span  # the whole definition, with its docstring and the comment above
    line: int  # where the name stands


class Reference(NamedTuple):
    """A use of a name in code: a call, a type, an import."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int  # 1-6
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written; what it points at is resolved against the whole workspace."""

    target: str  # path, name or id, percent-decoded, without the anchor; "" for an anchor in the same note
    anchor: str  # heading or "^block", without "#"; "" for none
    text: str  # alias or link text
    style: str  # "wiki", "embed", "inline", "image", "reference", "autolink"
    start: int  # code points of Document.text, the whole link
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Tag:
    name: str  # "project/postil", without "#"
    line: int


@dataclass(frozen=True, slots=True)
class BlockId:
    name: str  # without "^"
    line: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """All that one document says of itself."""

    title: str
    chunks: tuple[Chunk, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    aliases: tuple[str, ...] = ()
    block_ids: tuple[BlockId, ...] = ()
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    note_id: str = ""  # Zettel id: from the front matter, or the time stamp that the file name starts with
    warnings: tuple[str, ...] = ()  # for the ledger, fit to show: "front matter is not YAML: line 3, ..."


@dataclass(frozen=True, slots=True)
class Hunk:
    """One run of changed lines of a commit, from a diff without context lines."""

    old_start: int  # first line, 0-based, in the file before
    old_lines: int
    new_start: int
    new_lines: int
    symbol: str  # git's function context, as a hint; "" for none
    text: str  # the changed lines with their "-" and "+", masked, capped
    truncated: bool = False  # `text` was capped; the numbers never are


@dataclass(frozen=True, slots=True)
class FileChange:
    path: str  # after the change; relative to the workspace root, as Document.path
    old_path: str  # before; equal to `path` unless renamed or copied
    status: str  # "A", "M", "D", "R", "C", "T"
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    # The first bytes of git's ids of the content before and after: which content of two lines of development went on
    old_blob: bytes = field(default=b"", compare=False)
    new_blob: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Shift:
    """A run of lines of a merge's file that one parent has otherwise; lines as in Hunk."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A file that a merge took from no parent whole: what it has otherwise than each of them, parent by parent."""

    path: str
    shifts: tuple[tuple[Shift, ...], ...]
    old_blobs: tuple[bytes, ...] = field(default=(), compare=False)  # of the parents, as in FileChange
    new_blob: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: int  # Unix seconds, UTC
    committed_at: int
    subject: str  # masked, as the body
    body: str
    files: tuple[FileChange, ...] = ()
    added_names: tuple[str, ...] = ()  # identifiers its hunks add and do not remove, most frequent first
    removed_names: tuple[str, ...] = ()
    text_missing: bool = False  # the diffs could not be had (partial clone); names only
    committer_name: str = ""
    committer_email: str = ""
    merged: tuple[MergedFile, ...] = ()  # of a merge: for following lines through it, nothing to read


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What one run did, as printed by `postil index --json`."""

    files: int = 0  # indexed documents after the run
    chunks: int = 0
    commits: int = 0
    embedded: int = 0  # vectors computed in this run
    skipped: int = 0
    failed: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()  # what git could not say of the tree, fit to show
