"""What `postil:` documents say: a commit as a diff, a file as it was, an answer with its links. All of it masked."""

from __future__ import annotations

import datetime
import os

from postil_indexers.decode import decode, marked_encoding
from postil_indexers.errors import GitError, PostilError
from postil_indexers.git import run_git
from postil_indexers.guards import skip_bytes
from postil_indexers.known_names import is_secret
from postil_indexers.secrets import mask
from postil_indexers.seen import shown
from postil_indexers.types import Commit, FileChange, Hunk
from postil_server.answering.extractive import label
from postil_server.answering.safetext import clean
from postil_server.explain import explain
from postil_server.lsp.desk import Opened
from postil_server.lsp.records import link_of
from postil_server.lsp.shown import escaped
from postil_server.types import Answer, Source

_MOST_BYTES = 2 << 20  # of a file as it was; an editor is no place for more
_NAMES = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied", "T": "changed its kind"}


def commit_page(opened: Opened, sha: str) -> str:
    """The message, the files and their changed lines, from the index. Raises PostilError for one it does not have."""
    commit = opened.index.history.commit(sha)
    if commit is None:
        raise PostilError(f"no commit {sha[:10]} is in the index of {shown(opened.root)}")
    branch = opened.index.branches.of(sha)
    at = datetime.datetime.fromtimestamp(commit.committed_at, datetime.UTC)
    head = [
        f"commit {commit.sha}",
        f"Author: {commit.author_name}",
        f"Date:   {at:%Y-%m-%d %H:%M:%S} UTC",
        *([f"Branch: {shown(branch)}, not reached by HEAD"] if branch else []),
        "",
        *(f"    {line}".rstrip() for line in f"{commit.subject}\n\n{commit.body}".strip().split("\n")),
        "",
        *_joined(opened, commit.sha),
    ]
    return clean("\n".join([*head, *(line for change in commit.files for line in _changed(change, commit))]) + "\n")


def _joined(opened: Opened, sha: str) -> list[str]:
    """What names a commit, and what came of it: the reason that its message does not give."""
    with opened.index.snapshot():
        told = explain(opened.index, sha)
    if told is None:
        return []
    found = [f"Issue:  #{number} {address}" for number, address in told.issues if address]
    found += [f"Later:  {each.sha[:10]} {each.relation}: {each.subject}" for each in told.later]
    found += [
        f"Note:   {shown(note.path)}:{note.line + 1} names {note.names}: {note.snippet}"
        for note in told.notes
        if note.direct
    ]
    return [*found, ""] if found else []


def _changed(change: FileChange, commit: Commit) -> list[str]:
    old, new = shown(change.old_path), shown(change.path)
    said = _NAMES.get(change.status)
    lines = [f"diff --git a/{old} b/{new}", *([said] if said else [])]
    if change.binary:
        return [*lines, "Binary files differ"]
    if commit.text_missing or not change.hunks:
        return lines
    before = "/dev/null" if change.status == "A" else f"a/{old}"
    after = "/dev/null" if change.status == "D" else f"b/{new}"
    return [*lines, f"--- {before}", f"+++ {after}", *(line for hunk in change.hunks for line in _hunk(hunk))]


def _hunk(hunk: Hunk) -> list[str]:
    old, new = _lines(hunk.old_start, hunk.old_lines), _lines(hunk.new_start, hunk.new_lines)
    cut = ["… the rest of these lines is not kept"] if hunk.truncated else []
    return [f"@@ -{old} +{new} @@ {hunk.symbol}".rstrip(), *hunk.text.removesuffix("\n").split("\n"), *cut]


def _lines(start: int, count: int) -> str:
    """As git writes them: from 1 on, the line before where there are none, a single one without its count."""
    first = start + (count > 0)
    return str(first) if count == 1 else f"{first},{count}"


def file_page(opened: Opened, sha: str, path: str) -> str:
    """A file of the folder as it was at a commit that the index has. Raises PostilError where there is none to show."""
    if opened.index.history.commit(sha) is None:
        raise PostilError(f"no commit {sha[:10]} is in the index of {shown(opened.root)}")
    parent, name = os.path.split(os.fsencode(path).lower())
    if is_secret(name, os.path.basename(parent)):
        raise PostilError(f"{shown(path)} is not shown: its name says that it holds keys or credentials")
    blob = f"{sha}:./{path}"
    try:
        size = int(run_git(opened.root, "cat-file", "-s", blob))
        if size > _MOST_BYTES:
            raise PostilError(f"{shown(path)} is too large to be shown: {size:,} bytes")
        data = run_git(opened.root, "cat-file", "blob", blob)
    except GitError as error:
        raise PostilError(f"there is no file {shown(path)} at {sha[:10]}") from error
    if skip_bytes(data, marked=marked_encoding(data) is not None) is not None:
        raise PostilError(f"{shown(path)} at {sha[:10]} is not text")
    return mask(decode(data)[0]).text


def answer_page(question: str, answer: Answer) -> str:
    """The answer with what its numbers lead to: link definitions are all that links in it."""
    found = [f"[{source.number}]: <{link_of(source)}>" for source in answer.citations]
    listed = [f"- [{each.number}] {escaped(clean(label(each)))}{_changed_since(each)}" for each in answer.citations]
    nearest = [f"- {escaped(clean(f'{hit.path}:{hit.span.start_line + 1} {hit.name}'))}" for hit in answer.nearest]
    parts = [f"# {escaped(clean(question))}", answer.text.rstrip()]
    parts += ["\n".join(block) for block in (listed, nearest, found) if block]
    return "\n\n".join(parts) + "\n"


def _changed_since(source: Source) -> str:
    return " (changed since)" if source.stale else ""
