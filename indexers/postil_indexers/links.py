"""How a link finds its note: by path, file name, alias, Zettel id, title, in this order. Stated in docs/links.md.

Names compare in NFC and without case; paths exactly where both spellings exist. Of several candidates the nearest wins,
and the resolution says that it was ambiguous.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from postil_indexers.chunking.inline import wiki_parts
from postil_indexers.chunking.notes import NOTE_EXTENSIONS, file_stem, timestamp_id
from postil_indexers.types import Heading, Link

_MAX_PATHS = 8  # candidates that a resolution names; more help nobody to choose
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")  # two letters or more: `C:` is a drive
_UPWARDS = re.compile(r"(?:\.{1,2}/)+")
_FOLDER_NOTES = ("index", "readme", "_index")  # what a link to a folder means, in this order
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A file that links can mean. Those that are no notes have only a path."""

    path: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    note_id: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link means. No paths: nothing in the workspace, `how` is "" then, or "external" for an address."""

    paths: tuple[str, ...] = ()  # the chosen one first, then at most seven other candidates
    how: str = ""  # "path", "name", "alias", "id", "title", "self", "external"
    ambiguous: bool = False

    @property
    def path(self) -> str | None:
        return self.paths[0] if self.paths else None


class LinkResolver:
    """Resolves links against all files of a workspace. Built once; each step of resolving is a look-up."""

    def __init__(self, targets: Iterable[LinkTarget]) -> None:
        self._by_path: dict[str, list[str]] = {}
        self._by_name: dict[str, list[str]] = {}
        self._by_alias: dict[str, list[str]] = {}
        self._by_id: dict[str, list[str]] = {}
        self._by_title: dict[str, list[str]] = {}
        self._nearest: dict[tuple[str, str], _Nearest] = {}
        self._by_folder: dict[str, dict[str, list[str]]] = {}
        for target in targets:
            self._add(target)

    def _add(self, target: LinkTarget) -> None:
        path = target.path
        key = name_key(path)
        _append(self._by_path, key, path)
        name = key.rpartition("/")[2]
        _append(self._by_name, name, path)
        stem = file_stem(name)
        if stem != name:
            _append(self._by_name, stem, path)
        if target.note_id:
            _append(self._by_id, name_key(target.note_id), path)
        if target.title:
            _append(self._by_title, name_key(target.title), path)
        for alias in target.aliases:
            _append(self._by_alias, name_key(alias), path)

    def resolve(self, from_path: str, link: Link) -> Resolution:
        """What `link`, written in the note `from_path`, means."""
        target = link.target.strip()
        if not target:
            return Resolution((from_path,), "self")
        if _SCHEME.match(target):
            return Resolution(how="external")
        folder = posixpath.dirname(from_path)
        found = self._path(folder, target)
        if found:
            return Resolution((found,), "path")
        wanted = name_key(target.replace("\\", "/").strip("/"))
        for how, candidates, bucket in self._named(wanted):
            if candidates:
                return self._choose(folder, how, candidates, bucket)
        second = _second_reading(link)
        return self.resolve(from_path, second) if second else Resolution()

    def _named(self, wanted: str) -> Iterator[tuple[str, list[str], str]]:
        """(how, candidates, key they are cached under) of each way to mean a note other than by its path."""
        yield "name", self._with_name(wanted), wanted
        yield "alias", self._by_alias.get(wanted, []), wanted
        by_id = wanted if wanted in self._by_id else timestamp_id(wanted)  # "202403041200 a title it had once"
        yield "id", self._by_id.get(by_id, []) if by_id else [], by_id
        yield "title", self._by_title.get(wanted, []), wanted

    def _path(self, folder: str, target: str) -> str | None:
        """The file at `target`, relative to the note's folder or else to the root."""
        target = unicodedata.normalize("NFC", target)
        for spelled in dict.fromkeys((target, target.replace("\\", "/"))):
            for base in ("",) if spelled.startswith("/") else dict.fromkeys((folder, "")):
                place = posixpath.normpath(posixpath.join(base, spelled.lstrip("/") or "."))
                if place.startswith("../"):
                    continue
                found = None if spelled.endswith("/") else self._file(place)
                inside = (posixpath.normpath(posixpath.join(place, name)) for name in _FOLDER_NOTES)
                found = found or next((file for path in inside if (file := self._file(path))), None)
                if found:
                    return found
        return None

    def _file(self, place: str) -> str | None:
        """The file with this path, or with this path and a note's extension."""
        key = name_key(place)
        for extension in ("", *NOTE_EXTENSIONS):
            if paths := self._by_path.get(key + extension):
                exact = place + extension
                return next((path for path in paths if unicodedata.normalize("NFC", path) == exact), paths[0])
        return None

    def _with_name(self, wanted: str) -> list[str]:
        """Files with this name, or whose path ends in it where it names folders too."""
        folders, _, name = wanted.rpartition("/")
        same = self._by_name.get(name, [])
        if not folders or not same:
            return same
        if upwards := _UPWARDS.match(folders + "/"):  # not where the link says: moved, if its name is unique
            folders = folders[upwards.end() :]
            if not folders:
                return same if len(same) == 1 else []
        by_folder = self._by_folder.get(name)
        if by_folder is None:
            by_folder = {}
            for path in same:
                for suffix in _suffixes(name_key(posixpath.dirname(path))):
                    by_folder.setdefault(suffix, []).append(path)
            self._by_folder[name] = by_folder
        return by_folder.get(folders, [])

    def _choose(self, folder: str, how: str, candidates: list[str], bucket: str) -> Resolution:
        if len(candidates) == 1:
            return Resolution((candidates[0],), how)
        nearest = self._nearest.get((how, bucket))
        if nearest is None:
            nearest = self._nearest[how, bucket] = _Nearest(candidates)
        paths = nearest.to(folder)
        return Resolution(paths, how, ambiguous=len(paths) > 1)


class _Nearest:
    """Of many files the nearest to a folder: the deepest folder in common, then the fewest below, then by name."""

    __slots__ = ("_best", "_first")

    def __init__(self, candidates: list[str]) -> None:
        ordered = sorted(set(candidates), key=lambda path: (path.count("/"), path))
        self._first = ordered[:_MAX_PATHS]
        self._best: dict[str, str] = {}
        for path in ordered:  # the first seen under a folder is the one with the fewest folders below it
            folder = posixpath.dirname(path)
            while folder not in self._best:
                self._best[folder] = path
                if not folder:
                    break
                folder = posixpath.dirname(folder)

    def to(self, folder: str) -> tuple[str, ...]:
        while folder not in self._best:
            folder = posixpath.dirname(folder)
        best = self._best[folder]
        return (best, *(path for path in self._first if path != best))[:_MAX_PATHS]


def _second_reading(link: Link) -> Link | None:
    """What a link that finds nothing may have meant: a site's address with a query, or `[[text|note]]`."""
    plain, question, _ = link.target.partition("?")
    if question and plain.strip():
        return replace(link, target=plain)
    if link.style in ("wiki", "embed") and link.text:  # Dendron puts the text first
        target, anchor = wiki_parts(link.text)
        return replace(link, target=target, anchor=anchor, text="") if target else None
    return None


def anchor_line(anchor: str, headings: Iterable[Heading], block_ids: Iterable[tuple[str, int]]) -> int | None:
    """The line that an anchor means: `^block`, a heading's text (the last of `A#B`), or its slug as on the web."""
    if anchor.startswith("^"):
        return next((line for name, line in block_ids if name == anchor[1:]), None)
    wanted = name_key(anchor.rpartition("#")[2])
    slug = slugify(wanted)
    by_slug: int | None = None
    for heading in headings:
        text = name_key(heading.text)
        if text == wanted:
            return heading.line
        if by_slug is None and slugify(text) == slug:
            by_slug = heading.line
    return by_slug


def slugify(text: str) -> str:
    """A heading as GitHub makes it an anchor: lower case, hyphens for spaces, no punctuation."""
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def name_key(text: str) -> str:
    """Equal for names that differ only in Unicode's form, case, and white space around them."""
    if text.isascii():
        return text.strip().lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).strip()


def _append(index: dict[str, list[str]], key: str, path: str) -> None:
    index.setdefault(key, []).append(path)


def _suffixes(folder: str) -> Iterator[str]:
    """`a/b/c`, `b/c`, `c`."""
    while folder:
        yield folder
        folder = folder.partition("/")[2]
