"""The output of `git log --raw -p -U0` as records of bytes. Counts say where a hunk ends, not what a line looks like.

A commit is: a line of NUL and the commit id, seven more header lines, the message, a line of NUL alone, the list of
changed files (`--raw`), and a section for each of them. No message has a NUL in it; names with line ends are quoted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import IO

from postil_indexers.errors import GitError
from postil_indexers.gitlines import LineCursor

FORMAT = "--format=%x00%H%n%P%n%an%n%ae%n%at%n%cn%n%ce%n%ct%n%B%n%x00"
_MESSAGE_END = b"\n\0\n"
_FILE_LIST = re.compile(rb"(?>(?:(?::[^\n]*+)?\n)+)")  # with the empty lines around it
_SECTION_HEADER = re.compile(rb"(?>(?:(?!@@|diff --|\0|\n)[^\n]*+\n)+)")  # the lines before a section's first hunk
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?([^\n]*)\n")
_COMBINED_HUNK = re.compile(rb"@@@+ ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,\d+)? @@@+ ?([^\n]*)\n")
_OLD_START = re.compile(rb"-(\d+)")
_SIGNED_LINES = re.compile(rb"(?>(?:[ +\-\\][^\n]*+\n)+)")
_NO_NEWLINE = re.compile(rb"\\[^\n]*+\n")
_SPACE = ord(" ")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
HUNK_BYTES = 4_000  # read of a hunk; twice what is kept of it in the end, so that a secret is seen whole before the cut
COMMIT_BYTES = 40_000  # read of a commit, likewise


@dataclass(slots=True)
class RawHunk:
    old_start: int  # 0-based, as in types.Hunk
    old_lines: int
    new_start: int
    new_lines: int
    symbol: bytes
    removed: bytes = b""  # the lines with their "-"
    added: bytes = b""
    cut: bool = False  # lines or bytes are missing


@dataclass(slots=True)
class RawFile:
    path: bytes
    old_path: bytes
    status: str  # a letter; of a merge's file one for each parent, until its section is read
    printed: bytes  # the name as it stands at the end of the section's first line
    blobs: list[bytes]  # ids in hexadecimal: of each parent's content, then of its own
    hunks: list[RawHunk] = field(default_factory=list)
    binary: bool = False
    shifts: list[list[tuple[int, int, int, int]]] = field(default_factory=list)  # of a merge: see types.MergedFile


@dataclass(slots=True)
class RawCommit:
    header: list[bytes]  # id, parents, author's name, email, date, committer's name, email, date, message
    files: list[RawFile] = field(default_factory=list)
    complete: bool = True  # every file that is listed got its section
    merged: list[RawFile] = field(default_factory=list)  # of a merge: the files that have `shifts`

    @property
    def sha(self) -> str:
        return self.header[0].decode("ascii")


def parse_log(stream: IO[bytes], *, patches: bool, keeps_text: Callable[[bytes], bool]) -> Iterator[RawCommit]:
    """Commits in the order of the stream. `keeps_text(path)` says whether a file's changed lines are worth keeping."""
    lines = LineCursor(stream)
    while (line := lines.peek()) is not None:
        if not line:  # between two commits, and before a list of files
            lines.advance()
            continue
        if not line.startswith(b"\0"):
            raise _unexpected(line)
        header = lines.until(_MESSAGE_END)
        if header is None:
            return  # cut off within a message; git's exit status says why
        commit = RawCommit(header[1:].split(b"\n", 8))
        merge = _read_file_list(lines, commit)
        if patches:
            (_read_merge_sections if merge else _read_sections)(lines, commit, keeps_text)
        yield commit


def _read_file_list(lines: LineCursor, commit: RawCommit) -> bool:
    """Read `:mode mode id id status<tab>path[<tab>path]`; True where the list is a merge's, with a colon a parent."""
    merge = False
    while listed := lines.run(_FILE_LIST):
        for line in listed.split(b"\n"):
            if line:
                merge = line.startswith(b"::")
                commit.files.append(_listed_file(line, merge))
    return merge


def _listed_file(line: bytes, merge: bool) -> RawFile:
    facts, old, *renamed = line.split(b"\t")
    new = renamed[0] if renamed else old
    path = _unquote(new)
    *numbers, letters = facts.lstrip(b":").split(b" ")
    status = letters.decode("ascii", "replace")
    blobs = numbers[len(numbers) // 2 :]
    if merge:
        return RawFile(path, path, status, b"diff --cc " + new, blobs)
    printed = b' "b/' + new[1:] if new.startswith(b'"') else b" b/" + new
    return RawFile(path, _unquote(old) if renamed else path, status[0], printed, blobs)


def _merged_status(letters: str) -> str:
    return letters[0] if len(set(letters)) == 1 else "M"


def _read_sections(lines: LineCursor, commit: RawCommit, keeps_text: Callable[[bytes], bool]) -> None:
    """Read the sections, which come in the order of the list."""
    files = commit.files
    position = -1
    budget = COMMIT_BYTES
    while (line := lines.peek()) is not None and line.startswith(b"diff --git "):
        # a change of type (a file that became a link) is printed as two sections: one deleted, the other added
        again = position >= 0 and files[position].status == "T" and line.endswith(files[position].printed)
        if not again:
            position += 1
            while position < len(files) and not line.endswith(files[position].printed):
                position += 1
            if position == len(files):
                raise _unexpected(line)
        file = files[position]
        lines.advance()
        wanted = keeps_text(file.path)
        while (match := _next_hunk(lines, file, _HUNK)) is not None:
            budget -= _read_hunk(lines, match, file, min(budget, HUNK_BYTES) if wanted else 0)
            if not wanted:
                file.hunks[-1].symbol = b""  # a line of the same file
    commit.complete = position == len(files) - 1 and not lines.cut_off


def _next_hunk(lines: LineCursor, file: RawFile, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """Go past a section's header lines and the first line of its next hunk; None at the end of the section."""
    while (match := lines.match(pattern)) is None:
        header = lines.run(_SECTION_HEADER)
        if not header:
            line = lines.peek()
            if line is not None and line.startswith(b"@@"):
                raise _unexpected(line)
            return None
        file.binary = file.binary or header.startswith(b"Binary files ") or b"\nBinary files " in header
    return match


def _read_hunk(lines: LineCursor, match: re.Match[bytes], file: RawFile, budget: int) -> int:
    """Read a hunk's lines; the bytes that were kept of them."""
    old_start, old_lines, new_start, new_lines, symbol = match.groups()
    old, new = int(old_lines or 1), int(new_lines or 1)
    removed, added = b"", b""
    cut_old = cut_new = False
    whole = whole_new = True
    if old:
        removed, cut_old, whole = lines.take(old, budget // 2 if new else budget)
        lines.match(_NO_NEWLINE)  # no count counts it
    if new:
        added, cut_new, whole_new = lines.take(new, budget - len(removed))
        lines.match(_NO_NEWLINE)
    if not (whole and whole_new):
        lines.cut_off = True
    first_old, first_new = first_line(int(old_start), old), first_line(int(new_start), new)
    file.hunks.append(RawHunk(first_old, old, first_new, new, symbol, removed, added, cut_old or cut_new))
    return len(removed) + len(added)


def first_line(printed: int, count: int) -> int:
    """git's line number, counted from 0. Of an empty side git prints the line before, so it is the place itself."""
    return printed - 1 if count else printed


def _read_merge_sections(lines: LineCursor, commit: RawCommit, keeps_text: Callable[[bytes], bool]) -> None:
    """Read what a merge has that its parents have not. Only what none of them has is a hunk that is worth reading."""
    listed: dict[bytes, RawFile] = {}
    for each in commit.files:
        each.status = _merged_status(each.status)
        listed[each.printed] = each
    budget = COMMIT_BYTES
    commit.complete = not listed  # a section may be missing, so at the end of a broken stream nothing is sure
    while (line := lines.peek()) is not None and line.startswith(b"diff --c"):
        file = listed.get(line.replace(b"diff --combined ", b"diff --cc ", 1))
        if file is None:
            raise _unexpected(line)
        lines.advance()
        wanted = keeps_text(file.path)
        while (match := _next_hunk(lines, file, _COMBINED_HUNK)) is not None:
            hunk = _read_combined_hunk(lines, match, file, min(budget, HUNK_BYTES) if wanted else 0)
            if hunk is not None:
                budget -= len(hunk.removed) + len(hunk.added)
                hunk.symbol = hunk.symbol if wanted else b""  # a line of the same file
                file.hunks.append(hunk)
    commit.merged = [file for file in commit.files if file.shifts]
    commit.files = [file for file in commit.files if file.hunks or file.binary]


def _read_combined_hunk(lines: LineCursor, match: re.Match[bytes], file: RawFile, budget: int) -> RawHunk | None:
    """Read a hunk of `@@@ -a,b -c,d +e,f @@@`; None where some parent has all of it.

    The hunk has numbers against the first parent and lines with one sign for all of them. Without context git's counts
    are wrong here (2^64 - 1 for lines that every parent had), so the lines are counted: each begins with a sign, and
    no header line does. An empty side has the number of the line after it.
    """
    olds = [max(0, int(start) - 1) for start in _OLD_START.findall(match[1])]
    new = max(0, int(match[2]) - 1)
    hunk = RawHunk(olds[0], 0, new, 0, match[3])
    if not file.shifts:
        file.shifts = [[] for _ in olds]
    alike = _alike(len(olds))
    kept: dict[bool, list[bytes]] = {False: [], True: []}
    size, is_new = 0, False
    while piece := lines.run(_SIGNED_LINES):
        for signs, content in alike.findall(piece):
            gone = b"-" in signs
            count = content.count(b"\n")
            # in a removed line "-" marks the parents that had it, in any other line "+" those that had it not
            is_new = is_new or b" " not in signs
            for parent, sign in enumerate(signs):
                marked = sign != _SPACE
                if marked:
                    _extend(file.shifts[parent], olds[parent], new, count, gone)
                olds[parent] += count if marked == gone else 0
            hunk.old_lines += count if (signs[0] != _SPACE) == gone else 0
            if not gone:
                new += count
                hunk.new_lines += count
            if size <= budget:
                one = b"-" if gone else b"+"
                text = one + content.replace(b"\n" + signs, b"\n" + one)
                room, size = budget - size, size + len(text)
                hunk.cut = size > budget
                kept[gone].append(text[: text.rfind(b"\n", 0, room) + 1] if hunk.cut else text)
    hunk.removed, hunk.added = b"".join(kept[True]), b"".join(kept[False])
    return hunk if is_new else None


@cache
def _alike(parents: int) -> re.Pattern[bytes]:
    """Lines that follow each other with the same signs: the signs, and the lines without those of the first."""
    return re.compile(rb"([ +-]{%d})([^\n]*+\n(?>(?:\1[^\n]*+\n)*))" % parents)


def _extend(shifts: list[tuple[int, int, int, int]], old: int, new: int, count: int, gone: bool) -> None:
    """Add lines that only one side has to the last shift, or begin another one."""
    old_more, new_more = (count, 0) if gone else (0, count)
    if shifts:
        old_start, old_lines, new_start, new_lines = shifts[-1]
        if old_start + old_lines == old and new_start + new_lines == new:
            shifts[-1] = (old_start, old_lines + old_more, new_start, new_lines + new_more)
            return
    shifts.append((old, old_more, new, new_more))


def _unquote(name: bytes) -> bytes:
    """A name as it is. git quotes some in C style: `"a\\tb\\303\\244"`."""
    if not name.startswith(b'"'):
        return name
    return _ESCAPE.sub(_unescape, name[1:-1])


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes((int(code, 8),)) if len(code) == 3 else _ESCAPED.get(code, code)


def _unexpected(line: bytes) -> GitError:
    return GitError(f"git log printed something unexpected: {os.fsdecode(line[:80])!r}")
