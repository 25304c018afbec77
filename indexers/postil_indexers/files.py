"""The walk: every file of a workspace that is to be indexed, and why the others are not."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from postil_indexers.decode import decode, marked_encoding
from postil_indexers.errors import WorkspaceError
from postil_indexers.guards import size_limit, skip_bytes, skip_text
from postil_indexers.known_names import is_secret, skip_file
from postil_indexers.opening import open_file, read_small, read_up_to
from postil_indexers.platform import identity, is_placeholder, leads_elsewhere
from postil_indexers.repository import Repository
from postil_indexers.rules import Folder, Judgement, top_folder
from postil_indexers.seen import FileEntry, Skip, SkipReason, shown, shown_size

_CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"  # bford.info/cachedir: written by cargo, pytest, uv, ...
_BARE_REPOSITORY = frozenset({b"HEAD", b"objects", b"refs"})


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as text, and how it stood when it was opened."""

    entry: FileEntry
    text: str  # without byte order mark, line ends as they are
    encoding: str
    guessed: bool  # the encoding is a guess
    content_hash: str  # of the bytes; equal where only the times changed


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that is being walked."""

    rules: Folder
    path: bytes  # relative to the root with "/" at its end; b"" for the root
    name: bytes = b""  # in lower case
    named: bool = False  # opened on purpose: marks of caches and environments in it don't count


class Walk:
    """What stays the same during one walk."""

    def __init__(self, root: str, max_bytes: int | None, extra_ignore: Sequence[str]) -> None:
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise WorkspaceError(f"{shown(root)} is not a folder that can be read")
        self._max_bytes = max_bytes
        self._base = os.fsencode(self.root).rstrip(b"/") + b"/"
        self.start = Place(top_folder(self.root, extra_ignore), b"", named=True)

    def enter(self, place: Place) -> tuple[Place, list[os.DirEntry[bytes]]] | Skip:
        """What lies in a folder, in order of name, and the folder with its own rules."""
        path, place_path = os.fsdecode(place.path[:-1]), self._base + place.path
        try:
            with os.scandir(place_path) as listing:
                entries = sorted(listing, key=_by_name)
        except OSError as error:
            return Skip(path, SkipReason.UNREADABLE, error.strerror or "it can't be listed", is_directory=True)
        names = {entry.name for entry in entries}
        marked = _marked(place, place_path, names)
        if marked is not None:
            return Skip(path, *marked, is_directory=True)
        rules = place.rules.opened(os.fsdecode(place_path), names, shown(path))
        return replace(place, rules=rules), entries

    def decide(self, place: Place, entry: os.DirEntry[bytes]) -> FileEntry | Skip | Place:
        """What becomes of one entry of a folder: to index, left out, or walked."""
        name = entry.name
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            judgement = place.rules.judge(name, is_folder)
            if is_folder and judgement.enter and not leads_elsewhere(entry):
                return _inside(place, name, judgement)
            path = os.fsdecode(place.path + name)
            if judgement.reason is not None:
                return Skip(path, judgement.reason, judgement.detail, is_folder)
            if is_folder or entry.is_symlink():
                return self._link(entry, path)
            return self._file(path, name.lower(), place.name, entry.stat(follow_symlinks=False))
        except OSError as error:
            path = os.fsdecode(place.path + name)
            return Skip(path, SkipReason.UNREADABLE, error.strerror or "it can't be looked at")

    def folder(self, place: Place, name: bytes) -> Place | None:
        """The place of a folder in `place`, or None for one that is left out. It is not looked at."""
        judgement = place.rules.judge(name, True)
        return _inside(place, name, judgement) if judgement.enter else None

    def sort(self, place: Place, entries: Iterable[os.DirEntry[bytes]]) -> tuple[list[FileEntry | Skip], list[Place]]:
        """What lies in an entered folder: files and what is left out, and the folders to walk."""
        found: list[FileEntry | Skip] = []
        folders = []
        for entry in entries:
            decided = self.decide(place, entry)
            if isinstance(decided, Place):
                folders.append(decided)
                if decided.rules.closed is not None and place.rules.closed is None:
                    found.append(_closed(decided, decided.rules.closed))
            elif place.rules.closed is None or not isinstance(decided, Skip) or _in_its_own_right(decided):
                found.append(decided)
        return found, folders

    def look_into(self, folders: Iterable[str]) -> Iterator[FileEntry | Skip]:
        """What a scan finds directly in each of some folders, given relative to the root; nothing in one not there."""
        walked: dict[str, tuple[Place, list[os.DirEntry[bytes]]] | Skip | None] = {}
        for folder in folders:
            entered = self._walk_to(folder, walked)
            if isinstance(entered, Skip):
                yield entered
            elif entered is not None:
                yield from self.sort(*entered)[0]

    def _walk_to(
        self, folder: str, walked: dict[str, tuple[Place, list[os.DirEntry[bytes]]] | Skip | None]
    ) -> tuple[Place, list[os.DirEntry[bytes]]] | Skip | None:
        """A folder, entered by way of those it is in, each once; None where a scan does not come to it."""
        parts = folder.split("/") if folder else []
        for depth in range(len(parts) + 1):
            path = "/".join(parts[:depth])
            if path in walked:
                continue
            place: Place | None = self.start
            if depth:
                around = walked["/".join(parts[: depth - 1])]
                place = self.folder(around[0], os.fsencode(parts[depth - 1])) if isinstance(around, tuple) else None
            there = place is not None and os.path.isdir(self._base + place.path)
            walked[path] = self.enter(place) if place is not None and there else None
        return walked[folder]

    def _file(self, path: str, name: bytes, parent: bytes, status: os.stat_result) -> FileEntry | Skip:
        size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            return Skip(path, SkipReason.SPECIAL, "a pipe, socket or device")
        if is_secret(name, parent):
            return Skip(path, SkipReason.SECRET, "its name says that it holds keys or credentials", size=size)
        known = skip_file(name)
        if known is not None:
            return Skip(path, *known, size=size)
        if is_placeholder(status):
            return Skip(path, SkipReason.PLACEHOLDER, "its content is in a cloud drive only", size=size)
        limit = self._max_bytes or size_limit(_extension(name))
        if size > limit:
            return _too_large(path, size, limit)
        return _entry(path, status)

    def _link(self, entry: os.DirEntry[bytes], path: str) -> Skip:
        is_folder = os.path.isdir(entry.path)
        target = os.path.realpath(os.fsencode(entry.path))
        if not os.path.lexists(target):
            return Skip(path, SkipReason.SYMLINK, "a link to what is not there")
        if target + b"/" == self._base or target.startswith(self._base):
            inside = shown(os.fsdecode(target[len(self._base) :])) or "the root"
            return Skip(path, SkipReason.SYMLINK, f"a link to {inside}, which counts where it lies", is_folder)
        return Skip(path, SkipReason.OUTSIDE, "a link that leads out of the workspace", is_folder)


def scan(
    root: str,
    *,
    max_bytes: int | None = None,
    extra_ignore: Sequence[str] = (),
    warnings: list[str] | None = None,
) -> Iterator[FileEntry | Skip]:
    """Every file below `root` in order of name, or why it is left out. The row of a folder stands for all below it that
    has no row of its own: something in an ignored folder is in if git tracks it or a .postilignore has a "!" for it.

    No file is opened but ignore files. Links are never followed: what they point at inside the root counts where it
    lies. `max_bytes` replaces the limits of each kind of file. `extra_ignore` are the user's own patterns in git's
    syntax, relative to the root, with the last word. `warnings` takes what went wrong with git, fit to show.
    """
    walk = Walk(root, max_bytes, extra_ignore)
    repositories: set[Repository | None] = set()
    stack = [walk.start]
    while stack:
        entered = walk.enter(stack.pop())
        if isinstance(entered, Skip):
            yield entered
            continue
        repositories.add(entered[0].rules.repository)
        found, folders = walk.sort(*entered)
        yield from found
        stack.extend(reversed(folders))
    if warnings is not None:
        for repository in repositories:
            warnings.extend(repository.warnings if repository is not None else ())


def why(
    root: str, path: str, *, max_bytes: int | None = None, extra_ignore: Sequence[str] = ()
) -> FileEntry | Skip | None:
    """What a scan and a read make of one path now: what is indexed, or why not. None for a folder that is walked."""
    walk = Walk(root, max_bytes, extra_ignore)
    relative = _relative(root, walk.root, path)
    if relative == ".." or relative.startswith("../") or os.path.isabs(relative):
        return Skip(path, SkipReason.OUTSIDE, "it does not lie below the root")
    decided: FileEntry | Skip | Place = walk.start
    for part in [] if relative == "." else relative.split("/"):
        if isinstance(decided, FileEntry):
            return Skip(relative, SkipReason.MISSING, "there is nothing of that name")
        entered = decided if isinstance(decided, Skip) else walk.enter(decided)
        if isinstance(entered, Skip):
            return entered
        place, entries = entered
        found = next((entry for entry in entries if entry.name == os.fsencode(part)), None)
        if found is None:
            return Skip(relative, SkipReason.MISSING, "there is nothing of that name")
        decided = walk.decide(place, found)
    if isinstance(decided, Place):
        entered = walk.enter(decided)
        return entered if isinstance(entered, Skip) else None
    if isinstance(decided, FileEntry):
        read = read_text(root, relative, max_bytes=max_bytes)
        return read if isinstance(read, Skip) else read.entry
    return decided


def read_text(root: str, path: str, *, max_bytes: int | None = None) -> FileText | Skip:
    """The text of a file that a scan found, or why it is not one to index. Raises nothing, whatever the bytes are.

    The entry is taken before the first byte is read: a file that is written to meanwhile differs at the next scan.
    """
    opened = open_file(root, path)
    if isinstance(opened, Skip):
        return opened
    descriptor, status = opened
    extension = _extension(os.fsencode(path).rpartition(b"/")[2].lower())
    limit = max_bytes or size_limit(extension)
    try:
        data = b"" if status.st_size > limit else read_up_to(descriptor, limit + 1)
    except OSError as error:
        return Skip(path, SkipReason.UNREADABLE, error.strerror or "it can't be read")
    finally:
        os.close(descriptor)
    size = max(status.st_size, len(data))
    if size > limit:
        return _too_large(path, size, limit)
    found = skip_bytes(data, marked=marked_encoding(data) is not None)
    if found is not None:
        return Skip(path, *found, size=size)
    text, encoding, guessed = decode(data)
    found = skip_text(text, extension)
    if found is not None:
        return Skip(path, *found, size=size)
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    return FileText(_entry(path, status), text, encoding, guessed, digest)


def _inside(place: Place, name: bytes, judgement: Judgement) -> Place:
    return Place(place.rules.child(name, judgement), place.path + name + b"/", name.lower(), judgement.named)


def _closed(place: Place, judgement: Judgement) -> Skip:
    return Skip(os.fsdecode(place.path[:-1]), judgement.reason or SkipReason.IGNORED, judgement.detail, True)


def _in_its_own_right(skip: Skip) -> bool:
    """Whether it is more than a part of an ignored folder that was entered for something else in it."""
    return skip.reason not in (SkipReason.IGNORED, SkipReason.TOOL_FOLDER)


def _relative(root: str, real_root: str, path: str) -> str:
    """A path as FileEntry has it, of one given relative to the root or absolute, by whatever links lead to the root."""
    given_root = os.path.abspath(root)
    given = os.path.abspath(os.path.join(given_root, path))
    if given != given_root and not given.startswith(given_root.rstrip(os.sep) + os.sep):
        folder, name = os.path.split(given)
        given, given_root = os.path.join(os.path.realpath(folder), name), real_root
    return os.path.relpath(given, given_root).replace(os.sep, "/")


def _by_name(entry: os.DirEntry[bytes]) -> bytes:
    return entry.name


def _extension(name: bytes) -> str:
    return os.path.splitext(os.fsdecode(name))[1]


def _entry(path: str, status: os.stat_result) -> FileEntry:
    return FileEntry(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, *identity(status))


def _too_large(path: str, size: int, limit: int) -> Skip:
    return Skip(path, SkipReason.TOO_LARGE, f"{shown_size(size)}; the limit is {shown_size(limit)}", size=size)


def _marked(place: Place, place_path: bytes, names: set[bytes]) -> tuple[SkipReason, str] | None:
    """What the files in a folder say of it, where its name said nothing."""
    if names >= _BARE_REPOSITORY:
        return SkipReason.VERSION_CONTROL, "a repository without a work tree"
    if place.named or place.rules.closed is not None:
        return None
    if b"pyvenv.cfg" in names:
        return SkipReason.TOOL_FOLDER, "a virtual environment of Python"
    if b"CACHEDIR.TAG" in names:
        tag = read_small(os.fsdecode(place_path + b"CACHEDIR.TAG"), follow=False)
        if tag.startswith(_CACHE_TAG):
            return SkipReason.TOOL_FOLDER, "marked as a cache (CACHEDIR.TAG)"
    return None
