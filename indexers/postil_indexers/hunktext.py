"""From raw records to what is stored of a commit: decoded, masked, capped, with the names it adds and removes."""

from __future__ import annotations

import os
import re
from binascii import unhexlify
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter

from postil_indexers.decode import decode
from postil_indexers.diffparse import RawCommit, RawFile
from postil_indexers.known_names import TOOL_FOLDERS, is_secret, skip_file
from postil_indexers.secrets import mask
from postil_indexers.types import Commit, FileChange, Hunk, MergedFile, Shift

HUNK_CHARS = 2_000  # some 50 lines: more is a new file or a rewrite, whose text is in the index anyway
FILE_CHARS = 6_000  # so that the first file of the alphabet does not use up the commit's share
COMMIT_CHARS = 20_000  # ten times what an embedding model reads; with it 100,000 commits stay below 2 GB at the worst
LINE_CHARS = 400  # twice the longest hand-written line of code; a paragraph in a note is longer and is cut
SUBJECT_CHARS = 500
BODY_CHARS = 20_000  # a squashed branch with all its messages
SYMBOLS = 2_000  # hunks that get a symbol: a commit that has more is a sweep, and says nothing of any one function
NAMES = 64  # added or removed names kept: a commit that has more is not found by one of them
_SYMBOL_BYTES = 76  # git cuts its function context at 80, or up to three bytes before, between two characters
_VALUE = re.compile(rb"[\"'`=:]")
_VENDORED = frozenset({b"vendor", b"vendored", b"third_party", b"third-party", b"thirdparty", b"3rdparty", b"external"})
_PROSE = (b".md", b".markdown", b".mdx", b".txt", b".rst", b".org", b".adoc", b".tex", b".html", b".po")
_NAME = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{2,}\b", re.ASCII)
_MADE_UP = re.compile(r"_|[a-z0-9][A-Z]|\d", re.ASCII)  # no word of prose looks like this
_CACHED_NAMES = 100_000  # some 10 MB; the prose of a large repository has fewer words
_KEYWORD_LIST = """
    abstract and any async auto await bool boolean break byte case catch char class const constexpr continue def
    default defer del delete double elif else elseif elsif end endif ensure enum Error esac except export extends
    extern False false final finally float fmt fn for foreach from func function global goto guard has how if impl
    implements import include inline instanceof int interface internal into is lambda let long loop match mod module
    mut namespace new nil non None none not null number object operator or out override package pass print private
    protected protocol pub public raise readonly ref rescue return Self self short signed sizeof static str String
    string struct super switch template test that the then this throw throws trait True true try type typedef typename
    typeof undef union unless unsafe unsigned until use using val var virtual void volatile when where while with
    yield
"""
_KEYWORDS = frozenset(_KEYWORD_LIST.split())
_Texts = tuple[str, str, str]  # of a hunk: removed lines, added lines, symbol


@lru_cache(maxsize=8192)
def keeps_text(path: bytes) -> bool:
    """Whether a file's changed lines are worth keeping: not what programs or others wrote, not what nobody may read."""
    *folders, name = path.lower().split(b"/")
    if not TOOL_FOLDERS.isdisjoint(folders) or not _VENDORED.isdisjoint(folders):
        return False
    return skip_file(name) is None and not is_secret(name, folders[-1] if folders else b"")


def finish(raw: RawCommit, prefix: bytes) -> Commit:
    """The commit as stored. `prefix` is the workspace's folder in the repository, with its slash, or empty."""
    sha, parents, author, email, authored, committer, committer_email, committed, message = raw.header
    hunks = [hunk for file in raw.files for hunk in file.hunks]
    for hunk in hunks[SYMBOLS:]:
        hunk.symbol = b""
    hunks = [hunk for hunk in hunks if hunk.removed or hunk.added or hunk.symbol]
    # git's function context is any line of the file, so a secret may stand in it as well
    fields = [field for hunk in hunks for field in (hunk.removed, hunk.added, _uncut_symbol(hunk.symbol))]
    texts = _masked_texts(_decoded([message, *fields]))
    subject, body = _message(texts[0])
    parts = dict(zip(map(id, hunks), zip(texts[1::3], texts[2::3], texts[3::3], strict=True), strict=True))
    added, removed = _names(raw.files, parts)
    return Commit(
        sha=sha.decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        author_name=_line(author),
        author_email=_line(email),
        authored_at=int(authored or 0),
        committed_at=int(committed or 0),
        subject=subject,
        body=body,
        files=_files(raw.files, parts, len(prefix)),
        added_names=added,
        removed_names=removed,
        committer_name=_line(committer),
        committer_email=_line(committer_email),
        merged=tuple(
            MergedFile(
                _path(file.path[len(prefix) :]),
                tuple(tuple(Shift(*s) for s in each) for each in file.shifts),
                *_blobs(file),
            )
            for file in raw.merged
        ),
    )


def _uncut_symbol(symbol: bytes) -> bytes:
    """The context without its values where git has cut it: half a secret is not recognised as one."""
    return symbol if len(symbol) < _SYMBOL_BYTES else _VALUE.split(symbol, maxsplit=1)[0].rstrip()


@lru_cache(maxsize=8192)
def _line(data: bytes) -> str:
    """The people of a history come again and again, as its paths do."""
    return data.decode("ascii") if data.isascii() else decode(data)[0]


def _decoded(parts: list[bytes]) -> list[str]:
    whole = b"".join(parts)
    if whole.isascii():
        return [part.decode("ascii") for part in parts]
    return [_text(part) for part in parts]


def _text(data: bytes) -> str:
    """Bytes as text; a character that a cap has cut in two is left out, so that the rest needs no guess."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return data[: error.start].decode("utf-8")
        return decode(data)[0]


def _masked_texts(texts: list[str]) -> list[str]:
    """All texts of a commit in one call: a mask is as long as what it hides, so the same places cut them apart."""
    whole = "\n".join(texts)
    masked = mask(whole).text
    if masked == whole:
        return texts
    result, start = [], 0
    for text in texts:
        result.append(masked[start : start + len(text)])
        start += len(text) + 1
    return result


def _message(text: str) -> tuple[str, str]:
    """(subject, body): the first paragraph as one line, as git shows it, and the rest."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    paragraph, _, rest = text.strip("\n").partition("\n\n")
    subject = " ".join(line.strip() for line in paragraph.split("\n"))
    if len(subject) > SUBJECT_CHARS:
        subject, rest = subject[:SUBJECT_CHARS], f"{subject[SUBJECT_CHARS:]}\n\n{rest}"
    return subject, rest.strip("\n").rstrip()[:BODY_CHARS]


@lru_cache(maxsize=16_384)
def _path(data: bytes) -> str:
    return os.fsdecode(data)


def _files(raw: list[RawFile], parts: dict[int, _Texts], prefix: int) -> tuple[FileChange, ...]:
    left = COMMIT_CHARS
    files = []
    for file in raw:
        share = room = min(left, FILE_CHARS)
        hunks = []
        for hunk in file.hunks:
            text, symbol, truncated = "", "", hunk.cut
            if part := parts.get(id(hunk)):  # a sweeping commit has thousands without
                removed, added, symbol = part
                if removed or added:
                    text, truncated = _fitted(removed, added, min(room, HUNK_CHARS), truncated)
                    room -= len(text)
            hunks.append(Hunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, symbol, text, truncated))
        left -= share - room
        path = _path(file.path[prefix:])
        old_path = _path(file.old_path[prefix:]) if file.old_path != file.path else path
        before, after = _blobs(file)
        files.append(FileChange(path, old_path, file.status, tuple(hunks), file.binary, before[0], after))
    return tuple(files)


def _blobs(file: RawFile) -> tuple[tuple[bytes, ...], bytes]:
    """(of each parent's content, of its own): the first eight bytes of the ids."""
    *old, new = [unhexlify(blob[:16]) for blob in file.blobs]
    return tuple(old), new


def _fitted(removed: str, added: str, room: int, cut: bool) -> tuple[str, bool]:
    """(both sides within `room`, whether anything is missing). Only whole lines are kept, long ones up to a limit."""
    if "\r" in removed or "\r" in added:
        removed, added = removed.replace("\r\n", "\n"), added.replace("\r\n", "\n")
    size = len(removed) + len(added)
    if not cut and size <= min(room, LINE_CHARS):
        return removed + added, False
    kept_removed = _whole_lines(removed, max(room // 2, room - len(added)) if added else room)
    kept_added = _whole_lines(added, room - len(kept_removed))
    return kept_removed + kept_added, cut or len(kept_removed) + len(kept_added) < size


def _whole_lines(text: str, room: int) -> str:
    """The first lines that fit, each cut at LINE_CHARS. A last line without its end was cut when it was read."""
    lines = text.split("\n")
    if max(map(len, lines)) < LINE_CHARS:  # nearly always
        return text[: text.rfind("\n", 0, max(room, 0)) + 1]
    last = lines.pop()
    if len(last) >= LINE_CHARS:  # what is kept of it lies far before that cut
        lines.append(last)
    kept, used = [], 0
    for line in lines:
        short = line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 1] + "…"
        used += len(short) + 1
        if used > room:
            break
        kept.append(short + "\n")
    return "".join(kept)


def _names(files: list[RawFile], parts: dict[int, _Texts]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names the commit adds on balance, and those it removes."""
    if not parts:
        return (), ()
    before, after = Counter[str](), Counter[str]()
    for file in files:
        texts = [part for hunk in file.hunks if (part := parts.get(id(hunk)))]
        if texts:
            prose = file.path.lower().endswith(_PROSE)
            before.update(_names_in("\n".join([text[0] for text in texts]), prose))
            after.update(_names_in("\n".join([text[1] for text in texts]), prose))
    return _most(after, before), _most(before, after)


def _names_in(text: str, prose: bool) -> Iterable[str]:
    found = _NAME.findall(text)
    return filter(_is_made_up.__getitem__, found) if prose else found


class _MadeUp(dict[str, bool]):
    """Name -> whether it is no word of prose. A dict: `filter` over its look-up costs no Python frame for a hit."""

    def __missing__(self, name: str) -> bool:
        if len(self) >= _CACHED_NAMES:
            self.clear()
        self[name] = made_up = _MADE_UP.search(name) is not None
        return made_up


_is_made_up = _MadeUp()


def _most(counts: Counter[str], others: Counter[str]) -> tuple[str, ...]:
    """The most frequent names of those that are counted more often here than there."""
    more = [
        (name, count - other)
        for name, count in counts.items()
        if count > (other := others.get(name, 0)) and name not in _KEYWORDS
    ]
    more.sort(key=itemgetter(1), reverse=True)
    return tuple([name for name, _ in more[:NAMES]])
